/* pages.h - what it takes to get memory anew. */
#ifndef GPTL_POSTPROC_MAPS_PAGES_H
#define GPTL_POSTPROC_MAPS_PAGES_H

#include "postproc/machine/machine.h"

/* Fills the rates of new memory, as far as there are pages of that size. */
void pages_measure(struct machine *machine);

#endif
