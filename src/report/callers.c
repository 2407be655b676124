/*
 * callers.c - the callers of each region of one thread. Everything is linear in the number of
 * nodes, except for sorting a region's callers and a caller's paths.
 */
#include "config.h"

#include "report/callers.h"

#include <stdlib.h>
#include <string.h>

/* ---- Calls of each path ---------------------------------------------------------------------- */

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static bool is_edge(const struct gptl_view *view, uint32_t row)
{
    return view->copy->nodes[row].target != row;
}

/* Reduce *FROM and *SURPLUS by their common amount, at most MOST. */
static void take(uint64_t *from, uint64_t *surplus, uint64_t most)
{
    uint64_t n = smaller(smaller(*from, *surplus), most);
    *from -= n;
    *surplus -= n;
}

/*
 * Return the number of calls over edges (CAME) that the node's count does not contain. An edge
 * counts a call at its start, its node at its end. Of the open calls, all except the outermost may
 * have used an edge; the actual ones are unknown, so the largest possible number is assumed. In
 * addition, edges in the copy of a running thread may be newer than their node.
 */
static struct gptl_calls surplus(const struct gptl_node_copy *node, struct gptl_calls came)
{
    uint64_t open = smaller(came.count, node->open > 0 ? node->open - 1 : 0);
    uint64_t newer = came.count > node->count ? came.count - node->count : 0;
    return (struct gptl_calls){
        .count = open > newer ? open : newer,
        .recurse = came.recurse > node->recurse ? came.recurse - node->recurse : 0,
    };
}

/*
 * Subtract each node's surplus from its edges. A call can be open only if its caller is; among
 * several possible edges, the oldest is chosen.
 */
static void take_surplus(struct gptl_calls *came, const struct gptl_view *view)
{
    const struct gptl_node_copy *nodes = view->copy->nodes;
    for (int anywhere = 0; anywhere < 2; anywhere++)
        for (uint32_t i = 1; i < view->copy->nnodes; i++) {
            struct gptl_calls *left = &came[nodes[i].target];
            if (!is_edge(view, i) || (left->count == 0 && left->recurse == 0))
                continue;
            uint64_t most = anywhere ? UINT64_MAX : nodes[nodes[i].parent].open;
            take(&came[i].count, &left->count, most);
            take(&came[i].recurse, &left->recurse, most);
        }
}

/*
 * Attribute calls over edges to the edges' callers; a node's count contains them. For any contents
 * of the copy, the calls of a node and its edges add up to the node's count.
 */
static void count_calls(struct gptl_calls *came, const struct gptl_view *view)
{
    const struct gptl_node_copy *nodes = view->copy->nodes;
    uint32_t n = view->copy->nnodes;
    for (uint32_t i = 1; i < n; i++) {
        if (!is_edge(view, i))
            continue;
        came[i].count = came[i].recurse = nodes[i].count;
        came[nodes[i].target].count += nodes[i].count;
        came[nodes[i].target].recurse += nodes[i].count;
    }
    for (uint32_t i = 1; i < n; i++)
        if (!is_edge(view, i))
            came[i] = surplus(&nodes[i], came[i]);
    take_surplus(came, view);
    for (uint32_t i = 1; i < n; i++)
        if (!is_edge(view, i))
            came[i] = (struct gptl_calls){nodes[i].count, nodes[i].recurse};
    for (uint32_t i = 1; i < n; i++)
        if (is_edge(view, i)) {
            came[nodes[i].target].count -= came[i].count;
            came[nodes[i].target].recurse -= came[i].recurse;
        }
}

static uint32_t most_rows_of_a_region(const struct gptl_view *view)
{
    uint32_t most = 0;
    for (uint32_t slot = 1; slot <= view->nregions; slot++) {
        uint32_t n = 0;
        for (uint32_t row = view->first[slot]; row; row = view->next[row])
            n++;
        most = n > most ? n : most;
    }
    return most;
}

int gptl_callers_new(struct gptl_callers *callers, const struct gptl_view *view)
{
    size_t most = (size_t)most_rows_of_a_region(view) + 1;
    *callers = (struct gptl_callers){
        .caller = malloc(most * sizeof *callers->caller),
        .rows = malloc(most * sizeof *callers->rows),
        .position = calloc((size_t)view->nregions + 1, sizeof *callers->position),
        .came = calloc(view->copy->nnodes, sizeof *callers->came),
        .ncounters = view->copy->ncounters,
        .counters = calloc((size_t)view->copy->ncounters + 1, sizeof *callers->counters),
    };
    if (!callers->caller || !callers->rows || !callers->position || !callers->came ||
        !callers->counters)
        return -1;
    count_calls(callers->came, view);
    return 0;
}

