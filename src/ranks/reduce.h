/* reduce.h - the trees of all ranks become one, and what rank 0 says reaches all. */
#ifndef GPTL_RANKS_REDUCE_H
#define GPTL_RANKS_REDUCE_H

#include "ranks/ranks.h"
#include "ranks/tree.h"

/*
 * Both are binomial trees: a rank takes part in one message less than it has bits in the first, and
 * in the second, so in 2 * ceil(log2(size)) at most in both.
 *
 * TREE is this rank's, NULL head if it has none for an error. On rank 0 it is then that of all;
 * elsewhere it is freed. Returns 0, or -1 when something failed here or further up, and then
 * *WHY says what if that was here.
 */
int gptl_ranks_reduce(const struct gptl_transport *transport, struct gptl_ranks_tree *tree,
                      const char **why);

/* Rank 0's RESULT on all ranks; -1 when it did not arrive. */
int gptl_ranks_tell(const struct gptl_transport *transport, int result);

#endif
