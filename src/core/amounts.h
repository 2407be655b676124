/*
 * amounts.h - what calls moved, in bytes, as the libraries that wrap them say.
 *
 * A node's amounts are its own calls'; a copy, and a query, adds those of the nodes below, as a
 * counter does by itself. They are the last slots among the counters: one each, and the calls of
 * the nodes that have any.
 */
#ifndef GPTL_CORE_AMOUNTS_H
#define GPTL_CORE_AMOUNTS_H

#include "core/metrics.h"
#include "core/thread.h"

enum { GPTL_AMOUNT_SLOTS = GPTL_NAMOUNTS + 1 };

/* With the lock held: what METRICS has, and what they are called; kept. False: no memory. */
bool gptl_amounts_keep_with(const struct gptl_metrics *metrics);
/* The measurement begins. */
void gptl_amounts_begin(void);

/*
 * Where amounts stand among the counters of what is kept, or of what a file holds; false: there are
 * none.
 */
bool gptl_amounts_at(const struct gptl_kept_metrics *metrics, uint32_t *first);

/* Adds to the counters TO, which are amounts', those of a node with COUNT calls. */
void gptl_amounts_of(const struct gptl_extra *extra, uint64_t count, int64_t *to);
void gptl_amounts_reset(struct gptl_extra *extra);

/* Adds to each node of a copy what is below. There is room for CAPACITY extras. */
void gptl_amounts_include(struct gptl_copy *copy, uint32_t first, uint32_t capacity);

#endif
