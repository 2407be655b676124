/*
 * busy.h - re-entry: events of a thread inside the library come from a signal handler. They are
 * dropped together with their stops, as the tree may be half changed.
 */
#ifndef GPTL_CORE_BUSY_H
#define GPTL_CORE_BUSY_H

#include "core/thread.h"

/* Mark the thread, which is outside the library, as inside it during CALL. */
static inline void gptl_busy_enter(struct gptl_thread *t, struct gptl_call call)
{
    /*
     * A handler that runs in between finds no information about the call, and assumes that it
     * lasts.
     */
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

/* Set the re-entry depth; CALL, which may be NULL, is the call during which the thread is busy. */
void gptl_busy_set(struct gptl_thread *t, uint32_t busy, const struct gptl_call *call);

/*
 * Return whether a thread marked as inside the library is really there, judged from the event CALL.
 * It is not after a signal handler has jumped out of the library: then the marked call no longer
 * exists. Large stack frames may hide this case, but no handler makes GPTL_LONGEST_ROW calls in
 * sequence.
 */
enum { GPTL_LONGEST_ROW = 100000 };
bool gptl_busy_is(struct gptl_thread *t, struct gptl_call call);

/* Drop a start within CALL, or a stop, while the thread is busy; return 0. */
int gptl_busy_start(struct gptl_thread *t, struct gptl_call call);
int gptl_busy_stop(struct gptl_thread *t);
/* Forget the dropped starts: the handler has jumped out, so no stops will follow. */
void gptl_busy_forget(struct gptl_thread *t);

#endif
