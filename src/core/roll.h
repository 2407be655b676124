/*
 * roll.h - resets, marks and changes of the clock, in trees that their owners keep changing.
 *
 * A mark rolls a thread's numbers: the measurements since the last mark become an interval, are
 * added to the totals in the node's extra, and the node restarts at zero. So its minimum and
 * maximum cover the interval, without any work in a start or stop.
 */
#ifndef GPTL_CORE_ROLL_H
#define GPTL_CORE_ROLL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/thread.h"

/* All functions require the lock. */

/*
 * The following functions leave a request with every thread; the calling thread applies its own at
 * once.
 */
/* REGION is NULL for all regions. Return false if memory was lacking for a thread. */
bool gptl_roll_order_reset(struct gptl_region *region);
void gptl_roll_order_shift(uint64_t ticks);
void gptl_roll_order_clock(const struct gptl_clock *clock);
bool gptl_roll_order_mark(const char *label); /* false without memory */
void gptl_roll_order_forget(void);            /* forget the addresses of functions */
void gptl_roll_order_watch(void);             /* watch the existing nodes; see throttle.h */

/* Apply the pending requests; called by the owner. */
void gptl_roll_obey(struct gptl_thread *t);
/* Move the starts of the owner's open frames; callable without the lock. */
void gptl_roll_move(struct gptl_thread *t, uint64_t ticks);

/* Free the intervals and requests of a thread; free all intervals of the process. */
void gptl_roll_free(struct gptl_thread *t);
void gptl_roll_end(void);

/* An interval of the process: the marks FIRST to LAST, joined under LABEL. */
struct gptl_roll_span {
    uint64_t first, last;
    char label[GPTL_LABEL_SIZE];
};
uint32_t gptl_roll_spans(const struct gptl_roll_span **spans);

/* Join the parts of a thread that lie in one span. */
void gptl_roll_join_parts(struct gptl_thread *t);

#endif
