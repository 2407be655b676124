/*
 * timing.c - GPTLstart, GPTLstop, handles, compilers' hooks: the hot path and nothing else.
 *
 * A start whose child is found and a stop of the innermost region run here from end to end: no
 * lock, no allocation, no call. Everything else is a tail call into slow.c. One comparison of the
 * top frame with a bound covers the gate, a thread without a state, a full stack (start) and an
 * empty one (stop).
 *
 * A clock reading stops the processor from working on other instructions for its time, so what
 * counts here is how many instructions there are. bench/pair_name shows the ratio to two readings;
 * on a processor where two library calls that do nothing but read the clock cost 1.11x:
 *  - the sibling that followed last time is tried before the cache: saves the hash, and for 65,536
 *    names in turn the misses in the cache's memory;
 *  - a literal of the program is known by its address, as it cannot change (node->fixed): saves the
 *    comparison of the bytes.
 *
 * A reading also waits for all that was loaded before it, but not for what was only prefetched: on
 * that processor a load from the second cache made it 4 ns longer, a prefetch none. So the hooks
 * guess the node without a look at it, have it fetched, read the clock meanwhile, and verify the
 * node then, when it has come. One of 10,000 functions in random order (bench/hooks) went from 3.5
 * to 2.9 times two readings by this, the cache's tags, and its lines of eight; of 5000, whose slots
 * pushed each other out before, from 4.0 to 2.4.
 *
 * A signal handler may start and stop regions between any two instructions of these functions. It
 * leaves the stack as it found it, but for what lies above the top: so a frame gets its node only
 * when the top has reached it. Before that it holds one that was there earlier, or the root.
 */
#include "config.h"

#include "gptl.h"

#include "core/clock.h"
#include "core/host.h"
#include "core/lookup.h"
#include "core/slow.h"
#include "core/throttle.h"

#define load(p) atomic_load_explicit(p, memory_order_relaxed)
#define store(p, v) atomic_store_explicit(p, v, memory_order_relaxed)

/*
 * Limit and floor, which other threads change one after the other: a start and its stop look at one
 * each, and must see the two changes in that order. On x86 this is a load as any other.
 */
#define load_bound(p) atomic_load_explicit(p, memory_order_acquire)

#define NO_CALL ((struct gptl_call){0, 0})

/* CALL and NOW are those of a function's hook, if it IS_FUNCTION, known when this is compiled. */
GPTL_INLINED int push(struct gptl_thread *t, struct gptl_frame *top, struct gptl_node *node,
                      struct gptl_call call, uint64_t now, bool is_function)
{
    store(&t->top, top + 1);
    atomic_signal_fence(memory_order_release);
    if (is_function)
        top[1].call = call;
    store(&top[1].node, node);
    store(&top[1].start, is_function ? now : gptl_counter());
    return 0;
}

/*
 * Most calls to a throttled node are not timed. Their frames have no start. A function's exit sees by
 * t->left_out that it needs no clock; others see it too late.
 */
GPTL_INLINED int push_untimed(struct gptl_thread *t, struct gptl_frame *top, struct gptl_node *node,
                              struct gptl_call call)
{
    t->left_out = node->known;
    store(&t->top, top + 1);
    atomic_signal_fence(memory_order_release);
    top[1].call = call;
    store(&top[1].node, node);
    store(&top[1].start, GPTL_UNTIMED);
    return 0;
}

/* Once in a block, or twice. */
static __attribute__((noinline)) int enter_chosen(struct gptl_thread *t, struct gptl_frame *top,
                                                  struct gptl_node *node, uintptr_t stack,
                                                  uintptr_t caller)
{
    if (!gptl_throttle_next(top, node, gptl_counter()))
        return push_untimed(t, top, node, (struct gptl_call){stack, caller});
    t->left_out = 0;
    return push(t, top, node, (struct gptl_call){stack, caller}, gptl_counter(), true);
}

static __attribute__((noinline)) int enter_throttled(struct gptl_thread *t, struct gptl_frame *top,
                                                     struct gptl_node *node, uintptr_t stack,
                                                     uintptr_t caller)
{
    uint32_t open = load(&node->open);
    store(&node->open, open + 1);
    if (open & GPTL_OPEN_FRAMES)
        store(&node->recurse, load(&node->recurse) + 1);
    else if (gptl_throttle_is_next(node))
        return enter_chosen(t, top, node, stack, caller);
    return push_untimed(t, top, node, (struct gptl_call){stack, caller});
}

