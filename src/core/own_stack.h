/*
 * own_stack.h - stacks of the library for code that needs more stack than a program's thread,
 * coroutine or signal handler may have: reports, messages, creation of a thread's state, names of
 * functions.
 */
#ifndef GPTL_CORE_OWN_STACK_H
#define GPTL_CORE_OWN_STACK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Call DO_THIS(ARGUMENT) on a stack of the library, or on the current stack if that is one already
 * or none is free. Safe in signal handlers. Cancellation of the thread is postponed.
 */
void gptl_own_stack_call(void (*do_this)(void *), void *argument);

/*
 * Do the same with all signals blocked: a handler of the program must not run on such a stack, as
 * it may need more, jump away, or search the stack. For rare work, because it costs two system
 * calls.
 */
void gptl_own_stack_call_blocked(void (*do_this)(void *), void *argument);

/* Release the stacks of the parent's other threads in a fork child. */
void gptl_own_stack_forked(void);

/* Return whether ADDRESS lies on such a stack. */
bool gptl_own_stack_has(uintptr_t address);

#endif
