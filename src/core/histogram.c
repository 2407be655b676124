/* histogram.c - histograms of the call times of a node. */
#include "config.h"

#include "core/histogram.h"

#include <stdlib.h>

enum { LINEAR = 32, PARTS = 32, LOG_PARTS = 5, LARGEST = 44 };

unsigned gptl_histogram_bucket(uint64_t ticks)
{
    if (ticks < LINEAR)
        return (unsigned)ticks;
    unsigned power = 63 - (unsigned)__builtin_clzll(ticks);
    if (power >= LARGEST)
        return GPTL_HISTOGRAM_BUCKETS - 1;
    unsigned part = (unsigned)(ticks >> (power - LOG_PARTS)) & (PARTS - 1);
    return LINEAR + (power - LOG_PARTS) * PARTS + part;
}

double gptl_histogram_middle(int number)
{
    unsigned bucket = (unsigned)number;
    if (bucket < LINEAR)
        return bucket;
    unsigned power = (bucket - LINEAR) / PARTS + LOG_PARTS, part = (bucket - LINEAR) % PARTS;
    double width = (double)(UINT64_C(1) << (power - LOG_PARTS));
    return (double)(UINT64_C(1) << power) + (part + 0.5) * width;
}

void gptl_core_histogram_add(struct gptl_histogram *h, uint64_t ticks)
{
    h->bucket[gptl_histogram_bucket(ticks)]++;
}

double gptl_core_histogram_quantile(const struct gptl_histogram *h, double fraction)
{
    uint64_t calls = 0, below = 0;
    for (unsigned i = 0; i < GPTL_HISTOGRAM_BUCKETS; i++)
        calls += h->bucket[i];
    double wanted = fraction * (double)calls;
    for (unsigned i = 0; i < GPTL_HISTOGRAM_BUCKETS; i++) {
        below += h->bucket[i];
        if (below > 0 && (double)below >= wanted)
            return gptl_histogram_middle((int)i);
    }
    return 0;
}

void gptl_histogram_add_calls(struct gptl_thread *t, struct gptl_node *node, uint64_t ticks,
                              uint64_t calls)
{
    struct gptl_extra *extra = gptl_tree_extra(t, node);
    if (!extra)
        return;
    struct gptl_histogram *histogram =
        atomic_load_explicit(&extra->histogram, memory_order_relaxed);
    if (!histogram) {
        histogram = gptl_arena_alloc(&t->extras, sizeof *histogram, 64);
        if (!histogram)
            return;
        atomic_store_explicit(&extra->histogram, histogram, memory_order_release);
    }
    uint64_t *bucket = &histogram->bucket[gptl_histogram_bucket(ticks)];
    __atomic_store_n(bucket, *bucket + calls, __ATOMIC_RELAXED);
}

struct gptl_histogram *gptl_histogram_copy(const struct gptl_extra *extra)
{
    const struct gptl_histogram *from =
        atomic_load_explicit(&extra->histogram, memory_order_acquire);
    struct gptl_histogram *to = from ? malloc(sizeof *to) : NULL;
    for (int i = 0; to && i < GPTL_HISTOGRAM_BUCKETS; i++)
        to->bucket[i] = __atomic_load_n(&from->bucket[i], __ATOMIC_RELAXED);
    return to;
}
