/*
 * make.c - collects the data for one rank's tree from its profile, thread by thread: each row
 * accumulates the current thread and is closed before the next thread.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "ranks/make.h"
#include "report/snapshot.h"

/* ---- Regions ------------------------------------------------------------------------------- */

static int compare_keys(const void *left, const void *right)
{
    const struct key *a = left, *b = right;
    return gptl_ranks_compare(a->of, b->of);
}

static bool is_node(const struct gptl_copy *copy, uint32_t i)
{
    return copy->nodes[i].target == i;
}

/* Collect the keys of all region numbers in use. */
static void collect_keys(struct maker *m)
{
    for (int c = 0; c < m->profile->ncopies; c++) {
        const struct gptl_copy *copy = &m->profile->copies[c];
        for (uint32_t i = 1; i < copy->nnodes; i++) {
            uint32_t number = copy->nodes[i].region;
            if (!is_node(copy, i) || m->region[number])
                continue;
            const struct gptl_function *function = gptl_report_function(m->profile, number);
            m->region[number] = 1;
            m->keys[m->nregions++] =
                (struct key){.of = {copy->nodes[i].name, function ? function->address : "",
                                    function ? GPTL_KIND_FUNCTION : copy->nodes[i].kind},
                             .number = number};
        }
    }
}

static int find_regions(struct maker *m)
{
    for (int c = 0; c < m->profile->ncopies; c++) {
        const struct gptl_copy *copy = &m->profile->copies[c];
        for (uint32_t i = 1; i < copy->nnodes; i++)
            if (copy->nodes[i].region > m->highest)
                m->highest = copy->nodes[i].region;
    }
    m->keys = malloc(((size_t)m->highest + 1) * sizeof *m->keys);
    m->region = calloc((size_t)m->highest + 1, sizeof *m->region);
    if (!m->keys || !m->region)
        return -1;
    collect_keys(m);
    if (m->nregions > 0)
        qsort(m->keys, m->nregions, sizeof *m->keys, compare_keys);
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->nregions; i++) {
        if (i > 0 && compare_keys(&m->keys[n - 1], &m->keys[i]) == 0) {
            m->region[m->keys[i].number] = n - 1;
            continue;
        }
        m->keys[n] = m->keys[i];
        m->region[m->keys[i].number] = n++;
    }
    m->nregions = n;
    return 0;
}

/* ---- Cells ----------------------------------------------------------------------------------- */

static int make_room(struct maker *m, size_t room)
{
    if (room > UINT32_MAX)
        return -1;
    struct cell *cells = realloc(m->cells, room * sizeof *cells);
    if (!cells)
        return -1;
    m->cells = cells;
    if (m->nslots > 0) {
        int64_t *counters = realloc(m->counters, room * 2 * m->nslots * sizeof *counters);
        if (!counters)
            return -1;
        m->counters = counters;
    }
    m->room = (uint32_t)room;
    return 0;
}

/* Append a cell; NONE when out of memory. */
static uint32_t new_cell(struct maker *m, uint32_t region, uint32_t parent)
{
    if (m->ncells == m->room && make_room(m, 2 * (size_t)m->room + 64))
        return NONE;
    struct cell *cell = &m->cells[m->ncells];
    memset(cell, 0, sizeof *cell);
    cell->row.region = region;
    cell->row.depth = m->ncells < m->nregions ? 0 : 1;
    cell->parent = parent;
    cell->first_child = cell->next_sibling = NONE;
    if (parent != NONE)
        cell->row.depth = m->cells[parent].row.depth + 1;
    if (m->nslots > 0)
        memset(counters_of(m, m->ncells), 0, 2 * m->nslots * sizeof(int64_t));
    return m->ncells++;
}

static uint32_t *find_slot(const struct maker *m, uint32_t parent, uint32_t region)
{
    uint64_t hash = ((uint64_t)parent << 32 | region) * 0x9e3779b97f4a7c15u;
    uint32_t at = (uint32_t)(hash >> 32) & m->mask;
    while (m->hash[at] != NONE &&
           (m->cells[m->hash[at]].parent != parent || m->cells[m->hash[at]].row.region != region))
        at = (at + 1) & m->mask;
    return &m->hash[at];
}

