/* fork.h - steps before and after fork. */
#ifndef GPTL_CORE_FORK_H
#define GPTL_CORE_FORK_H

#include "core/core.h"

/* Register the handlers; called once, when the library is loaded. */
void gptl_fork_setup(void);

/*
 * Announce a system call that creates a process like fork, but without its handlers: before the
 * call, and after it in the parent (even if it failed) and in the child.
 */
enum gptl_fork { GPTL_FORK_BEGINS, GPTL_FORK_IN_PARENT, GPTL_FORK_IN_CHILD };
GPTL_FOR_SISTERS void gptl_core_fork(enum gptl_fork where);

#endif
