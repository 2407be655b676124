/*
 * read_tree.h - the tree of a thread during reading, node by node; cut to the nodes with the
 * longest time whenever it has too many.
 */
#ifndef GPTL_POSTPROC_READ_TREE_H
#define GPTL_POSTPROC_READ_TREE_H

#include "postproc/read/name_pool.h"
#include "postproc/read/node_ids.h"

enum { LARGEST_ID = (1 << 30) - 1 };

/* Sum of the nodes removed below a node, which becomes its child "(rest)". */
struct rest {
    struct gptl_node_copy node;
    struct gptl_extra_copy extra; /* owns its counters */
    uint64_t untimed;             /* number of untimed calls */
    bool any;
    uint32_t row; /* row assigned at the end */
};

struct read_tree {
    struct gptl_copy *copy; /* receives the nodes; the root exists from the start */
    uint32_t keep, room, extra_room;
    uint32_t ncounters;     /* per extra; EXTRAS[I] starts at I * ncounters in copy->counters */
    struct node_ids places; /* by id: state word, see read_tree.c */
    struct rest *rests;     /* by row; NULL before the first cut */
    uint32_t nhistograms;
    uint32_t largest_id;
    bool ascending; /* ids have been ascending so far */
    bool cut;       /* was cut at least once */
    bool ended;     /* rests have become nodes and no longer own counters */
};

/* Location of a node by id. */
struct place {
    uint32_t row; /* row of the node, or of its nearest kept ancestor */
    bool cut;     /* the node was removed */
    bool below;   /* its parent was removed too */
};

/* Start and free a tree. read_tree_begin returns false if out of memory. */
bool read_tree_begin(struct read_tree *tree, struct gptl_copy *copy, uint32_t keep,
                     uint32_t ncounters);
void read_tree_free(struct read_tree *tree);

/* Find the place of a node. Returns false if ID is unknown. */
bool read_tree_find(struct read_tree *tree, uint32_t id, struct place *place);

/*
 * Add NODE below the place PARENT. The tree takes over EXTRA (may be NULL) except its counters,
 * which are copied. A node below a removed one does not need a name. Returns false if out of
 * memory.
 */
bool read_tree_add(struct read_tree *tree, uint32_t id, uint32_t parent_id, struct place parent,
                   const struct gptl_node_copy *node, struct gptl_extra_copy *extra);

/*
 * Return whether the tree must be cut. read_tree_cut cuts it, and returns false if out of memory.
 */
bool read_tree_is_large(const struct read_tree *tree);
bool read_tree_cut(struct read_tree *tree);

/*
 * Complete the tree: cut it a last time, and convert the rests to nodes. Returns false if out of
 * memory.
 */
bool read_tree_end(struct read_tree *tree, struct name_pool *names);

/* Return the row of the node at PLACE, or of the rest that contains it; only after the end. */
uint32_t read_tree_row(const struct read_tree *tree, struct place place);

#endif
