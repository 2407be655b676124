/* crossed.c - stops out of order, and missing stops. */
#include "config.h"

#include "core/crossed.h"

#include <string.h>

#include "core/frame.h"
#include "core/meter.h"
#include "core/slow.h"

#define load(p) atomic_load_explicit(p, memory_order_relaxed)
#define store(p, v) atomic_store_explicit(p, v, memory_order_relaxed)

static const char *name_of(const struct gptl_frame *frame)
{
    return load(&frame->node)->region->name;
}

/* Count the pair of regions for the report. */
static void record(struct gptl_thread *t, const char *stopped, const char *inside)
{
    store(&t->crossed, load(&t->crossed) + 1);
    gptl_core_count_quiet_warning();
    gptl_lock();
    uint32_t i = 0;
    while (i < t->ncrossings &&
           (t->crossings[i].stopped != stopped || t->crossings[i].inside != inside))
        i++;
    if (i < t->ncrossings)
        t->crossings[i].times++;
    else if (i < GPTL_NCROSSINGS)
        t->crossings[t->ncrossings++] = (struct gptl_crossing){stopped, inside, 1};
    gptl_unlock();
}

/* End a frame whose stop is missing, and remember it in case the stop comes late. */
static void end_missed(struct gptl_thread *t, struct gptl_frame *frame)
{
    struct gptl_node *node = load(&frame->node);
    uint32_t i = t->nmissed++ % GPTL_NMISSED, k = (uint32_t)(frame - load(&t->base));
    struct gptl_missed *missed = &t->missed[i];
    missed->node = node;
    missed->start = load(&frame->start);
    missed->ended = t->side[k].crossed_at;
    missed->min = gptl_node_min(node);
    store(&node->unstopped, load(&node->unstopped) + 1);
    gptl_frame_end_then(t, frame, missed->ended, gptl_meter_missed(t, k, i));
}

bool gptl_crossed_late(struct gptl_thread *t, struct gptl_name name, uint64_t now)
{
    struct gptl_missed *missed = t->missed, *end = t->missed + GPTL_NMISSED;
    while (missed < end && !(missed->node && gptl_name_is_of(name, missed->node->region)))
        missed++;
    if (missed == end)
        return false;
    struct gptl_node *node = missed->node;
    uint64_t ticks = now - missed->start;
    store(&node->unstopped, load(&node->unstopped) - 1);
    if (missed->start >= GPTL_UNTIMED) {
        missed->node = NULL;
        return true;
    }
    store(&node->total, load(&node->total) + (now - missed->ended));
    gptl_node_set_latest(node, ticks);
    if (ticks > gptl_node_max(node))
        gptl_node_set_max(node, ticks);
    if (gptl_node_min(node) == missed->ended - missed->start)
        gptl_node_set_min(node, ticks < missed->min ? ticks : missed->min);
    gptl_meter_late(t, (uint32_t)(missed - t->missed));
    missed->node = NULL;
    return true;
}

static void watch(struct gptl_thread *t, uint32_t k, uint64_t start, uint64_t now,
                  const int64_t *values)
{
    struct gptl_side_frame *side = &t->side[k];
    if (!side->crossed && t->ncrossed++ == 0)
        gptl_thread_gate_set(t, GPTL_GATE_CROSSED);
    side->crossed = true;
    side->crossed_at = now;
    side->crossed_start = start;
    gptl_meter_crossed(t, k, values);
}

static bool is_function(const struct gptl_frame *frame)
{
    return load(&frame->node)->region->function != NULL;
}

void gptl_crossed_stop(struct gptl_thread *t, struct gptl_frame **frame, uint64_t now)
{
    struct gptl_frame *top = load(&t->top);
    uint64_t start = load(&(*frame)->start);
    while (top > *frame && is_function(top))
        top--;
    if (top == *frame)
        return;
    record(t, name_of(*frame), name_of(top));
    ptrdiff_t k = *frame - load(&t->base);
    if (!gptl_thread_grow_side(t))
        return;
    const int64_t *values = gptl_meter_read(t);
    for (struct gptl_frame *f = top; f > *frame; f--) {
        struct gptl_side_frame *side = &t->side[f - load(&t->base)];
        if (is_function(f))
            continue;
        if (side->crossed && start < side->crossed_start)
            end_missed(t, f);
        else
            watch(t, (uint32_t)(f - load(&t->base)), start, now, values);
    }
    *frame = load(&t->base) + k;
}

void gptl_crossed_start(struct gptl_thread *t, struct gptl_name name)
{
    for (struct gptl_frame *f = load(&t->top); f > load(&t->base); f--)
        if (t->side[f - load(&t->base)].crossed && gptl_slow_is_frame_of(t, f, name))
            end_missed(t, f);
}

void gptl_crossed_ended(struct gptl_thread *t, uint32_t k)
{
    t->side[k].crossed = false;
    if (--t->ncrossed == 0)
        gptl_thread_gate_clear(t, GPTL_GATE_CROSSED);
}
