/* busy.c - re-entry: events of a thread inside the library, which come from a signal handler. */
#include "config.h"

#include "core/busy.h"

#include <signal.h>

#include "core/own_stack.h"

void gptl_busy_set(struct gptl_thread *t, uint32_t busy, const struct gptl_call *call)
{
    if (busy == 0) {
        gptl_busy_leave(t);
        return;
    }
    if (t->busy == 0)
        gptl_busy_enter(t, call ? *call : (struct gptl_call){gptl_call_here().stack, 0});
    atomic_signal_fence(memory_order_acq_rel);
    t->busy = busy;
    atomic_signal_fence(memory_order_acq_rel);
}

static bool is_on_other_stack(void)
{
    stack_t other;
    return sigaltstack(NULL, &other) == 0 && other.ss_flags & SS_ONSTACK;
}

/*
 * Return whether the call BUSY still lasts, judged from EVENT. The stack above the event can be
 * inspected; from another stack, all of it can.
 */
static bool lasts(struct gptl_call busy, struct gptl_call event)
{
    enum { STACK = 8 << 20 };
    if (gptl_own_stack_has(event.stack))
        return true; /* called by the library itself: a malloc of the program */
    bool above = event.stack <= busy.stack && !gptl_own_stack_has(busy.stack);
    if (!above && !is_on_other_stack())
        return false;
    if (busy.caller && (!above || busy.stack - event.stack < STACK))
        return gptl_call_is_seen(busy);
    return true;
}

bool gptl_busy_is(struct gptl_thread *t, struct gptl_call call)
{
    if (t->nrow < GPTL_LONGEST_ROW && lasts(t->busy_call, call))
        return true;
    gptl_lock_left();
    gptl_busy_set(t, 0, NULL);
    gptl_thread_gate_clear(t, GPTL_GATE_MOVING);
    return false;
}

void gptl_busy_forget(struct gptl_thread *t)
{
    t->ndropped = 0;
    gptl_thread_gate_clear(t, GPTL_GATE_DROPPED);
}

int gptl_busy_start(struct gptl_thread *t, struct gptl_call call)
{
    /*
     * The stop of the dropped start will not come. Otherwise all later starts would seem to be
     * nested in it, and the sequence would not grow.
     */
    if (t->ndropped && gptl_call_is_after(call, t->dropped_call))
        gptl_busy_forget(t);
    if (t->ndropped++ == 0) {
        t->dropped_call = call;
        t->nrow++;
    }
    gptl_increment(&t->dropped);
    gptl_thread_gate_set(t, GPTL_GATE_DROPPED);
    return 0;
}

int gptl_busy_stop(struct gptl_thread *t)
{
    if (t->ndropped && --t->ndropped == 0)
        gptl_thread_gate_clear(t, GPTL_GATE_DROPPED);
    return 0;
}
