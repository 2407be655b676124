/*
 * timing.c - GPTLstart, GPTLstop, handles, and the same for companion libraries: the fast path
 * only. hooks.c is its counterpart for functions.
 *
 * A start whose child is found and a stop of the innermost region run here from end to end: no
 * lock, no allocation, no call. All other cases are tail calls into again.c, or metered.c and
 * beyond. One comparison of the top frame with a bound covers the gate, a thread without a state, a
 * full stack (start) and an empty one (stop).
 *
 * A clock reading blocks the processor from other instructions while it lasts, so the number of
 * instructions determines the cost. bench/pair_name measures the ratio to two readings; on a
 * processor where two library calls that only read the clock cost 1.11x:
 *  - the sibling that followed last time is tried before the cache: saves the hash, and for 65,536
 *    names in turn the misses in the cache's memory;
 *  - a literal of the program is recognized by its address, as it cannot change (node->known):
 *    saves the comparison of the bytes.
 */
#include "config.h"

#include "gptl.h"

#include "core/sister.h"

#define load(p) atomic_load_explicit(p, memory_order_relaxed)
#define store(p, v) atomic_store_explicit(p, v, memory_order_relaxed)

GPTL_INLINED int enter(struct gptl_thread *t, struct gptl_frame *top, struct gptl_node *node)
{
    if (unlikely(load(&node->open)))
        return gptl_again_enter(t, top, node);
    store(&node->open, 1);
    return gptl_short_push(t, top, node, GPTL_NO_CALL, 0, false);
}

/*
 * Start the child from the cache, when the next sibling is not the one. These are separate
 * functions, called at the end of others, so that those need not save registers.
 */
GPTL_INLINED int start_cached(const char *name, size_t length, int *handle, struct gptl_thread *t,
                              struct gptl_frame *top)
{
    struct gptl_node *parent = load(&top->node);
    struct gptl_node *node = name ? gptl_lookup_cached(t, parent, name, length, handle) : NULL;
    if (unlikely(!node))
        return gptl_slow_start(name, length, handle);
    gptl_tree_follow(parent, node, GPTL_KNOWN_NOWHERE);
    return enter(t, top, node);
}

static __attribute__((noinline)) int start_cached_name(const char *name, struct gptl_thread *t,
                                                       struct gptl_frame *top)
{
    return start_cached(name, GPTL_NUL_ENDED, NULL, t, top);
}

static __attribute__((noinline)) int start_cached_handle(const char *name, int *handle,
                                                         struct gptl_thread *t,
                                                         struct gptl_frame *top)
{
    return start_cached(name, GPTL_NUL_ENDED, handle, t, top);
}

static __attribute__((noinline)) int start_cached_padded(const char *name, size_t length,
                                                         int *handle, struct gptl_thread *t,
                                                         struct gptl_frame *top)
{
    return start_cached(name, length, handle, t, top);
}

/* Start the next sibling if the bytes of its name match; its address did not. */
GPTL_INLINED int start_by_bytes(const char *name, size_t length, int *handle, struct gptl_thread *t,
                                struct gptl_frame *top, struct gptl_node *node)
{
    if (likely(length == GPTL_NUL_ENDED && gptl_lookup_is_unchanged(node, name, handle)) ||
        (name && (intptr_t)node->known <= (intptr_t)GPTL_KNOWN_NOWHERE &&
         gptl_lookup_is_named(node, name, length, handle))) {
        load(&top->node)->last = node;
        return enter(t, top, node);
    }
    if (length != GPTL_NUL_ENDED)
        return start_cached_padded(name, length, handle, t, top);
    return handle ? start_cached_handle(name, handle, t, top) : start_cached_name(name, t, top);
}

static __attribute__((noinline)) int start_name(const char *name, struct gptl_thread *t,
                                                struct gptl_frame *top, struct gptl_node *node)
{
    return start_by_bytes(name, GPTL_NUL_ENDED, NULL, t, top, node);
}

static __attribute__((noinline)) int start_handle(const char *name, int *handle,
                                                  struct gptl_thread *t, struct gptl_frame *top,
                                                  struct gptl_node *node)
{
    return start_by_bytes(name, GPTL_NUL_ENDED, handle, t, top, node);
}

static __attribute__((noinline)) int start_padded(const char *name, size_t length, int *handle,
                                                  struct gptl_thread *t, struct gptl_frame *top,
                                                  struct gptl_node *node)
{
    return start_by_bytes(name, length, handle, t, top, node);
}

/* Start while the gate is closed. */
GPTL_INLINED int start_closed(const char *name, size_t length, int *handle, struct gptl_thread *t,
                              const struct gptl_frame *limit)
{
    if (unlikely(limit != GPTL_LIMIT_DISABLED))
        return gptl_slow_start(name, length, handle);
    t->nswallowed++;
    return 0;
}

