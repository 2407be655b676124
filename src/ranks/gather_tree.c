/* gather_tree.c - creates the merged tree: regions, paths, buckets and accounts in final order. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "ranks/gather.h"

/* ---- Order --------------------------------------------------------------------------------- */

struct name {
    struct gptl_ranks_key key;
    uint32_t region;
};

static int compare_names(const void *left, const void *right)
{
    const struct name *a = left, *b = right;
    return gptl_ranks_compare(a->key, b->key);
}

static int sort_regions(const struct gptl_gather *m)
{
    struct name *names = malloc(((size_t)m->regions.n + 1) * sizeof *names);
    if (!names)
        return -1;
    for (uint32_t i = 0; i < m->regions.n; i++)
        names[i] = (struct name){key_at(m, i), i};
    if (m->regions.n > 0)
        qsort(names, m->regions.n, sizeof *names, compare_names);
    for (uint32_t i = 0; i < m->regions.n; i++)
        region_at(m, names[i].region)->order = i;
    free(names);
    return 0;
}

struct place {
    uint32_t order, item;
};

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    return a->order != b->order ? (a->order > b->order) - (a->order < b->order)
                                : (a->item > b->item) - (a->item < b->item);
}

/* Prepend paths to their siblings, in descending region order. Return the first top-level path. */
static uint32_t link_siblings(const struct gptl_gather *m, const struct place *places, uint32_t n)
{
    uint32_t first = NONE;
    for (uint32_t i = n; i-- > 0;) {
        struct item *item = item_at(m, places[i].item);
        uint32_t *head = item->parent == NONE ? &first : &item_at(m, item->parent)->first_child;
        item->next_sibling = *head;
        *head = places[i].item;
    }
    return first;
}

static void walk_preorder(const struct gptl_gather *m, uint32_t at, uint32_t *order)
{
    while (at != NONE) {
        *order++ = at;
        if (item_at(m, at)->first_child != NONE) {
            at = item_at(m, at)->first_child;
            continue;
        }
        while (at != NONE && item_at(m, at)->next_sibling == NONE)
            at = item_at(m, at)->parent;
        if (at != NONE)
            at = item_at(m, at)->next_sibling;
    }
}

/* Store the items of all rows in ORDER: regions by name, then paths in preorder. */
static int sort_items(const struct gptl_gather *m, uint32_t *order)
{
    uint32_t n = 0;
    struct place *places = malloc(((size_t)m->items.n + 1) * sizeof *places);
    if (!places || sort_regions(m)) {
        free(places);
        return -1;
    }
    for (uint32_t i = 0; i < m->regions.n; i++)
        order[region_at(m, i)->order] = region_at(m, i)->item;
    for (uint32_t i = 0; i < m->items.n; i++)
        if (item_at(m, i)->row.depth > 0)
            places[n++] = (struct place){region_at(m, item_at(m, i)->row.region)->order, i};
    if (n > 0)
        qsort(places, n, sizeof *places, compare_places);
    walk_preorder(m, link_siblings(m, places, n), order + m->regions.n);
    free(places);
    return 0;
}

/* ---- Rows ---------------------------------------------------------------------------------- */

static int compare_buckets(const void *left, const void *right)
{
    const struct gptl_ranks_bucket *a = left, *b = right;
    return (a->bucket > b->bucket) - (a->bucket < b->bucket);
}

/* Copy the buckets; each row knows the position of its first bucket. */
static void put_buckets(const struct gptl_gather *m, const struct gptl_ranks_tree *to)
{
    for (uint32_t i = 0; i < m->buckets.n; i++) {
        const struct bucket *bucket = bucket_at(m, i);
        struct gptl_ranks_row *row = &item_at(m, bucket->item)->row;
        to->buckets[row->bucket++] = (struct gptl_ranks_bucket){bucket->bucket, bucket->ranks};
    }
    for (uint32_t i = 0; i < gptl_ranks_nrows(to); i++)
        if (to->rows[i].nbuckets > 1)
            qsort(to->buckets + to->rows[i].bucket, to->rows[i].nbuckets, sizeof *to->buckets,
                  compare_buckets);
}

