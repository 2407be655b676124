/*
 * busy.h - a thread that is inside the library: what comes then is a signal handler's, and is dropped
 * with its stop, as the tree may be half changed.
 */
#ifndef GPTL_CORE_BUSY_H
#define GPTL_CORE_BUSY_H

#include "core/thread.h"

/* For a thread that is not: from now on it is, with CALL. */
static inline void gptl_busy_enter(struct gptl_thread *t, struct gptl_call call)
{
    /* A handler that comes in between finds that nothing is known of the call, and that it lasts. */
    atomic_signal_fence(memory_order_acq_rel);
    t->busy = 1;
    atomic_signal_fence(memory_order_acq_rel);
    t->busy_call.stack = call.stack;
    atomic_signal_fence(memory_order_acq_rel);
    if (gptl_call_is_seen(call))
        t->busy_call.caller = call.caller;
}

static inline void gptl_busy_leave(struct gptl_thread *t)
{
    t->busy_call.caller = 0;
    t->busy_call.stack = UINTPTR_MAX;
    t->nrow = 0;
    atomic_signal_fence(memory_order_acq_rel);
    t->busy = 0;
    atomic_signal_fence(memory_order_acq_rel);
}

/* How often it has entered; CALL, which may be NULL, is the one that it is busy with. */
void gptl_busy_set(struct gptl_thread *t, uint32_t busy, const struct gptl_call *call);

/*
 * Whether a thread that seems to be inside the library is there, seen from the event CALL. It is not
 * when a signal handler has jumped away from there: then the call that it was in does not last. Large
 * stack frames may hide that; but no handler makes GPTL_LONGEST_ROW calls one after another.
 */
enum { GPTL_LONGEST_ROW = 100000 };
bool gptl_busy_is(struct gptl_thread *t, struct gptl_call call);

/* A start within CALL and a stop that come while it is; they are 0. */
int gptl_busy_start(struct gptl_thread *t, struct gptl_call call);
int gptl_busy_stop(struct gptl_thread *t);
/* No stops of such starts will come: the handler has jumped away. */
void gptl_busy_forget(struct gptl_thread *t);

#endif