GPTL_INLINED int start(const char *name, size_t length, int *handle)
{
    struct gptl_thread *t = gptl_tls;
    struct gptl_frame *top = load(&t->top), *limit = gptl_load_bound(&t->limit);
    if (top >= limit) /* not marked unlikely: a disabled pair is 1.17x two empty calls, not 1.4x */
        return start_closed(name, length, handle, t, limit);
    struct gptl_node *parent = load(&top->node);
    struct gptl_node *node = parent->last->next;
    if (unlikely(!gptl_lookup_is_literal(node, name, length, handle))) {
        if (length != GPTL_NUL_ENDED)
            return start_padded(name, length, handle, t, top, node);
        return handle ? start_handle(name, handle, t, top, node) : start_name(name, t, top, node);
    }
    parent->last = node;
    return enter(t, top, node);
}

/* Stop the region if the bytes of its name match; the address did not. */
GPTL_INLINED int stop_by_bytes(const char *name, size_t length, int *handle, struct gptl_thread *t,
                               struct gptl_frame *top, uint64_t now)
{
    struct gptl_node *node = load(&top->node);
    if (length != GPTL_NUL_ENDED || unlikely(!gptl_lookup_is_unchanged(node, name, handle)))
        if (unlikely(!name || !gptl_lookup_is_named(node, name, length, handle)))
            return gptl_slow_stop(name, length, handle, now);
    return gptl_short_leave(t, top, node, now);
}

static __attribute__((noinline)) int stop_name(const char *name, struct gptl_thread *t,
                                               struct gptl_frame *top, uint64_t now)
{
    return stop_by_bytes(name, GPTL_NUL_ENDED, NULL, t, top, now);
}

static __attribute__((noinline)) int stop_handle(const char *name, int *handle,
                                                 struct gptl_thread *t, struct gptl_frame *top,
                                                 uint64_t now)
{
    return stop_by_bytes(name, GPTL_NUL_ENDED, handle, t, top, now);
}

static __attribute__((noinline)) int stop_padded(const char *name, size_t length, int *handle,
                                                 struct gptl_thread *t, struct gptl_frame *top,
                                                 uint64_t now)
{
    return stop_by_bytes(name, length, handle, t, top, now);
}

/* Stop while the gate is closed, or no region is open. */
GPTL_INLINED int stop_closed(const char *name, size_t length, int *handle, struct gptl_thread *t,
                             const struct gptl_frame *floor)
{
    if (unlikely(floor != GPTL_FLOOR_DISABLED || t->nswallowed == 0))
        return gptl_slow_stop(name, length, handle, 0);
    t->nswallowed--;
    return 0;
}

GPTL_INLINED int stop(const char *name, size_t length, int *handle)
{
    struct gptl_thread *t = gptl_tls;
    struct gptl_frame *top = load(&t->top), *floor = gptl_load_bound(&t->floor);
    if (top <= floor)
        return stop_closed(name, length, handle, t, floor);
    uint64_t now = gptl_counter();
    struct gptl_node *node = load(&top->node);
    if (unlikely(!gptl_lookup_is_literal(node, name, length, handle))) {
        if (length != GPTL_NUL_ENDED)
            return stop_padded(name, length, handle, t, top, now);
        return handle ? stop_handle(name, handle, t, top, now) : stop_name(name, t, top, now);
    }
    return gptl_short_leave(t, top, node, now);
}

int GPTLstart(const char *name)
{
    return start(name, GPTL_NUL_ENDED, NULL);
}

int GPTLstop(const char *name)
{
    return stop(name, GPTL_NUL_ENDED, NULL);
}

int GPTLstart_handle(const char *name, int *handle)
{
    return handle ? start(name, GPTL_NUL_ENDED, handle) : gptl_slow_start(NULL, 0, NULL);
}

int GPTLstop_handle(const char *name, int *handle)
{
    return handle ? stop(name, GPTL_NUL_ENDED, handle) : gptl_slow_stop(NULL, 0, NULL, 0);
}

/*
 * Start or stop by a length that makes no literal, including negative lengths, which slow.c
 * refuses. The bytes are compared.
 */
static __attribute__((noinline)) int start_long(const char *name, int length, int *handle)
{
    struct gptl_thread *t = gptl_tls;
    struct gptl_frame *top = load(&t->top);
    if (length < 0 || top >= gptl_load_bound(&t->limit))
        return gptl_slow_start(name, (size_t)(unsigned)length, handle);
    struct gptl_node *node = load(&top->node)->last->next;
    return start_by_bytes(name, (size_t)length, handle, t, top, node);
}

static __attribute__((noinline)) int stop_long(const char *name, int length, int *handle)
{
    struct gptl_thread *t = gptl_tls;
    struct gptl_frame *top = load(&t->top);
    if (length < 0 || top <= gptl_load_bound(&t->floor))
        return gptl_slow_stop(name, (size_t)(unsigned)length, handle, 0);
    return stop_by_bytes(name, (size_t)length, handle, t, top, gptl_counter());
}

GPTL_INLINED int start_counted(const char *name, int length, int *handle)
{
    if (unlikely((unsigned)length >= GPTL_LITERAL_LENGTHS))
        return start_long(name, length, handle);
    return start(name, (unsigned)length, handle);
}

