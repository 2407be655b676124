/*
 * estimate.h - what the timed calls of a throttled node tell of all its calls.
 *
 * The error that is given is not exceeded in at least 95 of 100 cases, whatever the calls are like.
 * Blocks longer than some bound B are uncertain as a whole. Of every shorter block one of its K calls
 * was chosen at random, and none took longer than B: so the sum over N such blocks is known to
 * K (sqrt(2 V N L) + 3 B L), where V is the variance of the timed calls and L = ln(3/0.04) (Audibert,
 * Munos and Szepesvari, Theoretical Computer Science 410, 2009, theorem 1). B follows from the
 * blocks' lengths alone, so it does not depend on which calls were timed. The block that is not over
 * is uncertain as a whole as well; after 100 others it is taken to be no longer than the longest.
 */
#ifndef GPTL_CORE_ESTIMATE_H
#define GPTL_CORE_ESTIMATE_H

#include "core/throttle.h"

/*
 * The node's total, in ticks, of which the true one is at most *ERROR away. TOTAL is what the node
 * says: the timed calls, each as often as it counts. What comes out is less where they would count
 * for more than their blocks lasted. LASTED is for the block that is not over.
 */
uint64_t gptl_estimate_total(const struct gptl_throttle *throttle, uint64_t total, uint64_t lasted,
                             uint64_t *error);

#endif
