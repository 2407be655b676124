/* meter.h - what a node gathers besides wall-clock time: CPU time, and the histogram of calls. */
#ifndef GPTL_CORE_METER_H
#define GPTL_CORE_METER_H

#include "core/thread.h"

/* Reads the meters into the side frame of the frame just pushed. */
void gptl_meter_start(struct gptl_thread *t);
/* Adds what they say since then, as often as CALLS, to NODE, whose outermost call in frame K ended. */
void gptl_meter_stop(struct gptl_thread *t, struct gptl_node *node, uint32_t k, uint32_t calls);
/* Adds CALLS calls of TICKS each to the node's histogram. */
void gptl_meter_histogram(struct gptl_thread *t, struct gptl_node *node, uint64_t ticks,
                          uint64_t calls);
/* The bucket of a call of TICKS, and the ticks in the middle of a bucket. */
unsigned gptl_meter_bucket(uint64_t ticks);
double gptl_meter_middle(int bucket);
/* A copy of the histogram, to be freed; NULL when there is none, or no memory. */
struct gptl_histogram *gptl_meter_copy(const struct gptl_extra *extra);

#endif
