/*
 * plan.h - computes the size of a section from a ring, and writes it. The section's other blocks
 * are in a text. The recorder writes its own sections; a tool writes the section of a killed
 * process.
 */
#ifndef GPTL_IOC_PLAN_H
#define GPTL_IOC_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "ioc/log.h"
#include "ioc/ring.h"
#include "ioc/text.h"

enum { GPTL_IOC_MOST_CALLS = 65536 }; /* limit of call numbers */

struct gptl_ioc_piece {
    uint32_t slot, n;
    bool has_start; /* an added start record precedes it */
};

struct gptl_ioc_plan {
    const struct gptl_ioc_ring *ring;
    struct gptl_ioc_piece *pieces; /* parts of the slots for this section */
    uint32_t n;
    uint64_t bytes, calls;
    unsigned char *used; /* bit for each call that occurs by name */
};

/* Initialize PLAN. Return false if out of memory; nothing must be freed then. */
bool gptl_ioc_plan_begin(struct gptl_ioc_plan *plan, const struct gptl_ioc_ring *ring);
/* Add all records that are in no section, from the NEXT chunks that have been taken. */
void gptl_ioc_plan_all(struct gptl_ioc_plan *plan, uint64_t next);
void gptl_ioc_plan_free(struct gptl_ioc_plan *plan);

static inline bool gptl_ioc_plan_uses(const struct gptl_ioc_plan *plan, uint32_t call)
{
    return call < GPTL_IOC_MOST_CALLS && (plan->used[call / 8] >> call % 8 & 1);
}

/* Set the bits in USED for the files that the records name, up to NEWEST. */
void gptl_ioc_plan_files(const struct gptl_ioc_plan *plan, unsigned char *used, uint32_t newest);

/* Fill in the sizes in HEADER. */
void gptl_ioc_plan_sizes(const struct gptl_ioc_plan *plan, const struct gptl_ioc_text *text,
                         struct gptl_ioc_header *header);
/* Write the section to LOG, which is open for the header's section_size. */
void gptl_ioc_plan_write(const struct gptl_ioc_plan *plan, const struct gptl_ioc_text *text,
                         struct gptl_ioc_header *header, struct gptl_ioc_log *log);

#endif
