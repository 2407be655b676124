/*
 * snapshot.h - data derived from the copy of one thread's tree: its regions and the sums of their
 * nodes. layout.h provides parents and the printed tree.
 *
 * Rows are the elements of the copy's array. A row is a node, or an edge back to an ancestor, which
 * only counts the calls of the ancestor from that point. Rows without information (never called,
 * like all their descendants) are omitted everywhere.
 *
 * A slot is the number of a region within one thread: 1, 2, … in creation order of their first
 * nodes. Slot 0 is the root, the parent of regions started while none was open.
 *
 * Memory matters: a tree may have a million nodes with distinct regions. Therefore all arrays have
 * 32-bit elements, and a region's sums are computed on demand.
 */
#ifndef GPTL_REPORT_SNAPSHOT_H
#define GPTL_REPORT_SNAPSHOT_H

#include "core/measured.h"
#include "report/number.h"

struct gptl_view {
    const struct gptl_copy *copy;
    struct gptl_scale scale;
    double bucket_tick; /* seconds per tick of the histograms */
    uint32_t *slot;     /* by row: slot of its region; 0 for the root and omitted rows */
    uint32_t *next;     /* by row: next row of the same region, or 0 */
    uint32_t *first;    /* by slot: first row of its region */
    uint32_t nregions;  /* slots 1 to nregions */
    int64_t *inside;    /* by row: calls of other regions within its time; NULL unless requested */
};

/* Build the view. Return 0, or -1 when out of memory; free VIEW in both cases. */
int gptl_view_make(struct gptl_view *view, const struct gptl_copy *copy, bool inside);
void gptl_view_free(struct gptl_view *view);

/* Return whether the row is a node (not a back edge) shown in reports. */
bool gptl_view_is_node(const struct gptl_view *view, uint32_t row);

/* Return the row's number in JSON and XML. */
uint32_t gptl_view_id(const struct gptl_view *view, uint32_t row);

const char *gptl_view_name(const struct gptl_view *view, uint32_t slot);

/* Return the slot of the first region that the program itself started, or 0. */
uint32_t gptl_view_first(const struct gptl_view *view);

/*
 * Return the FRACTION quantile of call times in NODE's HISTOGRAM, in nanoseconds. The midpoint of a
 * bucket may lie outside the observed range, so the result is clamped to that range.
 */
uint64_t gptl_view_quantile(const struct gptl_view *view, const struct gptl_node_copy *node,
                            const struct gptl_histogram *histogram, double fraction);

/* ---- Sums ------------------------------------------------------------------------------------ */

/*
 * The sums of one or more nodes. Times are in nanoseconds; min is UINT64_MAX if no call is
 * complete.
 */
struct gptl_figures {
    uint64_t count, recurse, wall, max, min;
    uint64_t untimed; /* untimed calls; WALL includes an estimate of their time */
    uint64_t error;   /* estimation error, as in gptl_extra_copy */
    uint64_t open;    /* open calls; WALL includes their time so far */
    int64_t usr, sys; /* microseconds */
    int64_t inside;   /* calls of other regions within its time, see gptl_view */
    uint64_t ended;   /* part of WALL without open calls */
    /*
     * Sums of the copy's counters, in zeroed memory of the caller; NULL: not requested. SUMMED:
     * over several threads.
     */
    int64_t *counters;
    bool summed;
};

/*
 * Add row ROW, N rows, or all nodes of region SLOT; add histograms to HISTOGRAM unless it is NULL.
 */
void gptl_figures_add_row(struct gptl_figures *sum, struct gptl_histogram *histogram,
                          const struct gptl_view *view, uint32_t row);
void gptl_figures_add_rows(struct gptl_figures *sum, struct gptl_histogram *histogram,
                           const struct gptl_view *view, const uint32_t *rows, uint32_t n);
void gptl_figures_add_region(struct gptl_figures *sum, struct gptl_histogram *histogram,
                             const struct gptl_view *view, uint32_t slot);

#define GPTL_NO_FIGURES ((struct gptl_figures){.min = UINT64_MAX})

#endif
