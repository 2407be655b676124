/*
 * own_stack.h - what needs more stack than a program's thread, coroutine or signal handler may have runs
 * on a stack of the library's own: reports, messages, the birth of a thread, names of functions.
 */
#ifndef GPTL_CORE_OWN_STACK_H
#define GPTL_CORE_OWN_STACK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Calls DO_THIS(ARGUMENT) on a stack of the library's own, or on the present one if that is one already,
 * or there is no other. Safe in signal handlers. The thread cannot be cancelled meanwhile.
 */
void gptl_own_stack_call(void (*do_this)(void *), void *argument);

/*
 * The same with all signals blocked: a handler of the program must not run there, as it may need more, jump
 * away, or search the stack. For rare work, because it costs two system calls.
 */
void gptl_own_stack_call_blocked(void (*do_this)(void *), void *argument);

/* In a child of fork: the stacks of the parent's other threads are free. */
void gptl_own_stack_forked(void);

/* Whether the ADDRESS lies on such a stack. */
bool gptl_own_stack_has(uintptr_t address);

#endif
