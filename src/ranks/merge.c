/*
 * merge.c - merges two trees. They are traversed twice in parallel: to count the contents of the
 * result, and to fill it. The only extra memory is for the mapping of regions and metrics.
 */
#include "config.h"

#include "ranks/tree.h"

#include <stdlib.h>
#include <string.h>

struct merge {
    const struct gptl_ranks_tree *from[2];
    uint32_t *region[2]; /* number in the merged tree by region */
    uint32_t *metric[2]; /* number in the merged tree by metric */
    struct gptl_ranks_head head;
    struct gptl_ranks_tree to;
    uint64_t text; /* bytes filled so far */
};

/* ---- Regions and metrics ------------------------------------------------------------------- */

static const char *text_of(const struct gptl_ranks_tree *tree, uint64_t offset)
{
    return tree->text + offset;
}

static uint64_t text_size(const struct gptl_ranks_tree *tree, uint64_t offset)
{
    size_t length = strlen(text_of(tree, offset));
    return length ? length + 1 : 0;
}

static void number_regions(struct merge *m)
{
    const struct gptl_ranks_tree *a = m->from[0], *b = m->from[1];
    uint32_t i = 0, j = 0, n = 0;
    for (; i < a->head->nregions || j < b->head->nregions; n++) {
        const struct gptl_ranks_region *x = &a->regions[i], *y = &b->regions[j];
        int order = i == a->head->nregions ? 1
                    : j == b->head->nregions
                        ? -1
                        : gptl_ranks_compare(gptl_ranks_key(a, i), gptl_ranks_key(b, j));
        m->head.ntext += order <= 0 ? text_size(a, x->name) + text_size(a, x->address)
                                    : text_size(b, y->name) + text_size(b, y->address);
        if (order <= 0)
            m->region[0][i++] = n;
        if (order >= 0)
            m->region[1][j++] = n;
    }
    m->head.nregions = n;
}

static bool same_metric(const struct gptl_ranks_tree *a, const struct gptl_ranks_metric *x,
                        const struct gptl_ranks_tree *b, const struct gptl_ranks_metric *y)
{
    return x->kind == y->kind && x->cpu == y->cpu &&
           strcmp(text_of(a, x->name), text_of(b, y->name)) == 0 &&
           strcmp(text_of(a, x->expression), text_of(b, y->expression)) == 0;
}

static uint64_t metric_text(const struct gptl_ranks_tree *tree,
                            const struct gptl_ranks_metric *metric)
{
    return text_size(tree, metric->name) + text_size(tree, metric->description) +
           text_size(tree, metric->unit) + text_size(tree, metric->component) +
           text_size(tree, metric->expression);
}

/*
 * Number the metrics: the first tree's, then additional ones of the second tree. Usually all ranks
 * have the same metrics.
 */
static void number_metrics(struct merge *m)
{
    const struct gptl_ranks_tree *a = m->from[0], *b = m->from[1];
    uint32_t n = a->head->nmetrics;
    for (uint32_t i = 0; i < n; i++) {
        m->metric[0][i] = i;
        m->head.ntext += metric_text(a, &a->metrics[i]);
    }
    for (uint32_t j = 0; j < b->head->nmetrics; j++) {
        uint32_t i = j;
        if (i >= a->head->nmetrics || !same_metric(a, &a->metrics[i], b, &b->metrics[j]))
            for (i = 0; i < a->head->nmetrics; i++)
                if (same_metric(a, &a->metrics[i], b, &b->metrics[j]))
                    break;
        if (i == a->head->nmetrics) {
            m->head.ntext += metric_text(b, &b->metrics[j]);
            i = n++;
        }
        m->metric[1][j] = i;
    }
    m->head.nmetrics = n;
}

static uint64_t put_text(struct merge *m, const struct gptl_ranks_tree *from, uint64_t offset)
{
    uint64_t size = text_size(from, offset), at = m->text;
    if (size == 0)
        return 0;
    memcpy(m->to.text + at, text_of(from, offset), size);
    m->text += size;
    return at;
}

static void put_regions(struct merge *m)
{
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < m->from[k]->head->nregions; i++) {
            struct gptl_ranks_region *to = &m->to.regions[m->region[k][i]];
            uint64_t first = m->from[k]->regions[i].first;
            if (to->name || to->address) { /* also in the first tree */
                if (first < to->first)
                    to->first = first;
                continue;
            }
            to->first = first;
            to->name = put_text(m, m->from[k], m->from[k]->regions[i].name);
            to->address = put_text(m, m->from[k], m->from[k]->regions[i].address);
            to->kind = m->from[k]->regions[i].kind;
        }
}

