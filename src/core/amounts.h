/*
 * amounts.h - bytes transferred by calls, as reported by the libraries that wrap the calls.
 *
 * A node's amounts cover its own calls. A copy or query adds the amounts of the nodes below, since
 * a hardware counter includes them by itself. Amounts occupy the last slots among the counters: one
 * per amount, and one for the calls of nodes with any amount.
 */
#ifndef GPTL_CORE_AMOUNTS_H
#define GPTL_CORE_AMOUNTS_H

#include "core/metrics.h"
#include "core/thread.h"

enum { GPTL_AMOUNT_SLOTS = GPTL_NAMOUNTS + 1 };

/*
 * Keep METRICS together with the descriptions of the amounts. Return false without memory. Requires
 * the lock.
 */
bool gptl_amounts_keep_with(const struct gptl_metrics *metrics);
/* Prepare the descriptions at the start of the measurement. */
void gptl_amounts_begin(void);

/*
 * Find the first slot of the amounts among the counters of METRICS. Return false without amounts.
 */
bool gptl_amounts_at(const struct gptl_kept_metrics *metrics, uint32_t *first);

/* Add the amounts of a node with COUNT calls to TO, the first of their slots. */
void gptl_amounts_of(const struct gptl_extra *extra, uint64_t count, int64_t *to);
void gptl_amounts_reset(struct gptl_extra *extra);

/* Add to each node of a copy the amounts of the nodes below. There is room for CAPACITY extras. */
void gptl_amounts_include(struct gptl_copy *copy, uint32_t first, uint32_t capacity);

#endif
