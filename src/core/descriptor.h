/*
 * descriptor.h - file descriptors of the library: never 0, 1 or 2, which the program takes for its
 * standard ones, open or closed. Safe in signal handlers; errno contains the reason of a failure.
 *
 * Independent of the rest of the core, and part of the preloaded libraries as well.
 */
#ifndef GPTL_CORE_DESCRIPTOR_H
#define GPTL_CORE_DESCRIPTOR_H

#include <stdbool.h>

/* Return FD, or its copy above 2 after closing FD; -1 if FD is negative or cannot be copied. */
int gptl_descriptor_raise(int fd);

/* Return a descriptor above 2 for PATH, closed on exec; -1 after an error. */
int gptl_descriptor_open(const char *path, int flags, int mode);

/* Create a pipe of two such descriptors. */
bool gptl_descriptor_pipe(int ends[2]);

#endif
