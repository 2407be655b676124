/* result.c - common code of the text and JSON output of a merged tree. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "ranks/print.h"

/* ---- Metrics --------------------------------------------------------------------------------- */

int gptl_ranks_metrics(struct gptl_profile *profile, const struct gptl_ranks_tree *tree)
{
    struct gptl_metrics *to = &profile->metrics;
    to->metric =
        gptl_report_alloc(profile, ((size_t)tree->head->nmetrics + 1) * sizeof *to->metric);
    if (!to->metric)
        return -1;
    for (uint32_t i = 0; i < tree->head->nmetrics; i++) {
        const struct gptl_ranks_metric *from = &tree->metrics[i];
        to->metric[i] = (struct gptl_metric){
            .kind = (enum gptl_metric_kind)from->kind,
            .scope = (enum gptl_scope)from->scope,
            .shown = from->shown,
            .estimated = from->estimated,
            .least_seconds = from->least_seconds,
            .slot = i,
            .name = tree->text + from->name,
            .description = tree->text + from->description,
            .unit = tree->text + from->unit,
            .component = tree->text + from->component,
            .expression = tree->text + from->expression,
            .why = "",
        };
    }
    to->n = to->nslots = tree->head->nmetrics;
    return 0;
}

static int make_metrics(struct gptl_ranks_result *result)
{
    if (gptl_ranks_metrics(&result->shell, result->tree))
        return -1;
    return gptl_report_prepare_metrics(&result->shell);
}

int gptl_ranks_result_make(struct gptl_ranks_result *result, const struct gptl_profile *profile,
                           const struct gptl_ranks_tree *tree)
{
    *result = (struct gptl_ranks_result){.profile = profile,
                                         .tree = tree,
                                         .shell = *profile,
                                         .style = gptl_style_of_options(profile)};
    result->shell.process.elapsed = tree->head->elapsed;
    result->shell.copies = NULL;
    result->shell.ncopies = 0;
    result->shell.blocks = NULL;
    result->shell.expressions = NULL;
    result->shell.metrics = (struct gptl_metrics){0};
    result->counters = calloc((size_t)tree->head->nmetrics + 1, sizeof *result->counters);
    result->accounts = malloc(((size_t)tree->head->naccounts + 1) * sizeof *result->accounts);
    for (uint32_t i = 0; result->accounts && i < tree->head->naccounts; i++)
        result->accounts[i] = gptl_ranks_account(tree, i);
    return result->counters && result->accounts ? make_metrics(result) : -1;
}

void gptl_ranks_result_free(struct gptl_ranks_result *result)
{
    free(result->counters);
    free(result->accounts);
    gptl_report_free(&result->shell);
}

static int64_t rounded(double value)
{
    if (!(value > -0x1p63))
        return INT64_MIN;
    return value < 0x1p63 ? (int64_t)value : INT64_MAX;
}

const int64_t *gptl_ranks_counters(const struct gptl_ranks_result *result, uint32_t row)
{
    uint32_t n = result->tree->head->nmetrics;
    const struct gptl_ranks_figure *figures = gptl_ranks_figures(result->tree, row);
    for (uint32_t i = 0; i < n; i++)
        result->counters[i] = rounded(figures[i].sum);
    return n > 0 ? result->counters : NULL;
}

/* ---- Figures ------------------------------------------------------------------------------- */

double gptl_ranks_imbalance(const struct gptl_ranks_row *row, const struct gptl_moments *moments)
{
    double excess = moments->mean > 0 ? (double)row->max.ns / moments->mean - 1 : 0;
    /* rounding can raise the mean of equal times above the maximum */
    return excess > 0 ? excess : 0;
}

/* ---- Order --------------------------------------------------------------------------------- */

struct item {
    uint32_t row, parent; /* parent of a path: its row, or NONE */
    double weight;
};

enum { NONE = UINT32_MAX };

static int compare_items(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    if (a->parent != b->parent)
        return a->parent > b->parent ? 1 : -1;
    if (a->weight < b->weight || a->weight > b->weight)
        return a->weight < b->weight ? 1 : -1;
    return (a->row > b->row) - (a->row < b->row);
}

