/* setup.h - the room's beginning, and the turns in the life of a process. */
#ifndef GPTL_POSIX_SETUP_H
#define GPTL_POSIX_SETUP_H

#include <stdbool.h>

/* A wrapper was called before the library's constructor. */
void gptl_posix_setup_early(void);

/* Tells the sinks, unless this is a process that shares the memory of the one that was set up. */
void gptl_posix_leave(bool for_exec);

/*
 * A filter of system calls is about to be set; STRICT: after that nothing can be measured. With BEGINS false
 * it was refused, and all is as before.
 */
void gptl_posix_seal(bool begins, bool strict);
/* The process has another root now: its children can make no files where its own lie. */
void gptl_posix_left_root(void);
/* Finds the next functions of the wrappers in confine.c. */
void gptl_posix_find_confining(void);

/* This thread is about to call vfork. Returns the function to call. */
void *gptl_posix_vfork_begins(void);

/* exit flushes streams when all its handlers have run: what is told then is told at once. */
void gptl_posix_leave_again(void);

/* The same, before the process gives up rights, if it has any. */
void gptl_posix_confine(void);

#endif
