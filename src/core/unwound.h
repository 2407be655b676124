/*
 * unwound.h - calls of functions that ended without their exit: longjmp and exceptions left them.
 *
 * The library notices them at the exit of an enclosing function at the latest. They end then,
 * together with all regions opened inside them.
 */
#ifndef GPTL_CORE_UNWOUND_H
#define GPTL_CORE_UNWOUND_H

#include "core/thread.h"

/*
 * End the calls that the entry of a function, reported by the hook call CALL, shows to have been
 * left. The check is partial: the rest is found at the next exit.
 */
void gptl_unwound_enter(struct gptl_thread *t, struct gptl_call call);

/*
 * Process the exit of a function whose frame is not the innermost one: end the calls of functions
 * above it, which were left. Regions opened by hand in the function itself stay open: a program may
 * start its timers in such a function.
 */
void gptl_unwound_exit(struct gptl_thread *t, struct gptl_frame *frame, uint64_t now);

/*
 * Repair the stack and the counts of open frames of an exiting thread, which may have been
 * interrupted anywhere.
 */
void gptl_unwound_settle(struct gptl_thread *t);

#endif
