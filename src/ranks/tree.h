/*
 * tree.h - merged regions and call paths of one or many ranks, with statistics.
 *
 * A tree is one block of memory without pointers, so ranks send the block itself. A finished tree
 * is immutable: merging two trees creates a third. Regions are sorted by name and kind, and paths
 * are in preorder with siblings sorted by region. Therefore two trees merge in one pass without a
 * table, and the result does not depend on the order of merging.
 *
 * Statistics: the time of a thread in a region or on a path is the sum of its calls, including the
 * time so far of open calls. The time of a rank is the longest time of its threads, because other
 * ranks wait for that thread; its calls and counters are sums over its threads. Only threads and
 * ranks that called the region are included.
 */
#ifndef GPTL_RANKS_TREE_H
#define GPTL_RANKS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/measured.h"
#include "report/number.h"

/* Mean and sum of squared deviations of N numbers. */
struct gptl_moments {
    uint64_t n;
    double mean, squares;
};

void gptl_moments_add(struct gptl_moments *to, double value);
void gptl_moments_join(struct gptl_moments *to, const struct gptl_moments *more);

/* Return the population standard deviation. RANGE is the maximum minus the minimum. */
double gptl_moments_deviation(const struct gptl_moments *of, double range);

/* A time with the rank and thread that has it. */
struct gptl_ranks_extreme {
    uint64_t ns;
    int32_t rank, thread;
};

/* A region (sum over its paths) or a path. */
struct gptl_ranks_row {
    uint32_t region;        /* index into regions */
    uint32_t depth;         /* depth of a path, from 1; 0 for a region */
    struct gptl_wide calls; /* completed calls */
    uint64_t untimed;
    struct gptl_wide total; /* nanoseconds of all threads */
    struct gptl_wide ended; /* nanoseconds without open calls */
    struct gptl_moments threads, ranks;
    struct gptl_ranks_extreme max, min; /* of threads */
    struct gptl_ranks_extreme min_rank; /* of ranks; their maximum is the maximum of the threads */
    uint64_t open_threads;              /* number of threads in which it is open */
    /* Completed calls: the ranks and threads that have any, and the times of these threads. */
    uint64_t ended_ranks, ended_threads;
    struct gptl_ranks_extreme ended_max, ended_min;
    uint32_t bucket, nbuckets; /* first bucket and number of buckets in the histogram over ranks */
};

/*
 * Number of ranks whose time falls into a bucket, see gptl_ranks_bucket. Sorted by bucket; empty
 * buckets are omitted.
 */
struct gptl_ranks_bucket {
    uint32_t bucket, ranks;
};

/* Statistics over ranks of a counted or derived value. */
struct gptl_ranks_figure {
    struct gptl_moments ranks; /* ranks with a value */
    double sum;                /* sum over all ranks; 0 for a derived value */
    double max, min;
    int32_t max_rank, min_rank;
};

/* Texts are offsets into the tree's text; offset 0 is "". */
struct gptl_ranks_metric {
    uint32_t kind, scope; /* enum gptl_metric_kind, enum gptl_scope */
    uint32_t shown, estimated;
    uint32_t cpu, pad; /* cpu: CPU time in microseconds instead of an event */
    double least_seconds;
    uint64_t name, description, unit, component, expression;
};

struct gptl_ranks_region {
    uint64_t name;
    uint64_t address; /* of a function named by a compiler hook; "" for others */
    uint64_t kind;    /* enum gptl_kind */
    /* key of the order of first use: first rank with the region, and position there */
    uint64_t first;
};

/* A row of keyed counters (ledger), see report/ledger.h. Sorted by gptl_account_compare. */
struct gptl_ranks_account {
    uint32_t ledger;
    int32_t rank; /* -1: summed over all ranks */
    uint32_t nranks, pad;
    uint64_t name; /* offset in the text */
    int64_t number;
    int64_t values[GPTL_LEDGER_VALUES];
};

/* Numbers summed over ranks. */
enum gptl_ranks_sum {
    GPTL_RANKS_LIVE,
    GPTL_RANKS_FOLDED_PATHS,
    GPTL_RANKS_FOLDED_NAMES,
    GPTL_RANKS_DROPPED,
    GPTL_RANKS_UNMATCHED,
    GPTL_RANKS_CROSSED,
    GPTL_RANKS_BACKWARDS,
    GPTL_RANKS_TOO_DEEP,
    GPTL_RANKS_NSUMS
};
extern const char *const gptl_ranks_sum_names[GPTL_RANKS_NSUMS]; /* keys in JSON */