static void put_rows(const struct gptl_gather *m, const struct gptl_ranks_tree *to,
                     const uint32_t *order)
{
    uint32_t bucket = 0;
    for (uint32_t i = 0; i < m->items.n; i++) {
        struct item *item = item_at(m, order[i]);
        item->row.bucket = bucket;
        bucket += item->row.nbuckets;
        to->rows[i] = item->row;
        to->rows[i].region = region_at(m, item->row.region)->order;
        if (m->width > 0)
            memcpy(gptl_ranks_figures(to, i), m->figures + (size_t)order[i] * m->width,
                   m->width * sizeof *m->figures);
    }
    put_buckets(m, to);
}

/* ---- Accounts ------------------------------------------------------------------------------ */

struct account {
    const struct gptl_ranks_account *from;
    const char *name;
};

static int compare_accounts(const void *left, const void *right)
{
    const struct account *a = left, *b = right;
    struct gptl_account x = {.ledger = (enum gptl_ledger)a->from->ledger,
                             .rank = a->from->rank,
                             .name = a->name,
                             .number = a->from->number};
    struct gptl_account y = {.ledger = (enum gptl_ledger)b->from->ledger,
                             .rank = b->from->rank,
                             .name = b->name,
                             .number = b->from->number};
    return gptl_account_compare(&x, &y);
}

static int put_accounts(const struct gptl_gather *m, const struct gptl_ranks_tree *to)
{
    struct account *sorted = malloc(((size_t)m->accounts.n + 1) * sizeof *sorted);
    if (!sorted)
        return -1;
    for (uint32_t i = 0; i < m->accounts.n; i++) {
        const struct gptl_ranks_account *from = account_at(m, i);
        sorted[i] = (struct account){from, text_at(m, from->name)};
    }
    if (m->accounts.n > 0)
        qsort(sorted, m->accounts.n, sizeof *sorted, compare_accounts);
    for (uint32_t i = 0; i < m->accounts.n; i++)
        to->accounts[i] = *sorted[i].from;
    free(sorted);
    return 0;
}

/* ---- Whole tree ------------------------------------------------------------------------------ */

static int put_all(const struct gptl_gather *m, const struct gptl_ranks_tree *to,
                   const uint32_t *order)
{
    if (m->ntext > 0)
        memcpy(to->text, m->text, m->ntext);
    for (uint32_t i = 0; i < m->metrics.n; i++)
        to->metrics[i] = *metric_at(m, i);
    for (uint32_t i = 0; i < m->regions.n; i++) {
        const struct region *region = region_at(m, i);
        to->regions[region->order] = (struct gptl_ranks_region){.name = region->name,
                                                                .address = region->address,
                                                                .kind = region->kind,
                                                                .first = region->first};
    }
    put_rows(m, to, order);
    return put_accounts(m, to);
}

int gptl_gather_take(struct gptl_gather *m, struct gptl_ranks_tree *tree)
{
    *tree = (struct gptl_ranks_tree){0};
    uint32_t *order = malloc(((size_t)m->items.n + 1) * sizeof *order);
    m->head.nmetrics = m->metrics.n;
    m->head.nregions = m->regions.n;
    m->head.npaths = m->items.n - m->regions.n;
    m->head.nbuckets = m->buckets.n;
    m->head.naccounts = m->accounts.n;
    m->head.ntext = m->ntext > 0 ? m->ntext : 1;
    int result = order && sort_items(m, order) == 0 && gptl_ranks_tree_new(tree, &m->head) == 0 &&
                         put_all(m, tree, order) == 0
                     ? 0
                     : -1;
    free(order);
    if (result)
        gptl_ranks_tree_free(tree);
    return result;
}
