/* arithmetic.h - how fast one core computes, and gets memory. */
#ifndef GPTL_POSTPROC_MAPS_ARITHMETIC_H
#define GPTL_POSTPROC_MAPS_ARITHMETIC_H

#include "postproc/machine/machine.h"
#include "postproc/maps/host.h"

/* Fills the units, the core, and the rates of instructions and of new memory. Returns 0, or -1 after a message. */
int arithmetic_measure(struct machine *machine, const struct host *host);

#endif
