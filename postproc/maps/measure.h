/* measure.h - one point of a curve, measured. */
#ifndef GPTL_POSTPROC_MAPS_MEASURE_H
#define GPTL_POSTPROC_MAPS_MEASURE_H

#include <stddef.h>

#include "postproc/machine/machine.h"
#include "postproc/maps/arena.h"
#include "postproc/maps/team.h"

/* How well to measure. */
struct effort {
    double seconds;       /* that a sample takes, about */
    unsigned least, most; /* samples of a point; more than the least while they differ */
    double spread;        /* that is small enough */
};

/* Who measures where: each member of the team has an arena. */
struct bench {
    struct team *team;
    struct arena *arenas;
    struct effort effort;
    size_t settled; /* the bytes that all arenas were last gone over */
};

/* Writes to all pages of all arenas. */
void measure_touch(struct bench *bench);

/* BYTES are of each core, a multiple of 512, and no more than the arenas have. */
struct machine_point measure_point(struct bench *bench, const struct machine_kind *kind,
                                   size_t bytes);

/* Seconds of a load of the chain of N lines, STRIDE bytes apart: how many fit in one set of a cache? */
double measure_conflicts(struct bench *bench, size_t n, size_t stride);

/* A clock, in seconds. */
double measure_now(void);

/* The least of N values, and (median - least) / least; VALUES are put in order. */
double measure_least(double *values, unsigned n, double *spread);

#endif
