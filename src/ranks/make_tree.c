/*
 * make_tree.c - builds one rank's tree from the collected data: orders paths and copies figures.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "ranks/make.h"
#include "report/ledger.h"
#include "report/metrics.h"

/* ---- Order --------------------------------------------------------------------------------- */

struct place {
    uint32_t region, cell;
};

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    return a->region != b->region ? (a->region > b->region) - (a->region < b->region)
                                  : (a->cell > b->cell) - (a->cell < b->cell);
}

/* Prepend paths to their siblings, in descending region order. Return the first top-level path. */
static uint32_t link_siblings(struct maker *m, const struct place *places, uint32_t n)
{
    uint32_t first = NONE;
    for (uint32_t i = n; i-- > 0;) {
        struct cell *cell = &m->cells[places[i].cell];
        uint32_t *head = cell->parent == NONE ? &first : &m->cells[cell->parent].first_child;
        cell->next_sibling = *head;
        *head = places[i].cell;
    }
    return first;
}

/* Sort the paths in preorder. */
static int sort_paths(struct maker *m)
{
    uint32_t n = m->ncells - m->nregions, at;
    struct place *places = malloc(((size_t)n + 1) * sizeof *places);
    m->order = malloc(((size_t)n + 1) * sizeof *m->order);
    if (!places || !m->order) {
        free(places);
        return -1;
    }
    for (uint32_t i = 0; i < n; i++)
        places[i] = (struct place){m->cells[m->nregions + i].row.region, m->nregions + i};
    if (n > 0)
        qsort(places, n, sizeof *places, compare_places);
    at = link_siblings(m, places, n);
    free(places);
    for (uint32_t i = 0; at != NONE; i++) {
        m->order[i] = at;
        if (m->cells[at].first_child != NONE) {
            at = m->cells[at].first_child;
            continue;
        }
        while (at != NONE && m->cells[at].next_sibling == NONE)
            at = m->cells[at].parent;
        if (at != NONE)
            at = m->cells[at].next_sibling;
    }
    return 0;
}

/* ---- The tree ------------------------------------------------------------------------------ */

/* CPU times are metrics too. */
static const struct gptl_metric cpu_metrics[2] = {
    {.kind = GPTL_METRIC_COUNTED, .name = "usr", .description = "user CPU time", .unit = "us"},
    {.kind = GPTL_METRIC_COUNTED, .name = "sys", .description = "system CPU time", .unit = "us"},
};

static uint32_t count_metrics(const struct maker *m)
{
    uint32_t n = m->cpu ? 2 : 0;
    for (uint32_t i = 0; i < m->profile->metrics.n; i++)
        n += m->profile->metrics.metric[i].kind != GPTL_METRIC_REFUSED;
    return n;
}

/* Append TEXT and return its offset. While the tree does not exist, only count. */
static uint64_t put_text(struct maker *m, uint64_t *ntext, const char *text)
{
    size_t size = text ? strlen(text) + 1 : 1;
    uint64_t at = *ntext;
    if (size == 1)
        return 0;
    if (m->tree->head)
        memcpy(m->tree->text + at, text, size);
    *ntext += size;
    return at;
}

static void put_metric(struct maker *m, uint64_t *ntext, uint32_t i,
                       const struct gptl_metric *metric, bool cpu)
{
    struct gptl_ranks_metric to = {
        .kind = metric->kind,
        .scope = metric->scope,
        .shown = metric->shown,
        .estimated = metric->estimated,
        .cpu = cpu,
        .least_seconds = metric->least_seconds,
        .name = put_text(m, ntext, metric->name),
        .description = put_text(m, ntext, metric->description),
        .unit = put_text(m, ntext, metric->unit),
        .component = put_text(m, ntext, metric->component),
        .expression = put_text(m, ntext, metric->expression),
    };
    if (m->tree->head)
        m->tree->metrics[i] = to;
}

/* Append all texts and set their references; see put_text. Return the length. */
static uint64_t put_texts(struct maker *m)
{
    uint64_t ntext = 1;
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->profile->metrics.n; i++) {
        if (m->profile->metrics.metric[i].kind == GPTL_METRIC_REFUSED)
            continue;
        m->metric[n] = i;
        put_metric(m, &ntext, n++, &m->profile->metrics.metric[i], false);
    }
    for (int i = 0; m->cpu && i < 2; i++)
        put_metric(m, &ntext, n + (uint32_t)i, &cpu_metrics[i], true);
    for (uint32_t i = 0; i < m->nregions; i++) {
        struct gptl_ranks_region to = {.name = put_text(m, &ntext, m->keys[i].of.name),
                                       .address = put_text(m, &ntext, m->keys[i].of.address),
                                       .kind = m->keys[i].of.kind,
                                       .first =
                                           (uint64_t)(uint32_t)m->rank << 32 | m->keys[i].used};
        if (m->tree->head)
            m->tree->regions[i] = to;
    }
    return ntext;
}

