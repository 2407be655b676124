/*
 * simple.c - starts and stops outside of the fast path that need one more step at most: features
 * are active, but the region is remembered, and the order is right. All other cases continue in
 * slow.c.
 *
 * A start reads the meters last, just before the clock, and a stop reads them first, just after it:
 * work in between is charged to the region.
 */
#include "config.h"

#include <limits.h>

#include "core/busy.h"
#include "core/clock.h"
#include "core/frame.h"
#include "core/host.h"
#include "core/meter.h"
#include "core/slow.h"

#define load(p) atomic_load_explicit(p, memory_order_relaxed)
#define store(p, v) atomic_store_explicit(p, v, memory_order_relaxed)

/* Gate bits of features that need only one more step of a start or stop. */
enum {
    GATE_SIMPLE = GPTL_GATE_CLOCK | GPTL_GATE_DEPTH | GPTL_GATE_METER | GPTL_GATE_HISTOGRAM |
                  GPTL_GATE_FOLLOWED,
};

/* Return whether LENGTH is a possible length of a name, or a pseudo-length. */
static bool is_usable(size_t length)
{
    return length <= INT_MAX || !gptl_length_is_counted(length);
}

/*
 * Read the clock, without an indirect call for the default clock: that call is most expensive just
 * after a meter's system call.
 */
static uint64_t read_clock(const struct gptl_thread *t, uint32_t gate)
{
    return gate & GPTL_GATE_CLOCK ? t->clock->read() : gptl_counter();
}

/* ---- Start --------------------------------------------------------------------------------- */

/* Return whether frame K can be pushed with all data that the gate requests. */
GPTL_INLINED bool has_room(const struct gptl_thread *t, uint32_t gate, uint32_t k)
{
    if (k >= t->stack_size || (gate & GPTL_GATE_DEPTH && gptl_slow_too_deep(t)))
        return false;
    return !(gate & GPTL_GATE_METER) ||
           (k < t->side_size && gptl_meter_is_open(t) && !t->meter.paused);
}

/* Return the node to start, if it is remembered, or NULL. */
GPTL_INLINED struct gptl_node *find(struct gptl_thread *t, struct gptl_node *parent,
                                    const char *name, size_t length, const int *handle)
{
    struct gptl_node *node = parent->last->next;
    return gptl_lookup_is_one(node, name, length, handle)
               ? node
               : gptl_lookup_cached(t, parent, name, length, handle);
}

/*
 * Read the meters for frame K, just pushed, if it is the outermost of its node (IS_FIRST) and
 * timed.
 */
GPTL_INLINED void read_at_start(struct gptl_thread *t, uint32_t k, bool is_first)
{
    struct gptl_side_frame *side = &t->side[k];
    side->prefix = 0;
    side->metered = 0;
    if (is_first && gptl_meter_read_to(t, gptl_meter_values(t, k)))
        side->metered = t->meter.generation;
}

/* Start the region if the case is simple. Return false, without any change, if not. */
GPTL_INLINED bool start_simply(struct gptl_thread *t, const char *name, size_t length, int *handle,
                               struct gptl_call call)
{
    uint32_t gate = load(&t->gate), k = gptl_thread_depth(t) + 1;
    if (!gate || gate & ~(uint32_t)GATE_SIMPLE || t->busy || !name ||
        (handle && gptl_lookup_handle(handle) == 0) || !is_usable(length) || !has_room(t, gate, k))
        return false;
    struct gptl_frame *top = load(&t->top);
    struct gptl_node *parent = load(&top->node), *node = find(t, parent, name, length, handle);
    if (!node)
        return false;
    if (gptl_node_is_left_out(node))
        return true;
    if (length == GPTL_FUNCTION && gptl_node_open(node) && gptl_call_is_after(call, top->call))
        return false;
    gptl_busy_enter(t, call);
    if (gate & GPTL_GATE_FOLLOWED)
        gptl_state_tell_follower(parent);
    gptl_tree_follow(parent, node, gptl_tree_function(node));
    bool timed = true, is_first = load(&node->open) == 0;
    if (is_first) {
        store(&node->open, 1);
        store(&t->top, top + 1); /* before the node: see short.h */
        atomic_signal_fence(memory_order_release);
        top[1].call = call;
        store(&top[1].node, node);
        store(&top[1].start, 0);
    } else {
        gptl_frame_push(t, node, call);
        timed = !gptl_frame_is_untimed(top + 1);
        is_first = timed && gptl_node_open(load(&top[1].node)) == 1;
    }
    if (gate & GPTL_GATE_METER)
        read_at_start(t, k, is_first);
    gptl_busy_leave(t);
    if (timed)
        store(&top[1].start, read_clock(t, gate));
    return true;
}

