/*
 * estimate.h - estimates of all calls of a throttled node from its timed calls.
 *
 * The error bound holds in at least 95 of 100 cases, for any distribution of calls. Blocks longer
 * than some bound B are uncertain as a whole. In every shorter block one of the K calls was
 * selected at random, and none took longer than B. So the error of the sum over N such blocks is at
 * most K (sqrt(2 V N L) + 3 B L), where V is the variance of the timed calls and L = ln(3/0.04)
 * (Audibert, Munos and Szepesvari, Theoretical Computer Science 410, 2009, theorem 1). B follows
 * from the blocks' lengths alone, so it does not depend on which calls were timed. The unfinished
 * block is uncertain as a whole as well; after 100 others it is assumed to last at most as long as
 * the longest.
 */
#ifndef GPTL_CORE_ESTIMATE_H
#define GPTL_CORE_ESTIMATE_H

#include "core/throttle.h"

/*
 * Return the estimated total of the node, in ticks; the true total differs by at most *ERROR. TOTAL
 * is the node's weighted sum of timed calls. The estimate is lower where the weighted calls exceed
 * the length of their blocks. LASTED is the length of the unfinished block.
 */
uint64_t gptl_estimate_total(const struct gptl_throttle *throttle, uint64_t total, uint64_t lasted,
                             uint64_t *error);

#endif
