/*
 * lane.h - where a thread's records go.
 *
 * The memory for records is a ring of chunks. A thread has a lane, and a lane has a chunk of its own
 * that it fills; it takes the next one by one atomic addition. The oldest chunk that nobody fills is
 * overwritten. A thread that ends leaves its lane, with the chunk, to one that begins.
 *
 * While a record is made, the lane's limit is NULL. A signal handler that comes then sees that, and
 * records in a lane of its own.
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
    GPTL_IOC_SHORT_RECORDS = 3  /* of one that is recorded the short way */
};

struct gptl_ioc_lane {
    /* What a record touches. */
    struct gptl_ioc_record *pos, *limit; /* of a short record; limit NULL: not now */
    uint64_t last;                       /* time of the record before, in units */
    uint32_t shift;
    int32_t thread;
    struct gptl_ioc_record *joined; /* the last record, if more may be added to it, or NULL */
    uint32_t joined_key;            /* of what call */
    int32_t joined_fd;
    uint32_t joined_epoch;
    struct gptl_ioc_record *full; /* what limit is otherwise */

    struct gptl_ioc_record *chunk, *end;
    uint32_t slot;
    bool slow;   /* in the slow path */
    bool paused; /* in vfork */
    const void *node;
    uint32_t path;        /* the number of that node's call path … */
    uint32_t measurement; /* … in this measurement: later, the address may be another node's */
    struct gptl_ioc_lane *nested, *next_free;
}
__attribute__((aligned(128))); /* no two of them share a line, nor a pair that is fetched at once */

extern __thread struct gptl_ioc_lane *gptl_ioc_lane __attribute__((tls_model("initial-exec")));

/* Changes when records are written: none may be joined with one from before. */
extern uint32_t gptl_ioc_epoch;

/* Memory of BYTES for records, or less if there is no more. Returns how much, 0: none. */
uint64_t gptl_ioc_lanes_begin(uint64_t bytes, uint32_t shift, bool salvage);
/* In a child of fork: all is empty; so is the memory for records. */
void gptl_ioc_lanes_child(void);

/*
 * RECORDS[0] is the call, with no time yet, and there is room for one more. They are kept, or the call
 * is counted as lost.
 */
void gptl_ioc_lane_add(struct gptl_ioc_record *records, int n, uint64_t now);
/* The same for one that may be joined with those like it that follow; KEY says which these are. */
void gptl_ioc_lane_add_joined(struct gptl_ioc_record *records, int n, uint64_t now, uint32_t key);

/* The short ways of this thread are closed, or, when BEGINS is false, open again. */
void gptl_ioc_lane_pause(bool begins);

/* ---- For the section's writer ---------------------------------------------------------------- */

/* Whether chunks may be overwritten: not while they are written. */
void gptl_ioc_lanes_freeze(bool frozen);
/* Tells lanes_begin's owner that memory is full; it may write: true says that there is room again. */
extern bool (*gptl_ioc_when_full)(void);
/* Tells it that a child is about to record for the first time. */
extern void (*gptl_ioc_when_unsaved)(void);

#endif
