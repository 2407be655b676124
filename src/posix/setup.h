/* setup.h - setup of the I/O wrappers, and the events in the life of a process. */
#ifndef GPTL_POSIX_SETUP_H
#define GPTL_POSIX_SETUP_H

#include <stdbool.h>

/* Set up, since a wrapper was called before the library's constructor. */
void gptl_posix_setup_early(void);

/*
 * Report the end of the process to the sinks, unless this process only shares the memory of the
 * process that was set up.
 */
void gptl_posix_leave(bool for_exec);

/*
 * Prepare for a system call filter; STRICT: it prevents all measurement. BEGINS false: the filter
 * was refused, restore the previous state.
 */
void gptl_posix_seal(bool begins, bool strict);
/*
 * Note that the process has changed its root: its children cannot create files next to its files.
 */
void gptl_posix_left_root(void);
/* Find the next functions of the wrappers in confine.c. */
void gptl_posix_find_confining(void);

/* Prepare this thread for vfork. Return the function to call. */
void *gptl_posix_vfork_begins(void);

/*
 * Report the end again: exit flushes streams after all its handlers, so the sinks must store those
 * calls at once.
 */
void gptl_posix_leave_again(void);

/* Let the sinks store their data before the process drops privileges, if it has any. */
void gptl_posix_confine(void);

#endif
