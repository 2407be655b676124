/* print.h - a merged tree as text and as JSON. */
#ifndef GPTL_RANKS_PRINT_H
#define GPTL_RANKS_PRINT_H

#include "ranks/tree.h"
#include "report/out.h"
#include "report/report.h"
#include "report/text.h"

struct gptl_ranks_result {
    const struct gptl_profile *profile; /* of rank 0: for the program, and how it was measured */
    const struct gptl_ranks_tree *tree;
    struct gptl_profile shell;     /* its metrics are those of the tree, in the same order */
    struct gptl_style style;       /* of the text */
    struct gptl_account *accounts; /* the tree's */
    int64_t *counters;             /* room for their values in one row */
};

/* Returns 0, or -1 when there is no memory; free it also then. */
int gptl_ranks_result_make(struct gptl_ranks_result *result, const struct gptl_profile *profile,
                           const struct gptl_ranks_tree *tree);
void gptl_ranks_result_free(struct gptl_ranks_result *result);

/* The sums of what was counted in a row, as shell.metrics has its slots; NULL: nothing is counted. */
const int64_t *gptl_ranks_counters(const struct gptl_ranks_result *result, uint32_t row);

/* The longest time less the mean, as a part of the mean: of threads, and of ranks. */
double gptl_ranks_imbalance(const struct gptl_ranks_row *row, const struct gptl_moments *moments);

/*
 * The rows that some rank called, and those that lead there, in an order to read: regions of the
 * longest total time first, then paths, each before its children, which are sorted likewise. Without
 * BY_TIME by calls. Returns NULL when there is no memory; else *N, and *NREGIONS of them are regions.
 */
uint32_t *gptl_ranks_order(const struct gptl_ranks_tree *tree, bool by_time, uint32_t *nregions,
                           uint32_t *n);

/*
 * Whether ROW of the tree is what ranks waited for each other before a collective. Then *LOST is how many
 * nanoseconds the others waited longer than the one that waited least, since it was late.
 */
bool gptl_ranks_waiting(const struct gptl_ranks_tree *tree, uint32_t row, double *lost);

/* A table of all these paths, if there are any. Returns -1 without memory. */
int gptl_ranks_put_waits(struct gptl_text *text, const struct gptl_ranks_tree *tree, int decimals);

/* The text in the layouts `gptl8` and `cesm`. Returns 0, or -1 when there is no memory. */
int gptl_ranks_put_layout(struct gptl_text *text, const struct gptl_ranks_tree *tree);

/* RESULT is a struct gptl_ranks_result. Returns 0, or -1 when there is no memory. */
int gptl_ranks_text(struct gptl_out *out, const void *result);
int gptl_ranks_json(struct gptl_out *out, const void *result);

#endif
