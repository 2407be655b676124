/*
 * throttle.c - sampling of short, frequent regions: selection of the timed calls, and statistics of
 * blocks.
 */
#include "config.h"

#include "core/throttle.h"

#include "core/busy.h"
#include "core/clock.h"
#include "core/estimate.h"

#define load(p) atomic_load_explicit(p, memory_order_relaxed)
#define store(p, v) atomic_store_explicit(p, v, memory_order_relaxed)

static struct gptl_throttle *throttle_of(const struct gptl_node *node)
{
    struct gptl_extra *extra = load(&node->extra);
    return load(&extra->throttle);
}

static uint32_t patience(void)
{
    long long calls = gptl_core_option(GPTL_OPT_THROTTLE);
    return calls > 0 ? (uint32_t)calls : UINT32_MAX;
}

void gptl_throttle_watch(struct gptl_thread *t, struct gptl_node *node)
{
    uint32_t open = load(&node->open);
    if (open & (GPTL_EDGE_BACK | GPTL_LEFT_OUT | GPTL_WATCHED))
        return;
    struct gptl_extra *extra = gptl_tree_extra(t, node);
    if (!extra)
        return;
    extra->countdown = patience();
    store(&node->open, open | GPTL_WATCHED);
}

/* ---- Beginning ----------------------------------------------------------------------------- */

static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/*
 * Return whether the mean of NODE's calls is short, including the call that has just ended and took
 * LAST ticks.
 */
static bool is_short(const struct gptl_thread *t, const struct gptl_node *node, uint64_t last)
{
    double calls = (double)load(&node->count) - (double)load(&node->recurse);
    double ticks = (double)load(&node->total) + (double)last;
    const struct gptl_extra *extra = load(&node->extra);
    if (extra) { /* measurements before the last mark */
        calls += (double)extra->count - (double)extra->recurse;
        ticks += (double)extra->total;
    }
    double below = (double)gptl_core_option(GPTL_OPT_THROTTLE_BELOW) * 1e-9;
    return calls > 0 && ticks * gptl_clock_seconds_per_tick(t->clock) < below * calls;
}

static void begin(struct gptl_thread *t, struct gptl_node *node)
{
    struct gptl_extra *extra = load(&node->extra);
    struct gptl_throttle *throttle = load(&extra->throttle);
    if (!throttle) {
        throttle = gptl_arena_alloc(&t->extras, sizeof *throttle, 64);
        if (!throttle)
            return;
        throttle->random = mixed(((uint64_t)t->slot << 32) + node->index + 1);
    }
    store(&throttle->every, (uint32_t)gptl_core_option(GPTL_OPT_THROTTLE_EVERY));
    throttle->after = 0;
    throttle->is_timed = true; /* so that the next call begins a block */
    store(&throttle->begun, GPTL_UNKNOWN);
    uint64_t before = load(&node->count) + extra->count - load(&node->recurse) - extra->recurse;
    store(&throttle->timed, load(&throttle->timed) ? load(&throttle->timed) + patience() : before);
    atomic_store_explicit(&extra->throttle, throttle, memory_order_release);
    extra->countdown = 1;
    store(&node->open, load(&node->open) | GPTL_THROTTLED);
    if (node->region->function) /* so that its start examines the node before it reads the clock */
        gptl_tree_remember(t, node->parent, node, node->known);
}

/*
 * End the countdown of a watched node, and throttle it if its calls are short. A signal handler may
 * run while memory is allocated: its regions must not be affected.
 */
static void look(struct gptl_thread *t, struct gptl_node *node, uint64_t ticks)
{
    struct gptl_host host = gptl_host_save();
    sigset_t before = gptl_core_hold_signals();
    uint32_t busy = t->busy;
    gptl_busy_set(t, busy + 1, NULL);
    load(&node->extra)->countdown = patience();
    gptl_lock();
    if (is_short(t, node, ticks))
        begin(t, node);
    gptl_unlock();
    gptl_busy_set(t, busy, NULL);
    gptl_core_release_signals(before);
    gptl_host_restore(host);
}

/* ---- Blocks -------------------------------------------------------------------------------- */

/*
 * Return the total time of the parent's calls, if the parent is neither throttled nor recursive.
 * Unlike the elapsed time it excludes the gaps between these calls.
 */
static uint64_t inside(const struct gptl_node *parent, uint64_t since_start)
{
    const struct gptl_extra *extra = load(&parent->extra);
    return load(&parent->total) + (extra ? extra->total : 0) + since_start;
}

uint64_t gptl_throttle_inside(const struct gptl_node *node)
{
    const struct gptl_node *parent = node->parent;
    uint32_t open = load(&parent->open) & ~GPTL_WATCHED;
    return parent->parent && open == 0 ? inside(parent, 0) : GPTL_UNKNOWN;
}

static uint64_t inside_now(const struct gptl_frame *frame, const struct gptl_node *node,
                           uint64_t now)
{
    const struct gptl_node *parent = load(&frame->node);
    uint32_t open = load(&parent->open) & ~GPTL_WATCHED;
    if (parent != node->parent || open != 1 || gptl_frame_is_untimed(frame))
        return GPTL_UNKNOWN;
    return inside(parent, now - load(&frame->start));
}

uint64_t gptl_throttle_lasted(const struct gptl_throttle *throttle, uint64_t now,
                              uint64_t inside_parent)
{
    uint64_t begun = load(&throttle->begun), begun_inside = load(&throttle->inside);
    if (begun == GPTL_UNKNOWN)
        return 0;
    uint64_t elapsed = now > begun ? now - begun : 0;
    if (inside_parent == GPTL_UNKNOWN || begun_inside == GPTL_UNKNOWN ||
        inside_parent - begun_inside > elapsed)
        return elapsed;
    return inside_parent - begun_inside;
}

