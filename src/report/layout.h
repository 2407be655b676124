/*
 * layout.h - the parents of regions, and the tree printed by a report.
 */
#ifndef GPTL_REPORT_LAYOUT_H
#define GPTL_REPORT_LAYOUT_H

#include "report/snapshot.h"

/*
 * The parents of one region in the order of their first call, with call counts. A recursive region
 * is not its own parent: the column Recurse shows recursion.
 */
struct gptl_parents {
    uint32_t n;
    uint32_t *slot; /* of each parent */
    int64_t *calls; /* indexed by the parent's slot */
    uint32_t *seen; /* by slot: the region for which CALLS was set last */
};

/* Return 0, or -1 when out of memory; free PARENTS in both cases. */
int gptl_parents_new(struct gptl_parents *parents, const struct gptl_view *view);
void gptl_parents_free(struct gptl_parents *parents);

void gptl_parents_find(struct gptl_parents *parents, const struct gptl_view *view, uint32_t slot);

/* Return the calls by parent I; never negative, even in the copy of a running thread. */
uint64_t gptl_parents_calls(const struct gptl_parents *parents, uint32_t i);

/*
 * The printed tree. Its items are slots, or rows in the full tree; item 0 is the root. Children are
 * in creation order.
 */
struct gptl_layout {
    uint32_t nitems; /* including the root */
    bool full;       /* items are rows */
    uint32_t *parent, *child, *sibling;
    unsigned char *several; /* by slot: the region has several parents */
};

/*
 * Build the tree. METHOD is from enum GPTLmethod. Return 0, or -1 when out of memory; free LAYOUT
 * in both cases.
 */
int gptl_layout_make(struct gptl_layout *layout, const struct gptl_view *view, int method);
void gptl_layout_free(struct gptl_layout *layout);

/* Advance to the next item in preorder and its level. Start with 0 and 0; item 0 marks the end. */
void gptl_layout_next(const struct gptl_layout *layout, uint32_t *item, uint32_t *level);

#endif
