/* tree.c - allocates the block of a merged tree and validates a received block. */
#include "config.h"

#include "ranks/tree.h"

#include <stdlib.h>
#include <string.h>

const char *const gptl_ranks_sum_names[GPTL_RANKS_NSUMS] = {
    [GPTL_RANKS_LIVE] = "live",
    [GPTL_RANKS_FOLDED_PATHS] = "folded_paths",
    [GPTL_RANKS_FOLDED_NAMES] = "folded_names",
    [GPTL_RANKS_DROPPED] = "dropped",
    [GPTL_RANKS_UNMATCHED] = "unmatched",
    [GPTL_RANKS_CROSSED] = "crossed",
    [GPTL_RANKS_BACKWARDS] = "backwards",
    [GPTL_RANKS_TOO_DEEP] = "too_deep",
};

static const char magic[8] = {'G', 'P', 'T', 'L', 'r', 'a', 'n', 'k'};
enum { FORMAT_VERSION = 4, BYTE_ORDER_MARK = 0x01020304 };

/* Offsets of the parts. All structures consist of 8-byte members or pairs of 4-byte members. */
struct offsets {
    size_t metrics, regions, rows, figures, buckets, accounts, text, size;
};

static bool add_part(size_t *end, size_t n, size_t size)
{
    size_t bytes;
    return !__builtin_mul_overflow(n, size, &bytes) && !__builtin_add_overflow(*end, bytes, end);
}

/* Compute the offsets; false if the size overflows. */
static bool find_offsets(struct offsets *at, const struct gptl_ranks_head *head)
{
    size_t end = sizeof *head, nrows = (size_t)head->nregions + head->npaths, nfigures;
    if (nrows > UINT32_MAX || __builtin_mul_overflow(nrows, head->nmetrics, &nfigures))
        return false;
    at->metrics = end;
    bool fits = add_part(&end, head->nmetrics, sizeof(struct gptl_ranks_metric));
    at->regions = end;
    fits = fits && add_part(&end, head->nregions, sizeof(struct gptl_ranks_region));
    at->rows = end;
    fits = fits && add_part(&end, nrows, sizeof(struct gptl_ranks_row));
    at->figures = end;
    fits = fits && add_part(&end, nfigures, sizeof(struct gptl_ranks_figure));
    at->buckets = end;
    fits = fits && add_part(&end, head->nbuckets, sizeof(struct gptl_ranks_bucket));
    at->accounts = end;
    fits = fits && add_part(&end, head->naccounts, sizeof(struct gptl_ranks_account));
    at->text = end;
    fits = fits && head->ntext <= SIZE_MAX && add_part(&end, (size_t)head->ntext, 1);
    at->size = end;
    return fits;
}

static void set_pointers(struct gptl_ranks_tree *tree, void *block, const struct offsets *at)
{
    char *bytes = block;
    *tree = (struct gptl_ranks_tree){
        .head = block,
        .metrics = (void *)(bytes + at->metrics),
        .regions = (void *)(bytes + at->regions),
        .rows = (void *)(bytes + at->rows),
        .figures = (void *)(bytes + at->figures),
        .buckets = (void *)(bytes + at->buckets),
        .accounts = (void *)(bytes + at->accounts),
        .text = bytes + at->text,
    };
}

int gptl_ranks_tree_new(struct gptl_ranks_tree *tree, const struct gptl_ranks_head *head)
{
    struct offsets at;
    *tree = (struct gptl_ranks_tree){0};
    void *block = find_offsets(&at, head) ? calloc(1, at.size) : NULL;
    if (!block)
        return -1;
    set_pointers(tree, block, &at);
    *tree->head = *head;
    memcpy(tree->head->magic, magic, sizeof magic);
    tree->head->version = FORMAT_VERSION;
    tree->head->order = BYTE_ORDER_MARK;
    tree->head->size = at.size;
    return 0;
}

void gptl_ranks_tree_free(struct gptl_ranks_tree *tree)
{
    free(tree->head);
    *tree = (struct gptl_ranks_tree){0};
}

