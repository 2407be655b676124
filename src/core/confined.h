/*
 * confined.h - a process that installs a filter of system calls (seccomp), as observed by
 * libgptl_io.
 */
#ifndef GPTL_CORE_CONFINED_H
#define GPTL_CORE_CONFINED_H

#include "core/core.h"

/*
 * Announce the filter (BEGINS is 1): from now on a system call may terminate the process, so a
 * report at exit is impossible, and `gptl run` uses the salvage file. BEGINS is 0 if the kernel
 * refused the filter.
 */
GPTL_FOR_SISTERS void gptl_core_confine(int begins);

#endif
