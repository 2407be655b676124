/*
 * apart.h - a stack and buffers for work that needs more space than the caller's stack may have:
 * threads, coroutines and signal handlers run on stacks of a few KiB.
 */
#ifndef GPTL_POSIX_APART_H
#define GPTL_POSIX_APART_H

#include <stdbool.h>

/*
 * Call WORK with ARG on a stack of this library, unless gptl_posix_is_sealed; see
 * gptl_own_stack_call_blocked.
 */
void gptl_posix_apart(void (*work)(void *arg), void *arg);

/*
 * True while system calls are forbidden because a filter may end the process for one.
 * gptl_posix_apart then does nothing.
 */
extern bool gptl_posix_is_sealed;

/*
 * Borrow a buffer of GPTL_POSIX_SCRATCH bytes, to be returned soon; NULL if all are in use. Safe in
 * signal handlers.
 */
enum { GPTL_POSIX_SCRATCH = 4096 + 64 };
char *gptl_posix_scratch_take(void);
void gptl_posix_scratch_give(char *buffer);

/* In a child of fork: mark the stacks and buffers of the parent's other threads as free. */
void gptl_posix_apart_child(void);

#endif
