/*
 * descriptor.h - descriptors of our own: never 0, 1 or 2, which the program takes for its standard
 * ones, open or closed. Safe in signal handlers; errno tells why a call failed.
 *
 * It needs nothing else of the core, and is in the preloaded libraries as well.
 */
#ifndef GPTL_CORE_DESCRIPTOR_H
#define GPTL_CORE_DESCRIPTOR_H

#include <stdbool.h>

/* FD, or its copy above 2 after FD was closed; -1 if FD is negative or cannot be copied. */
int gptl_descriptor_raise(int fd);

/* A descriptor above 2 for PATH, closed on exec; -1 after an error. */
int gptl_descriptor_open(const char *path, int flags, int mode);

/* A pipe of two such descriptors. */
bool gptl_descriptor_pipe(int ends[2]);

#endif
