/*
 * gather.c - merges many trees. Adding a tree takes time proportional to its size only: hash tables
 * find regions, paths, buckets and accounts. The final order is established once at the end.
 * Compared with merge.c, which ranks use, this needs more memory but less time for thousands of
 * trees.
 */
#include "config.h"

#include "ranks/gather.h"

#include <stdlib.h>
#include <string.h>

/* ---- Growing arrays and hash tables of their elements ---------------------------------------- */

/* Append a zeroed element; return its number, or NONE when out of memory. */
static uint32_t push(struct array *array, size_t size)
{
    if (array->n == array->room) {
        size_t room = array->room ? 2 * (size_t)array->room : 64;
        char *items = room < NONE ? realloc(array->items, room * size) : NULL;
        if (!items)
            return NONE;
        array->items = items;
        array->room = (uint32_t)room;
    }
    memset(array->items + array->n * size, 0, size);
    return array->n++;
}

typedef uint64_t hasher(const struct gptl_gather *m, uint32_t element);

/* Ensure space for one more element. */
static bool grow_table(struct table *table, const struct gptl_gather *m, hasher *hash)
{
    if (table->slots && table->used < table->mask / 2)
        return true;
    if (table->mask > NONE / 4)
        return false;
    uint32_t mask = table->slots ? 2 * table->mask + 1 : 255;
    uint32_t *slots = malloc(((size_t)mask + 1) * sizeof *slots);
    if (!slots)
        return false;
    memset(slots, 0xff, ((size_t)mask + 1) * sizeof *slots);
    for (uint32_t i = 0; table->slots && i <= table->mask; i++) {
        if (table->slots[i] == NONE)
            continue;
        uint32_t at = (uint32_t)hash(m, table->slots[i]) & mask;
        while (slots[at] != NONE)
            at = (at + 1) & mask;
        slots[at] = table->slots[i];
    }
    free(table->slots);
    table->slots = slots;
    table->mask = mask;
    return true;
}

static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * 0x9e3779b97f4a7c15;
    return h ^ h >> 29;
}

static uint64_t mix_text(uint64_t h, const char *text)
{
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 0x100000001b3u;
    return mix(h, 1);
}

/* Store TEXT and its offset; offset 0 is "". False when out of memory. */
static bool keep_text(struct gptl_gather *m, const char *text, uint64_t *at)
{
    size_t size = strlen(text) + 1;
    *at = 0;
    if (size == 1)
        return true;
    if (m->text_room - m->ntext < size) {
        size_t room = 2 * (m->ntext + size) + 1024;
        char *more = realloc(m->text, room);
        if (!more)
            return false;
        m->text = more;
        m->text_room = room;
    }
    if (m->ntext == 0)
        m->text[m->ntext++] = '\0';
    memcpy(m->text + m->ntext, text, size);
    *at = m->ntext;
    m->ntext += size;
    return true;
}

/* ---- Metrics ------------------------------------------------------------------------------- */

static bool same_metric(const struct gptl_gather *m, const struct gptl_ranks_metric *x,
                        const struct gptl_ranks_tree *tree, const struct gptl_ranks_metric *y)
{
    return x->kind == y->kind && x->cpu == y->cpu &&
           strcmp(text_at(m, x->name), tree->text + y->name) == 0 &&
           strcmp(text_at(m, x->expression), tree->text + y->expression) == 0;
}

static uint32_t find_metric(const struct gptl_gather *m, const struct gptl_ranks_tree *tree,
                            uint32_t j)
{
    const struct gptl_ranks_metric *metric = &tree->metrics[j];
    if (j < m->metrics.n && same_metric(m, metric_at(m, j), tree, metric))
        return j;
    for (uint32_t i = 0; i < m->metrics.n; i++)
        if (same_metric(m, metric_at(m, i), tree, metric))
            return i;
    return NONE;
}

