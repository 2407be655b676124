/* curves.h - which curves are measured, and at which working sets. */
#ifndef GPTL_POSTPROC_MAPS_CURVES_H
#define GPTL_POSTPROC_MAPS_CURVES_H

#include <stdbool.h>

#include "postproc/machine/machine.h"
#include "postproc/maps/host.h"

enum extent { EXTENT_QUICK, EXTENT_USUAL, EXTENT_FULL };

/* Measures all that EXTENT has into MACHINE. Returns 0, or -1 after a message. */
int curves_measure(struct machine *machine, const struct host *host, enum extent extent);

#endif
