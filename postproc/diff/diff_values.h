/* diff_values.h - gptl diff: the values of each run, of which figures are made. */
#ifndef GPTL_POSTPROC_DIFF_VALUES_H
#define GPTL_POSTPROC_DIFF_VALUES_H

#include "postproc/diff/diff.h"

/* What one thread did, and how far off its times may be. */
struct diff_lane {
    double of[DIFF_METRICS], error[DIFF_METRICS];
};

/* The values of a row are those of its runs, A's first. */
struct values {
    double *of[DIFF_METRICS];    /* NULL: it is not wanted */
    double *error[DIFF_METRICS]; /* of times */
    double *elapsed;
    size_t nruns;
    const bool *nested;     /* of each path, when rows are regions */
    struct diff_lane *lane; /* of each row */
    uint32_t *touched;      /* rows that the lane has something in */
    bool *touches;
    bool *seen; /* of each row, in the run of the last threads */
};

/* Values and medians of all rows. Returns 0, or -1 when there is no memory; free it also then. */
int values_make(struct diff *diff, struct values *values, const bool *nested);
void values_free(struct values *values);

#endif