struct gptl_ranks_head {
    char magic[8];
    uint32_t version, order;  /* byte order mark */
    uint64_t size;            /* of the entire block */
    uint32_t nranks, nsilent; /* nsilent: ranks without a measurement */
    uint64_t nthreads;
    uint32_t nmetrics, nregions, npaths, nbuckets, naccounts, pad;
    uint64_t ntext;
    uint64_t sums[GPTL_RANKS_NSUMS];
    double elapsed; /* longest measurement of a rank, in seconds */
};

struct gptl_ranks_tree {
    struct gptl_ranks_head *head; /* the block; release it with free() */
    struct gptl_ranks_metric *metrics;
    struct gptl_ranks_region *regions;
    struct gptl_ranks_row *rows;       /* of the regions, then of the paths */
    struct gptl_ranks_figure *figures; /* for each row, one per metric */
    struct gptl_ranks_bucket *buckets;
    struct gptl_ranks_account *accounts;
    char *text;
};

static inline uint32_t gptl_ranks_nrows(const struct gptl_ranks_tree *tree)
{
    return tree->head->nregions + tree->head->npaths;
}

static inline struct gptl_ranks_figure *gptl_ranks_figures(const struct gptl_ranks_tree *tree,
                                                           uint32_t row)
{
    return tree->figures + (size_t)row * tree->head->nmetrics;
}

static inline const char *gptl_ranks_name(const struct gptl_ranks_tree *tree, uint32_t row)
{
    return tree->text + tree->regions[tree->rows[row].region].name;
}

/*
 * Return A + B, saturated. Real counts never get this large, but a damaged file may contain such
 * values.
 */
static inline uint64_t gptl_ranks_sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/*
 * Allocate a tree with the sizes of HEAD and zeros elsewhere. Return 0, or -1 when out of memory.
 */
int gptl_ranks_tree_new(struct gptl_ranks_tree *tree, const struct gptl_ranks_head *head);

/*
 * Interpret SIZE bytes at BLOCK, suitably aligned, as a tree. Return 0, or -1 if this release did
 * not create it.
 */
int gptl_ranks_tree_open(struct gptl_ranks_tree *tree, void *block, size_t size);

void gptl_ranks_tree_free(struct gptl_ranks_tree *tree);

/* The identity of a region. */
struct gptl_ranks_key {
    const char *name, *address;
    uint64_t kind;
};

static inline struct gptl_ranks_key gptl_ranks_key(const struct gptl_ranks_tree *tree, uint32_t i)
{
    const struct gptl_ranks_region *region = &tree->regions[i];
    return (struct gptl_ranks_key){tree->text + region->name, tree->text + region->address,
                                   region->kind};
}

/* Compare regions in tree order. */
int gptl_ranks_compare(struct gptl_ranks_key a, struct gptl_ranks_key b);

/* ---- Keyed counters -------------------------------------------------------------------------- */

/* Return account I. */
struct gptl_account gptl_ranks_account(const struct gptl_ranks_tree *tree, uint32_t i);

/*
 * Count the merged accounts of two trees and their text bytes; after allocation of TO, merge them
 * into it, with text from *TEXT on.
 */
void gptl_ranks_count_accounts(const struct gptl_ranks_tree *const from[2],
                               struct gptl_ranks_head *head);
void gptl_ranks_merge_accounts(struct gptl_ranks_tree *to,
                               const struct gptl_ranks_tree *const from[2], uint64_t *text);

/* ---- Histogram over ranks -------------------------------------------------------------------- */

/* Four buckets per power of two; below 8 ns, one per nanosecond. */
enum { GPTL_RANKS_BUCKETS = 8 + 61 * 4 };
uint32_t gptl_ranks_bucket(uint64_t ns);
/* Return the first nanosecond of a bucket; UINT64_MAX after the last bucket. */
uint64_t gptl_ranks_bucket_begin(uint32_t bucket);

/* ---- Construction ---------------------------------------------------------------------------- */

struct gptl_profile;

/*
 * Give PROFILE the metrics of TREE; the slot of a counted metric is its index. Return -1 when out
 * of memory.
 */
int gptl_ranks_metrics(struct gptl_profile *profile, const struct gptl_ranks_tree *tree);

/* Build the tree of PROFILE as rank RANK. Return 0, or -1 when out of memory. */
int gptl_ranks_make(struct gptl_ranks_tree *tree, const struct gptl_profile *profile, int rank);

/* Merge a row or a figure of further ranks into TO. */
void gptl_ranks_add_row(struct gptl_ranks_row *to, const struct gptl_ranks_row *from);
void gptl_ranks_add_figure(struct gptl_ranks_figure *to, const struct gptl_ranks_figure *from);

/*
 * Merge A and B, which stay unchanged. Return 0, or -1 when out of memory or if the result is too
 * large.
 */
int gptl_ranks_merge(struct gptl_ranks_tree *merged, const struct gptl_ranks_tree *a,
                     const struct gptl_ranks_tree *b);

#endif
