/*
 * hooks.c - hooks of code compiled with -finstrument-functions: the fast path for functions, which
 * are identified by their addresses.
 *
 * A reading of the clock also waits for all earlier loads, but not for prefetches: on the processor
 * of timing.c a load from the second-level cache made it 4 ns longer, a prefetch did not. So the
 * hooks predict the node without a load from it, prefetch it, read the clock in the meantime, and
 * then verify the node. For 10,000 functions in random order (bench/hooks) this, the cache's tags,
 * and its lines of eight reduced a pair from 3.5 to 2.9 times two readings; for 5000, whose slots
 * pushed each other out before, from 4.0 to 2.4.
 */
#include "config.h"

#include "core/host.h"
#include "core/short.h"

#define load(p) atomic_load_explicit(p, memory_order_relaxed)
#define store(p, v) atomic_store_explicit(p, v, memory_order_relaxed)

/* ---- Enter --------------------------------------------------------------------------------- */

GPTL_INLINED int enter_function(struct gptl_thread *t, struct gptl_frame *top,
                                struct gptl_node *node, struct gptl_call call, uint64_t now)
{
    if (unlikely(load(&node->open)))
        return gptl_again_enter_function(t, top, node, call.stack, call.caller, now);
    store(&node->open, 1);
    return gptl_short_push(t, top, node, call, now, true);
}

/*
 * Start a function that may need no clock, as a filter excludes it or it is throttled; or a
 * function after a wrong prediction.
 */
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
        return gptl_again_enter_function(t, top, node, stack, caller, 0);
    return enter_function(t, top, node, call, gptl_counter());
}

/*
 * Start the function predicted by the cache. STACK and CALLER are separate arguments: gcc stores a
 * struct and loads it again as 16 bytes, which waits for both stores.
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
    /* loaded again, so that no register need be saved */
    struct gptl_node *again = load(&top->node);
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

/* Start while the gate is closed. */
GPTL_INLINED int start_closed(const char *address, struct gptl_thread *t,
                              const struct gptl_frame *limit, struct gptl_call call)
{
    if (unlikely(limit != GPTL_LIMIT_DISABLED))
        return gptl_slow_enter(address, call);
    t->nswallowed++;
    return 0;
}

/*
 * Handle a hook while measuring is off, has ended, or has not begun yet: a function called before
 * this library's constructor may turn it on. No state of the thread may be accessed where its
 * storage may not exist.
 */
static __attribute__((noinline, cold)) int start_early(const char *address, uintptr_t stack,
                                                       uintptr_t caller)
{
    return gptl_state_has_storage() ? gptl_slow_enter(address, (struct gptl_call){stack, caller})
                                    : 0;
}

static __attribute__((noinline, cold)) int stop_early(const char *address, uintptr_t stack,
                                                      uintptr_t caller)
{
    return gptl_state_has_storage() ? gptl_slow_exit(address, (struct gptl_call){stack, caller})
                                    : 0;
}

GPTL_INLINED int start(const char *address, struct gptl_call call)
{
    if (unlikely(!load(&gptl_g.hooks_act)))
        return load(&gptl_g.idle) ? 0 : start_early(address, call.stack, call.caller);
    struct gptl_thread *t = gptl_tls;
    struct gptl_frame *top = load(&t->top), *limit = gptl_load_bound(&t->limit);
    if (top >= limit)
        return start_closed(address, t, limit, call);
    return start_function(address, t, top, call);
}

void __cyg_profile_func_enter(void *function, void *site) __attribute__((visibility("default")));
void __cyg_profile_func_exit(void *function, void *site) __attribute__((visibility("default")));

void __cyg_profile_func_enter(void *function, void *site)
{
    (void)site;
    start(function, gptl_call_here());
}

/* ---- Exit ---------------------------------------------------------------------------------- */

/*
 * Stop a function that is not the innermost region: most likely an excluded one, which was started
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
 * Stop the function that was recently excluded, or an untimed throttled call, without the clock. A
 * recursive excluded function may be the innermost region after all.
 */
static __attribute__((noinline)) int stop_left_out(const char *address, struct gptl_thread *t,
                                                   struct gptl_frame *top, struct gptl_call call)
{
    struct gptl_node *node = load(&top->node);
    if (gptl_frame_is_untimed(top) && node->known == (uintptr_t)address) {
        top->call.stack = 0;
        return gptl_again_leave_untimed(t, top, node);
    }
    t->left_out = 0;
    return stop_other_function(address, t, node, call);
}

/* Stop while the gate is closed, or no region is open. */
GPTL_INLINED int stop_closed(const char *address, struct gptl_thread *t, struct gptl_frame *floor,
                             struct gptl_call call)
{
    if (load(&t->top) == floor) /* no region is open */
        return stop_other_function(address, t, load(&floor->node), call);
    if (unlikely(floor != GPTL_FLOOR_DISABLED || t->nswallowed == 0))
        return gptl_slow_exit(address, call);
    t->nswallowed--;
    return 0;
}

GPTL_INLINED int stop(const char *address, struct gptl_call call)
{
    if (unlikely(!load(&gptl_g.hooks_act)))
        return load(&gptl_g.idle) ? 0 : stop_early(address, call.stack, call.caller);
    struct gptl_thread *t = gptl_tls;
    struct gptl_frame *top = load(&t->top), *floor = gptl_load_bound(&t->floor);
    if (top <= floor)
        return stop_closed(address, t, floor, call);
    if (unlikely(t->left_out == (uintptr_t)address))
        return stop_left_out(address, t, top, call);
    uint64_t now = gptl_counter();
    struct gptl_node *node = load(&top->node);
    if (unlikely(!gptl_lookup_is_literal(node, address, GPTL_FUNCTION, NULL)))
        return stop_other_function(address, t, node, call);
    top->call.stack = 0; /* the next frame here must not begin with this call */
    return gptl_short_leave(t, top, node, now);
}

void __cyg_profile_func_exit(void *function, void *site)
{
    (void)site;
    stop(function, gptl_call_here());
}
