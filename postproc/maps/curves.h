/* curves.h - chooses and measures curves. */
#ifndef GPTL_POSTPROC_MAPS_CURVES_H
#define GPTL_POSTPROC_MAPS_CURVES_H

#include <stdbool.h>
#include <stdint.h>

#include "postproc/machine/machine.h"
#include "postproc/maps/host.h"

enum extent { EXTENT_QUICK, EXTENT_USUAL, EXTENT_FULL };

/* Return the bytes of memory that the curves of EXTENT need. */
uint64_t curves_memory(const struct machine *machine, const struct host *host, enum extent extent);

/*
 * Measure the curves of EXTENT into MACHINE. After SECONDS, or a signal, no further point is measured.
 * Returns 0, or -1 after a message.
 */
int curves_measure(struct machine *machine, const struct host *host, enum extent extent,
                   double seconds);

#endif