int gptl_ranks_compare(struct gptl_ranks_key a, struct gptl_ranks_key b)
{
    int order = strcmp(a.name, b.name);
    if (order == 0)
        order = strcmp(a.address, b.address);
    return order ? order : (a.kind > b.kind) - (a.kind < b.kind);
}

/* ---- Validation of received blocks ----------------------------------------------------------- */

static bool is_sorted(const struct gptl_ranks_tree *tree)
{
    for (uint32_t i = 1; i < tree->head->nregions; i++)
        if (gptl_ranks_compare(gptl_ranks_key(tree, i - 1), gptl_ranks_key(tree, i)) >= 0)
            return false;
    return true;
}

static bool has_texts(const struct gptl_ranks_tree *tree)
{
    uint64_t n = tree->head->ntext;
    if (n == 0 || tree->text[0] || tree->text[n - 1])
        return false;
    for (uint32_t i = 0; i < tree->head->nmetrics; i++) {
        const struct gptl_ranks_metric *metric = &tree->metrics[i];
        if (metric->name >= n || metric->description >= n || metric->unit >= n ||
            metric->component >= n || metric->expression >= n)
            return false;
    }
    for (uint32_t i = 0; i < tree->head->nregions; i++)
        if (tree->regions[i].name >= n || tree->regions[i].address >= n ||
            tree->regions[i].kind >= GPTL_NKINDS)
            return false;
    for (uint32_t i = 0; i < tree->head->naccounts; i++)
        if (tree->accounts[i].name >= n || tree->accounts[i].ledger >= GPTL_NLEDGERS)
            return false;
    return true;
}

static bool has_rows(const struct gptl_ranks_tree *tree)
{
    const struct gptl_ranks_head *head = tree->head;
    for (uint32_t i = 0; i < gptl_ranks_nrows(tree); i++) {
        const struct gptl_ranks_row *row = &tree->rows[i];
        bool is_path = i >= head->nregions;
        uint32_t deepest = i > head->nregions ? tree->rows[i - 1].depth + 1 : 1;
        if (is_path ? row->region >= head->nregions || row->depth < 1 || row->depth > deepest
                    : row->region != i || row->depth != 0)
            return false;
        if (row->nbuckets > head->nbuckets || row->bucket > head->nbuckets - row->nbuckets)
            return false;
    }
    for (uint32_t i = 0; i < head->nbuckets; i++)
        if (tree->buckets[i].bucket >= GPTL_RANKS_BUCKETS)
            return false;
    return true;
}

int gptl_ranks_tree_open(struct gptl_ranks_tree *tree, void *block, size_t size)
{
    struct offsets at;
    const struct gptl_ranks_head *head = block;
    *tree = (struct gptl_ranks_tree){0};
    if (size < sizeof *head || memcmp(head->magic, magic, sizeof magic) != 0 ||
        head->version != FORMAT_VERSION || head->order != BYTE_ORDER_MARK || head->size != size ||
        !find_offsets(&at, head) || at.size != size)
        return -1;
    set_pointers(tree, block, &at);
    if (has_texts(tree) && is_sorted(tree) && has_rows(tree))
        return 0;
    *tree = (struct gptl_ranks_tree){0};
    return -1;
}

/* ---- Histogram over ranks -------------------------------------------------------------------- */

uint32_t gptl_ranks_bucket(uint64_t ns)
{
    if (ns < 8)
        return (uint32_t)ns;
    uint32_t power = 63 - (uint32_t)__builtin_clzll(ns);
    return 8 + (power - 3) * 4 + (uint32_t)(ns >> (power - 2) & 3);
}

uint64_t gptl_ranks_bucket_begin(uint32_t bucket)
{
    if (bucket < 8)
        return bucket;
    uint32_t power = (bucket - 8) / 4 + 3;
    if (power > 63)
        return UINT64_MAX;
    return (4 + (uint64_t)((bucket - 8) % 4)) << (power - 2);
}
