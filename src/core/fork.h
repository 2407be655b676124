/* fork.h - what is done before and after fork. */
#ifndef GPTL_CORE_FORK_H
#define GPTL_CORE_FORK_H

#include "core/core.h"

/* Once, when the library is loaded. */
void gptl_fork_setup(void);

/*
 * For system calls that make a process as fork does, without its handlers: before the call, and after it in
 * the parent (also if it failed) and in the child.
 */
enum gptl_fork { GPTL_FORK_BEGINS, GPTL_FORK_IN_PARENT, GPTL_FORK_IN_CHILD };
GPTL_FOR_SISTERS void gptl_core_fork(enum gptl_fork where);

#endif
