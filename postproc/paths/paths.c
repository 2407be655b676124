/*
 * paths.c - the merged call paths of one or many profiles. Linear in the number of nodes except for
 * sorting functions and edges.
 */
#include "config.h"

#include "postproc/paths/paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/paths/paths_build.h"
#include "postproc/paths/regions.h"

#include "report/number.h"

/* ---- Lanes --------------------------------------------------------------------------------- */

enum naming { BY_RANK, BY_PID, BY_POSITION };

static long number_of(const struct gptl_profile *const *profiles, int p, enum naming naming)
{
    return naming == BY_RANK  ? profiles[p]->process.rank
           : naming == BY_PID ? profiles[p]->process.pid
                              : p + 1L;
}

static int compare_longs(const void *left, const void *right)
{
    long a = *(const long *)left, b = *(const long *)right;
    return (a > b) - (a < b);
}

/*
 * Return whether all profiles have such a number and all numbers differ. NUMBERS has space for
 * them.
 */
static bool tells_apart(const struct gptl_profile *const *profiles, int n, enum naming naming,
                        long *numbers)
{
    for (int p = 0; p < n; p++)
        numbers[p] = number_of(profiles, p, naming);
    qsort(numbers, (size_t)n, sizeof *numbers, compare_longs);
    bool apart = n == 0 || numbers[0] >= 0;
    for (int p = 1; p < n; p++)
        apart = apart && numbers[p] != numbers[p - 1];
    return apart;
}

static void label_lane(struct lane *lane, long process, enum naming naming, bool one_process,
                       bool only_thread_0)
{
    static const char *const words[] = {"rank", "process", "profile"};
    lane->process = process;
    snprintf(lane->process_label, sizeof lane->process_label, "%s %ld", words[naming], process);
    if (one_process)
        snprintf(lane->label, sizeof lane->label, "thread %d", lane->thread);
    else if (only_thread_0)
        snprintf(lane->label, sizeof lane->label, "%s", lane->process_label);
    else
        snprintf(lane->label, sizeof lane->label, "%s thread %d", lane->process_label,
                 lane->thread);
}

static int make_lanes(struct paths *paths, const struct gptl_profile *const *profiles, int n)
{
    size_t nlanes = 0;
    bool only_thread_0 = true;
    for (int p = 0; p < n; p++) {
        nlanes += (size_t)profiles[p]->ncopies;
        for (int c = 0; c < profiles[p]->ncopies; c++)
            only_thread_0 = only_thread_0 && profiles[p]->copies[c].thread == 0;
    }
    long *numbers = malloc(((size_t)n + 1) * sizeof *numbers);
    paths->lanes = calloc(nlanes + 1, sizeof *paths->lanes);
    if (!numbers || !paths->lanes) {
        free(numbers);
        return -1;
    }
    enum naming naming = tells_apart(profiles, n, BY_RANK, numbers)  ? BY_RANK
                         : tells_apart(profiles, n, BY_PID, numbers) ? BY_PID
                                                                     : BY_POSITION;
    for (int p = 0; p < n; p++)
        for (int c = 0; c < profiles[p]->ncopies; c++) {
            struct lane *lane = &paths->lanes[paths->nlanes++];
            lane->profile = profiles[p];
            lane->copy = &profiles[p]->copies[c];
            lane->rank = profiles[p]->process.rank;
            lane->thread = lane->copy->thread;
            label_lane(lane, number_of(profiles, p, naming), naming, n == 1, only_thread_0);
        }
    free(numbers);
    return 0;
}

/* ---- Nodes --------------------------------------------------------------------------------- */

/* Mapping from the rows of one lane to paths and parts. */
struct rows {
    uint32_t *path; /* by row; 0: the root and omitted rows */
    uint32_t *part;
    uint32_t room;
    uint32_t profile;
    int64_t *values; /* values of a row, by slot */
};

static int grow_rows(struct rows *rows, uint32_t n)
{
    if (n <= rows->room)
        return 0;
    free(rows->path);
    free(rows->part);
    rows->path = malloc(n * sizeof *rows->path);
    rows->part = malloc(n * sizeof *rows->part);
    rows->room = n;
    return rows->path && rows->part ? 0 : -1;
}

/*
 * Set SHOWN to 1 for rows that were called or are open, and for their ancestors and targets; to 0
 * for others.
 */
static void mark_shown(const struct gptl_copy *copy, uint32_t *shown)
{
    memset(shown, 0, copy->nnodes * sizeof *shown);
    for (uint32_t i = copy->nnodes - 1; i > 0; i--) {
        const struct gptl_node_copy *node = &copy->nodes[i];
        if (node->count > 0 || node->open > 0 || node->unstopped > 0)
            shown[i] = 1;
        if (shown[i])
            shown[node->parent] = shown[node->target] = 1;
    }
}

