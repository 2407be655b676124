/* core.h - how long a core waits for one instruction before it begins the next. */
#ifndef GPTL_POSTPROC_MAPS_CORE_H
#define GPTL_POSTPROC_MAPS_CORE_H

#include "postproc/machine/machine.h"

/* Fills in what the processor takes that this runs on: the least of what was known and what is measured. */
void core_measure(struct machine *machine);

#endif
