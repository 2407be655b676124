/* caches.h - are the caches as the kernel says? */
#ifndef GPTL_POSTPROC_MAPS_CACHES_H
#define GPTL_POSTPROC_MAPS_CACHES_H

#include "postproc/machine/machine.h"
#include "postproc/maps/host.h"

/*
 * Sizes by the curve of latencies, and how many lines a set of the first one has. Where the kernel is
 * wrong by more than a factor of 2, or knows nothing, what was measured takes its place; stderr says so.
 */
void caches_check(struct machine *machine, const struct host *host);

/* The sizes at which CURVE, of dependent loads, becomes slower; how many, at most MOST. */
size_t caches_steps(const struct machine_curve *curve, double *bytes, size_t most);

/*
 * The largest working set beyond LEAST that CURVE, of loads in order, goes over faster than in the
 * middle between there and its end; 0 if it is hardly slower there.
 */
double caches_reach(const struct machine_curve *curve, double least);

#endif
