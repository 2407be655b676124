/* counters.h - the hardware counter module: events by number and name, through PAPI. */
#ifndef GPTL_COUNTERS_COUNTERS_H
#define GPTL_COUNTERS_COUNTERS_H

#include "core/core.h"

extern const struct gptl_room gptl_counters_room;

#endif
