/* descriptors.h - the files through which PAPI counts have numbers that no other file gets soon. */
#ifndef GPTL_COUNTERS_DESCRIPTORS_H
#define GPTL_COUNTERS_DESCRIPTORS_H

/* From now on, of the library that has FUNCTION. */
void gptl_descriptors_raise(const void *function);

#endif
