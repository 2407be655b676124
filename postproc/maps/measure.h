/* measure.h - measures one point of a curve. */
#ifndef GPTL_POSTPROC_MAPS_MEASURE_H
#define GPTL_POSTPROC_MAPS_MEASURE_H

#include <stddef.h>

#include "postproc/machine/machine.h"
#include "postproc/maps/arena.h"
#include "postproc/maps/team.h"

/* Accuracy of a measurement. */
struct effort {
    double seconds;       /* approximate duration of a sample */
    unsigned least, most; /* samples per point; more than the minimum while they differ */
    double spread;        /* sufficient spread */
};

/* Threads and memory: each member of the team has an arena. */
struct bench {
    struct team *team;
    struct arena *arenas;
    struct effort effort;
    size_t settled; /* bytes of the last completed sweep of all arenas */
};

/* Touch all pages of all arenas. */
void measure_touch(struct bench *bench);

/* Measure a point. BYTES is per core, a multiple of 512, and at most the size of the arenas. */
struct machine_point measure_point(struct bench *bench, const struct machine_kind *kind,
                                   size_t bytes);

/*
 * Return the seconds of a load in a chain of N lines, STRIDE bytes apart, to determine
 * associativity.
 */
double measure_conflicts(struct bench *bench, size_t n, size_t stride);

/* Return a clock in seconds. */
double measure_now(void);

/* Return the minimum of N values, and (median - minimum) / minimum; sorts VALUES. */
double measure_least(double *values, unsigned n, double *spread);

#endif
