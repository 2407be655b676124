/*
 * short.h - steps of the short path: a frame comes, a frame goes. Inlined into timing.c and hooks.c.
 *
 * A signal handler may start and stop regions between any two instructions of these functions. It
 * leaves the stack as it found it, but for what lies above the top: so a frame gets its node only
 * when the top has reached it. Before that it holds one that was there earlier, or the root.
 */
#ifndef GPTL_CORE_SHORT_H
#define GPTL_CORE_SHORT_H

#include "core/again.h"
#include "core/clock.h"
#include "core/lookup.h"
#include "core/slow.h"

/*
 * Limit and floor, which other threads change one after the other: a start and its stop look at one
 * each, and must see the two changes in that order. On x86 this is a load as any other.
 */
#define gptl_load_bound(p) atomic_load_explicit(p, memory_order_acquire)

#define GPTL_NO_CALL ((struct gptl_call){0, 0})

/* Of the owner's fields, which others read. */
#define gptl_relaxed_load(p) atomic_load_explicit(p, memory_order_relaxed)
#define gptl_relaxed_store(p, v) atomic_store_explicit(p, v, memory_order_relaxed)

/* CALL and NOW are those of a function's hook, if it IS_FUNCTION, known when this is compiled. */
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
    /* The longest so far; or it is long, or not timed, or the clock ran backwards. */
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