/* A node that is open or watched, an edge that leads back to one, or what a filter leaves out. */
GPTL_INLINED int enter_open(struct gptl_thread *t, struct gptl_frame *top, struct gptl_node *node,
                            struct gptl_call call, uint64_t now, bool is_function)
{
    uint32_t open = load(&node->open);
    if (open == GPTL_LEFT_OUT) {
        t->left_out = node->known;
        return 0;
    }
    if (open == GPTL_EDGE_BACK) {
        store(&node->count, load(&node->count) + 1);
        node = node->last;
        open = load(&node->open);
    }
    if (open & GPTL_THROTTLED)
        return enter_throttled(t, top, node, call.stack, call.caller);
    if (open & GPTL_OPEN_FRAMES)
        store(&node->recurse, load(&node->recurse) + 1);
    store(&node->open, open + 1);
    return push(t, top, node, call, now, is_function);
}

static __attribute__((noinline)) int enter_again(struct gptl_thread *t, struct gptl_frame *top,
                                                 struct gptl_node *node)
{
    return enter_open(t, top, node, NO_CALL, 0, false);
}

/* A function that is open: or was it left by longjmp, and is called anew from further up? */
static __attribute__((noinline)) int enter_function_again(struct gptl_thread *t,
                                                          struct gptl_frame *top,
                                                          struct gptl_node *node, uintptr_t stack,
                                                          uintptr_t caller, uint64_t now)
{
    struct gptl_call call = {stack, caller};
    const struct gptl_frame *around = top; /* the function, not regions that it has made by hand */
    while (!around->call.stack && around > load(&t->base))
        around--;
    if (unlikely(gptl_call_is_after(call, around->call)) && !gptl_node_is_left_out(node))
        return gptl_slow_enter((const char *)node->known, call);
    return enter_open(t, top, node, call, now, true);
}

GPTL_INLINED int enter_function(struct gptl_thread *t, struct gptl_frame *top,
                                struct gptl_node *node, struct gptl_call call, uint64_t now)
{
    if (unlikely(load(&node->open)))
        return enter_function_again(t, top, node, call.stack, call.caller, now);
    store(&node->open, 1);
    return push(t, top, node, call, now, true);
}

GPTL_INLINED int enter(struct gptl_thread *t, struct gptl_frame *top, struct gptl_node *node)
{
    if (unlikely(load(&node->open)))
        return enter_again(t, top, node);
    store(&node->open, 1);
    return push(t, top, node, NO_CALL, 0, false);
}

/*
 * When the next sibling is not the one. These are functions of their own, called at the end of
 * others, so that those need not save registers.
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

/* A function that may need no clock, as a filter leaves it out or it is throttled; or a wrong guess. */
static __attribute__((noinline)) int start_other_function(const char *address,
                                                          struct gptl_thread *t,
                                                          struct gptl_frame *top, uintptr_t stack,
                                                          uintptr_t caller)
{
    struct gptl_call call = {stack, caller};
    struct gptl_node *parent = load(&top->node), *node = parent->last->next;
    if (!gptl_lookup_is_literal(node, address, GPTL_FUNCTION, NULL)) {
        node = address ? gptl_lookup_cached(t, parent, address, GPTL_FUNCTION, NULL) : NULL;
        if (unlikely(!node))
            return gptl_slow_enter(address, call);
    }
    gptl_tree_follow(parent, node, gptl_tree_function(node));
    if (gptl_node_needs_a_look(node))
        return enter_function_again(t, top, node, stack, caller, 0);
    return enter_function(t, top, node, call, gptl_counter());
}

/*
 * The words of the call are apart: gcc stores a struct and loads it again as 16 bytes, which waits
 * for both stores.
 */
static __attribute__((noinline)) int start_cached_function(const char *address,
                                                           struct gptl_thread *t,
                                                           struct gptl_frame *top, uintptr_t stack,
                                                           uintptr_t caller)
{
    struct gptl_node *parent = load(&top->node);
    uint64_t hash = gptl_cache_hash(parent, (uintptr_t)address);
    uint64_t entry = gptl_lookup_likely(t, hash);
    if (unlikely((entry ^ hash) >> GPTL_CACHE_SHIFT))
        return start_other_function(address, t, top, stack, caller);
    struct gptl_node *node = gptl_cache_node(entry);
    gptl_lookup_fetch(node);
    uint64_t now = gptl_counter();
    struct gptl_node *again = load(&top->node); /* read again, so that no register need be saved */
    if (unlikely(node->known != (uintptr_t)address || node->parent != again))
        return start_other_function(address, t, top, stack, caller);
    gptl_tree_follow(again, node, (uintptr_t)address);
    return enter_function(t, top, node, (struct gptl_call){stack, caller}, now);
}