int gptl_simple_start(const char *name, size_t length, int *handle, struct gptl_call call)
{
    if (start_simply(gptl_tls, name, length, handle, call))
        return 0;
    return gptl_slow_start_any(name, length, handle, call);
}

GPTL_ALIGNS_STACK int gptl_slow_enter(const char *address, struct gptl_call call)
{
    struct gptl_host host = gptl_host_look(); /* a meter may use any instructions to read */
    bool started = start_simply(gptl_tls, address, GPTL_FUNCTION, NULL, call);
    gptl_host_put_back(host);
    if (started)
        return 0;
    return gptl_slow_enter_any(address, call);
}

/* ---- Stop ---------------------------------------------------------------------------------- */

/*
 * Return the meter values at the end of frame K; NULL if they were not read at its start, or cannot
 * be read.
 */
GPTL_INLINED const int64_t *read_at_stop(struct gptl_thread *t, uint32_t k)
{
    if (!gptl_meter_has_frame(t, k) || t->meter.paused)
        return NULL;
    if (gptl_meter_read_to(t, t->meter.now))
        return t->meter.now;
    t->side[k].metered = 0; /* exclude the call from the values */
    return NULL;
}

/*
 * Stop the region if the case is simple. Return false, without any change, if not. A bytewise
 * comparison of the name waits until all readings are done.
 */
GPTL_INLINED bool stop_simply(struct gptl_thread *t, const char *name, size_t length, int *handle,
                              struct gptl_call call)
{
    uint32_t gate = load(&t->gate); /* load once: another thread may change it, with the clock */
    uint32_t k = gptl_thread_depth(t);
    if (gate & ~(uint32_t)GATE_SIMPLE || t->busy || t->skipped || !name || !is_usable(length) ||
        k == 0)
        return false;
    struct gptl_frame *top = load(&t->top);
    struct gptl_node *node = load(&top->node);
    if (length == GPTL_FUNCTION && !gptl_lookup_is_literal(node, name, length, handle))
        return false;
    uint64_t now = gptl_frame_is_untimed(top) ? 0 : read_clock(t, gate);
    gptl_busy_enter(t, call);
    const int64_t *values = gate & GPTL_GATE_METER ? read_at_stop(t, k) : NULL;
    bool is_one = gptl_lookup_is_one(node, name, length, handle);
    if (is_one && gate & GPTL_GATE_FOLLOWED)
        gptl_state_tell_follower(node);
    if (is_one)
        gptl_frame_end_then(t, top, now, values);
    gptl_busy_leave(t);
    return is_one;
}

int gptl_simple_stop(const char *name, size_t length, int *handle, uint64_t now,
                     struct gptl_call call)
{
    if (!now && stop_simply(gptl_tls, name, length, handle, call))
        return 0;
    return gptl_slow_stop_any(name, length, handle, now, call);
}

GPTL_ALIGNS_STACK int gptl_slow_exit(const char *address, struct gptl_call call)
{
    struct gptl_host host = gptl_host_look();
    bool stopped = stop_simply(gptl_tls, address, GPTL_FUNCTION, NULL, call);
    gptl_host_put_back(host);
    if (stopped)
        return 0;
    return gptl_slow_exit_any(address, call);
}
