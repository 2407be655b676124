/* lane_tree.h - the tree of what one lane did, for formats that have a picture of each lane. */
#ifndef GPTL_POSTPROC_LANE_TREE_H
#define GPTL_POSTPROC_LANE_TREE_H

#include "postproc/paths/paths.h"

/* By parts: the root is the first part of the lane, and 0 ends a list. */
struct lane_tree {
    const struct paths *paths;
    uint32_t *of_path;                             /* the lane's part of each path */
    uint32_t *first_child, *next_sibling, *parent; /* of each part of the lane, from 0 */
    uint32_t first_part;
};

/* Room for the tree of any lane. Returns 0, or -1 when there is no memory; free it also then. */
int lane_tree_init(struct lane_tree *tree, const struct paths *paths);
void lane_tree_free(struct lane_tree *tree);

void lane_tree_make(struct lane_tree *tree, const struct lane *lane);

/* The part after PART, each before its children; 0: no more. */
uint32_t lane_tree_next(const struct lane_tree *tree, uint32_t part);

#endif