GPTL_INLINED int start_function(const char *address, struct gptl_thread *t, struct gptl_frame *top,
                                struct gptl_call call)
{
    struct gptl_node *parent = load(&top->node), *last = parent->last;
    uint32_t differs = last->next_function ^ (uint32_t)(uintptr_t)address;
    if (unlikely(differs))
        return differs == UINT32_MAX
                   ? start_other_function(address, t, top, call.stack, call.caller)
                   : start_cached_function(address, t, top, call.stack, call.caller);
    struct gptl_node *node = last->next;
    gptl_lookup_fetch(node);
    uint64_t now = gptl_counter();
    if (unlikely(node->known != (uintptr_t)address))
        return start_other_function(address, t, top, call.stack, call.caller);
    parent->last = node;
    return enter_function(t, top, node, call, now);
}

/* When the next sibling is not known by the address of its name, but may be the one. */
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

/* With the gate closed. */
GPTL_INLINED int start_closed(const char *name, size_t length, int *handle, struct gptl_thread *t,
                              const struct gptl_frame *limit, struct gptl_call call)
{
    if (length == GPTL_FUNCTION && load(&gptl_g.idle))
        return 0;
    if (unlikely(limit != GPTL_LIMIT_DISABLED))
        return length == GPTL_FUNCTION ? gptl_slow_enter(name, call)
                                       : gptl_slow_start(name, length, handle);
    t->nswallowed++;
    return 0;
}

