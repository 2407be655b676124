/*
 * read_tree.h - the tree of a thread as it comes out of a JSON report, node by node, cut down to the
 * nodes of the longest time whenever there are too many.
 */
#ifndef GPTL_POSTPROC_READ_TREE_H
#define GPTL_POSTPROC_READ_TREE_H

#include "postproc/read/name_pool.h"
#include "postproc/read/node_ids.h"

enum { LARGEST_ID = (1 << 30) - 1 };

/* What was cut off below a node, to become its child "(rest)". */
struct rest {
    struct gptl_node_copy node;
    struct gptl_extra_copy extra; /* its counters are memory of its own */
    uint64_t untimed;             /* calls */
    bool any;
    uint32_t row; /* that it gets at the end */
};

struct read_tree {
    struct gptl_copy *copy; /* gets the nodes; the root is there from the beginning */
    uint32_t keep, room, extra_room;
    uint32_t
        ncounters; /* of each extra; those of EXTRAS[I] are in copy->counters, at I * ncounters */
    struct node_ids places; /* of each id: where its node is, or what it was cut off with */
    struct rest *rests;     /* of each row; NULL when all are kept */
    uint32_t nhistograms;
    uint32_t largest_id;
    bool ascending; /* ids are, so far */
    bool cut;       /* it was, once */
    bool ended;     /* rests have become nodes, and have no counters of their own any more */
};

/* Where the node of an id is. */
struct place {
    uint32_t row; /* its own; of a node that was cut off: that of the nearest one that was not */
    bool cut;     /* it was cut off */
    bool below;   /* and so was its parent */
};

/* These return false when there is no memory. */
bool read_tree_begin(struct read_tree *tree, struct gptl_copy *copy, uint32_t keep,
                     uint32_t ncounters);
void read_tree_free(struct read_tree *tree);

/* False: there was no node of this id. */
bool read_tree_find(struct read_tree *tree, uint32_t id, struct place *place);

/*
 * Adds NODE, whose parent is where PARENT says. EXTRA, or NULL, is taken over, but for its counters,
 * which are copied. A node below one that
 * was cut off needs no name.
 */
bool read_tree_add(struct read_tree *tree, uint32_t id, uint32_t parent_id, struct place parent,
                   const struct gptl_node_copy *node, struct gptl_extra_copy *extra);

/* Whether there are so many nodes that the tree must be cut; and that. */
bool read_tree_is_large(const struct read_tree *tree);
bool read_tree_cut(struct read_tree *tree);

/* When all nodes have come: cuts it the last time, and makes nodes of the rests. */
bool read_tree_end(struct read_tree *tree, struct name_pool *names);

/* The row of the node at PLACE, or of the rest that it is in; not before the end. */
uint32_t read_tree_row(const struct read_tree *tree, struct place place);

#endif
