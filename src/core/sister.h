/*
 * sister.h - internal ABI: the fast path of gptl_core_begin, gptl_core_end and gptl_core_add,
 * inlined by companion libraries of the same release.
 *
 * Each of these functions does all or nothing: in any unusual case it reports so, and the caller
 * uses the function of core.h. Both begin and end read the clock as soon as a reading is certain to
 * be needed, before they examine the node, for the reason given in hooks.c.
 *
 * So these libraries depend on the layout of a thread's state, a frame and a node. If you move a
 * field that this file reads, bump the number of GPTL_PRIVATE in libgptl.map: then the dynamic
 * linker refuses a library of another release. The assertions below are a reminder.
 */
#ifndef GPTL_CORE_SISTER_H
#define GPTL_CORE_SISTER_H

#include "core/short.h"

#if defined(__LP64__)
_Static_assert(
    offsetof(struct gptl_thread, top) == 0 && offsetof(struct gptl_thread, limit) == 8 &&
        offsetof(struct gptl_thread, floor) == 16 && sizeof(struct gptl_frame) == 32 &&
        offsetof(struct gptl_frame, start) == 8 && offsetof(struct gptl_node, total) == 8 &&
        offsetof(struct gptl_node, count) == 16 && offsetof(struct gptl_node, max) == 24 &&
        offsetof(struct gptl_node, min) == 28 && offsetof(struct gptl_node, latest) == 32 &&
        offsetof(struct gptl_node, open) == 36 && offsetof(struct gptl_node, next) == 48 &&
        offsetof(struct gptl_node, last) == 72 && offsetof(struct gptl_node, extra) == 80 &&
        offsetof(struct gptl_extra, moves) == 76 && offsetof(struct gptl_extra, amounts) == 80,
    "this changes GPTL_PRIVATE");
#endif

/*
 * Begin or end as in core.h at tick NOW, read from the time-stamp counter a moment ago; 0: not read
 * yet.
 */
GPTL_FOR_SISTERS void *gptl_core_begin_at(const char *literal, enum gptl_kind kind, uint64_t now);
GPTL_FOR_SISTERS void gptl_core_end_at(const char *literal, enum gptl_kind kind, uint64_t now);

/*
 * Return whether measuring is disabled and nothing else is unusual: gptl_core_begin would do
 * nothing.
 */
GPTL_INLINED bool gptl_sister_is_disabled(void)
{
    return gptl_load_bound(&gptl_core_tls->limit) == GPTL_LIMIT_DISABLED;
}

/* Start NODE, which is not open, at tick NOW, and return it. */
GPTL_INLINED void *gptl_sister_push(struct gptl_thread *t, struct gptl_frame *top,
                                    struct gptl_node *node, uint64_t now)
{
    gptl_relaxed_store(&node->open, 1);
    gptl_relaxed_store(&t->top, top + 1);
    atomic_signal_fence(memory_order_release); /* see short.h */
    gptl_relaxed_store(&top[1].node, node);
    gptl_relaxed_store(&top[1].start, now);
    return node;
}

/*
 * Start KIND's region LITERAL and return its node, or NULL if it was not started. *READ is then the
 * clock reading, or 0 without one, for gptl_core_begin_at. Otherwise a call that does not follow
 * the same sibling as the last time would read the clock twice.
 */
GPTL_INLINED void *gptl_sister_begin(const char *literal, enum gptl_kind kind, uint64_t *read)
{
    struct gptl_thread *t = gptl_core_tls;
    struct gptl_frame *top = gptl_relaxed_load(&t->top);
    *read = 0;
    if (unlikely(top >= gptl_load_bound(&t->limit)))
        return NULL;
    *read = gptl_counter();
    struct gptl_node *parent = gptl_relaxed_load(&top->node), *node = parent->last->next;
    if (unlikely(!gptl_lookup_is_literal(node, literal, GPTL_NAME_OF(kind), NULL)) ||
        unlikely(gptl_relaxed_load(&node->open)))
        return NULL;
    parent->last = node;
    return gptl_sister_push(t, top, node, *read);
}

/*
 * Stop the innermost region if it is NODE, and return whether it was stopped. *READ is the clock
 * reading as above: if the gate was closed in between, the counter may be disabled.
 */
GPTL_INLINED bool gptl_sister_end(const void *node_, uint64_t *read)
{
    struct gptl_thread *t = gptl_core_tls;
    struct gptl_frame *top = gptl_relaxed_load(&t->top);
    *read = 0;
    if (unlikely(top <= gptl_load_bound(&t->floor)))
        return false;
    *read = gptl_counter();
    struct gptl_node *node = gptl_relaxed_load(&top->node);
    uint64_t ticks = *read - gptl_relaxed_load(&top->start);
    if (unlikely(node != node_) || unlikely(ticks > gptl_relaxed_load(&node->max)) ||
        unlikely(gptl_relaxed_load(&node->open) != 1))
        return false;
    gptl_relaxed_store(&t->top, top - 1);
    gptl_relaxed_store(&node->count, gptl_relaxed_load(&node->count) + 1);
    gptl_relaxed_store(&node->open, 0);
    gptl_relaxed_store(&node->latest, (uint32_t)ticks);
    gptl_relaxed_store(&node->total, gptl_relaxed_load(&node->total) + ticks);
    if (unlikely(ticks < gptl_relaxed_load(&node->min)))
        gptl_relaxed_store(&node->min, (uint32_t)ticks);
    return true;
}

/*
 * Return whether LITERAL identifies the innermost region. A region known only by its bytes yields
 * false.
 */
GPTL_INLINED bool gptl_sister_is_in(const char *literal, enum gptl_kind kind)
{
    struct gptl_thread *t = gptl_core_tls;
    struct gptl_frame *top = gptl_relaxed_load(&t->top);
    return top > gptl_load_bound(&t->floor) &&
           gptl_lookup_is_literal(gptl_relaxed_load(&top->node), literal, GPTL_NAME_OF(kind), NULL);
}

/* Return the node's extra if it has space for amounts, or NULL. */
GPTL_INLINED struct gptl_extra *gptl_sister_moves(void *node)
{
    struct gptl_extra *extra = gptl_relaxed_load(&((struct gptl_node *)node)->extra);
    return likely(extra != NULL) && likely(gptl_relaxed_load(&extra->moves)) ? extra : NULL;
}

/* Add BYTES to the node. Return false if it lacks space for amounts. */
GPTL_INLINED bool gptl_sister_add(void *node, enum gptl_amount what, int64_t bytes)
{
    struct gptl_extra *extra = gptl_sister_moves(node);
    if (unlikely(!extra))
        return false;
    _Atomic int64_t *own = &extra->amounts.own[what];
    gptl_relaxed_store(own, (int64_t)((uint64_t)gptl_relaxed_load(own) + (uint64_t)bytes));
    return true;
}

#endif
