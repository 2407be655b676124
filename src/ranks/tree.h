/*
 * tree.h - the regions and call paths of one or many ranks, merged, with statistics over them.
 *
 * A tree is one block of bytes without pointers, so what ranks send each other is the tree itself.
 * It is not changed once it is made: merging two makes a third. Regions are sorted by their names and kinds,
 * and paths stand in preorder, siblings in the order of their regions. So two trees are merged in
 * one pass, without a table, and the outcome does not depend on who is merged with whom first.
 *
 * What the statistics are of: a thread's time in a region or on a path is the sum of its calls, with
 * the time so far of those that are open. A rank's time is that of its thread with the most, since
 * that is what others wait for; its calls, and what it counted, are those of all its threads. Only
 * threads and ranks that called it are in it.
 */
#ifndef GPTL_RANKS_TREE_H
#define GPTL_RANKS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/measured.h"
#include "report/number.h"

/* Mean, and the sum of squared distances from it, of N numbers. */
struct gptl_moments {
    uint64_t n;
    double mean, squares;
};

void gptl_moments_add(struct gptl_moments *to, double value);
void gptl_moments_join(struct gptl_moments *to, const struct gptl_moments *more);

/* As the population. MOST - LEAST is their range. */
double gptl_moments_deviation(const struct gptl_moments *of, double range);

/* A time, and whose it is. */
struct gptl_ranks_extreme {
    uint64_t ns;
    int32_t rank, thread;
};

/* A region, summed over its paths, or a path. */
struct gptl_ranks_row {
    uint32_t region;        /* index into regions */
    uint32_t depth;         /* of a path, from 1; 0: of a region */
    struct gptl_wide calls; /* that ended */
    uint64_t untimed;
    struct gptl_wide total; /* nanoseconds of all threads … */
    struct gptl_wide ended; /* … and the part of it that is not of open calls */
    struct gptl_moments threads, ranks;
    struct gptl_ranks_extreme max, min; /* of threads; */
    struct gptl_ranks_extreme min_rank; /* of ranks: their maximum is that of the threads */
    uint64_t open_threads;              /* in which it is open */
    /* Of calls that ended: the ranks and threads that have any, and the time of these threads. */
    uint64_t ended_ranks, ended_threads;
    struct gptl_ranks_extreme ended_max, ended_min;
    uint32_t bucket, nbuckets; /* of the histogram over ranks */
};

/* Ranks whose time fell into a bucket, see gptl_ranks_bucket. Sorted by buckets, none is empty. */
struct gptl_ranks_bucket {
    uint32_t bucket, ranks;
};

/* What ranks counted, or derived from it. */
struct gptl_ranks_figure {
    struct gptl_moments ranks; /* those that have a value */
    double sum;                /* counted, over all of them; 0 for what is derived */
    double max, min;
    int32_t max_rank, min_rank;
};

/* Texts are offsets into the tree's; 0 is "". */
struct gptl_ranks_metric {
    uint32_t kind, scope; /* enum gptl_metric_kind, enum gptl_scope */
    uint32_t shown, estimated;
    uint32_t cpu, pad; /* CPU time in microseconds, and no event */
    double least_seconds;
    uint64_t name, description, unit, component, expression;
};

struct gptl_ranks_region {
    uint64_t name;
    uint64_t address; /* of a function that a compiler's hook named; "" for others */
    uint64_t kind;    /* enum gptl_kind */
    uint64_t first;   /* the order of first use: the first rank that has it, and its place there */
};

/* A row of a ledger: see report/ledger.h. In the order of gptl_account_compare. */
struct gptl_ranks_account {
    uint32_t ledger;
    int32_t rank; /* -1: of all */
    uint32_t nranks, pad;
    uint64_t name; /* in the text */
    int64_t number;
    int64_t values[GPTL_LEDGER_VALUES];
};