GPTL_INLINED int stop_counted(const char *name, int length, int *handle)
{
    if (unlikely((unsigned)length >= GPTL_LITERAL_LENGTHS))
        return stop_long(name, length, handle);
    return stop(name, (unsigned)length, handle);
}

int GPTLstartf(const char *name, int length)
{
    return start_counted(name, length, NULL);
}

int GPTLstopf(const char *name, int length)
{
    return stop_counted(name, length, NULL);
}

int GPTLstartf_handle(const char *name, int length, int *handle)
{
    return handle ? start_counted(name, length, handle) : gptl_slow_start(NULL, 0, NULL);
}

int GPTLstopf_handle(const char *name, int length, int *handle)
{
    return handle ? stop_counted(name, length, handle) : gptl_slow_stop(NULL, 0, NULL, 0);
}

/* ---- Wrapped libraries --------------------------------------------------------------------- */

/* Begin a region that does not follow the same sibling as the last time, or in an unusual case. */
static __attribute__((noinline)) void *begin_elsewhere(const char *literal, size_t length,
                                                       struct gptl_thread *t,
                                                       struct gptl_frame *top)
{
    uint32_t depth = gptl_thread_depth(t);
    if (top < gptl_load_bound(&t->limit))
        start_cached(literal, length, NULL, t, top);
    else if (load(&gptl_g.idle) || gptl_load_bound(&t->limit) == GPTL_LIMIT_DISABLED || t->busy)
        return NULL;
    else
        gptl_slow_start(literal, length, NULL);
    t = gptl_tls; /* it may be this thread's first region */
    if (gptl_thread_depth(t) > depth)
        return load(&load(&t->top)->node);
    gptl_slow_stop(literal, length, NULL, 0); /* a skipped start has a stop, too */
    return NULL;
}

static __attribute__((noinline)) void *begin_again(struct gptl_thread *t, struct gptl_frame *top,
                                                   struct gptl_node *node)
{
    gptl_again_enter(t, top, node);
    return load(&load(&t->top)->node);
}

void *gptl_core_begin(const char *literal, enum gptl_kind kind)
{
    struct gptl_thread *t = gptl_tls;
    struct gptl_frame *top = load(&t->top);
    size_t length = GPTL_NAME_OF(kind);
    if (unlikely(top >= gptl_load_bound(&t->limit)))
        return begin_elsewhere(literal, length, t, top);
    struct gptl_node *parent = load(&top->node);
    struct gptl_node *node = parent->last->next;
    if (unlikely(!gptl_lookup_is_literal(node, literal, length, NULL)))
        return begin_elsewhere(literal, length, t, top);
    parent->last = node;
    if (unlikely(load(&node->open)))
        return begin_again(t, top, node);
    store(&node->open, 1);
    gptl_short_push(t, top, node, GPTL_NO_CALL, 0, false);
    return node;
}

/*
 * End a region when the literal does not identify the innermost one. NOW is 0 if the clock has not
 * been read yet.
 */
static __attribute__((noinline)) void end_elsewhere(const char *literal, size_t length,
                                                    uint64_t now)
{
    gptl_slow_stop(literal, length, NULL, now);
}

void gptl_core_end(const char *literal, enum gptl_kind kind)
{
    struct gptl_thread *t = gptl_tls;
    struct gptl_frame *top = load(&t->top), *floor = gptl_load_bound(&t->floor);
    size_t length = GPTL_NAME_OF(kind);
    if (top <= floor) {
        stop_closed(literal, length, NULL, t, floor);
        return;
    }
    uint64_t now = gptl_counter();
    if (unlikely(!gptl_lookup_is_literal(load(&top->node), literal, length, NULL)))
        end_elsewhere(literal, length, now);
    else
        gptl_short_leave(t, top, load(&top->node), now);
}

void *gptl_core_begin_at(const char *literal, enum gptl_kind kind, uint64_t now)
{
    struct gptl_thread *t = gptl_tls;
    struct gptl_frame *top = load(&t->top);
    if (top >= gptl_load_bound(&t->limit))
        return gptl_core_begin(literal, kind);
    struct gptl_node *parent = load(&top->node);
    struct gptl_node *node = gptl_lookup_cached(t, parent, literal, GPTL_NAME_OF(kind), NULL);
    if (!node || load(&node->open))
        return gptl_core_begin(literal, kind);
    gptl_tree_follow(parent, node, GPTL_KNOWN_NOWHERE);
    return gptl_sister_push(t, top, node, now);
}

void gptl_core_end_at(const char *literal, enum gptl_kind kind, uint64_t now)
{
    if (!now) {
        gptl_core_end(literal, kind);
        return;
    }
    size_t length = GPTL_NAME_OF(kind);
    struct gptl_thread *t = gptl_tls;
    struct gptl_frame *top = load(&t->top), *floor = gptl_load_bound(&t->floor);
    if (top <= floor)
        stop_closed(literal, length, NULL, t, floor);
    else if (gptl_lookup_is_literal(load(&top->node), literal, length, NULL))
        gptl_short_leave(t, top, load(&top->node), now);
    else
        end_elsewhere(literal, length, now);
}
