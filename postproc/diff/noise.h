/*
 * noise.h - whether figures of two sets of runs differ by more than runs of one program do.
 *
 * A figure is a time (or a count) that each run has one value of: the time of a path. There may be
 * hundreds; they are judged together, so that the chance of even one false verdict is bounded.
 */
#ifndef GPTL_POSTPROC_NOISE_H
#define GPTL_POSTPROC_NOISE_H

#include <stdbool.h>
#include <stddef.h>

/* The chance of one or more false verdicts, at most. */
#define NOISE_ALPHA 0.03

/* Whether there are enough runs for any verdict: 4 and 4 are, 3 and 3 are not. */
bool noise_can_tell(int na, int nb);

/* The figures to judge. */
struct noise_figures {
    /* A row for each: its values in the NA runs of A, then in the NB runs of B, none negative. */
    const double *values;
    size_t n;
    int na, nb;
    double floor; /* differences far below this, which is more than 0, count for little */
    /*
     * All runs of one set were made before those of the other, and the runs of a set are in the
     * order in which they were made.
     */
    bool apart;
};

/*
 * P gets for each figure the chance that, if A and B were the same program, this or a clearer
 * difference were seen in any figure: those with at most NOISE_ALPHA differ. All are 1 where
 * noise_can_tell is false. If the sets are apart, 1 is also given to differences that could be a
 * drift of the machine. Returns 0, or -1 when there is no memory.
 */
int noise_test(const struct noise_figures *figures, double *p);

#endif
