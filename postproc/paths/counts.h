/*
 * counts.h - what paths have counted besides times: the metrics of all profiles as one list, and
 * their values.
 *
 * Each part has a number in each slot, inclusive and exclusive: events, or the nanoseconds in which
 * they were counted. Numbers of slots can be added up, and a metric is computed from the sums. A metric
 * that only some of the processes have is computed from theirs alone, so slots are told apart by who
 * has them. An event of a whole process or machine is in the nodes of all its threads: of those the
 * first one counts, and over processes there is no sum.
 */
#ifndef GPTL_POSTPROC_COUNTS_H
#define GPTL_POSTPROC_COUNTS_H

#include "report/metrics.h"

struct paths;

/* Metrics are the same if their names and, of derived ones, their expressions are. */
struct metric_column {
    const char *name, *description, *unit;
    const char *head;       /* the name without what all names begin with */
    const char *expression; /* NULL: counted */
    struct gptl_expression *steps;
    enum gptl_scope scope;
    bool shown, estimated, lost;
    double least_seconds;
    uint32_t slot, wall; /* of the events, if counted; of the nanoseconds */
    uint32_t nprocesses; /* that have it */
    const bool *has;     /* of each profile */
};

struct counts {
    uint32_t ncolumns, nslots, nprofiles;
    struct metric_column *columns;
    bool *is_first; /* of each slot: only the first thread counts */
    int32_t **from; /* of each profile, and each slot: the profile's own slot, or one of these */
    bool *has;      /* memory of the columns' */
};

enum { COUNTS_NOTHING = -1, COUNTS_WALL = -2 };

/* Returns 0, or -1 when there is no memory; free it also then. NULL without any metric. */
int counts_make(struct counts **counts, const struct gptl_profile *const *profiles, int nprofiles);
void counts_free(struct counts *counts);

/* What PROFILE's node counted, to VALUES, one a slot. */
void counts_of_node(const struct counts *counts, uint32_t profile, const struct gptl_copy *copy,
                    const struct gptl_node_copy *node, int64_t *values);

/* The column that NAME, which has LENGTH bytes, stands for: by name or head; -1: none. */
long counts_find(const struct counts *counts, const char *name, size_t length);

/* What was asked for and could not be counted. */
struct refusal {
    const char *name, *why;
    uint32_t nprocesses;
};

/* Returns 0, or -1 when there is no memory; free *LIST with free(). */
int counts_refusals(const struct paths *paths, struct refusal **list, uint32_t *n);

/* ---- Sums ---------------------------------------------------------------------------------- */

/* The sum of parts that come in the order of their lanes. */
struct tally {
    const struct paths *paths;
    bool any, several; /* several: processes */
    uint32_t lane;     /* the first one */
    int64_t *values;   /* room of the caller's, one a slot */
};

/* Values of parts. */
enum count_kind { COUNT_INCLUSIVE, COUNT_EXCLUSIVE };

/* VALUES has room for all slots, and is not used without any. */
void tally_begin(struct tally *tally, const struct paths *paths, int64_t *values);
void tally_add(struct tally *tally, uint32_t part, enum count_kind kind);
void tally_path(struct tally *tally, uint32_t path, enum count_kind kind);

/* Adds MORE, which is of other paths of any lanes. */
void tally_join(struct tally *tally, const struct tally *more);

/* The sum as metric COLUMN. */
struct gptl_metric_value tally_value(const struct tally *tally, uint32_t column);

/* The same as a number to sort by; NaN: there is none. */
double tally_number(const struct tally *tally, uint32_t column);

#endif
