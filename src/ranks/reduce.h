/* reduce.h - reduction of the ranks' trees and broadcast of rank 0's result. */
#ifndef GPTL_RANKS_REDUCE_H
#define GPTL_RANKS_REDUCE_H

#include "ranks/ranks.h"
#include "ranks/tree.h"

/*
 * Merge the trees of all ranks along a binomial tree. With the broadcast, which uses the same tree,
 * a rank exchanges at most 2 * ceil(log2(size)) messages.
 *
 * TREE is this rank's tree, with head NULL after an error. On rank 0 it becomes the merged tree; on
 * other ranks it is freed. Return 0, or -1 after a failure here or in the subtree; *WHY is the
 * reason if it occurred here.
 */
int gptl_ranks_reduce(const struct gptl_transport *transport, struct gptl_ranks_tree *tree,
                      const char **why);

/* Broadcast RESULT from rank 0; -1 if it did not arrive. */
int gptl_ranks_tell(const struct gptl_transport *transport, int result);

#endif