/* Add the counts of a row. Until make_self, the exclusive values hold the sums of the children. */
static void add_counts(struct paths *paths, const struct rows *rows, uint32_t lane, uint32_t row)
{
    const struct gptl_copy *copy = paths->lanes[lane].copy;
    uint32_t parent = rows->part[copy->nodes[row].parent];
    if (!paths->counts)
        return;
    counts_of_node(paths->counts, rows->profile, copy, &copy->nodes[row], rows->values);
    int64_t *own = paths_counts(paths, rows->part[row], COUNT_INCLUSIVE);
    int64_t *above = paths_counts(paths, parent, COUNT_EXCLUSIVE);
    for (uint32_t s = 0; s < paths->counts->nslots; s++) {
        own[s] = gptl_number_sum(own[s], rows->values[s]);
        above[s] = gptl_number_sum(above[s], rows->values[s]);
    }
}

/* Add the times of a row. FIRST: the part does not have a row yet. */
static void add_node(struct paths *paths, const struct rows *rows, uint32_t lane, uint32_t row,
                     bool first)
{
    const struct gptl_copy *copy = paths->lanes[lane].copy;
    const struct gptl_node_copy *node = &copy->nodes[row];
    struct gptl_scale scale = gptl_number_scale(copy->seconds_per_tick);
    struct part *part = &paths->parts[rows->part[row]];
    bool ended = node->min != UINT64_MAX;
    struct figures figures = {
        .calls = node->count,
        .recurse = node->recurse,
        .total = gptl_number_ns(scale, node->total + node->open_ticks),
        .max = ended ? gptl_number_ns(scale, node->max) : 0,
        .min = ended ? gptl_number_ns(scale, node->min) : UINT64_MAX,
        .open = node->open,
        .unstopped = node->unstopped,
    };
    if (node->extra && copy->extras[node->extra - 1].timed)
        figures.error = figures.self_error =
            gptl_number_ns(scale, copy->extras[node->extra - 1].error);
    figures_add(&part->figures, &figures);
    part->node = first ? row : 0;
    part->histogram = first && node->extra ? copy->extras[node->extra - 1].histogram : NULL;
    figures_add(
        &paths->parts[rows->part[node->parent]].figures,
        &(struct figures){.self = figures.total, .self_error = figures.error, .min = UINT64_MAX});
    add_counts(paths, rows, lane, row);
}

static int add_row(struct paths_builder *b, uint32_t lane, const struct regions *regions,
                   uint32_t region, struct rows *rows, uint32_t row)
{
    const struct gptl_node_copy *node = &b->paths->lanes[lane].copy->nodes[row];
    const struct region *of = &regions->region[region];
    /* profile_read uses this name for the rest. */
    bool rest = !of->function && strcmp(of->name, "(rest)") == 0;
    struct path like = {.name = of->name, .function = of->function, .region = region, .rest = rest};
    rows->path[row] = paths_builder_path(b, rows->path[node->parent], &like);
    if (!rows->path[row])
        return -1;
    uint32_t n = b->paths->nparts;
    rows->part[row] = paths_builder_part(b, rows->path[row], lane);
    if (!rows->part[row])
        return -1;
    add_node(b->paths, rows, lane, row, b->paths->nparts > n);
    return 0;
}

static int add_rows(struct paths_builder *b, uint32_t lane, const struct regions *regions,
                    const uint32_t *region_of, struct rows *rows)
{
    const struct gptl_copy *copy = b->paths->lanes[lane].copy;
    uint32_t *shown = rows->part;
    mark_shown(copy, shown);
    memset(rows->path, 0, copy->nnodes * sizeof *rows->path);
    rows->part[0] = paths_builder_part(b, 0, lane);
    if (!rows->part[0])
        return -1;
    for (uint32_t i = 1; i < copy->nnodes; i++) {
        const struct gptl_node_copy *node = &copy->nodes[i];
        if (!shown[i])
            continue;
        int result = node->target == i ? add_row(b, lane, regions, region_of[node->region], rows, i)
                                       : paths_builder_edge(b, rows->path[node->parent],
                                                            rows->path[node->target], node->count);
        if (result)
            return -1;
    }
    return 0;
}

/*
 * Compute exclusive counts, at least 0: children can exceed their parent after crossed stops or in
 * an open call.
 */
static void make_own_counts(struct paths *paths, const struct lane *lane)
{
    uint32_t n = paths->counts ? paths->counts->nslots : 0;
    if (n > 0)
        memcpy(paths_counts(paths, lane->first_part, COUNT_INCLUSIVE),
               paths_counts(paths, lane->first_part, COUNT_EXCLUSIVE), n * sizeof *paths->values);
    for (uint32_t i = lane->first_part; i < lane->first_part + lane->nparts && n > 0; i++) {
        const int64_t *all = paths_counts(paths, i, COUNT_INCLUSIVE);
        int64_t *own = paths_counts(paths, i, COUNT_EXCLUSIVE);
        for (uint32_t s = 0; s < n; s++)
            own[s] =
                all[s] >= 0 && own[s] > all[s] ? 0 : (int64_t)((uint64_t)all[s] - (uint64_t)own[s]);
    }
}

