/* descriptors.h - the files through which PAPI counts have numbers that no other file gets soon. */
#ifndef GPTL_COUNTERS_DESCRIPTORS_H
#define GPTL_COUNTERS_DESCRIPTORS_H

#include <stdbool.h>

/* From now on, of the library that has FUNCTION. */
void gptl_descriptors_raise(const void *function);

/* The calling thread opens events of ours. Whether it found no such numbers; with the core's lock. */
void gptl_descriptors_begin(void);
bool gptl_descriptors_end(void);

#endif
