/*
 * counts.h - counters and metrics of paths: the metrics of all profiles as one list, and their
 * values.
 *
 * Each part has a number in each slot, inclusive and exclusive: events, or the nanoseconds during
 * which they were counted. Slots are additive, and a metric is computed from the sums. A metric
 * that only some processes have is computed from those processes alone, so slots are distinguished
 * by the set of profiles that have them. The nodes of all threads contain the events of a whole
 * process or machine: only the first thread's value is used, and a sum over processes is undefined.
 */
#ifndef GPTL_POSTPROC_COUNTS_H
#define GPTL_POSTPROC_COUNTS_H

#include "report/metrics.h"

struct paths;

/*
 * A metric of all profiles. Metrics are equal if their names and, if derived, their expressions are
 * equal.
 */
struct metric_column {
    const char *name, *description, *unit;
    const char *head;       /* the name without a common prefix */
    const char *expression; /* NULL if counted */
    struct gptl_expression *steps;
    enum gptl_scope scope;
    bool shown, estimated, lost;
    double least_seconds;
    uint32_t slot, wall; /* slot of the events, if counted; slot of the nanoseconds */
    uint32_t nprocesses; /* number of processes that have it */
    const bool *has;     /* by profile: whether the profile has it */
};

struct counts {
    uint32_t ncolumns, nslots, nprofiles;
    struct metric_column *columns;
    bool *is_first; /* by slot: only the first thread's value is valid */
    int32_t **from; /* by profile and slot: the profile's slot, or a COUNTS_ constant */
    bool *has;      /* storage of the columns' arrays */
};

enum { COUNTS_NOTHING = -1, COUNTS_WALL = -2 };

/*
 * Make the list of metrics; NULL without metrics. Returns 0, or -1 if out of memory; always free
 * the result.
 */
int counts_make(struct counts **counts, const struct gptl_profile *const *profiles, int nprofiles);
void counts_free(struct counts *counts);

/* Store the counts of a node of PROFILE in VALUES, one per slot. */
void counts_of_node(const struct counts *counts, uint32_t profile, const struct gptl_copy *copy,
                    const struct gptl_node_copy *node, int64_t *values);

/* Return the column whose name or head is NAME of LENGTH bytes, or -1. */
long counts_find(const struct counts *counts, const char *name, size_t length);

/* A metric that was requested but could not be counted. */
struct refusal {
    const char *name, *why;
    uint32_t nprocesses;
};

/* List the refused metrics. Returns 0, or -1 if out of memory; the caller frees *LIST. */
int counts_refusals(const struct paths *paths, struct refusal **list, uint32_t *n);

/* ---- Sums ---------------------------------------------------------------------------------- */

/* The sum of parts, which are added in the order of their lanes. */
struct tally {
    const struct paths *paths;
    bool any, several; /* several: covers several processes */
    uint32_t lane;     /* first lane */
    int64_t *values;   /* the caller's array, one value per slot */
};

/* Kinds of values of parts. */
enum count_kind { COUNT_INCLUSIVE, COUNT_EXCLUSIVE };

/* Start a sum in VALUES, which has space for all slots and may be NULL without slots. */
void tally_begin(struct tally *tally, const struct paths *paths, int64_t *values);
void tally_add(struct tally *tally, uint32_t part, enum count_kind kind);
void tally_path(struct tally *tally, uint32_t path, enum count_kind kind);

/* Add MORE, the sum of other paths of any lanes. */
void tally_join(struct tally *tally, const struct tally *more);

/* Return the sum as metric COLUMN. */
struct gptl_metric_value tally_value(const struct tally *tally, uint32_t column);

/* Return metric COLUMN as a sort key, or NaN if undefined. */
double tally_number(const struct tally *tally, uint32_t column);

/* Return metric COLUMN in millions per second, or NaN if it is not a counted event. */
double tally_rate(const struct tally *tally, uint32_t column);

#endif
