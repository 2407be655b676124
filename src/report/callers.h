/*
 * callers.h - who called each region of one thread: the tree turned around.
 *
 * A row of the tree is a region and the node that it was started in. So the rows of a region are
 * the paths to it, and those whose paths end in the same region are of one caller. Here a region
 * that calls itself is its own caller: all calls of a region have one.
 *
 * What is counted: calls that ended, as everywhere, each with the caller that it had. Time is that
 * of the nodes, so calls that a back edge led back to an open node have none of their own: it is in
 * that of the call that was open. Sums over a region's paths are those of gptl_figures_add_region.
 * No path has a region twice, so each time is in a sum once. Only where things went on in an
 * ancestor can a region be open at two nodes at once (A, B, A again, C, B: at A/B and at A/C/B);
 * then both have the time, there and here.
 */
#ifndef GPTL_REPORT_CALLERS_H
#define GPTL_REPORT_CALLERS_H

#include "report/snapshot.h"

/* A caller of the region that was asked for last. Its paths are rows[first] to rows[first+n-1]. */
struct gptl_caller {
    uint64_t ticks;    /* of all its paths */
    uint32_t slot;     /* 0: the region was started while none was open */
    uint32_t earliest; /* the row that was made first */
    uint32_t first, n;
};

struct gptl_calls {
    uint64_t count, recurse;
};

struct gptl_callers {
    uint32_t n;      /* callers, the one with the most time first */
    uint32_t npaths; /* of all of them */
    struct gptl_caller *caller;
    uint32_t *rows;          /* the paths of a caller, the one with the most time first */
    uint32_t *position;      /* by slot: where the caller stands */
    struct gptl_calls *came; /* of each row: the calls that came by it */
    uint32_t ncounters;
    int64_t *counters; /* of the sum that was made last */
};

/* Returns 0, or -1 when there is no memory. Free it also then. */
int gptl_callers_new(struct gptl_callers *callers, const struct gptl_view *view);
void gptl_callers_free(struct gptl_callers *callers);

/* None has called a region whose nodes only lead to others, after a reset say. */
void gptl_callers_find(struct gptl_callers *callers, const struct gptl_view *view, uint32_t slot);

/* The sums of N paths, rows[first] and on. Returns whether they have a time: edges have none. */
bool gptl_callers_sum(const struct gptl_callers *callers, const struct gptl_view *view,
                      uint32_t first, uint32_t n, struct gptl_figures *sum);

#endif