/* Compute exclusive times. The root's exclusive time is 0. */
static void make_self(struct paths *paths, const struct lane *lane)
{
    struct figures *top = &paths->parts[lane->first_part].figures;
    make_own_counts(paths, lane);
    top->total = top->self;
    top->error = top->self_error;
    top->self_error = 0;
    for (uint32_t i = lane->first_part; i < lane->first_part + lane->nparts; i++) {
        struct figures *figures = &paths->parts[i].figures;
        figures->self = figures->total > figures->self ? figures->total - figures->self : 0;
    }
}

static int add_lanes(struct paths_builder *b, const struct regions *regions,
                     const struct gptl_profile *const *profiles)
{
    struct rows rows = {0};
    uint32_t lane = 0;
    int result = 0;
    if (b->paths->counts) {
        rows.values = malloc((size_t)b->paths->counts->nslots * sizeof *rows.values);
        result = rows.values ? 0 : -1;
    }
    for (int p = 0; p < regions->nprofiles; p++)
        for (int c = 0; c < profiles[p]->ncopies && result == 0; c++, lane++) {
            rows.profile = (uint32_t)p;
            result = grow_rows(&rows, profiles[p]->copies[c].nnodes);
            if (result == 0)
                result = add_rows(b, lane, regions, regions->of[p], &rows);
            if (result == 0)
                make_self(b->paths, &b->paths->lanes[lane]);
        }
    free(rows.path);
    free(rows.part);
    free(rows.values);
    return result;
}

int paths_make(struct paths *paths, const struct gptl_profile *const *profiles, int nprofiles)
{
    struct regions regions = {0};
    struct paths_builder b;
    memset(paths, 0, sizeof *paths);
    int result = make_lanes(paths, profiles, nprofiles);
    if (result == 0)
        result = counts_make(&paths->counts, profiles, nprofiles);
    if (result == 0)
        result = regions_make(&regions, profiles, nprofiles);
    if (result == 0) {
        paths->nregions = regions.nregions;
        paths->names = regions.names;
        regions.names = NULL;
        result = paths_builder_init(&b, paths);
        if (result == 0)
            result = add_lanes(&b, &regions, profiles);
        paths_builder_end(&b, result == 0);
    }
    regions_free(&regions);
    return result;
}

int paths_make_ranks(struct paths *paths, const struct gptl_profile *profile,
                     const struct gptl_ranks_tree *ranks)
{
    int result = paths_make(paths, &profile, 1);
    paths->ranks = ranks;
    return result;
}

struct outside paths_outside(const struct paths *paths)
{
    struct outside sum = {0};
    for (uint32_t i = 0; i < paths->nlanes && !paths->partial && !paths->ranks; i++) {
        const struct lane *lane = &paths->lanes[i];
        double measured = lane->profile->process.elapsed;
        /* The library's own work belongs neither to regions nor to the program. */
        double inside = (double)paths->parts[lane->first_part].figures.total / 1e9 +
                        (double)lane->copy->own_work / 1e9;
        if (lane->thread != 0 || !(measured > 0))
            continue;
        sum.measured += measured;
        sum.seconds += measured > inside ? measured - inside : 0;
    }
    if (20 * sum.seconds < sum.measured)
        sum = (struct outside){0};
    return sum;
}

const struct gptl_ranks_row *paths_row(const struct paths *paths, uint32_t path)
{
    uint32_t part = paths->paths[path].parts, node = part ? paths->parts[part].node : 0;
    if (!paths->ranks || node == 0)
        return NULL;
    const struct gptl_ranks_row *row = &paths->ranks->rows[paths->ranks->head->nregions + node - 1];
    return row->ranks.n > 0 ? row : NULL;
}

uint32_t paths_next(const struct paths *paths, uint32_t at)
{
    if (paths->paths[at].first_child)
        return paths->paths[at].first_child;
    while (at && !paths->paths[at].next_sibling)
        at = paths->paths[at].parent;
    return at ? paths->paths[at].next_sibling : 0;
}

void paths_free(struct paths *paths)
{
    while (paths->names) {
        struct made_name *next = paths->names->next;
        free(paths->names);
        paths->names = next;
    }
    free(paths->lanes);
    free(paths->paths);
    free(paths->parts);
    free(paths->edges);
    free(paths->values);
    counts_free(paths->counts);
    memset(paths, 0, sizeof *paths);
}
