/* metric.h - by what paths and regions are sorted and chosen, and how lanes differ. */
#ifndef GPTL_POSTPROC_METRIC_H
#define GPTL_POSTPROC_METRIC_H

#include "postproc/paths/paths.h"

enum metric {
    METRIC_NONE, /* as the program came to them */
    METRIC_TOTAL,
    METRIC_SELF,
    METRIC_CALLS,
    METRIC_MAX,
    METRIC_MIN,
    METRIC_IMBALANCE,
    METRIC_NAME,
    METRIC_COUNT, /* what is in the first column of paths->counts; then come the others */
};

/* Their words for people and --sort, with '|' between. */
#define METRIC_WORDS "total|self|calls|max|min|imbalance|name"

/* METRIC_NONE when WORD is none of them. */
enum metric metric_of_word(const char *word);

/* Inclusive times of the lanes, or ranks, that have a path or a region. */
struct spread {
    uint32_t nlanes;
    uint64_t least, most;
    double sum;
    const struct gptl_ranks_row *row; /* how ranks differ; NULL: of lanes */
};

#define SPREAD_NONE ((struct spread){.least = UINT64_MAX})

void spread_add(struct spread *spread, uint64_t total);

/* Nanoseconds; what does not fit is as good as the most that does. */
uint64_t spread_ns(double ns);

/* That of ranks. */
struct spread spread_of_row(const struct gptl_ranks_row *row);

/*
 * The time of the longest one less the mean, as a part of the mean: 0 when all take the same, 3 when
 * one of four does all. This is the percent imbalance metric of O. Pearce, T. Gamblin, B. de Supinski,
 * M. Schulz, N. Amato, ICS 2012.
 */
double spread_imbalance(const struct spread *spread);

struct spread path_spread(const struct paths *paths, uint32_t path);

/* How much there is of METRIC; 0 for names. TALLY is of what was counted, and may be NULL. */
double metric_weight(enum metric metric, const struct figures *figures, const struct spread *spread,
                     const struct tally *tally);

/* One that is sorted: the heaviest first, equal ones in the order of names, then as they were. */
struct sorted {
    double weight;
    const char *name; /* NULL: not by name */
    uint32_t group;   /* smaller ones come first */
    uint32_t item;
};

void sort_by_weight(struct sorted *items, size_t n);

/* Sorts the children of each path; (N more) stays last. Returns -1 when there is no memory. */
int paths_sort(struct paths *paths, enum metric metric);

/* Keeps the N paths of the largest METRIC, see paths_keep. */
int paths_keep_metric(struct paths *paths, uint32_t keep, enum metric metric);

#endif
