/* meter.h - reads the events of a thread at each start and stop. */
#ifndef GPTL_COUNTERS_METER_H
#define GPTL_COUNTERS_METER_H

#include "core/core.h"

extern const struct gptl_meter gptl_counters_meter;

#endif
