/* frame.c - the stack of open regions: push a frame, end a frame and add its time. */
#include "config.h"

#include "core/frame.h"

#include <string.h>

#include "core/clock.h"
#include "core/crossed.h"
#include "core/histogram.h"
#include "core/meter.h"
#include "core/throttle.h"

#define load(p) atomic_load_explicit(p, memory_order_relaxed)
#define store(p, v) atomic_store_explicit(p, v, memory_order_relaxed)

/*
 * Return whether the new call of NODE, already counted as open, is timed. PARENT is its parent's
 * frame.
 */
static bool is_timed(const struct gptl_thread *t, const struct gptl_frame *parent,
                     struct gptl_node *node)
{
    return !gptl_node_is_throttled(node) ||
           (gptl_node_open(node) == 1 && gptl_throttle_is_next(node) &&
            gptl_throttle_next(parent, node, t->clock->read()));
}

void gptl_frame_push(struct gptl_thread *t, struct gptl_node *node, struct gptl_call call)
{
    uint32_t open = load(&node->open);
    if (open == GPTL_EDGE_BACK) {
        gptl_increment(&node->count);
        node = node->last;
        open = load(&node->open);
    }
    if (open & GPTL_OPEN_FRAMES)
        gptl_increment(&node->recurse);
    store(&node->open, open + 1);
    struct gptl_frame *top = load(&t->top);
    bool timed = is_timed(t, top, node);
    store(&t->top, top + 1); /* before the node: see short.h */
    atomic_signal_fence(memory_order_release);
    top[1].call = call;
    store(&top[1].node, node);
    store(&top[1].start, timed ? 0 : GPTL_UNTIMED);
}

void gptl_frame_add_times(struct gptl_thread *t, struct gptl_node *node, uint64_t calls,
                          uint64_t ticks, uint64_t each)
{
    gptl_node_set_latest(node, each);
    store(&node->total, load(&node->total) + ticks);
    if (each > gptl_node_max(node))
        gptl_node_set_max(node, each);
    if (each < gptl_node_min(node))
        gptl_node_set_min(node, each);
    if (load(&t->gate) & GPTL_GATE_HISTOGRAM)
        gptl_histogram_add_calls(t, node, each, calls);
}

/* Remove side frame K and move those above it down. There may be fewer side frames than frames. */
static void move_side_frames(struct gptl_thread *t, uint32_t k, uint32_t top)
{
    if (top >= t->side_size)
        top = t->side_size ? t->side_size - 1 : 0;
    if (k >= top)
        return;
    memmove(&t->side[k], &t->side[k + 1], (top - k) * sizeof *t->side);
    memmove(t->side_values + (size_t)k * t->side_stride,
            t->side_values + (size_t)(k + 1) * t->side_stride,
            (size_t)(top - k) * t->side_stride * sizeof *t->side_values);
    t->side[top] = (struct gptl_side_frame){.crossed = false};
}

/* Add the time of the frame's call to its node. */
static void end_call(struct gptl_thread *t, struct gptl_frame *frame, uint64_t now,
                     const int64_t *values)
{
    struct gptl_node *node = load(&frame->node);
    uint64_t begin = load(&frame->start);
    store(&node->open, load(&node->open) - 1);
    gptl_increment(&node->count);
    if (gptl_node_open(node) == 0 && !gptl_frame_is_untimed(frame)) {
        uint32_t calls = gptl_throttle_calls(node);
        if (load(&t->gate) & GPTL_GATE_METER) /* first, since the work below would count as well */
            gptl_meter_stop(t, node, (uint32_t)(frame - load(&t->base)), values, calls);
        uint64_t ticks = now - begin;
        if ((int64_t)ticks < 0) {
            gptl_increment(&t->backwards);
            ticks = 0;
        }
        gptl_throttle_end(t, node, ticks);
        gptl_frame_add_times(t, node, calls, calls * ticks, ticks);
    }
}

void gptl_frame_end_then(struct gptl_thread *t, struct gptl_frame *frame, uint64_t now,
                         const int64_t *values)
{
    /* false if an interrupted hook left a frame of another node */
    if (gptl_node_open(load(&frame->node)))
        end_call(t, frame, now, values);
    struct gptl_frame *top = load(&t->top);
    uint32_t k = (uint32_t)(frame - load(&t->base));
    if (t->ncrossed && t->side[k].crossed)
        gptl_crossed_ended(t, k);
    for (struct gptl_frame *f = frame; f < top; f++) {
        store(&f->node, load(&f[1].node));
        store(&f->start, load(&f[1].start));
        f->call = f[1].call;
    }
    if (frame < top)
        move_side_frames(t, k, (uint32_t)(top - load(&t->base)));
    top->call.stack = 0; /* see short.h */
    store(&t->top, top - 1);
    gptl_clock_checkpoint(now); /* all long calls end here */
}

void gptl_frame_end(struct gptl_thread *t, struct gptl_frame *frame, uint64_t now)
{
    gptl_frame_end_then(t, frame, now, NULL);
}

void gptl_frame_end_all(struct gptl_thread *t)
{
    if (load(&t->gate) & GPTL_GATE_DISABLED)
        gptl_meter_pause(t);
    uint64_t now =
        load(&t->gate) & GPTL_GATE_DISABLED ? load(&gptl_g.disabled_at) : t->clock->read();
    while (gptl_thread_depth(t) > 0) {
        struct gptl_frame *top = load(&t->top);
        struct gptl_node *node = load(&top->node);
        store(&node->unstopped, load(&node->unstopped) + 1);
        gptl_frame_end(t, top, now);
    }
}
