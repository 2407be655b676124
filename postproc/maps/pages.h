/* pages.h - cost of new memory. */
#ifndef GPTL_POSTPROC_MAPS_PAGES_H
#define GPTL_POSTPROC_MAPS_PAGES_H

#include "postproc/machine/machine.h"

/* Measure the rates of new memory for the available page sizes. */
void pages_measure(struct machine *machine);

#endif
