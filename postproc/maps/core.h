/* core.h - latencies of a core. */
#ifndef GPTL_POSTPROC_MAPS_CORE_H
#define GPTL_POSTPROC_MAPS_CORE_H

#include "postproc/machine/machine.h"

/*
 * Measure the core that this thread runs on; each value is the minimum of the previous and the new
 * one.
 */
void core_measure(struct machine *machine);

#endif
