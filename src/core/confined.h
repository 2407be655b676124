/* confined.h - a process that lets a filter restrict its system calls (seccomp), as libgptl_io sees. */
#ifndef GPTL_CORE_CONFINED_H
#define GPTL_CORE_CONFINED_H

#include "core/core.h"

/*
 * From now on (begins 1) a system call may end the process: there is no report at exit, and `gptl run` finds
 * what the salvage file has. With 0 the filter was refused.
 */
GPTL_FOR_SISTERS void gptl_core_confine(int begins);

#endif
