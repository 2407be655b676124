/*
 * callers.h - the callers of each region of one thread: the inverted tree.
 *
 * A row of the tree is a region together with the node in which it was started. Therefore the rows
 * of a region are the paths to it, and paths that end in the same region belong to one caller. Here
 * a recursive region is its own caller, so every call of a region has a caller.
 *
 * Calls are completed calls, as everywhere, attributed to their actual caller. Times are the times
 * of nodes: a call that a back edge led to an open node adds no time, because the call that was
 * open contains it. Sums over a region's paths equal the results of gptl_figures_add_region. A path
 * never contains a region twice, so a sum contains each time once. The only exception: after
 * execution continued in an ancestor, a region can be open at two nodes at once (A, B, A again, C,
 * B: at A/B and at A/C/B); then both nodes contain the time, in the tree and here.
 */
#ifndef GPTL_REPORT_CALLERS_H
#define GPTL_REPORT_CALLERS_H

#include "report/snapshot.h"

/* A caller of the region of the latest query. Its paths are rows[first] to rows[first+n-1]. */
struct gptl_caller {
    uint64_t ticks;    /* of all its paths */
    uint32_t slot;     /* 0: the region was started while none was open */
    uint32_t earliest; /* row that was created first */
    uint32_t first, n;
};

struct gptl_calls {
    uint64_t count, recurse;
};

struct gptl_callers {
    uint32_t n;      /* number of callers, sorted by descending time */
    uint32_t npaths; /* number of paths of all callers */
    struct gptl_caller *caller;
    uint32_t *rows;          /* paths by caller, sorted by descending time */
    uint32_t *position;      /* index of the caller by slot */
    struct gptl_calls *came; /* calls by row */
    uint32_t ncounters;
    int64_t *counters; /* of the latest sum */
};

/* Return 0, or -1 when out of memory; free CALLERS in both cases. */
int gptl_callers_new(struct gptl_callers *callers, const struct gptl_view *view);
void gptl_callers_free(struct gptl_callers *callers);

/*
 * Find the callers of region SLOT. A region without calls (its nodes only lead to others, for
 * instance after a reset) lacks callers.
 */
void gptl_callers_find(struct gptl_callers *callers, const struct gptl_view *view, uint32_t slot);

/* Sum N paths from rows[first] on. Return whether they have a time, which edges lack. */
bool gptl_callers_sum(const struct gptl_callers *callers, const struct gptl_view *view,
                      uint32_t first, uint32_t n, struct gptl_figures *sum);

#endif
