/* convert.c - conversion of a thread's times into ticks of another clock. */
#include "config.h"

#include "core/convert.h"

#include "core/clock.h"
#include "core/histogram.h"
#include "core/throttle.h"

#define load(p) atomic_load_explicit(p, memory_order_relaxed)
#define store(p, v) atomic_store_explicit(p, v, memory_order_relaxed)

static uint64_t scaled(uint64_t ticks, double factor)
{
    return ticks == UINT64_MAX ? ticks : (uint64_t)((double)ticks * factor + 0.5);
}

static void scale(_Atomic uint64_t *ticks, double factor)
{
    store(ticks, scaled(load(ticks), factor));
}

static void scale_plain(uint64_t *ticks, double factor)
{
    *ticks = scaled(*ticks, factor);
}

/* Move the calls of each bucket to the bucket of its middle on the new scale. */
static void scale_histogram(struct gptl_histogram *histogram, double factor)
{
    struct gptl_histogram old = {{0}};
    for (int i = 0; i < GPTL_HISTOGRAM_BUCKETS; i++) {
        old.bucket[i] = histogram->bucket[i];
        __atomic_store_n(&histogram->bucket[i], 0, __ATOMIC_RELAXED);
    }
    for (int i = 0; i < GPTL_HISTOGRAM_BUCKETS; i++) {
        uint64_t ticks = (uint64_t)(gptl_histogram_middle(i) * factor + 0.5);
        uint64_t *bucket = &histogram->bucket[gptl_histogram_bucket(ticks)];
        __atomic_store_n(bucket, *bucket + old.bucket[i], __ATOMIC_RELAXED);
    }
}

static void scale_intervals(struct gptl_thread *t, double factor)
{
    for (struct gptl_interval_part *part = t->intervals; part; part = part->next)
        for (uint32_t i = 0; i < part->nrows; i++) {
            scale_plain(&part->rows[i].total, factor);
            scale_plain(&part->rows[i].max, factor);
            scale_plain(&part->rows[i].min, factor);
        }
}

void gptl_convert_thread(struct gptl_thread *t, const struct gptl_clock *clock)
{
    double new_tick = gptl_clock_lasting_seconds_per_tick(clock);
    double factor = new_tick > 0 ? gptl_clock_lasting_seconds_per_tick(t->clock) / new_tick : 0;
    uint64_t old_now = t->clock->read(), new_now = clock->read();
    uint32_t n = atomic_load_explicit(&t->tree.nnodes, memory_order_relaxed);
    for (uint32_t i = 1; i < n; i++) /* uses the node's parent in old ticks */
        gptl_throttle_convert(gptl_tree_node(&t->tree, i), factor, old_now);
    for (uint32_t i = 1; i < n; i++) {
        struct gptl_node *node = gptl_tree_node(&t->tree, i);
        scale(&node->total, factor);
        gptl_node_set_max(node, scaled(gptl_node_max(node), factor));
        gptl_node_set_min(node, scaled(gptl_node_min(node), factor));
        gptl_node_set_latest(node, scaled(gptl_node_latest(node), factor));
        struct gptl_extra *extra = load(&node->extra);
        if (extra) {
            scale_plain(&extra->total, factor);
            scale_plain(&extra->max, factor);
            scale_plain(&extra->min, factor);
            scale(&extra->given, factor);
            if (load(&extra->histogram))
                scale_histogram(load(&extra->histogram), factor);
        }
    }
    scale_intervals(t, factor);
    struct gptl_frame *top = load(&t->top);
    for (struct gptl_frame *f = load(&t->base) + 1; f <= top; f++) {
        if (gptl_frame_is_untimed(f))
            continue;
        double ago = (double)(old_now - load(&f->start)) * factor;
        uint64_t ticks = ago > 0 && ago < (double)new_now ? (uint64_t)ago : 0;
        store(&f->start, new_now - ticks);
    }
    scale(&t->own_work, factor);
    t->clock = clock;
    t->given_rate *= factor > 0 ? 1 / factor : 0;
}
