/* metric.h - sort and selection criteria of paths and regions, and the spread over lanes. */
#ifndef GPTL_POSTPROC_METRIC_H
#define GPTL_POSTPROC_METRIC_H

#include "postproc/paths/paths.h"

enum metric {
    METRIC_NONE, /* order of first call */
    METRIC_TOTAL,
    METRIC_SELF,
    METRIC_CALLS,
    METRIC_MAX,
    METRIC_MIN,
    METRIC_IMBALANCE,
    METRIC_NAME,
    METRIC_COUNT, /* first column of paths->counts; the other columns follow */
};

/* Words for messages and --sort, separated by '|'. */
#define METRIC_WORDS "total|self|calls|max|min|imbalance|name"

/* Return the metric named WORD, or METRIC_NONE. */
enum metric metric_of_word(const char *word);

/* Inclusive times of the lanes, or ranks, that have a path or a region. */
struct spread {
    uint32_t nlanes;
    uint64_t least, most;
    double sum;
    const struct gptl_ranks_row *row; /* distribution over ranks; NULL: over lanes */
};

#define SPREAD_NONE ((struct spread){.least = UINT64_MAX})

void spread_add(struct spread *spread, uint64_t total);

/* Return NS as an integer, saturated. */
uint64_t spread_ns(double ns);

/* Return the spread over ranks. */
struct spread spread_of_row(const struct gptl_ranks_row *row);

/*
 * Return the longest time less the mean, as a fraction of the mean: 0 if all times are equal, 3 if
 * one of four does all the work. This is the percent imbalance metric of O. Pearce, T. Gamblin, B.
 * de Supinski, M. Schulz, N. Amato, ICS 2012.
 */
double spread_imbalance(const struct spread *spread);

struct spread path_spread(const struct paths *paths, uint32_t path);

/* Return the sort weight by METRIC; 0 for names. TALLY holds the counts and may be NULL. */
double metric_weight(enum metric metric, const struct figures *figures, const struct spread *spread,
                     const struct tally *tally);

/* An item to sort: by decreasing weight, then by name, then in the original order. */
struct sorted {
    double weight;
    const char *name; /* NULL: ignore names */
    uint32_t group;   /* primary key, ascending */
    uint32_t item;
};

void sort_by_weight(struct sorted *items, size_t n);

/* Sort the children of each path; (N more) stays last. Returns -1 if out of memory. */
int paths_sort(struct paths *paths, enum metric metric);

/* Keep the N paths with the largest METRIC, see paths_keep. */
int paths_keep_metric(struct paths *paths, uint32_t keep, enum metric metric);

#endif
