/* nearest.h - suggestions for an unknown event name. */
#ifndef GPTL_COUNTERS_NEAREST_H
#define GPTL_COUNTERS_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

/* Write up to three similar event names of PAPI as "A, B or C". False if none is similar. */
bool gptl_nearest_names(const char *name, char *out, size_t size);

#endif
