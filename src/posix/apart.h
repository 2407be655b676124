/*
 * apart.h - memory for work that needs more than the caller's stack may have left: threads, coroutines and
 * signal handlers run on stacks of a few KiB.
 */
#ifndef GPTL_POSIX_APART_H
#define GPTL_POSIX_APART_H

#include <stdbool.h>

/* Calls WORK with ARG on a stack of this library; see gptl_own_stack_call_blocked. */
void gptl_posix_apart(void (*work)(void *arg), void *arg);

/*
 * Whether system calls must not be made any more: a filter may end the process for one. Work apart is then
 * not done.
 */
extern bool gptl_posix_is_sealed;

/* A buffer of GPTL_POSIX_SCRATCH bytes for a moment, or NULL when all are in use. Safe in signal handlers. */
enum { GPTL_POSIX_SCRATCH = 4096 + 64 };
char *gptl_posix_scratch_take(void);
void gptl_posix_scratch_give(char *buffer);

/* In a child of fork: stacks and buffers of the parent's other threads are free. */
void gptl_posix_apart_child(void);

#endif
