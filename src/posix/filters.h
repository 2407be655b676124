/* filters.h - how many filters of system calls (seccomp) this process has. */
#ifndef GPTL_POSIX_FILTERS_H
#define GPTL_POSIX_FILTERS_H

#include <stdbool.h>

/*
 * In the environment of a `gptl run`: how many `gptl` has itself, as all programs of a container have some. A
 * program that begins with more is in a sandbox of the command's, and is not measured.
 */
#define GPTL_RUN_FILTERS "GPTL_RUN_FILTERS"

/* Makes only system calls that the dynamic linker has made. 0 where the kernel does not say. */
long gptl_posix_count_filters(void);

/* Puts it there, for the programs that this process starts. Returns false if there is no memory. */
bool gptl_posix_tell_filters(void);

#endif