static void put_metrics(struct merge *m)
{
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < m->from[k]->head->nmetrics; i++) {
            struct gptl_ranks_metric *to = &m->to.metrics[m->metric[k][i]];
            const struct gptl_ranks_metric *from = &m->from[k]->metrics[i];
            if (to->name) { /* also in the first tree */
                to->shown |= from->shown;
                to->estimated |= from->estimated;
                if (from->least_seconds > to->least_seconds)
                    to->least_seconds = from->least_seconds;
                continue;
            }
            *to = *from;
            to->name = put_text(m, m->from[k], from->name);
            to->description = put_text(m, m->from[k], from->description);
            to->unit = put_text(m, m->from[k], from->unit);
            to->component = put_text(m, m->from[k], from->component);
            to->expression = put_text(m, m->from[k], from->expression);
        }
}

/* ---- Rows ---------------------------------------------------------------------------------- */

/* Parallel traversal of two row sequences in preorder. */
struct walk {
    const struct merge *m;
    uint32_t at[2], end[2];
};

static struct walk walk_regions(const struct merge *m)
{
    return (struct walk){.m = m, .end = {m->from[0]->head->nregions, m->from[1]->head->nregions}};
}

static struct walk walk_paths(const struct merge *m)
{
    return (struct walk){.m = m,
                         .at = {m->from[0]->head->nregions, m->from[1]->head->nregions},
                         .end = {gptl_ranks_nrows(m->from[0]), gptl_ranks_nrows(m->from[1])}};
}

/*
 * Return the trees that contain the next row of the result, as bits; 0 at the end. If the heads
 * differ in depth, the deeper one is next: it belongs to a subtree that only its tree has or
 * that the other tree has completed.
 */
static unsigned walk_next(struct walk *walk, const struct gptl_ranks_row *row[2])
{
    const struct merge *m = walk->m;
    unsigned which = 0;
    for (int k = 0; k < 2; k++)
        if (walk->at[k] < walk->end[k]) {
            row[k] = &m->from[k]->rows[walk->at[k]];
            which |= 1u << k;
        }
    if (which == 3) {
        uint32_t a = m->region[0][row[0]->region], b = m->region[1][row[1]->region];
        if (row[0]->depth != row[1]->depth)
            which = row[0]->depth > row[1]->depth ? 1 : 2;
        else if (a != b)
            which = a < b ? 1 : 2;
    }
    for (int k = 0; k < 2; k++)
        if (which >> k & 1)
            walk->at[k]++;
        else
            row[k] = NULL;
    return which;
}

/* Merge the buckets into TO unless it is NULL. Return their number. */
static uint32_t merge_buckets(const struct merge *m, const struct gptl_ranks_row *const row[2],
                              struct gptl_ranks_bucket *to)
{
    const struct gptl_ranks_bucket *at[2], *end[2];
    uint32_t n = 0;
    for (int k = 0; k < 2; k++) {
        at[k] = row[k] ? m->from[k]->buckets + row[k]->bucket : NULL;
        end[k] = row[k] ? at[k] + row[k]->nbuckets : NULL;
    }
    for (; at[0] != end[0] || at[1] != end[1]; n++) {
        uint32_t first = UINT32_MAX, ranks = 0;
        for (int k = 0; k < 2; k++)
            if (at[k] != end[k] && at[k]->bucket < first)
                first = at[k]->bucket;
        for (int k = 0; k < 2; k++)
            if (at[k] != end[k] && at[k]->bucket == first)
                ranks += at[k]++->ranks;
        if (to)
            to[n] = (struct gptl_ranks_bucket){first, ranks};
    }
    return n;
}

/* Count rows and buckets; -1 if they are too many. */
static int count_rows(struct merge *m)
{
    const struct gptl_ranks_row *row[2];
    uint64_t npaths = 0, nbuckets = 0;
    for (struct walk walk = walk_regions(m); walk_next(&walk, row);)
        nbuckets += merge_buckets(m, row, NULL);
    for (struct walk walk = walk_paths(m); walk_next(&walk, row); npaths++)
        nbuckets += merge_buckets(m, row, NULL);
    m->head.npaths = (uint32_t)npaths;
    m->head.nbuckets = (uint32_t)nbuckets;
    return npaths > UINT32_MAX || nbuckets > UINT32_MAX ? -1 : 0;
}

/* ---- Contents of rows ------------------------------------------------------------------------ */

/* Order extremes with equal times by rank and thread. */
static bool is_before(const struct gptl_ranks_extreme *a, const struct gptl_ranks_extreme *b)
{
    return a->rank != b->rank ? a->rank < b->rank : a->thread < b->thread;
}

static void keep_most(struct gptl_ranks_extreme *to, const struct gptl_ranks_extreme *from)
{
    if (from->ns > to->ns || (from->ns == to->ns && is_before(from, to)))
        *to = *from;
}

static void keep_least(struct gptl_ranks_extreme *to, const struct gptl_ranks_extreme *from)
{
    if (from->ns < to->ns || (from->ns == to->ns && is_before(from, to)))
        *to = *from;
}

