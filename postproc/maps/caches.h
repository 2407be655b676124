/* caches.h - verifies the kernel's description of the caches. */
#ifndef GPTL_POSTPROC_MAPS_CACHES_H
#define GPTL_POSTPROC_MAPS_CACHES_H

#include "postproc/machine/machine.h"
#include "postproc/maps/host.h"

/*
 * Determine sizes from the latency curve, and the associativity of the first cache. Where the
 * kernel's value is missing or wrong by more than a factor of 2, the measurement replaces it, with
 * a message on stderr.
 */
void caches_check(struct machine *machine, const struct host *host);

/*
 * Store the at most MOST working sets at which CURVE, of dependent loads, becomes slower. Returns
 * their number.
 */
size_t caches_steps(const struct machine_curve *curve, double *bytes, size_t most);

/*
 * Return the largest working set above LEAST at which CURVE, of sequential loads, is at most as
 * slow as the mean of its latencies at LEAST and at its end; 0 if the curve hardly slows down.
 */
double caches_reach(const struct machine_curve *curve, double least);

#endif
