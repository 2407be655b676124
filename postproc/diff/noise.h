/*
 * noise.h - tests whether figures of two sets of runs differ by more than noise.
 *
 * A figure is a time (or a count) with one value per run, for example the time of a path. Hundreds
 * of figures are judged together, so that the probability of even one false verdict is bounded.
 */
#ifndef GPTL_POSTPROC_NOISE_H
#define GPTL_POSTPROC_NOISE_H

#include <stdbool.h>
#include <stddef.h>

/* Upper bound of the probability of one or more false verdicts. */
#define NOISE_ALPHA 0.03

/* Return whether there are enough runs for any verdict: 4 and 4 are enough, 3 and 3 are not. */
bool noise_can_tell(int na, int nb);

/* Figures to test. */
struct noise_figures {
    /*
     * One row per figure: the values in the NA runs of A, then in the NB runs of B, none negative.
     */
    const double *values;
    size_t n;
    int na, nb;
    double floor; /* positive; differences far below it have little weight */
    /*
     * All runs of one set precede the runs of the other, and the runs of each set are in
     * chronological order.
     */
    bool apart;
};

/*
 * Compute for each figure the probability P, if A and B are the same program, of an equal or
 * clearer difference in any figure: figures with P at most NOISE_ALPHA differ. All are 1 where
 * noise_can_tell is false. If the sets are apart, P is also 1 for differences that could be a drift
 * of the machine. Returns 0, or -1 if out of memory.
 */
int noise_test(const struct noise_figures *figures, double *p);

#endif
