/* metric.c - sort and selection criteria of paths and regions, and the spread over lanes. */
#include "config.h"

#include "postproc/paths/metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum metric metric_of_word(const char *word)
{
    static const char *const words[] = {"total", "self",      "calls", "max",
                                        "min",   "imbalance", "name"};
    for (int i = 0; i < METRIC_NAME; i++)
        if (strcmp(word, words[i]) == 0)
            return (enum metric)(METRIC_TOTAL + i);
    return METRIC_NONE;
}

void spread_add(struct spread *spread, uint64_t total)
{
    spread->nlanes++;
    spread->least = total < spread->least ? total : spread->least;
    spread->most = total > spread->most ? total : spread->most;
    spread->sum += (double)total;
}

double spread_imbalance(const struct spread *spread)
{
    if (!(spread->sum > 0) || spread->nlanes == 0)
        return 0;
    double mean = spread->sum / spread->nlanes, most = (double)spread->most;
    return mean < most ? most / mean - 1 : 0;
}

uint64_t spread_ns(double ns)
{
    return ns < 0x1p63 ? (uint64_t)(ns + 0.5) : (uint64_t)1 << 63;
}

struct spread spread_of_row(const struct gptl_ranks_row *row)
{
    return (struct spread){.nlanes = (uint32_t)row->ranks.n,
                           .least = row->min_rank.ns,
                           .most = row->max.ns,
                           .sum = row->ranks.mean * (double)row->ranks.n,
                           .row = row};
}

struct spread path_spread(const struct paths *paths, uint32_t path)
{
    struct spread spread = SPREAD_NONE;
    const struct gptl_ranks_row *row = paths_row(paths, path);
    if (row)
        return spread_of_row(row);
    if (paths->ranks)
        return spread;
    for (uint32_t p = paths->paths[path].parts; p; p = paths->parts[p].next)
        spread_add(&spread, paths->parts[p].figures.total);
    return spread;
}

double metric_weight(enum metric metric, const struct figures *figures, const struct spread *spread,
                     const struct tally *tally)
{
    if (metric >= METRIC_COUNT) {
        double number =
            tally ? tally_number(tally, (uint32_t)(metric - METRIC_COUNT)) : (double)NAN;
        return isnan(number) ? -(double)INFINITY : number;
    }
    switch (metric) {
    case METRIC_SELF:
        return (double)figures->self;
    case METRIC_CALLS:
        return (double)figures->calls;
    case METRIC_MAX:
        return (double)figures->max;
    case METRIC_MIN:
        return figures->min == UINT64_MAX ? 0 : (double)figures->min;
    case METRIC_IMBALANCE:
        return spread_imbalance(spread);
    case METRIC_NAME:
        return 0;
    default:
        return (double)figures->total;
    }
}

static int compare(const void *left, const void *right)
{
    const struct sorted *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    int order = a->name && b->name ? strcmp(a->name, b->name) : 0;
    return order ? order : (a->item > b->item) - (a->item < b->item);
}

void sort_by_weight(struct sorted *items, size_t n)
{
    if (n)
        qsort(items, n, sizeof *items, compare);
}

/*
 * Allocate space for a tally of PATHS. VALUES is NULL if nothing was counted. Returns false if out
 * of memory.
 */
static bool make_room(const struct paths *paths, int64_t **values)
{
    size_t n = paths->counts ? paths->counts->nslots : 0;
    *values = n > 0 ? malloc(n * sizeof **values) : NULL;
    return n == 0 || *values;
}

static double path_weight(const struct paths *paths, uint32_t path, enum metric metric,
                          int64_t *values)
{
    struct spread spread = SPREAD_NONE;
    struct tally tally;
    if (metric == METRIC_IMBALANCE)
        spread = path_spread(paths, path);
    tally_begin(&tally, paths, values);
    if (metric >= METRIC_COUNT)
        tally_path(&tally, path, COUNT_INCLUSIVE);
    return metric_weight(metric, &paths->paths[path].figures, &spread, &tally);
}

int paths_sort(struct paths *paths, enum metric metric)
{
    struct sorted *items = malloc(paths->npaths * sizeof *items);
    int64_t *values = NULL;
    if (!items || !make_room(paths, &values)) {
        free(items);
        return -1;
    }
    for (uint32_t i = 1; i < paths->npaths; i++) {
        const struct path *path = &paths->paths[i];
        double weight = path->rest ? -(double)INFINITY : path_weight(paths, i, metric, values);
        items[i] = (struct sorted){.weight = weight,
                                   .name = metric == METRIC_NAME ? path->name : NULL,
                                   .group = path->parent,
                                   .item = i};
    }
    sort_by_weight(items + 1, paths->npaths - 1);
    for (uint32_t i = 0; i < paths->npaths; i++)
        paths->paths[i].first_child = 0;
    for (uint32_t i = paths->npaths; i-- > 1;) {
        struct path *path = &paths->paths[items[i].item], *parent = &paths->paths[path->parent];
        path->next_sibling = parent->first_child;
        parent->first_child = items[i].item;
    }
    free(items);
    free(values);
    return 0;
}

int paths_keep_metric(struct paths *paths, uint32_t keep, enum metric metric)
{
    double *weight = malloc(paths->npaths * sizeof *weight);
    int64_t *values = NULL;
    if (!weight || !make_room(paths, &values)) {
        free(weight);
        return -1;
    }
    for (uint32_t i = 0; i < paths->npaths; i++)
        weight[i] = path_weight(paths, i, metric, values);
    free(values);
    int result = paths_keep_largest(paths, keep, weight);
    free(weight);
    return result;
}
