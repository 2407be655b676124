/*
 * snapshot.c - the regions of one thread, from the copy of its tree. Everything is linear in the
 * number of nodes; the arrays take 8 bytes per node and 4 per region.
 */
#include "config.h"

#include "report/snapshot.h"

#include <stdlib.h>
#include <string.h>

static bool is_edge(const struct gptl_copy *copy, uint32_t row)
{
    return copy->nodes[row].target != row;
}

/* Return the region of a row; for a back edge, the region of its target. */
static uint32_t region_of(const struct gptl_copy *copy, uint32_t row)
{
    return copy->nodes[copy->nodes[row].target].region;
}

/*
 * Set slot[] to 1 for each shown row: called or open rows and their ancestors. Parents precede
 * children, so one backward pass suffices.
 */
static void mark_shown(const struct gptl_copy *copy, uint32_t *slot)
{
    for (uint32_t i = copy->nnodes - 1; i > 0; i--) {
        const struct gptl_node_copy *node = &copy->nodes[i];
        if (node->count > 0 || node->open > 0 || node->unstopped > 0)
            slot[i] = 1;
        if (slot[i])
            slot[node->parent] = slot[node->target] = 1;
    }
    slot[0] = 0;
}

/* Assign a slot to each region. Return -1 when out of memory. */
static int number_regions(struct gptl_view *view)
{
    const struct gptl_copy *copy = view->copy;
    uint32_t highest = 0;
    for (uint32_t i = 1; i < copy->nnodes; i++)
        if (view->slot[i] && region_of(copy, i) > highest)
            highest = region_of(copy, i);
    uint32_t *known = calloc((size_t)highest + 1, sizeof *known);
    if (!known)
        return -1;
    for (uint32_t i = 1; i < copy->nnodes; i++) {
        if (!view->slot[i])
            continue;
        uint32_t *slot = &known[region_of(copy, i)];
        if (!*slot)
            *slot = ++view->nregions;
        view->slot[i] = *slot;
    }
    free(known);
    return 0;
}

static void chain_rows(struct gptl_view *view)
{
    for (uint32_t i = view->copy->nnodes - 1; i > 0; i--) {
        uint32_t slot = view->slot[i];
        if (!slot)
            continue;
        view->next[i] = view->first[slot];
        view->first[slot] = i;
    }
}

/*
 * Return the number of calls with the cost of a start and stop: in a throttled node, the timed
 * calls.
 */
static uint64_t timed_calls(const struct gptl_copy *copy, uint32_t row)
{
    const struct gptl_node_copy *node = &copy->nodes[row];
    const struct gptl_extra_copy *extra = node->extra ? &copy->extras[node->extra - 1] : NULL;
    return extra && extra->timed && extra->timed < node->count ? extra->timed : node->count;
}

/*
 * Count for each node the calls of other regions within its time. Calls that returned to it over an
 * edge belong to the node itself, but are inside all nodes between the edge and it.
 */
static void count_inside(struct gptl_view *view)
{
    int64_t *inside = view->inside;
    for (uint32_t i = view->copy->nnodes - 1; i > 0; i--) {
        const struct gptl_node_copy *node = &view->copy->nodes[i];
        if (is_edge(view->copy, i))
            inside[node->target] = gptl_number_sum(inside[node->target], (int64_t)-node->count);
        int64_t within = gptl_number_sum(inside[i], (int64_t)timed_calls(view->copy, i));
        inside[node->parent] = gptl_number_sum(inside[node->parent], within);
    }
}

int gptl_view_make(struct gptl_view *view, const struct gptl_copy *copy, bool inside)
{
    *view = (struct gptl_view){
        .copy = copy,
        .scale = gptl_number_scale(copy->seconds_per_tick),
        .bucket_tick = copy->bucket_tick > 0 ? copy->bucket_tick : copy->seconds_per_tick,
        .slot = calloc(copy->nnodes, sizeof *view->slot),
        .next = calloc(copy->nnodes, sizeof *view->next),
        .inside = inside ? calloc(copy->nnodes, sizeof *view->inside) : NULL,
    };
    if (!view->slot || !view->next || (inside && !view->inside))
        return -1;
    mark_shown(copy, view->slot);
    if (number_regions(view))
        return -1;
    view->first = calloc((size_t)view->nregions + 1, sizeof *view->first);
    if (!view->first)
        return -1;
    chain_rows(view);
    if (inside)
        count_inside(view);
    return 0;
}

void gptl_view_free(struct gptl_view *view)
{
    free(view->slot);
    free(view->next);
    free(view->first);
    free(view->inside);
    memset(view, 0, sizeof *view);
}