static bool keep_metric(struct gptl_gather *m, const struct gptl_ranks_tree *tree,
                        const struct gptl_ranks_metric *from, uint32_t i)
{
    struct gptl_ranks_metric to = *from;
    bool whole = keep_text(m, tree->text + from->name, &to.name) &&
                 keep_text(m, tree->text + from->description, &to.description) &&
                 keep_text(m, tree->text + from->unit, &to.unit) &&
                 keep_text(m, tree->text + from->component, &to.component) &&
                 keep_text(m, tree->text + from->expression, &to.expression);
    *metric_at(m, i) = to;
    return whole;
}

/*
 * Map the tree's metrics to the merged ones, appending new ones. Usually all ranks have the same
 * metrics.
 */
static bool add_metrics(struct gptl_gather *m, const struct gptl_ranks_tree *tree, uint32_t *number)
{
    for (uint32_t j = 0; j < tree->head->nmetrics; j++) {
        const struct gptl_ranks_metric *from = &tree->metrics[j];
        number[j] = find_metric(m, tree, j);
        if (number[j] == NONE) {
            number[j] = push(&m->metrics, sizeof *from);
            if (number[j] == NONE || !keep_metric(m, tree, from, number[j]))
                return false;
            continue;
        }
        struct gptl_ranks_metric *to = metric_at(m, number[j]);
        to->shown |= from->shown;
        to->estimated |= from->estimated;
        if (from->least_seconds > to->least_seconds)
            to->least_seconds = from->least_seconds;
    }
    return true;
}

/* Extend the figures to all items and metrics; new entries are zero. */
static bool fit_figures(struct gptl_gather *m)
{
    uint32_t width = m->metrics.n;
    if (width == 0 || (width == m->width && m->items.n <= m->figure_items))
        return true;
    uint32_t room = m->items.room;
    struct gptl_ranks_figure *figures = calloc((size_t)room * width, sizeof *figures);
    if (!figures)
        return false;
    for (uint32_t i = 0; i < m->figure_items && m->width > 0; i++)
        memcpy(figures + (size_t)i * width, m->figures + (size_t)i * m->width,
               m->width * sizeof *figures);
    free(m->figures);
    m->figures = figures;
    m->figure_items = room;
    m->width = width;
    return true;
}

/* ---- Regions and paths ----------------------------------------------------------------------- */

static uint64_t hash_key(struct gptl_ranks_key key)
{
    return mix_text(mix_text(mix(0, (uint64_t)key.kind), key.name), key.address);
}

static uint64_t hash_region(const struct gptl_gather *m, uint32_t i)
{
    return hash_key(key_at(m, i));
}

static uint64_t hash_path(const struct gptl_gather *m, uint32_t i)
{
    return mix(mix(0, item_at(m, i)->parent), item_at(m, i)->row.region);
}

static uint32_t new_item(struct gptl_gather *m, uint32_t region, uint32_t parent, uint32_t depth)
{
    uint32_t i = push(&m->items, sizeof(struct item));
    if (i == NONE || !fit_figures(m))
        return NONE;
    struct item *item = item_at(m, i);
    item->row.region = region;
    item->row.depth = depth;
    item->parent = parent;
    item->first_child = item->next_sibling = NONE;
    return i;
}

static uint32_t find_region(struct gptl_gather *m, struct gptl_ranks_key key)
{
    if (!grow_table(&m->region_table, m, hash_region))
        return NONE;
    uint32_t mask = m->region_table.mask, at = (uint32_t)hash_key(key) & mask;
    for (uint32_t i; (i = m->region_table.slots[at]) != NONE; at = (at + 1) & mask)
        if (gptl_ranks_compare(key_at(m, i), key) == 0)
            return i;
    uint32_t i = push(&m->regions, sizeof(struct region));
    if (i == NONE)
        return NONE;
    struct region made = {
        .item = new_item(m, i, NONE, 0), .kind = (uint64_t)key.kind, .first = UINT64_MAX};
    if (made.item == NONE || !keep_text(m, key.name, &made.name) ||
        !keep_text(m, key.address, &made.address))
        return NONE;
    *region_at(m, i) = made;
    m->region_table.slots[at] = i;
    m->region_table.used++;
    return i;
}