static int grow_hash(struct maker *m)
{
    uint32_t n = m->ncells - m->nregions;
    if (m->hash && n < m->mask / 2)
        return 0;
    if (m->mask > UINT32_MAX / 4)
        return -1;
    free(m->hash);
    m->mask = m->mask ? 2 * m->mask + 1 : 255;
    m->hash = malloc(((size_t)m->mask + 1) * sizeof *m->hash);
    if (!m->hash)
        return -1;
    memset(m->hash, 0xff, ((size_t)m->mask + 1) * sizeof *m->hash);
    for (uint32_t i = m->nregions; i < m->ncells; i++)
        *find_slot(m, m->cells[i].parent, m->cells[i].row.region) = i;
    return 0;
}

/* Return the cell of a path; NONE when out of memory. */
static uint32_t find_path(struct maker *m, uint32_t parent, uint32_t region)
{
    if (grow_hash(m))
        return NONE;
    uint32_t *slot = find_slot(m, parent, region);
    if (*slot == NONE)
        *slot = new_cell(m, region, parent);
    return *slot;
}

/* ---- Threads ------------------------------------------------------------------------------- */

static void add_figures(struct maker *m, uint32_t number, const struct gptl_figures *figures)
{
    struct cell *cell = &m->cells[number];
    int64_t *counters = counters_of(m, number) + m->nslots;
    cell->called = true;
    gptl_wide_add(&cell->row.calls, (struct gptl_wide){figures->count, 0});
    cell->row.untimed = gptl_ranks_sum(cell->row.untimed, figures->untimed);
    gptl_wide_add(&cell->row.ended, (struct gptl_wide){figures->ended, 0});
    cell->wall = gptl_ranks_sum(cell->wall, figures->wall);
    cell->calls = gptl_ranks_sum(cell->calls, figures->count);
    cell->ended = gptl_ranks_sum(cell->ended, figures->ended);
    cell->open |= figures->open > 0;
    cell->usr += figures->usr > 0 ? (uint64_t)figures->usr : 0;
    cell->sys += figures->sys > 0 ? (uint64_t)figures->sys : 0;
    for (uint32_t i = 0; i < m->nslots; i++)
        counters[i] = gptl_number_sum(counters[i], figures->counters[i]);
}

/*
 * Add the current thread's counters. Threads that count for the process or the machine report the
 * same value, so the maximum is taken.
 */
static void close_counters(struct maker *m, uint32_t number)
{
    const struct gptl_metrics *metrics = &m->profile->metrics;
    int64_t *all = counters_of(m, number), *one = all + m->nslots;
    for (uint32_t i = 0; i < metrics->n; i++) {
        const struct gptl_metric *metric = &metrics->metric[i];
        if (metric->kind != GPTL_METRIC_COUNTED)
            continue;
        uint32_t slot = metric->slot;
        if (metric->scope == GPTL_SCOPE_THREAD || m->cells[number].row.threads.n == 1)
            all[slot] = gptl_number_sum(all[slot], one[slot]);
        else if (one[slot] > all[slot])
            all[slot] = one[slot];
    }
    memset(one, 0, m->nslots * sizeof *one);
}

static void close_ended(struct maker *m, struct cell *cell, int thread)
{
    struct gptl_ranks_row *row = &cell->row;
    struct gptl_ranks_extreme here = {cell->ended, m->rank, thread};
    row->open_threads += cell->open;
    if (cell->calls > 0) {
        if (row->ended_threads == 0 || here.ns > row->ended_max.ns)
            row->ended_max = here;
        if (row->ended_threads == 0 || here.ns < row->ended_min.ns)
            row->ended_min = here;
        row->ended_threads++;
    }
    cell->calls = cell->ended = 0;
    cell->open = false;
}