uint32_t gptl_view_first(const struct gptl_view *view)
{
    for (uint32_t slot = 1; slot <= view->nregions; slot++)
        if (view->copy->nodes[view->first[slot]].kind <= GPTL_KIND_FUNCTION)
            return slot;
    return 0;
}

bool gptl_view_is_node(const struct gptl_view *view, uint32_t row)
{
    return view->slot[row] && !is_edge(view->copy, row);
}

uint32_t gptl_view_id(const struct gptl_view *view, uint32_t row)
{
    return view->copy->ids ? view->copy->ids[row] : row;
}

const char *gptl_view_name(const struct gptl_view *view, uint32_t slot)
{
    return slot ? view->copy->nodes[view->first[slot]].name : "(top level)";
}

uint64_t gptl_view_quantile(const struct gptl_view *view, const struct gptl_node_copy *node,
                            const struct gptl_histogram *histogram, double fraction)
{
    double ticks = gptl_core_histogram_quantile(histogram, fraction);
    return gptl_number_within(gptl_number_ns_of(ticks * view->bucket_tick),
                              gptl_number_ns(view->scale, node->min),
                              gptl_number_ns(view->scale, node->max));
}

/* ---- Sums ------------------------------------------------------------------------------------ */

static void add_extra(struct gptl_figures *sum, struct gptl_histogram *histogram,
                      const struct gptl_copy *copy, const struct gptl_extra_copy *extra)
{
    sum->usr = gptl_number_sum(sum->usr, extra->values[0]);
    sum->sys = gptl_number_sum(sum->sys, extra->values[1]);
    for (uint32_t i = 0; sum->counters && extra->counters && i < copy->ncounters; i++)
        sum->counters[i] = gptl_number_sum(sum->counters[i], extra->counters[i]);
    if (!histogram || !extra->histogram)
        return;
    for (int i = 0; i < GPTL_HISTOGRAM_BUCKETS; i++)
        histogram->bucket[i] += extra->histogram->bucket[i];
}

/* Add everything except times, which are in ticks: *TICKS accumulates the row's times. */
static void add_counts(struct gptl_figures *sum, struct gptl_histogram *histogram,
                       const struct gptl_view *view, uint32_t row, struct gptl_node_copy *ticks)
{
    const struct gptl_node_copy *node = &view->copy->nodes[row];
    sum->count += node->count;
    sum->recurse += node->recurse;
    sum->open += node->open;
    sum->inside = gptl_number_sum(sum->inside, view->inside ? view->inside[row] : 0);
    if (node->extra) {
        const struct gptl_extra_copy *extra = &view->copy->extras[node->extra - 1];
        add_extra(sum, histogram, view->copy, extra);
        sum->untimed += node->count - timed_calls(view->copy, row);
        sum->error += gptl_number_ns(view->scale, extra->error);
    }
    ticks->total =
        gptl_number_total(ticks->total, gptl_number_total(node->total, node->open_ticks));
    ticks->open_ticks += node->open_ticks;
    if (node->max > ticks->max)
        ticks->max = node->max;
    if (node->min < ticks->min)
        ticks->min = node->min;
}

static void add_times(struct gptl_figures *sum, struct gptl_scale scale,
                      const struct gptl_node_copy *ticks)
{
    sum->wall = gptl_number_total(sum->wall, gptl_number_ns(scale, ticks->total));
    sum->ended =
        gptl_number_total(sum->ended, gptl_number_ns(scale, ticks->total - ticks->open_ticks));
    if (ticks->min == UINT64_MAX)
        return;
    uint64_t max = gptl_number_ns(scale, ticks->max), min = gptl_number_ns(scale, ticks->min);
    if (max > sum->max)
        sum->max = max;
    if (min < sum->min)
        sum->min = min;
}

void gptl_figures_add_row(struct gptl_figures *sum, struct gptl_histogram *histogram,
                          const struct gptl_view *view, uint32_t row)
{
    gptl_figures_add_rows(sum, histogram, view, &row, 1);
}

void gptl_figures_add_rows(struct gptl_figures *sum, struct gptl_histogram *histogram,
                           const struct gptl_view *view, const uint32_t *rows, uint32_t n)
{
    struct gptl_node_copy ticks = {.min = UINT64_MAX};
    for (uint32_t i = 0; i < n; i++)
        add_counts(sum, histogram, view, rows[i], &ticks);
    add_times(sum, view->scale, &ticks);
}

void gptl_figures_add_region(struct gptl_figures *sum, struct gptl_histogram *histogram,
                             const struct gptl_view *view, uint32_t slot)
{
    struct gptl_node_copy ticks = {.min = UINT64_MAX};
    for (uint32_t row = view->first[slot]; row; row = view->next[row])
        if (!is_edge(view->copy, row))
            add_counts(sum, histogram, view, row, &ticks);
    add_times(sum, view->scale, &ticks);
}
