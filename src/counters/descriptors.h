/*
 * descriptors.h - moves the descriptors of PAPI's counters to high numbers, which other files get
 * only late.
 */
#ifndef GPTL_COUNTERS_DESCRIPTORS_H
#define GPTL_COUNTERS_DESCRIPTORS_H

#include <stdbool.h>

/* Intercept the event openings of the library that contains FUNCTION from now on. */
void gptl_descriptors_raise(const void *function);

/*
 * Mark the beginning and end of the library's event openings by the calling thread, with the core's
 * lock held. The end returns whether the high numbers ran out.
 */
void gptl_descriptors_begin(void);
bool gptl_descriptors_end(void);

#endif
