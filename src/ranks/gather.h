/*
 * gather.h - merges many trees: add each tree, then take the merged tree. Also the internal
 * interface of the two files that implement this.
 */
#ifndef GPTL_RANKS_GATHER_H
#define GPTL_RANKS_GATHER_H

#include "ranks/tree.h"

struct gptl_gather;

/* Return NULL when out of memory. */
struct gptl_gather *gptl_gather_new(void);
void gptl_gather_free(struct gptl_gather *m);

/* Add TREE, which stays unchanged. Return 0, or -1 when out of memory. */
int gptl_gather_add(struct gptl_gather *m, const struct gptl_ranks_tree *tree);

/*
 * Create the merged tree; afterwards the gather can only be freed. Return 0, or -1 when out of
 * memory.
 */
int gptl_gather_take(struct gptl_gather *m, struct gptl_ranks_tree *tree);

/* ---- Intermediate state ---------------------------------------------------------------------- */

enum { NONE = UINT32_MAX };

struct array {
    char *items;
    uint32_t n, room;
};

struct table {
    uint32_t *slots; /* elements, or NONE */
    uint32_t mask, used;
};

/* A region (parent NONE, its number in ROW) or a path. */
struct item {
    struct gptl_ranks_row row; /* its region is an element number, not yet in name order */
    uint32_t parent;           /* parent item of a path, or NONE */
    uint32_t first_child, next_sibling;
};

struct region {
    uint64_t name, address; /* offsets in the text */
    uint64_t kind, first;   /* see struct gptl_ranks_region */
    uint32_t item;          /* item with its row */
    uint32_t order;         /* final position */
};

struct bucket {
    uint32_t item, bucket, ranks;
};

struct gptl_gather {
    struct gptl_ranks_head head; /* sums */
    char *text;
    size_t ntext, text_room;
    struct array metrics, regions, items, buckets, accounts;
    struct table region_table, path_table, bucket_table, account_table;
    struct gptl_ranks_figure *figures; /* WIDTH figures per item */
    uint32_t figure_items, width;
};

static inline struct gptl_ranks_metric *metric_at(const struct gptl_gather *m, uint32_t i)
{
    return (struct gptl_ranks_metric *)(void *)m->metrics.items + i;
}

static inline struct region *region_at(const struct gptl_gather *m, uint32_t i)
{
    return (struct region *)(void *)m->regions.items + i;
}

static inline struct item *item_at(const struct gptl_gather *m, uint32_t i)
{
    return (struct item *)(void *)m->items.items + i;
}

static inline struct bucket *bucket_at(const struct gptl_gather *m, uint32_t i)
{
    return (struct bucket *)(void *)m->buckets.items + i;
}

static inline struct gptl_ranks_account *account_at(const struct gptl_gather *m, uint32_t i)
{
    return (struct gptl_ranks_account *)(void *)m->accounts.items + i;
}

static inline const char *text_at(const struct gptl_gather *m, uint64_t at)
{
    return at ? m->text + at : "";
}

static inline struct gptl_ranks_key key_at(const struct gptl_gather *m, uint32_t i)
{
    const struct region *region = region_at(m, i);
    return (struct gptl_ranks_key){.name = text_at(m, region->name),
                                   .address = text_at(m, region->address),
                                   .kind = region->kind};
}

#endif
