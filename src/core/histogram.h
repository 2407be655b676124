/* histogram.h - histograms of the call times of a node. */
#ifndef GPTL_CORE_HISTOGRAM_H
#define GPTL_CORE_HISTOGRAM_H

#include "core/thread.h"

/* Add CALLS calls of TICKS each to the node's histogram. */
void gptl_histogram_add_calls(struct gptl_thread *t, struct gptl_node *node, uint64_t ticks,
                              uint64_t calls);
/* Return the bucket of a call of TICKS; return the ticks in the middle of a bucket. */
unsigned gptl_histogram_bucket(uint64_t ticks);
double gptl_histogram_middle(int bucket);
/* Return a copy of the histogram, which the caller frees; NULL without a histogram or memory. */
struct gptl_histogram *gptl_histogram_copy(const struct gptl_extra *extra);

#endif
