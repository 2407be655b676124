/*
 * metered.c - starts and stops while counters are on and no other feature is active: the fast path
 * with a reading of the counters. All other cases continue in simple.c.
 *
 * A start reads the counters last, just before the clock, and a stop reads them first, just after
 * it: work in between is charged to the region. ctests/pmu/pmu_instructions measures the number of
 * these instructions. With these functions a pair takes 1.29 times as long as two readings of
 * counters in user space and two of the clock; simple.c took 1.36 times (bench/counters).
 */
#include "config.h"

#include "core/busy.h"
#include "core/clock.h"
#include "core/frame.h"
#include "core/host.h"
#include "core/lookup.h"
#include "core/meter.h"
#include "core/slow.h"

#define load(p) atomic_load_explicit(p, memory_order_relaxed)
#define store(p, v) atomic_store_explicit(p, v, memory_order_relaxed)

/* Return whether one function reads all values, and no other feature is active. */
GPTL_INLINED bool is_plain(const struct gptl_thread *t)
{
    return load(&t->gate) == GPTL_GATE_METER && !t->busy && t->meter.direct && !t->meter.paused;
}

GPTL_INLINED bool is_named(const struct gptl_node *node, const char *name, size_t length,
                           const int *handle)
{
    bool may_be_literal = !gptl_length_is_counted(length) || length < GPTL_LITERAL_LENGTHS;
    return (may_be_literal && gptl_lookup_is_literal(node, name, length, handle)) ||
           (length == GPTL_NUL_ENDED && gptl_lookup_is_unchanged(node, name, handle));
}

/* ---- Start --------------------------------------------------------------------------------- */

/* Start the region if the case is simple. Return false, without any change, if not. */
GPTL_INLINED bool start_metered(struct gptl_thread *t, const char *name, size_t length,
                                const int *handle, struct gptl_call call)
{
    struct gptl_frame *top = load(&t->top);
    uint32_t k = gptl_thread_depth(t) + 1;
    if (unlikely(!is_plain(t) || !gptl_meter_is_open(t) || k >= t->side_size))
        return false;
    struct gptl_node *parent = load(&top->node), *node = parent->last->next;
    if (unlikely(!is_named(node, name, length, handle) || load(&node->open)))
        return false;
    gptl_busy_enter(t, call);
    parent->last = node;
    store(&node->open, 1);
    store(&t->top, top + 1); /* before the node: see short.h */
    atomic_signal_fence(memory_order_release);
    store(&top[1].node, node);
    store(&top[1].start, 0);
    struct gptl_side_frame *side = &t->side[k];
    side->prefix = 0;
    side->metered =
        gptl_meter_read_direct(&t->meter, gptl_meter_values(t, k)) ? t->meter.generation : 0;
    gptl_busy_leave(t);
    store(&top[1].start, gptl_counter());
    return true;
}

GPTL_ALIGNS_STACK int gptl_slow_start(const char *name, size_t length, int *handle)
{
    struct gptl_call call = GPTL_CALL_OF_THIS;
    if (likely(start_metered(gptl_tls, name, length, handle, call)))
        return 0;
    return gptl_simple_start(name, length, handle, call);
}

/* ---- Stop ---------------------------------------------------------------------------------- */

/* Add the values since the frame's start. Return false if the node lacks space for them. */
GPTL_INLINED bool add_values(const struct gptl_thread *t, const struct gptl_node *node, uint32_t k)
{
    const struct gptl_metering *m = &t->meter;
    const struct gptl_extra *extra = load(&node->extra);
    struct gptl_values *values = extra ? load(&extra->values) : NULL;
    const int64_t *from = gptl_meter_values(t, k);
    if (unlikely(!values || values->n < m->n))
        return false;
    for (uint32_t i = m->first; i < m->n; i++) /* wraps around, as sums of counters may */
        store(&values->value[i], (int64_t)((uint64_t)load(&values->value[i]) + (uint64_t)m->now[i] -
                                           (uint64_t)from[i]));
    return true;
}

/* End the frame on top, the only one of its node, with the readings. */
GPTL_INLINED void end_metered(struct gptl_thread *t, struct gptl_frame *top, struct gptl_node *node,
                              uint32_t k, uint64_t now)
{
    uint64_t ticks = now - load(&top->start);
    if (unlikely(load(&node->open) != 1 || ticks > load(&node->max) || t->ncrossed ||
                 !add_values(t, node, k))) {
        gptl_frame_end_then(t, top, now, t->meter.now);
        return;
    }
    store(&node->open, 0);
    store(&node->count, load(&node->count) + 1);
    store(&node->latest, (uint32_t)ticks);
    store(&node->total, load(&node->total) + ticks);
    if (unlikely(ticks < load(&node->min)))
        store(&node->min, (uint32_t)ticks);
    store(&t->top, top - 1);
}

/* Stop the region if the case is simple. Return false, without any change, if not. */
GPTL_INLINED bool stop_metered(struct gptl_thread *t, const char *name, size_t length,
                               const int *handle, struct gptl_call call)
{
    struct gptl_frame *top = load(&t->top);
    uint32_t k = gptl_thread_depth(t);
    if (unlikely(!is_plain(t) || t->skipped || k == 0 || k >= t->side_size ||
                 t->side[k].metered != load(&gptl_g.metering)))
        return false;
    struct gptl_node *node = load(&top->node);
    uint64_t now = gptl_counter();
    if (unlikely(!is_named(node, name, length, handle)))
        return false;
    gptl_busy_enter(t, call);
    if (likely(gptl_meter_read_direct(&t->meter, t->meter.now))) {
        end_metered(t, top, node, k, now);
    } else {
        t->side[k].metered = 0; /* exclude the call from the values */
        gptl_frame_end(t, top, now);
    }
    gptl_busy_leave(t);
    return true;
}

GPTL_ALIGNS_STACK int gptl_slow_stop(const char *name, size_t length, int *handle, uint64_t now)
{
    struct gptl_call call = GPTL_CALL_OF_THIS;
    if (likely(!now && stop_metered(gptl_tls, name, length, handle, call)))
        return 0;
    return gptl_simple_stop(name, length, handle, now, call);
}
