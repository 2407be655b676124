/* lane_tree.h - the call tree of one lane, for formats that draw each lane. */
#ifndef GPTL_POSTPROC_LANE_TREE_H
#define GPTL_POSTPROC_LANE_TREE_H

#include "postproc/paths/paths.h"

/* Links between parts: the root is the first part of the lane, and 0 ends a list. */
struct lane_tree {
    const struct paths *paths;
    uint32_t *of_path;                             /* by path: the lane's part */
    uint32_t *first_child, *next_sibling, *parent; /* by part of the lane, from 0 */
    uint32_t first_part;
};

/* Allocate space for the tree of any lane. Returns 0, or -1 if out of memory; always free it. */
int lane_tree_init(struct lane_tree *tree, const struct paths *paths);
void lane_tree_free(struct lane_tree *tree);

void lane_tree_make(struct lane_tree *tree, const struct lane *lane);

/* Return the part after PART in depth-first order, or 0 at the end. */
uint32_t lane_tree_next(const struct lane_tree *tree, uint32_t part);

#endif
