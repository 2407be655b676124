/*
 * layout.h - the parents of regions, and the tree in which a report prints them.
 */
#ifndef GPTL_REPORT_LAYOUT_H
#define GPTL_REPORT_LAYOUT_H

#include "report/snapshot.h"

/*
 * The parents of one region in the order in which they first called it, and their calls. A region
 * that calls itself is not its own parent: the column Recurse says so.
 */
struct gptl_parents {
    uint32_t n;
    uint32_t *slot; /* of each parent */
    int64_t *calls; /* by the parent's slot, not by its position */
    uint32_t *seen; /* by slot: the region for which calls was set last */
};

/* Returns 0, or -1 when there is no memory. Free it also then. */
int gptl_parents_new(struct gptl_parents *parents, const struct gptl_view *view);
void gptl_parents_free(struct gptl_parents *parents);

void gptl_parents_find(struct gptl_parents *parents, const struct gptl_view *view, uint32_t slot);

/* How often parent number I called; never negative, even in the copy of a running thread. */
uint64_t gptl_parents_calls(const struct gptl_parents *parents, uint32_t i);

/*
 * The tree that is printed. Its items are slots, or with the full tree rows; item 0 is the root.
 * Children stand in the order in which they were made.
 */
struct gptl_layout {
    uint32_t nitems; /* with the root */
    bool full;       /* items are rows */
    uint32_t *parent, *child, *sibling;
    unsigned char *several; /* by slot: the region has several parents */
};

/* METHOD is one of enum GPTLmethod. Returns 0, or -1 when there is no memory. Free it also then. */
int gptl_layout_make(struct gptl_layout *layout, const struct gptl_view *view, int method);
void gptl_layout_free(struct gptl_layout *layout);

/* The next item, parents before children, and its level: start with 0 and 0; 0 is the end. */
void gptl_layout_next(const struct gptl_layout *layout, uint32_t *item, uint32_t *level);

#endif
