/*
 * short.h - steps of the fast path: push a frame, pop a frame. Inlined into timing.c and hooks.c.
 *
 * A signal handler may start and stop regions between any two instructions of these functions. It
 * restores the stack except for the frames above the top. So a frame gets its node only after the
 * top has reached it. Until then it contains an earlier node or the root.
 */
#ifndef GPTL_CORE_SHORT_H
#define GPTL_CORE_SHORT_H

#include "core/again.h"
#include "core/clock.h"
#include "core/lookup.h"
#include "core/slow.h"

/*
 * Load limit or floor. Other threads change the two one after the other; a start and its stop read
 * one each, and must see the two changes in that order. On x86 this is an ordinary load.
 */
#define gptl_load_bound(p) atomic_load_explicit(p, memory_order_acquire)

#define GPTL_NO_CALL ((struct gptl_call){0, 0})

/* Access to fields that the owner writes and other threads read. */
#define gptl_relaxed_load(p) atomic_load_explicit(p, memory_order_relaxed)
#define gptl_relaxed_store(p, v) atomic_store_explicit(p, v, memory_order_relaxed)

/*
 * Push a frame for NODE and return 0. IS_FUNCTION is a compile-time constant; CALL and NOW are the
 * arguments of a function's hook.
 */
GPTL_INLINED int gptl_short_push(struct gptl_thread *t, struct gptl_frame *top,
                                 struct gptl_node *node, struct gptl_call call, uint64_t now,
                                 bool is_function)
{
    gptl_relaxed_store(&t->top, top + 1);
    atomic_signal_fence(memory_order_release);
    if (is_function)
        top[1].call = call;
    gptl_relaxed_store(&top[1].node, node);
    gptl_relaxed_store(&top[1].start, is_function ? now : gptl_counter());
    return 0;
}

GPTL_INLINED int gptl_short_leave(struct gptl_thread *t, struct gptl_frame *top,
                                  struct gptl_node *node, uint64_t now)
{
    uint64_t ticks = now - gptl_relaxed_load(&top->start);
    /* The longest call so far, a long call, an untimed call, or a clock that ran backwards. */
    if (unlikely(ticks > gptl_relaxed_load(&node->max)))
        return gptl_again_leave_unusually(t, top, now);
    gptl_relaxed_store(&t->top, top - 1);
    gptl_relaxed_store(&node->count, gptl_relaxed_load(&node->count) + 1);
    uint32_t open = gptl_relaxed_load(&node->open) - 1;
    gptl_relaxed_store(&node->open, open);
    if (unlikely(open))
        return gptl_again_leave(t, node, ticks);
    gptl_relaxed_store(&node->latest, (uint32_t)ticks);
    gptl_relaxed_store(&node->total, gptl_relaxed_load(&node->total) + ticks);
    if (unlikely(ticks < gptl_relaxed_load(&node->min)))
        gptl_relaxed_store(&node->min, (uint32_t)ticks);
    return 0;
}

#endif
