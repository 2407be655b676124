/* histogram.h - how often calls of a node took how long. */
#ifndef GPTL_CORE_HISTOGRAM_H
#define GPTL_CORE_HISTOGRAM_H

#include "core/thread.h"

/* Adds CALLS calls of TICKS each to the node's histogram. */
void gptl_histogram_add_calls(struct gptl_thread *t, struct gptl_node *node, uint64_t ticks,
                              uint64_t calls);
/* The bucket of a call of TICKS, and the ticks in the middle of a bucket. */
unsigned gptl_histogram_bucket(uint64_t ticks);
double gptl_histogram_middle(int bucket);
/* A copy of the histogram, to be freed; NULL when there is none, or no memory. */
struct gptl_histogram *gptl_histogram_copy(const struct gptl_extra *extra);

#endif