void gptl_callers_free(struct gptl_callers *callers)
{
    free(callers->caller);
    free(callers->rows);
    free(callers->position);
    free(callers->came);
    free(callers->counters);
    memset(callers, 0, sizeof *callers);
}

/* ---- Callers of a region --------------------------------------------------------------------- */

/* Return the time of a row; 0 for back edges, whose calls add no time. */
static uint64_t ticks_of(const struct gptl_view *view, uint32_t row)
{
    const struct gptl_node_copy *node = &view->copy->nodes[row];
    return is_edge(view, row) ? 0 : node->total + node->open_ticks;
}

static bool is_used(const struct gptl_callers *callers, const struct gptl_view *view, uint32_t row)
{
    return callers->came[row].count > 0 || callers->came[row].recurse > 0 ||
           view->copy->nodes[row].open > 0 || ticks_of(view, row) > 0;
}

static struct gptl_caller *caller_of(struct gptl_callers *callers, const struct gptl_view *view,
                                     uint32_t row)
{
    uint32_t slot = view->slot[view->copy->nodes[row].parent];
    uint32_t *at = &callers->position[slot];
    if (*at >= callers->n || callers->caller[*at].slot != slot) {
        *at = callers->n++;
        callers->caller[*at] = (struct gptl_caller){.slot = slot, .earliest = row};
    }
    return &callers->caller[*at];
}

static int most_time_first(uint64_t a, uint64_t b, uint32_t row_a, uint32_t row_b)
{
    if (a != b)
        return a > b ? -1 : 1;
    return row_a < row_b ? -1 : row_a > row_b;
}

static int by_time_of_callers(const void *a, const void *b)
{
    const struct gptl_caller *x = a, *y = b;
    return most_time_first(x->ticks, y->ticks, x->earliest, y->earliest);
}

static int by_time_of_rows(const void *a, const void *b, void *view)
{
    const uint32_t *x = a, *y = b;
    return most_time_first(ticks_of(view, *x), ticks_of(view, *y), *x, *y);
}

/* Assign each caller its range in rows[], which place_rows fills. */
static void order_callers(struct gptl_callers *callers)
{
    uint32_t at = 0;
    qsort(callers->caller, callers->n, sizeof *callers->caller, by_time_of_callers);
    for (uint32_t i = 0; i < callers->n; i++) {
        struct gptl_caller *caller = &callers->caller[i];
        callers->position[caller->slot] = i;
        caller->first = at;
        at += caller->n;
        caller->n = 0;
    }
    callers->npaths = at;
}

static void place_rows(struct gptl_callers *callers, const struct gptl_view *view, uint32_t slot)
{
    for (uint32_t row = view->first[slot]; row; row = view->next[row])
        if (is_used(callers, view, row)) {
            struct gptl_caller *caller = caller_of(callers, view, row);
            callers->rows[caller->first + caller->n++] = row;
        }
    for (uint32_t i = 0; i < callers->n; i++) {
        struct gptl_caller *caller = &callers->caller[i];
        if (caller->n > 1)
            qsort_r(&callers->rows[caller->first], caller->n, sizeof *callers->rows,
                    by_time_of_rows, (void *)view);
    }
}

void gptl_callers_find(struct gptl_callers *callers, const struct gptl_view *view, uint32_t slot)
{
    callers->n = 0;
    for (uint32_t row = view->first[slot]; row; row = view->next[row])
        if (is_used(callers, view, row)) {
            struct gptl_caller *caller = caller_of(callers, view, row);
            caller->ticks += ticks_of(view, row);
            caller->n++;
        }
    order_callers(callers);
    place_rows(callers, view, slot);
}

bool gptl_callers_sum(const struct gptl_callers *callers, const struct gptl_view *view,
                      uint32_t first, uint32_t n, struct gptl_figures *sum)
{
    bool timed = false;
    *sum = GPTL_NO_FIGURES;
    sum->counters = memset(callers->counters, 0, callers->ncounters * sizeof *sum->counters);
    gptl_figures_add_rows(sum, NULL, view, callers->rows + first, n);
    sum->count = sum->recurse = 0;
    for (uint32_t i = first; i < first + n; i++) {
        uint32_t row = callers->rows[i];
        sum->count += callers->came[row].count;
        sum->recurse += callers->came[row].recurse;
        timed |= !is_edge(view, row);
    }
    return timed;
}
