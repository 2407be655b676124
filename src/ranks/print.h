/* print.h - prints a merged tree as text or JSON. */
#ifndef GPTL_RANKS_PRINT_H
#define GPTL_RANKS_PRINT_H

#include "ranks/tree.h"
#include "report/out.h"
#include "report/report.h"
#include "report/text.h"

struct gptl_ranks_result {
    const struct gptl_profile *profile; /* of rank 0: program and measurement conditions */
    const struct gptl_ranks_tree *tree;
    struct gptl_profile shell;     /* a profile whose metrics are the tree's, in the same order */
    struct gptl_style style;       /* of the text */
    struct gptl_account *accounts; /* accounts of the tree */
    int64_t *counters;             /* buffer for the counters of one row */
};

/* Return 0, or -1 when out of memory; free RESULT in both cases. */
int gptl_ranks_result_make(struct gptl_ranks_result *result, const struct gptl_profile *profile,
                           const struct gptl_ranks_tree *tree);
void gptl_ranks_result_free(struct gptl_ranks_result *result);

/*
 * Return the summed counters of a row, indexed by the slots of shell.metrics; NULL without
 * counters.
 */
const int64_t *gptl_ranks_counters(const struct gptl_ranks_result *result, uint32_t row);

/* Return (maximum - mean) / mean of the times of threads, or of ranks. */
double gptl_ranks_imbalance(const struct gptl_ranks_row *row, const struct gptl_moments *moments);

/*
 * Return the rows called by some rank and their ancestors in reading order: regions by descending
 * total time, then paths in preorder with siblings by descending time; without BY_TIME by calls. *N
 * is the number of rows, *NREGIONS of which are regions. NULL when out of memory.
 */
uint32_t *gptl_ranks_order(const struct gptl_ranks_tree *tree, bool by_time, uint32_t *nregions,
                           uint32_t *n);

/*
 * Return whether ROW contains the wait before a collective. Then *LOST is the sum of all ranks'
 * wait times above the shortest wait, in nanoseconds: the rank with the shortest wait arrived last.
 */
bool gptl_ranks_waiting(const struct gptl_ranks_tree *tree, uint32_t row, double *lost);

/* Print a table of all such paths, if any. Return -1 when out of memory. */
int gptl_ranks_put_waits(struct gptl_text *text, const struct gptl_ranks_tree *tree, int decimals);

/* Print the text in the layouts `gptl8` and `cesm`. Return 0, or -1 when out of memory. */
int gptl_ranks_put_layout(struct gptl_text *text, const struct gptl_ranks_tree *tree);

/* Print a struct gptl_ranks_result. Return 0, or -1 when out of memory. */
int gptl_ranks_text(struct gptl_out *out, const void *result);
int gptl_ranks_json(struct gptl_out *out, const void *result);

#endif