/* What is summed over ranks besides. */
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
extern const char *const gptl_ranks_sum_names[GPTL_RANKS_NSUMS]; /* in JSON */

struct gptl_ranks_head {
    char magic[8];
    uint32_t version, order;  /* of bytes */
    uint64_t size;            /* of all */
    uint32_t nranks, nsilent; /* silent: measured nothing */
    uint64_t nthreads;
    uint32_t nmetrics, nregions, npaths, nbuckets, naccounts, pad;
    uint64_t ntext;
    uint64_t sums[GPTL_RANKS_NSUMS];
    double elapsed; /* of the rank that measured longest */
};

struct gptl_ranks_tree {
    struct gptl_ranks_head *head; /* the block; free it with free() */
    struct gptl_ranks_metric *metrics;
    struct gptl_ranks_region *regions;
    struct gptl_ranks_row *rows;       /* of the regions, then of the paths */
    struct gptl_ranks_figure *figures; /* of each row, as many as there are metrics */
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

/* A + B, or the largest number: nobody has counted that much, but a file may say so. */
static inline uint64_t gptl_ranks_sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* All zeros but what HEAD says of numbers. Returns 0, or -1 when there is no memory. */
int gptl_ranks_tree_new(struct gptl_ranks_tree *tree, const struct gptl_ranks_head *head);

/*
 * The tree that lies in SIZE bytes at BLOCK, which must be aligned for it. Returns 0, or -1 when it
 * is none that this release has made.
 */
int gptl_ranks_tree_open(struct gptl_ranks_tree *tree, void *block, size_t size);

void gptl_ranks_tree_free(struct gptl_ranks_tree *tree);

/* A region by its texts. */
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

/* The order of regions. */
int gptl_ranks_compare(struct gptl_ranks_key a, struct gptl_ranks_key b);

/* ---- Ledgers ------------------------------------------------------------------------------- */

/* The account with number I. */
struct gptl_account gptl_ranks_account(const struct gptl_ranks_tree *tree, uint32_t i);

/*
 * The merged accounts of two trees, how many they are and how many bytes of text they have; then, with
 * TO made for them, puts them there, the text from *TEXT on.
 */
void gptl_ranks_count_accounts(const struct gptl_ranks_tree *const from[2],
                               struct gptl_ranks_head *head);
void gptl_ranks_merge_accounts(struct gptl_ranks_tree *to,
                               const struct gptl_ranks_tree *const from[2], uint64_t *text);

/* ---- Histogram over ranks ------------------------------------------------------------------- */

/* Four buckets for each power of two, a nanosecond each below eight. */
enum { GPTL_RANKS_BUCKETS = 8 + 61 * 4 };
uint32_t gptl_ranks_bucket(uint64_t ns);
/* The first nanosecond of a bucket; of the one behind the last, UINT64_MAX. */
uint64_t gptl_ranks_bucket_begin(uint32_t bucket);

/* ---- Making them --------------------------------------------------------------------------- */

struct gptl_profile;

/* PROFILE's metrics are those of TREE; what is counted has the place of the metric as its slot. Returns -1
 * without memory. */
int gptl_ranks_metrics(struct gptl_profile *profile, const struct gptl_ranks_tree *tree);

/* The tree of the process that PROFILE is of, as rank RANK. Returns 0, or -1 without memory. */
int gptl_ranks_make(struct gptl_ranks_tree *tree, const struct gptl_profile *profile, int rank);

/* What rows and figures of further ranks add to others. */
void gptl_ranks_add_row(struct gptl_ranks_row *to, const struct gptl_ranks_row *from);
void gptl_ranks_add_figure(struct gptl_ranks_figure *to, const struct gptl_ranks_figure *from);

/* Both stay as they are. Returns 0, or -1 when there is no memory, or they are too large. */
int gptl_ranks_merge(struct gptl_ranks_tree *merged, const struct gptl_ranks_tree *a,
                     const struct gptl_ranks_tree *b);

#endif
