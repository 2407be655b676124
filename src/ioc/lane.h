/*
 * lane.h - a thread's buffer for records (lane).
 *
 * The memory for records is a ring of chunks. Each thread has a lane, and a lane fills a separate
 * chunk; it takes the next one with one atomic addition. The oldest chunk that no lane fills is
 * overwritten. A thread that ends passes its lane, with the chunk, to a new thread.
 *
 * While a record is written, the lane's limit is NULL. A signal handler that interrupts it notices
 * that, and records in another lane.
 */
#ifndef GPTL_IOC_LANE_H
#define GPTL_IOC_LANE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "ioc/format.h"
#include "ioc/ring.h"
#include "posix/posix.h"

enum {
    GPTL_IOC_MOST_RECORDS = 14, /* of one call, with its extensions and detail */
    GPTL_IOC_SHORT_RECORDS = 3  /* of one call on the fast path */
};

struct gptl_ioc_lane {
    /* Accessed by each record. */
    struct gptl_ioc_record *pos, *limit; /* limit of a short record; NULL: busy */
    uint64_t last;                       /* time of the preceding record, in units */
    uint32_t shift;
    int32_t thread;
    struct gptl_ioc_record *joined; /* the last record, if it can be extended, or NULL */
    uint32_t joined_key;            /* identifies its call */
    int32_t joined_fd;
    uint32_t joined_epoch;
    struct gptl_ioc_record *full; /* value of limit when not busy */

    struct gptl_ioc_record *chunk, *end;
    uint32_t slot;
    bool slow;   /* in the slow path */
    bool paused; /* in vfork */
    const void *node;
    uint32_t path;        /* number of that node's call path … */
    uint32_t measurement; /* … in this measurement: later, the address may be another node's */
    struct gptl_ioc_lane *nested, *next_free;
} __attribute__((aligned(128))); /* no two share a line, nor a pair that is fetched together */

extern __thread struct gptl_ioc_lane *gptl_ioc_lane __attribute__((tls_model("initial-exec")));

/*
 * Changes when records are written to the log: later calls must not be merged into earlier records.
 */
extern uint32_t gptl_ioc_epoch;

/*
 * Allocate BYTES for records, or less if memory is short. Return the number of bytes, 0 on failure.
 */
uint64_t gptl_ioc_lanes_begin(uint64_t bytes, uint32_t shift, bool salvage);
/* In a child of fork: empty all lanes, and the memory for records. */
void gptl_ioc_lanes_child(void);

/*
 * Store N records: RECORDS[0] is the call, without its time, and the array has space for one more.
 * If they cannot be stored, count the call as lost.
 */
void gptl_ioc_lane_add(struct gptl_ioc_record *records, int n, uint64_t now);
/*
 * Like gptl_ioc_lane_add, for a call into which equal calls that follow can be merged; KEY
 * identifies equal calls.
 */
void gptl_ioc_lane_add_joined(struct gptl_ioc_record *records, int n, uint64_t now, uint32_t key);

/* Close the fast path of this thread; with BEGINS false, open it again. */
void gptl_ioc_lane_pause(bool begins);

/* ---- For the writer of a section ------------------------------------------------------------- */

/* Forbid overwriting of chunks while they are written to the log. */
void gptl_ioc_lanes_freeze(bool frozen);
/* Called when memory is full. It may write a section, and returns true if there is space again. */
extern bool (*gptl_ioc_when_full)(void);
/* Called before the first record of a child. */
extern void (*gptl_ioc_when_unsaved)(void);

#endif
