/*
 * sister.h - the short path of gptl_core_begin, gptl_core_end and gptl_core_add, for libraries of the
 * same release to inline.
 *
 * Each of these does all or nothing: where anything is unusual, it says so, and what core.h has is
 * called instead. Both read the clock as soon as they know that it is needed, before they look at the
 * node, as hooks.c does and for its reason.
 *
 * So these libraries know how a thread's state, a frame and a node lie in memory. Whoever changes that
 * changes the number of GPTL_PRIVATE in libgptl.map: then the dynamic linker refuses a library of
 * another release. The assertions below are to remind of that.
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

/* What core.h has, at a time that was read from the time-stamp counter a moment ago, or 0: not yet. */
GPTL_FOR_SISTERS void *gptl_core_begin_at(const char *literal, enum gptl_kind kind, uint64_t now);
GPTL_FOR_SISTERS void gptl_core_end_at(const char *literal, enum gptl_kind kind, uint64_t now);

/* Whether measuring is disabled, and nothing else is unusual: gptl_core_begin would do nothing. */
GPTL_INLINED bool gptl_sister_is_disabled(void)
{
    return gptl_load_bound(&gptl_core_tls->limit) == GPTL_LIMIT_DISABLED;
}

/* NODE, which is not open, is started NOW. */
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
 * The node of KIND's region LITERAL, which was started; or NULL: nothing was. *READ is then the time, if
 * it was read, for gptl_core_begin_at: else a call that does not follow the one which it followed the
 * last time would have it read twice.
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
 * Whether the innermost region, which is to be NODE's, was stopped. *READ is the time as above: a gate that
 * was closed meanwhile may mean that the counter is disabled.
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

/* Whether the innermost region is LITERAL's. One that is known by its bytes only seems to be another. */
GPTL_INLINED bool gptl_sister_is_in(const char *literal, enum gptl_kind kind)
{
    struct gptl_thread *t = gptl_core_tls;
    struct gptl_frame *top = gptl_relaxed_load(&t->top);
    return top > gptl_load_bound(&t->floor) &&
           gptl_lookup_is_literal(gptl_relaxed_load(&top->node), literal, GPTL_NAME_OF(kind), NULL);
}

/* Where the node's amounts are, or NULL: it has no place for them yet. */
GPTL_INLINED struct gptl_extra *gptl_sister_moves(void *node)
{
    struct gptl_extra *extra = gptl_relaxed_load(&((struct gptl_node *)node)->extra);
    return likely(extra != NULL) && likely(gptl_relaxed_load(&extra->moves)) ? extra : NULL;
}

/* Whether BYTES were added. */
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