static double weight(const struct gptl_ranks_row *row, bool by_time)
{
    return gptl_wide_real(by_time ? row->total : row->calls);
}

/* Find each path's parent: the last preceding row with a depth smaller by one. */
static int find_parents(const struct gptl_ranks_tree *tree, uint32_t *parent)
{
    uint32_t nregions = tree->head->nregions, npaths = tree->head->npaths, deepest = 0;
    const struct gptl_ranks_row *paths = tree->rows + nregions;
    for (uint32_t i = 0; i < npaths; i++)
        if (paths[i].depth > deepest)
            deepest = paths[i].depth;
    uint32_t *last = malloc(((size_t)deepest + 1) * sizeof *last);
    if (!last)
        return -1;
    last[0] = NONE;
    for (uint32_t i = 0; i < npaths; i++) {
        parent[i] = last[paths[i].depth - 1];
        last[paths[i].depth] = nregions + i;
    }
    free(last);
    return 0;
}

/* Store the preorder of the sorted items, using child lists. LINK has two entries per path. */
static void put_preorder(const struct gptl_ranks_tree *tree, const struct item *items,
                         const uint32_t *parent, uint32_t (*link)[2], uint32_t *order)
{
    enum { CHILD, SIBLING };
    uint32_t nregions = tree->head->nregions, npaths = tree->head->npaths, first = NONE;
    for (uint32_t i = 0; i < npaths; i++)
        link[i][CHILD] = link[i][SIBLING] = NONE;
    for (uint32_t i = npaths; i-- > 0;) {
        uint32_t *head =
            items[i].parent == NONE ? &first : &link[items[i].parent - nregions][CHILD];
        link[items[i].row - nregions][SIBLING] = *head;
        *head = items[i].row;
    }
    for (uint32_t at = first; at != NONE;) {
        *order++ = at;
        if (link[at - nregions][CHILD] != NONE) {
            at = link[at - nregions][CHILD];
            continue;
        }
        while (at != NONE && link[at - nregions][SIBLING] == NONE)
            at = parent[at - nregions];
        if (at != NONE)
            at = link[at - nregions][SIBLING];
    }
}

static uint32_t sort_regions(const struct gptl_ranks_tree *tree, bool by_time, struct item *items,
                             uint32_t *order)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < tree->head->nregions; i++)
        if (tree->rows[i].threads.n > 0)
            items[n++] = (struct item){i, NONE, weight(&tree->rows[i], by_time)};
    if (n > 0)
        qsort(items, n, sizeof *items, compare_items);
    for (uint32_t i = 0; i < n; i++)
        order[i] = items[i].row;
    return n;
}

uint32_t *gptl_ranks_order(const struct gptl_ranks_tree *tree, bool by_time, uint32_t *nregions,
                           uint32_t *n)
{
    uint32_t npaths = tree->head->npaths, nrows = gptl_ranks_nrows(tree);
    uint32_t *order = malloc(((size_t)nrows + 1) * sizeof *order);
    uint32_t *parent = malloc(((size_t)npaths + 1) * sizeof *parent);
    uint32_t(*link)[2] = malloc(((size_t)npaths + 1) * sizeof *link);
    struct item *items = malloc(((size_t)nrows + 1) * sizeof *items);
    if (!order || !parent || !link || !items || find_parents(tree, parent)) {
        free(order);
        order = NULL;
    } else {
        *nregions = sort_regions(tree, by_time, items, order);
        *n = *nregions + npaths;
        for (uint32_t i = 0; i < npaths; i++) {
            uint32_t row = tree->head->nregions + i;
            items[i] = (struct item){row, parent[i], weight(&tree->rows[row], by_time)};
        }
        if (npaths > 0)
            qsort(items, npaths, sizeof *items, compare_items);
        put_preorder(tree, items, parent, link, order + *nregions);
    }
    free(parent);
    free(link);
    free(items);
    return order;
}