static void add_ended(struct gptl_ranks_row *to, const struct gptl_ranks_row *from)
{
    if (from->ended_threads == 0)
        return;
    if (to->ended_threads == 0) {
        to->ended_max = from->ended_max;
        to->ended_min = from->ended_min;
    }
    keep_most(&to->ended_max, &from->ended_max);
    keep_least(&to->ended_min, &from->ended_min);
    to->ended_ranks += from->ended_ranks;
    to->ended_threads += from->ended_threads;
}

void gptl_ranks_add_row(struct gptl_ranks_row *to, const struct gptl_ranks_row *from)
{
    if (from->threads.n == 0)
        return;
    if (to->threads.n == 0) {
        to->max = from->max;
        to->min = from->min;
        to->min_rank = from->min_rank;
    }
    keep_most(&to->max, &from->max);
    keep_least(&to->min, &from->min);
    keep_least(&to->min_rank, &from->min_rank);
    gptl_wide_add(&to->calls, from->calls);
    to->untimed = gptl_ranks_sum(to->untimed, from->untimed);
    gptl_wide_add(&to->total, from->total);
    gptl_wide_add(&to->ended, from->ended);
    gptl_moments_join(&to->threads, &from->threads);
    gptl_moments_join(&to->ranks, &from->ranks);
    to->open_threads += from->open_threads;
    add_ended(to, from);
}

void gptl_ranks_add_figure(struct gptl_ranks_figure *to, const struct gptl_ranks_figure *from)
{
    if (from->ranks.n == 0)
        return;
    if (to->ranks.n == 0 || from->max > to->max ||
        (from->max >= to->max && from->max_rank < to->max_rank)) {
        to->max = from->max;
        to->max_rank = from->max_rank;
    }
    if (to->ranks.n == 0 || from->min < to->min ||
        (from->min <= to->min && from->min_rank < to->min_rank)) {
        to->min = from->min;
        to->min_rank = from->min_rank;
    }
    to->sum += from->sum;
    gptl_moments_join(&to->ranks, &from->ranks);
}

static void put_rows(struct merge *m)
{
    const struct gptl_ranks_row *row[2];
    uint32_t n = 0, bucket = 0;
    for (int part = 0; part < 2; part++)
        for (struct walk walk = part ? walk_paths(m) : walk_regions(m); walk_next(&walk, row);
             n++) {
            struct gptl_ranks_row *to = &m->to.rows[n];
            struct gptl_ranks_figure *figures = gptl_ranks_figures(&m->to, n);
            for (int k = 0; k < 2; k++) {
                if (!row[k])
                    continue;
                uint32_t number = (uint32_t)(row[k] - m->from[k]->rows);
                const struct gptl_ranks_figure *more = gptl_ranks_figures(m->from[k], number);
                to->region = m->region[k][row[k]->region];
                to->depth = row[k]->depth;
                gptl_ranks_add_row(to, row[k]);
                for (uint32_t i = 0; i < m->from[k]->head->nmetrics; i++)
                    gptl_ranks_add_figure(&figures[m->metric[k][i]], &more[i]);
            }
            to->bucket = bucket;
            to->nbuckets = merge_buckets(m, row, m->to.buckets + bucket);
            bucket += to->nbuckets;
        }
}

/* ---- Whole tree ------------------------------------------------------------------------------ */

static void add_heads(struct merge *m)
{
    const struct gptl_ranks_head *a = m->from[0]->head, *b = m->from[1]->head;
    m->head.nranks = a->nranks + b->nranks;
    m->head.nsilent = a->nsilent + b->nsilent;
    m->head.nthreads = a->nthreads + b->nthreads;
    m->head.elapsed = a->elapsed > b->elapsed ? a->elapsed : b->elapsed;
    for (int i = 0; i < GPTL_RANKS_NSUMS; i++)
        m->head.sums[i] = gptl_ranks_sum(a->sums[i], b->sums[i]);
}

static int make(struct merge *m)
{
    for (int k = 0; k < 2; k++) {
        const struct gptl_ranks_head *head = m->from[k]->head;
        m->region[k] = malloc(((size_t)head->nregions + 1) * sizeof *m->region[k]);
        m->metric[k] = malloc(((size_t)head->nmetrics + 1) * sizeof *m->metric[k]);
        if (!m->region[k] || !m->metric[k])
            return -1;
    }
    m->head.ntext = m->text = 1; /* offset 0 is "" */
    add_heads(m);
    number_metrics(m);
    number_regions(m);
    gptl_ranks_count_accounts(m->from, &m->head);
    if (count_rows(m) || gptl_ranks_tree_new(&m->to, &m->head))
        return -1;
    put_metrics(m);
    put_regions(m);
    gptl_ranks_merge_accounts(&m->to, m->from, &m->text);
    put_rows(m);
    return 0;
}

int gptl_ranks_merge(struct gptl_ranks_tree *merged, const struct gptl_ranks_tree *a,
                     const struct gptl_ranks_tree *b)
{
    struct merge m = {.from = {a, b}};
    int result = make(&m);
    for (int k = 0; k < 2; k++) {
        free(m.region[k]);
        free(m.metric[k]);
    }
    *merged = m.to;
    return result;
}
