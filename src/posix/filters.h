/* filters.h - the number of system call filters (seccomp) of this process. */
#ifndef GPTL_POSIX_FILTERS_H
#define GPTL_POSIX_FILTERS_H

#include <stdbool.h>

/*
 * Environment variable set by `gptl run`: the number of filters that `gptl` itself has, because all
 * programs in a container have some. A program that starts with more runs in a sandbox created by
 * the command, and is not measured.
 */
#define GPTL_RUN_FILTERS "GPTL_RUN_FILTERS"

/*
 * Return the number of filters, or 0 if the kernel does not report it. Makes only system calls that
 * the dynamic linker has made too.
 */
long gptl_posix_count_filters(void);

/* Set GPTL_RUN_FILTERS for the programs that this process starts. Return false if out of memory. */
bool gptl_posix_tell_filters(void);

#endif