static void close_thread(struct maker *m, int thread)
{
    for (uint32_t i = 0; i < m->ncells; i++) {
        struct cell *cell = &m->cells[i];
        struct gptl_ranks_row *row = &cell->row;
        struct gptl_ranks_extreme here = {cell->wall, m->rank, thread};
        if (!cell->called)
            continue;
        gptl_moments_add(&row->threads, (double)cell->wall);
        gptl_wide_add(&row->total, (struct gptl_wide){cell->wall, 0});
        if (row->threads.n == 1 || here.ns > row->max.ns)
            row->max = here;
        if (row->threads.n == 1 || here.ns < row->min.ns)
            row->min = here;
        close_ended(m, cell, thread);
        cell->cpu[0] += cell->usr;
        cell->cpu[1] += cell->sys;
        if (m->nslots > 0)
            close_counters(m, i);
        cell->wall = cell->usr = cell->sys = 0;
        cell->called = false;
    }
}

static int add_nodes(struct maker *m, const struct gptl_view *view, int64_t *counters)
{
    const struct gptl_copy *copy = view->copy;
    m->cell_of[0] = NONE;
    for (uint32_t i = 1; i < copy->nnodes; i++) {
        if (!gptl_view_is_node(view, i))
            continue;
        uint32_t region = m->region[copy->nodes[i].region];
        uint32_t path = find_path(m, m->cell_of[copy->nodes[i].parent], region);
        struct gptl_figures figures = GPTL_NO_FIGURES;
        if (path == NONE)
            return -1;
        m->cell_of[i] = path;
        figures.counters = counters;
        if (counters)
            memset(counters, 0, m->nslots * sizeof *counters);
        gptl_figures_add_row(&figures, NULL, view, i);
        if (!m->keys[region].used)
            m->keys[region].used = ++m->nused;
        /* a region that was reset, but not its callees */
        if (figures.count == 0 && figures.open == 0)
            continue;
        add_figures(m, path, &figures);
        add_figures(m, region, &figures);
    }
    return 0;
}

static int add_copy(struct maker *m, const struct gptl_copy *copy)
{
    struct gptl_view view;
    int64_t *counters = m->nslots > 0 ? calloc(m->nslots, sizeof *counters) : NULL;
    m->cell_of = malloc(copy->nnodes * sizeof *m->cell_of);
    int result = gptl_view_make(&view, copy, false);
    if (!m->cell_of || (m->nslots > 0 && !counters))
        result = -1;
    if (result == 0)
        result = add_nodes(m, &view, counters);
    if (result == 0)
        close_thread(m, copy->thread);
    gptl_view_free(&view);
    free(counters);
    free(m->cell_of);
    m->cell_of = NULL;
    return result;
}

/* Set the rank's time to the longest time of its threads. */
static void close_rank(struct maker *m)
{
    for (uint32_t i = 0; i < m->ncells; i++) {
        struct gptl_ranks_row *row = &m->cells[i].row;
        if (row->threads.n == 0)
            continue;
        gptl_moments_add(&row->ranks, (double)row->max.ns);
        row->min_rank = row->max;
        row->ended_ranks = row->ended_threads > 0;
        row->nbuckets = 1;
    }
}

/* ---- Whole rank ------------------------------------------------------------------------------ */

static int make(struct maker *m)
{
    if (find_regions(m))
        return -1;
    for (uint32_t i = 0; i < m->nregions; i++)
        if (new_cell(m, i, NONE) == NONE)
            return -1;
    for (int i = 0; i < m->profile->ncopies; i++)
        if (add_copy(m, &m->profile->copies[i]))
            return -1;
    close_rank(m);
    return gptl_ranks_make_tree(m);
}

int gptl_ranks_make(struct gptl_ranks_tree *tree, const struct gptl_profile *profile, int rank)
{
    struct maker m = {
        .profile = profile,
        .rank = rank,
        .cpu = gptl_report_option(profile, GPTL_OPT_CPU),
        .nslots = profile->metrics.nslots,
        .tree = tree,
    };
    *tree = (struct gptl_ranks_tree){0};
    int result = make(&m);
    free(m.keys);
    free(m.region);
    free(m.cells);
    free(m.counters);
    free(m.hash);
    free(m.order);
    free(m.metric);
    return result;
}