/* Append the accounts' texts after all other texts. Return the new length. */
static uint64_t put_accounts(struct maker *m, uint64_t ntext)
{
    for (size_t i = 0; i < m->profile->naccounts; i++) {
        const struct gptl_account *from = &m->profile->accounts[i];
        struct gptl_ranks_account to = {
            .ledger = from->ledger,
            .rank = gptl_ledger_forms[from->ledger].by_rank ? m->rank : -1,
            .nranks = 1,
            .name = put_text(m, &ntext, from->name),
            .number = from->number,
        };
        memcpy(to.values, from->values, sizeof to.values);
        if (m->tree->head)
            m->tree->accounts[i] = to;
    }
    return ntext;
}

static void put_figure(struct maker *m, struct gptl_ranks_figure *to, double value, bool counted)
{
    gptl_moments_add(&to->ranks, value);
    to->sum = counted ? value : 0;
    to->max = to->min = value;
    to->max_rank = to->min_rank = m->rank;
}

static void put_figures(struct maker *m, const struct cell *cell, uint32_t row)
{
    struct gptl_ranks_figure *to = gptl_ranks_figures(m->tree, row);
    const int64_t *counters = m->nslots > 0 ? counters_of(m, (uint32_t)(cell - m->cells)) : NULL;
    uint32_t n = m->tree->head->nmetrics - (m->cpu ? 2 : 0);
    for (uint32_t i = 0; i < n; i++) {
        const struct gptl_metric *metric = &m->profile->metrics.metric[m->metric[i]];
        if (metric->kind == GPTL_METRIC_COUNTED) {
            put_figure(m, &to[i], counters ? (double)counters[metric->slot] : 0, true);
            continue;
        }
        struct gptl_metric_value value =
            gptl_metric_value(m->profile, m->metric[i], counters, gptl_wide_real(cell->row.ended),
                              cell->row.threads.n > 1);
        if (value.state == GPTL_VALUE_REAL)
            put_figure(m, &to[i], value.real, false);
    }
    for (uint32_t i = 0; m->cpu && i < 2; i++)
        put_figure(m, &to[n + i], (double)cell->cpu[i], true);
}

static void put_rows(struct maker *m)
{
    uint32_t bucket = 0;
    for (uint32_t i = 0; i < m->ncells; i++) {
        const struct cell *cell = &m->cells[i < m->nregions ? i : m->order[i - m->nregions]];
        struct gptl_ranks_row *row = &m->tree->rows[i];
        *row = cell->row;
        row->bucket = bucket;
        if (row->threads.n == 0)
            continue;
        m->tree->buckets[bucket++] = (struct gptl_ranks_bucket){gptl_ranks_bucket(row->max.ns), 1};
        put_figures(m, cell, i);
    }
}

static void add_sums(struct gptl_ranks_head *head, const struct gptl_profile *profile)
{
    for (int i = 0; i < profile->ncopies; i++) {
        const struct gptl_copy *copy = &profile->copies[i];
        const uint64_t more[GPTL_RANKS_NSUMS] = {
            [GPTL_RANKS_LIVE] = copy->live,
            [GPTL_RANKS_FOLDED_PATHS] = copy->folded_paths,
            [GPTL_RANKS_FOLDED_NAMES] = copy->folded_names,
            [GPTL_RANKS_DROPPED] = copy->dropped,
            [GPTL_RANKS_UNMATCHED] = copy->unmatched,
            [GPTL_RANKS_CROSSED] = copy->crossed,
            [GPTL_RANKS_BACKWARDS] = copy->backwards,
            [GPTL_RANKS_TOO_DEEP] = copy->too_deep,
        };
        for (int k = 0; k < GPTL_RANKS_NSUMS; k++)
            head->sums[k] = gptl_ranks_sum(head->sums[k], more[k]);
    }
}

int gptl_ranks_make_tree(struct maker *m)
{
    struct gptl_ranks_head head = {
        .nranks = 1,
        .nsilent = m->profile->ncopies == 0,
        .nthreads = (uint64_t)m->profile->ncopies,
        .nmetrics = count_metrics(m),
        .nregions = m->nregions,
        .npaths = m->ncells - m->nregions,
        .elapsed = m->profile->process.elapsed,
    };
    if (m->profile->naccounts > UINT32_MAX || sort_paths(m))
        return -1;
    m->metric = malloc(((size_t)head.nmetrics + 1) * sizeof *m->metric);
    if (!m->metric)
        return -1;
    for (uint32_t i = 0; i < m->ncells; i++)
        head.nbuckets += m->cells[i].row.nbuckets;
    head.naccounts = (uint32_t)m->profile->naccounts;
    head.ntext = put_accounts(m, put_texts(m));
    add_sums(&head, m->profile);
    if (gptl_ranks_tree_new(m->tree, &head))
        return -1;
    put_accounts(m, put_texts(m));
    put_rows(m);
    return 0;
}