static struct gptl_throttle_bucket *bucket_of(struct gptl_throttle *throttle, uint64_t elapsed)
{
    uint64_t x = elapsed / GPTL_THROTTLE_SHORTEST;
    unsigned b = x ? 64 - (unsigned)__builtin_clzll(x) : 0;
    return &throttle->bucket[b < GPTL_THROTTLE_BUCKETS ? b : GPTL_THROTTLE_BUCKETS - 1];
}

static void add_block(struct gptl_throttle *throttle, uint64_t elapsed)
{
    struct gptl_throttle_bucket *bucket = bucket_of(throttle, elapsed);
    uint64_t ticks = load(&throttle->ticks);
    store(&bucket->blocks, load(&bucket->blocks) + 1);
    store(&bucket->elapsed, load(&bucket->elapsed) + elapsed);
    if (elapsed > load(&bucket->longest))
        store(&bucket->longest, elapsed);
    store(&bucket->ticks, load(&bucket->ticks) + ticks);
    store(&bucket->squares, load(&bucket->squares) + (double)ticks * (double)ticks);
}

static void begin_block(struct gptl_throttle *throttle, uint64_t now, uint64_t inside_parent)
{
    if (load(&throttle->begun) != GPTL_UNKNOWN)
        add_block(throttle, gptl_throttle_lasted(throttle, now, inside_parent));
    throttle->random += 0x9e3779b97f4a7c15u;
    uint32_t every = load(&throttle->every);
    throttle->after = (uint32_t)((mixed(throttle->random) >> 32) * every >> 32);
    throttle->is_timed = false;
    store(&throttle->ticks, 0);
    store(&throttle->inside, inside_parent);
    store(&throttle->begun, now);
}

GPTL_ALIGNS_STACK bool gptl_throttle_next(const struct gptl_frame *parent, struct gptl_node *node,
                                          uint64_t now)
{
    struct gptl_extra *extra = load(&node->extra);
    struct gptl_throttle *throttle = load(&extra->throttle);
    uint32_t before = 0;
    if (throttle->is_timed) {
        struct gptl_host host = gptl_host_save();
        begin_block(throttle, now, inside_now(parent, node, now));
        gptl_host_restore(host);
        before = load(&throttle->every) - 1 - throttle->after;
    }
    if (before) {
        extra->countdown = before;
        return false;
    }
    throttle->is_timed = true;
    extra->countdown = throttle->after + 1;
    return true;
}

GPTL_ALIGNS_STACK void gptl_throttle_ended(struct gptl_thread *t, struct gptl_node *node,
                                           uint64_t ticks)
{
    if (!gptl_node_is_throttled(node)) {
        look(t, node, ticks);
        return;
    }
    struct gptl_throttle *throttle = throttle_of(node);
    store(&throttle->ticks, ticks);
    store(&throttle->timed, load(&throttle->timed) + 1);
}

/* ---- Orders -------------------------------------------------------------------------------- */

/* Discard the blocks and watch the node again. */
static void forget_blocks(struct gptl_node *node, struct gptl_throttle *throttle)
{
    for (int i = 0; i < GPTL_THROTTLE_BUCKETS; i++) {
        struct gptl_throttle_bucket *bucket = &throttle->bucket[i];
        store(&bucket->blocks, 0);
        store(&bucket->elapsed, 0);
        store(&bucket->longest, 0);
        store(&bucket->ticks, 0);
        store(&bucket->squares, 0);
    }
    store(&throttle->begun, GPTL_UNKNOWN);
    store(&throttle->ticks, 0);
    load(&node->extra)->countdown = patience();
    store(&node->open, load(&node->open) & ~GPTL_THROTTLED);
}

void gptl_throttle_reset(struct gptl_node *node)
{
    const struct gptl_extra *extra = load(&node->extra);
    struct gptl_throttle *throttle = extra ? load(&extra->throttle) : NULL;
    if (!throttle)
        return;
    forget_blocks(node, throttle);
    store(&throttle->timed, 0);
    store(&throttle->error, 0);
}

static struct gptl_throttle *block_of(struct gptl_node *node)
{
    if (!gptl_node_is_throttled(node))
        return NULL;
    struct gptl_throttle *throttle = throttle_of(node);
    return load(&throttle->begun) == GPTL_UNKNOWN ? NULL : throttle;
}

void gptl_throttle_reset_parent(struct gptl_node *node)
{
    struct gptl_throttle *throttle = block_of(node);
    if (throttle)
        store(&throttle->inside, GPTL_UNKNOWN);
}

void gptl_throttle_shift(struct gptl_node *node, uint64_t ticks)
{
    struct gptl_throttle *throttle = block_of(node);
    if (throttle)
        store(&throttle->begun, load(&throttle->begun) + ticks);
}

void gptl_throttle_convert(struct gptl_node *node, double factor, uint64_t now)
{
    struct gptl_extra *extra = load(&node->extra);
    struct gptl_throttle *throttle = extra ? load(&extra->throttle) : NULL;
    if (!throttle)
        return;
    uint64_t error = load(&throttle->error), before = extra->total;
    if (gptl_node_is_throttled(node)) {
        uint64_t lasted = gptl_throttle_lasted(throttle, now, gptl_throttle_inside(node));
        uint64_t total = gptl_estimate_total(throttle, load(&node->total) + before, lasted, &error);
        extra->total = total < before ? total : before;
        store(&node->total, total - extra->total);
        forget_blocks(node, throttle);
    }
    store(&throttle->error, (uint64_t)((double)error * factor + 0.5));
}