static uint32_t find_path(struct gptl_gather *m, uint32_t parent, uint32_t region, uint32_t depth)
{
    if (!grow_table(&m->path_table, m, hash_path))
        return NONE;
    uint32_t mask = m->path_table.mask;
    uint32_t at = (uint32_t)mix(mix(0, parent), region) & mask;
    for (uint32_t i; (i = m->path_table.slots[at]) != NONE; at = (at + 1) & mask)
        if (item_at(m, i)->parent == parent && item_at(m, i)->row.region == region)
            return i;
    uint32_t i = new_item(m, region, parent, depth);
    if (i != NONE) {
        m->path_table.slots[at] = i;
        m->path_table.used++;
    }
    return i;
}

/* ---- Contents of rows ------------------------------------------------------------------------ */

static uint64_t hash_bucket(const struct gptl_gather *m, uint32_t i)
{
    return mix(mix(0, bucket_at(m, i)->item), bucket_at(m, i)->bucket);
}

static bool add_bucket(struct gptl_gather *m, uint32_t item, const struct gptl_ranks_bucket *from)
{
    if (!grow_table(&m->bucket_table, m, hash_bucket))
        return false;
    uint32_t mask = m->bucket_table.mask;
    uint32_t at = (uint32_t)mix(mix(0, item), from->bucket) & mask;
    for (uint32_t i; (i = m->bucket_table.slots[at]) != NONE; at = (at + 1) & mask)
        if (bucket_at(m, i)->item == item && bucket_at(m, i)->bucket == from->bucket) {
            bucket_at(m, i)->ranks += from->ranks;
            return true;
        }
    uint32_t i = push(&m->buckets, sizeof(struct bucket));
    if (i == NONE)
        return false;
    *bucket_at(m, i) = (struct bucket){item, from->bucket, from->ranks};
    item_at(m, item)->row.nbuckets++;
    m->bucket_table.slots[at] = i;
    m->bucket_table.used++;
    return true;
}

/* Merge row ROW of TREE into an item. */
static bool add_to_item(struct gptl_gather *m, uint32_t item, const struct gptl_ranks_tree *tree,
                        uint32_t row, const uint32_t *metric)
{
    const struct gptl_ranks_row *from = &tree->rows[row];
    const struct gptl_ranks_figure *more = gptl_ranks_figures(tree, row);
    gptl_ranks_add_row(&item_at(m, item)->row, from);
    for (uint32_t i = 0; i < tree->head->nmetrics; i++)
        gptl_ranks_add_figure(&m->figures[(size_t)item * m->width + metric[i]], &more[i]);
    for (uint32_t i = 0; i < from->nbuckets; i++)
        if (!add_bucket(m, item, &tree->buckets[from->bucket + i]))
            return false;
    return true;
}

/* ---- Accounts -------------------------------------------------------------------------------- */

static struct gptl_account account_of(const struct gptl_gather *m, uint32_t i)
{
    const struct gptl_ranks_account *from = account_at(m, i);
    return (struct gptl_account){.ledger = (enum gptl_ledger)from->ledger,
                                 .rank = from->rank,
                                 .name = text_at(m, from->name),
                                 .number = from->number};
}

static uint64_t hash_of_account(const struct gptl_account *account)
{
    uint64_t h =
        mix(mix((uint64_t)account->ledger, (uint32_t)account->rank), (uint64_t)account->number);
    return *account->name ? mix_text(h, account->name) : h;
}

static uint64_t hash_account(const struct gptl_gather *m, uint32_t i)
{
    struct gptl_account account = account_of(m, i);
    return hash_of_account(&account);
}

