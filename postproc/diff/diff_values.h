/* diff_values.h - gptl diff: the values of each run, from which figures are computed. */
#ifndef GPTL_POSTPROC_DIFF_VALUES_H
#define GPTL_POSTPROC_DIFF_VALUES_H

#include "postproc/diff/diff.h"

/* Values of one thread, and the errors of its times. */
struct diff_lane {
    double of[DIFF_METRICS], error[DIFF_METRICS];
};

/* A row's values are stored run by run, side A first. */
struct values {
    double *of[DIFF_METRICS];    /* NULL if not needed */
    double *error[DIFF_METRICS]; /* of times */
    double *elapsed;
    size_t nruns;
    const bool *nested;     /* of each path, if rows are regions */
    struct diff_lane *lane; /* current lane's values by row */
    uint32_t *touched;      /* rows with values of the current lane */
    bool *touches;
    bool *seen; /* by row: whether an earlier thread of the current run has it */
};

/*
 * Compute the values and medians of all rows. Returns 0, or -1 if out of memory; always free the
 * result.
 */
int values_make(struct diff *diff, struct values *values, const bool *nested);
void values_free(struct values *values);

#endif
