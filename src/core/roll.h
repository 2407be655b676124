/*
 * roll.h - resets, marks and changes of the clock, in trees that their owners go on changing.
 *
 * A mark rolls a thread's numbers: what was measured since the last mark becomes an interval, is
 * added to the totals in the node's extra, and the node begins at zero again, so that its minimum
 * and maximum are the interval's without any work in a start or stop.
 */
#ifndef GPTL_CORE_ROLL_H
#define GPTL_CORE_ROLL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/thread.h"

/* All with the lock held. */

/* Leave an order with every thread; the calling thread's own is executed at once. */
/* NULL: everything. False when there was no memory for all. */
bool gptl_roll_order_reset(struct gptl_region *region);
void gptl_roll_order_shift(uint64_t ticks);
void gptl_roll_order_clock(const struct gptl_clock *clock);
bool gptl_roll_order_mark(const char *label); /* false: no memory */
void gptl_roll_order_forget(void);            /* the addresses of functions */
void gptl_roll_order_watch(void);             /* nodes that are there already: see throttle.h */

/* The owner executes its orders. */
void gptl_roll_obey(struct gptl_thread *t);
/* The owner moves the starts of its open frames, also without the lock. */
void gptl_roll_move(struct gptl_thread *t, uint64_t ticks);

/* Frees the intervals and orders of a thread; all intervals of the process. */
void gptl_roll_free(struct gptl_thread *t);
void gptl_roll_end(void);

/* Intervals of the process: marks FIRST to LAST were joined under LABEL. */
struct gptl_roll_span {
    uint64_t first, last;
    char label[GPTL_LABEL_SIZE];
};
uint32_t gptl_roll_spans(const struct gptl_roll_span **spans);

/* Joins the parts of a thread that lie in one span. */
void gptl_roll_join_parts(struct gptl_thread *t);

#endif