static bool add_account(struct gptl_gather *m, const struct gptl_account *account)
{
    if (!grow_table(&m->account_table, m, hash_account))
        return false;
    uint32_t mask = m->account_table.mask, at = (uint32_t)hash_of_account(account) & mask;
    for (uint32_t i; (i = m->account_table.slots[at]) != NONE; at = (at + 1) & mask) {
        struct gptl_account there = account_of(m, i);
        if (gptl_account_compare(&there, account) != 0)
            continue;
        memcpy(there.values, account_at(m, i)->values, sizeof there.values);
        gptl_account_join(&there, account);
        memcpy(account_at(m, i)->values, there.values, sizeof there.values);
        account_at(m, i)->nranks += account->nranks;
        return true;
    }
    struct gptl_ranks_account made = {.ledger = account->ledger,
                                      .rank = account->rank,
                                      .nranks = account->nranks,
                                      .number = account->number};
    memcpy(made.values, account->values, sizeof made.values);
    uint32_t i = push(&m->accounts, sizeof made);
    if (i == NONE || !keep_text(m, account->name, &made.name))
        return false;
    *account_at(m, i) = made;
    m->account_table.slots[at] = i;
    m->account_table.used++;
    return true;
}

/* ---- Adding a tree --------------------------------------------------------------------------- */

static void add_heads(struct gptl_ranks_head *to, const struct gptl_ranks_head *from)
{
    to->nranks += from->nranks;
    to->nsilent += from->nsilent;
    to->nthreads += from->nthreads;
    to->elapsed = from->elapsed > to->elapsed ? from->elapsed : to->elapsed;
    for (int i = 0; i < GPTL_RANKS_NSUMS; i++)
        to->sums[i] = gptl_ranks_sum(to->sums[i], from->sums[i]);
}

/* Merge all rows. LAST is a buffer for the tree's maximum depth: the latest item at each depth. */
static bool add_rows(struct gptl_gather *m, const struct gptl_ranks_tree *tree,
                     const uint32_t *metric, uint32_t *region, uint32_t *last)
{
    for (uint32_t i = 0; i < tree->head->nregions; i++) {
        region[i] = find_region(m, gptl_ranks_key(tree, i));
        if (region[i] == NONE || !add_to_item(m, region_at(m, region[i])->item, tree, i, metric))
            return false;
        if (tree->regions[i].first < region_at(m, region[i])->first)
            region_at(m, region[i])->first = tree->regions[i].first;
    }
    last[0] = NONE;
    for (uint32_t i = tree->head->nregions; i < gptl_ranks_nrows(tree); i++) {
        const struct gptl_ranks_row *row = &tree->rows[i];
        uint32_t path = find_path(m, last[row->depth - 1], region[row->region], row->depth);
        if (path == NONE || !add_to_item(m, path, tree, i, metric))
            return false;
        last[row->depth] = path;
    }
    return true;
}

static bool add_tree(struct gptl_gather *m, const struct gptl_ranks_tree *tree, uint32_t *metric,
                     uint32_t *region, uint32_t *last)
{
    add_heads(&m->head, tree->head);
    if (!add_metrics(m, tree, metric) || !fit_figures(m) ||
        !add_rows(m, tree, metric, region, last))
        return false;
    for (uint32_t i = 0; i < tree->head->naccounts; i++) {
        struct gptl_account account = gptl_ranks_account(tree, i);
        if (!add_account(m, &account))
            return false;
    }
    return true;
}

int gptl_gather_add(struct gptl_gather *m, const struct gptl_ranks_tree *tree)
{
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < gptl_ranks_nrows(tree); i++)
        if (tree->rows[i].depth > deepest)
            deepest = tree->rows[i].depth;
    uint32_t *metric = malloc(((size_t)tree->head->nmetrics + 1) * sizeof *metric);
    uint32_t *region = malloc(((size_t)tree->head->nregions + 1) * sizeof *region);
    uint32_t *last = malloc(((size_t)deepest + 1) * sizeof *last);
    bool whole = metric && region && last && add_tree(m, tree, metric, region, last);
    free(metric);
    free(region);
    free(last);
    return whole ? 0 : -1;
}

struct gptl_gather *gptl_gather_new(void)
{
    return calloc(1, sizeof(struct gptl_gather));
}

void gptl_gather_free(struct gptl_gather *m)
{
    if (!m)
        return;
    struct array *arrays[] = {&m->metrics, &m->regions, &m->items, &m->buckets, &m->accounts};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]->items);
    free(m->region_table.slots);
    free(m->path_table.slots);
    free(m->bucket_table.slots);
    free(m->account_table.slots);
    free(m->figures);
    free(m->text);
    free(m);
}
