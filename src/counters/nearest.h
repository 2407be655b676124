/* nearest.h - for a name that is not known, those that may have been meant. */
#ifndef GPTL_COUNTERS_NEAREST_H
#define GPTL_COUNTERS_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

/* Up to three of PAPI's events: "A, B or C". False: none is near. */
bool gptl_nearest_names(const char *name, char *out, size_t size);

#endif