GPTL_INLINED int start(const char *name, size_t length, int *handle, struct gptl_call call)
{
    struct gptl_thread *t = gptl_tls;
    struct gptl_frame *top = load(&t->top), *limit = load_bound(&t->limit);
    if (top >= limit) /* not called unlikely: a disabled pair is 1.17x two empty calls, not 1.4x */
        return start_closed(name, length, handle, t, limit, call);
    if (length == GPTL_FUNCTION)
        return start_function(name, t, top, call);
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

static int leave_untimed(struct gptl_thread *t, struct gptl_frame *top, struct gptl_node *node)
{
    store(&t->top, top - 1);
    store(&node->count, load(&node->count) + 1);
    store(&node->open, load(&node->open) - 1);
    t->left_out = gptl_frame_is_untimed(top - 1) ? load(&top[-1].node)->known : 0;
    return 0;
}

/* The longest call so far, or one that is not timed, or the clock ran backwards. */
static __attribute__((noinline)) int leave_unusually(struct gptl_thread *t, struct gptl_frame *top,
                                                     uint64_t now)
{
    if (gptl_frame_is_untimed(top))
        return leave_untimed(t, top, load(&top->node));
    return gptl_slow_leave(t, now);
}

/* A node that is still open, or is watched. */
static __attribute__((noinline)) int leave_open(struct gptl_thread *t, struct gptl_node *node,
                                                uint64_t ticks)
{
    if (gptl_node_open(node))
        return 0; /* time is added when the outermost call leaves */
    uint32_t calls = gptl_throttle_calls(node);
    gptl_throttle_end(t, node, ticks);
    store(&node->latest, ticks);
    store(&node->total, load(&node->total) + calls * ticks);
    if (unlikely(ticks < load(&node->min)))
        store(&node->min, ticks);
    return 0;
}

GPTL_INLINED int leave(struct gptl_thread *t, struct gptl_frame *top, struct gptl_node *node,
                       uint64_t now)
{
    uint64_t ticks = now - load(&top->start);
    if (unlikely(ticks >
                 load(&node->max))) /* or it is long, or not timed, or the clock ran backwards */
        return leave_unusually(t, top, now);
    store(&t->top, top - 1);
    store(&node->count, load(&node->count) + 1);
    uint32_t open = load(&node->open) - 1;
    store(&node->open, open);
    if (unlikely(open))
        return leave_open(t, node, ticks);
    store(&node->latest, (uint32_t)ticks);
    store(&node->total, load(&node->total) + ticks);
    if (unlikely(ticks < load(&node->min)))
        store(&node->min, (uint32_t)ticks);
    return 0;
}

/* When the name is not the literal that the node is known by. */
GPTL_INLINED int stop_by_bytes(const char *name, size_t length, int *handle, struct gptl_thread *t,
                               struct gptl_frame *top, uint64_t now)
{
    struct gptl_node *node = load(&top->node);
    if (length != GPTL_NUL_ENDED || unlikely(!gptl_lookup_is_unchanged(node, name, handle)))
        if (unlikely(!name || !gptl_lookup_is_named(node, name, length, handle)))
            return gptl_slow_stop(name, length, handle, now);
    return leave(t, top, node, now);
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

/*
 * The innermost region is not this function: one that a filter leaves out was most likely started
 * just before.
 */
static __attribute__((noinline)) int stop_other_function(const char *address, struct gptl_thread *t,
                                                         struct gptl_node *parent,
                                                         struct gptl_call call)
{
    struct gptl_node *node = parent->last;
    if (unlikely(node->known != (uintptr_t)address))
        node = gptl_lookup_cached(t, parent, address, GPTL_FUNCTION, NULL);
    if (likely(node && gptl_node_is_left_out(node)))
        return 0;
    return gptl_slow_exit(address, call);
}

/*
 * What a filter left out a moment ago needs no clock, unless it is innermost here, being recursive.
 * Nor does a throttled call that is not timed.
 */
static __attribute__((noinline)) int stop_left_out(const char *address, struct gptl_thread *t,
                                                   struct gptl_frame *top, struct gptl_call call)
{
    struct gptl_node *node = load(&top->node);
    if (gptl_frame_is_untimed(top) && node->known == (uintptr_t)address) {
        top->call.stack = 0;
        return leave_untimed(t, top, node);
    }
    t->left_out = 0;
    return stop_other_function(address, t, node, call);
}

/* With the gate closed, or nothing open. */
GPTL_INLINED int stop_closed(const char *name, size_t length, int *handle, struct gptl_thread *t,
                             struct gptl_frame *floor, struct gptl_call call)
{
    if (length == GPTL_FUNCTION && load(&gptl_g.idle))
        return 0;
    if (length == GPTL_FUNCTION && load(&t->top) == floor) /* nothing is open */
        return stop_other_function(name, t, load(&floor->node), call);
    if (unlikely(floor != GPTL_FLOOR_DISABLED || t->nswallowed == 0))
        return length == GPTL_FUNCTION ? gptl_slow_exit(name, call)
                                       : gptl_slow_stop(name, length, handle, 0);
    t->nswallowed--;
    return 0;
}

GPTL_INLINED int stop(const char *name, size_t length, int *handle, struct gptl_call call)
{
    struct gptl_thread *t = gptl_tls;
    struct gptl_frame *top = load(&t->top), *floor = load_bound(&t->floor);
    if (top <= floor)
        return stop_closed(name, length, handle, t, floor, call);
    if (length == GPTL_FUNCTION && unlikely(t->left_out == (uintptr_t)name))
        return stop_left_out(name, t, top, call);
    uint64_t now = gptl_counter();
    struct gptl_node *node = load(&top->node);
    if (unlikely(!gptl_lookup_is_literal(node, name, length, handle))) {
        if (length == GPTL_FUNCTION)
            return stop_other_function(name, t, node, call);
        if (length != GPTL_NUL_ENDED)
            return stop_padded(name, length, handle, t, top, now);
        return handle ? stop_handle(name, handle, t, top, now) : stop_name(name, t, top, now);
    }
    if (length == GPTL_FUNCTION)
        top->call.stack = 0; /* so that the next frame here has none before it has its own */
    return leave(t, top, node, now);
}

int GPTLstart(const char *name)
{
    return start(name, GPTL_NUL_ENDED, NULL, NO_CALL);
}

int GPTLstop(const char *name)
{
    return stop(name, GPTL_NUL_ENDED, NULL, NO_CALL);
}

int GPTLstart_handle(const char *name, int *handle)
{
    return handle ? start(name, GPTL_NUL_ENDED, handle, NO_CALL) : gptl_slow_start(NULL, 0, NULL);
}

int GPTLstop_handle(const char *name, int *handle)
{
    return handle ? stop(name, GPTL_NUL_ENDED, handle, NO_CALL) : gptl_slow_stop(NULL, 0, NULL, 0);
}

/*
 * A length that makes no literal, among them those below 0, which slow.c refuses. The rest of the
 * short path compares the bytes.
 */
static __attribute__((noinline)) int start_long(const char *name, int length, int *handle)
{
    struct gptl_thread *t = gptl_tls;
    struct gptl_frame *top = load(&t->top);
    if (length < 0 || top >= load_bound(&t->limit))
        return gptl_slow_start(name, (size_t)(unsigned)length, handle);
    struct gptl_node *node = load(&top->node)->last->next;
    return start_by_bytes(name, (size_t)length, handle, t, top, node);
}

static __attribute__((noinline)) int stop_long(const char *name, int length, int *handle)
{
    struct gptl_thread *t = gptl_tls;
    struct gptl_frame *top = load(&t->top);
    if (length < 0 || top <= load_bound(&t->floor))
        return gptl_slow_stop(name, (size_t)(unsigned)length, handle, 0);
    return stop_by_bytes(name, (size_t)length, handle, t, top, gptl_counter());
}

GPTL_INLINED int start_counted(const char *name, int length, int *handle)
{
    if (unlikely((unsigned)length >= GPTL_LITERAL_LENGTHS))
        return start_long(name, length, handle);
    return start(name, (unsigned)length, handle, NO_CALL);
}

GPTL_INLINED int stop_counted(const char *name, int length, int *handle)
{
    if (unlikely((unsigned)length >= GPTL_LITERAL_LENGTHS))
        return stop_long(name, length, handle);
    return stop(name, (unsigned)length, handle, NO_CALL);
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

/* Not after the sibling that it followed the last time, or something is unusual. */
static __attribute__((noinline)) void *begin_elsewhere(const char *literal, struct gptl_thread *t,
                                                       struct gptl_frame *top)
{
    uint32_t depth = gptl_thread_depth(t);
    if (top < load_bound(&t->limit))
        start_cached_name(literal, t, top);
    else if (load(&gptl_g.idle) || load_bound(&t->limit) == GPTL_LIMIT_DISABLED || t->busy)
        return NULL;
    else
        gptl_slow_start(literal, GPTL_NUL_ENDED, NULL);
    t = gptl_tls; /* it may be this thread's first region */
    if (gptl_thread_depth(t) > depth)
        return load(&load(&t->top)->node);
    gptl_slow_stop(literal, GPTL_NUL_ENDED, NULL, 0); /* what is skipped has a stop too */
    return NULL;
}

static __attribute__((noinline)) void *begin_again(struct gptl_thread *t, struct gptl_frame *top,
                                                   struct gptl_node *node)
{
    enter_again(t, top, node);
    return load(&load(&t->top)->node);
}

void *gptl_core_begin(const char *literal)
{
    struct gptl_thread *t = gptl_tls;
    struct gptl_frame *top = load(&t->top);
    if (unlikely(top >= load_bound(&t->limit)))
        return begin_elsewhere(literal, t, top);
    struct gptl_node *parent = load(&top->node);
    struct gptl_node *node = parent->last->next;
    if (unlikely(!gptl_lookup_is_literal(node, literal, GPTL_NUL_ENDED, NULL)))
        return begin_elsewhere(literal, t, top);
    parent->last = node;
    if (unlikely(load(&node->open)))
        return begin_again(t, top, node);
    store(&node->open, 1);
    push(t, top, node, NO_CALL, 0, false);
    return node;
}

void gptl_core_end(const char *literal)
{
    stop(literal, GPTL_NUL_ENDED, NULL, NO_CALL);
}

/* ---- Compilers' hooks ---------------------------------------------------------------------- */

/* What code compiled with -finstrument-functions calls; its address stands for a function's name. */
void __cyg_profile_func_enter(void *function, void *site) __attribute__((visibility("default")));
void __cyg_profile_func_exit(void *function, void *site) __attribute__((visibility("default")));

void __cyg_profile_func_enter(void *function, void *site)
{
    (void)site;
    start(function, GPTL_FUNCTION, NULL, gptl_call_here());
}

void __cyg_profile_func_exit(void *function, void *site)
{
    (void)site;
    stop(function, GPTL_FUNCTION, NULL, gptl_call_here());
}
