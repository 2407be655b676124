/* arithmetic.h - arithmetic throughput of one core, and its rate of new memory. */
#ifndef GPTL_POSTPROC_MAPS_ARITHMETIC_H
#define GPTL_POSTPROC_MAPS_ARITHMETIC_H

#include "postproc/machine/machine.h"
#include "postproc/maps/host.h"

/*
 * Measure the units, the core, and the rates of instructions and of new memory. Returns 0, or -1
 * after a message.
 */
int arithmetic_measure(struct machine *machine, const struct host *host);

#endif
