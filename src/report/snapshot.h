/*
 * snapshot.h - what a report derives from the copy of one thread's tree: its regions, and sums of
 * their nodes. See layout.h for parents and the tree that is printed.
 *
 * Rows are the elements of the copy's array. A row is a node, or an edge that leads back to an
 * ancestor, which only says how often a region was called from there. Rows that say nothing (never
 * called, and nothing below them was) are left out everywhere.
 *
 * A slot is the number of a region within one thread: 1, 2, … in the order in which their first
 * nodes were made. Slot 0 is the root, the parent of regions started while none was open.
 *
 * Memory counts: a tree may have a million nodes, each of another region. So all arrays are of 32
 * bits, and a region's sums are made when they are asked for.
 */
#ifndef GPTL_REPORT_SNAPSHOT_H
#define GPTL_REPORT_SNAPSHOT_H

#include "core/measured.h"
#include "report/number.h"

struct gptl_view {
    const struct gptl_copy *copy;
    struct gptl_scale scale;
    double bucket_tick; /* seconds a tick of the histograms */
    uint32_t *slot;     /* of each row: its region's slot; 0 for the root and rows left out */
    uint32_t *next;     /* of each row: the next one of the same region, or 0 */
    uint32_t *first;    /* of each slot: its region's first row */
    uint32_t nregions;  /* slots 1 to nregions */
    int64_t *inside;    /* of each row: calls of others in its time; NULL unless asked for */
};

/* Returns 0, or -1 when there is no memory. Free it also then. */
int gptl_view_make(struct gptl_view *view, const struct gptl_copy *copy, bool inside);
void gptl_view_free(struct gptl_view *view);

/* Whether the row is a node (not a back edge) that a report shows. */
bool gptl_view_is_node(const struct gptl_view *view, uint32_t row);

/* The number that readers of JSON and XML know the row by. */
uint32_t gptl_view_id(const struct gptl_view *view, uint32_t row);

const char *gptl_view_name(const struct gptl_view *view, uint32_t slot);

/* The slot of the first region of the program itself, or of the first one if it started none. */
uint32_t gptl_view_first(const struct gptl_view *view);

/*
 * The time below which FRACTION of the calls in NODE's HISTOGRAM lie, in nanoseconds. A bucket's
 * middle may lie outside of what was seen, so it is held within that.
 */
uint64_t gptl_view_quantile(const struct gptl_view *view, const struct gptl_node_copy *node,
                            const struct gptl_histogram *histogram, double fraction);

/* ---- Figures ------------------------------------------------------------------------------- */

/* The sums of one or more nodes. Times in nanoseconds; min is UINT64_MAX when no call ended. */
struct gptl_figures {
    uint64_t count, recurse, wall, max, min;
    uint64_t untimed; /* calls, in wall as if they had been: it is estimated then, … */
    uint64_t error;   /* … as in gptl_extra_copy */
    uint64_t open;    /* calls that are open; wall has their time so far */
    int64_t usr, sys; /* microseconds */
    int64_t inside;   /* calls of other regions in its time, see gptl_view */
    uint64_t ended;   /* the part of wall that is not of open calls */
    /*
     * Sums of the counters, as many as the copy has, in memory of the caller's, which has set them
     * to 0; NULL: not wanted. SUMMED: they are of several threads.
     */
    int64_t *counters;
    bool summed;
};

/* Add row ROW, N rows, or all nodes of region SLOT; histograms to HISTOGRAM unless that is NULL. */
void gptl_figures_add_row(struct gptl_figures *sum, struct gptl_histogram *histogram,
                          const struct gptl_view *view, uint32_t row);
void gptl_figures_add_rows(struct gptl_figures *sum, struct gptl_histogram *histogram,
                           const struct gptl_view *view, const uint32_t *rows, uint32_t n);
void gptl_figures_add_region(struct gptl_figures *sum, struct gptl_histogram *histogram,
                             const struct gptl_view *view, uint32_t slot);

#define GPTL_NO_FIGURES ((struct gptl_figures){.min = UINT64_MAX})

#endif
