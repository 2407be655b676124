/*
 * plan.h - a section from what is in a ring: how much it is, and writing it. Its other blocks are in a
 * text. The recorder writes its own; a tool that of a process that was killed.
 */
#ifndef GPTL_IOC_PLAN_H
#define GPTL_IOC_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "ioc/log.h"
#include "ioc/ring.h"
#include "ioc/text.h"

enum { GPTL_IOC_MOST_CALLS = 65536 }; /* numbers of calls */

struct gptl_ioc_piece {
    uint32_t slot, n;
    bool has_start; /* a start record of ours stands before it */
};

struct gptl_ioc_plan {
    const struct gptl_ioc_ring *ring;
    struct gptl_ioc_piece *pieces; /* what of a slot goes into this section */
    uint32_t n;
    uint64_t bytes, calls;
    unsigned char *used; /* which calls occur by name */
};

/* False: there is no memory. Then nothing needs to be freed. */
bool gptl_ioc_plan_begin(struct gptl_ioc_plan *plan, const struct gptl_ioc_ring *ring);
/* All that is in no section yet, of NEXT chunks that have been taken. */
void gptl_ioc_plan_all(struct gptl_ioc_plan *plan, uint64_t next);
void gptl_ioc_plan_free(struct gptl_ioc_plan *plan);

static inline bool gptl_ioc_plan_uses(const struct gptl_ioc_plan *plan, uint32_t call)
{
    return call < GPTL_IOC_MOST_CALLS && (plan->used[call / 8] >> call % 8 & 1);
}

/* Sets the bits in USED of the files that its records are about, but those after NEWEST. */
void gptl_ioc_plan_files(const struct gptl_ioc_plan *plan, unsigned char *used, uint32_t newest);

/* What the header says of sizes. */
void gptl_ioc_plan_sizes(const struct gptl_ioc_plan *plan, const struct gptl_ioc_text *text,
                         struct gptl_ioc_header *header);
/* Writes all of it to LOG, which is open for the header's section_size. */
void gptl_ioc_plan_write(const struct gptl_ioc_plan *plan, const struct gptl_ioc_text *text,
                         struct gptl_ioc_header *header, struct gptl_ioc_log *log);

#endif
