/* fork.h - what is done before and after fork. */
#ifndef GPTL_CORE_FORK_H
#define GPTL_CORE_FORK_H

/* Once, when the library is loaded. */
void gptl_fork_setup(void);

#endif
