/*
 * unwound.h - calls of functions that ended without their exit: longjmp and exceptions leave them.
 *
 * They are noticed at the exit of a function around them at the latest, and end then, with all that
 * was opened inside them.
 */
#ifndef GPTL_CORE_UNWOUND_H
#define GPTL_CORE_UNWOUND_H

#include "core/thread.h"

/*
 * A function is entered, its hook called by CALL: ends what that shows to have been left. This sees
 * what happens to be asked about, and leaves the rest to the next exit.
 */
void gptl_unwound_enter(struct gptl_thread *t, struct gptl_call call);

/*
 * A function exits whose frame is not the innermost one. If calls of other functions are above it,
 * they were left. Regions that were opened by hand in the function itself stay open: it may be what
 * a program starts its timers with.
 */
void gptl_unwound_exit(struct gptl_thread *t, struct gptl_frame *frame, uint64_t now);

/* The thread exits: what it was cut off from is brought into order. */
void gptl_unwound_settle(struct gptl_thread *t);

#endif
