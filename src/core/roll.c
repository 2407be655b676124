/* roll.c - resets, marks and changes of the clock: requests to threads, and their execution. */
#include "config.h"

#include "core/roll.h"

#include <stdio.h>
#include <string.h>

#include "core/amounts.h"
#include "core/clock.h"
#include "core/convert.h"
#include "core/histogram.h"
#include "core/ledger.h"
#include "core/meter.h"
#include "core/throttle.h"

#define relaxed_load(p) atomic_load_explicit(p, memory_order_relaxed)
#define relaxed_store(p, v) atomic_store_explicit(p, v, memory_order_relaxed)

static struct {
    uint64_t marks; /* number of GPTLmark calls */
    struct gptl_roll_span *spans;
    uint32_t nspans, capacity;
} roll;

/* ---- Intervals ----------------------------------------------------------------------------- */

uint32_t gptl_roll_spans(const struct gptl_roll_span **spans)
{
    *spans = roll.spans;
    return roll.nspans;
}

static uint32_t span_of(uint64_t mark)
{
    uint32_t low = 0, high = roll.nspans;
    while (low + 1 < high) {
        uint32_t middle = (low + high) / 2;
        if (roll.spans[middle].first <= mark)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Join every two neighbors, so that half of the spans remain. */
static void join_spans(void)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < roll.nspans; i += 2, n++) {
        struct gptl_roll_span joined = roll.spans[i];
        if (i + 1 < roll.nspans) {
            joined = roll.spans[i + 1];
            joined.first = roll.spans[i].first;
        }
        roll.spans[n] = joined;
    }
    roll.nspans = n;
}

static void free_part(struct gptl_interval_part *part)
{
    gptl_mem_free(part, part->size);
}

static void add_row(struct gptl_interval_row *to, const struct gptl_interval_row *from)
{
    to->count += from->count;
    to->total += from->total;
    to->max = to->max > from->max ? to->max : from->max;
    to->min = to->min < from->min ? to->min : from->min;
}

static struct gptl_interval_part *new_part(uint64_t mark, size_t nrows)
{
    size_t size = sizeof(struct gptl_interval_part) + nrows * sizeof(struct gptl_interval_row);
    struct gptl_interval_part *part = gptl_mem_pages(size);
    if (part) {
        part->mark = mark;
        part->size = size;
    }
    return part;
}

/* Join two parts; the rows of both and of the result are in the order of nodes. */
static struct gptl_interval_part *join_parts(struct gptl_interval_part *a,
                                             struct gptl_interval_part *b)
{
    struct gptl_interval_part *joined = new_part(a->mark, (size_t)a->nrows + b->nrows);
    if (!joined)
        return NULL;
    uint32_t i = 0, j = 0;
    while (i < a->nrows || j < b->nrows) {
        struct gptl_interval_row *row = &joined->rows[joined->nrows++];
        if (j == b->nrows || (i < a->nrows && a->rows[i].node < b->rows[j].node))
            *row = a->rows[i++];
        else if (i == a->nrows || b->rows[j].node < a->rows[i].node)
            *row = b->rows[j++];
        else {
            *row = a->rows[i++];
            add_row(row, &b->rows[j++]);
        }
    }
    joined->next = b->next;
    free_part(a);
    free_part(b);
    return joined;
}

void gptl_roll_join_parts(struct gptl_thread *t)
{
    for (struct gptl_interval_part **at = &t->intervals; *at;) {
        struct gptl_interval_part *part = *at, *before = part->next, *joined = NULL;
        if (before && span_of(part->mark) == span_of(before->mark))
            joined = join_parts(part, before);
        if (joined) {
            *at = joined;
            t->nintervals--;
        } else {
            at = &part->next;
        }
    }
}

/* End the current interval of the thread with mark number MARK. */
static void roll_thread(struct gptl_thread *t, uint64_t mark)
{
    uint32_t n = atomic_load_explicit(&t->tree.nnodes, memory_order_relaxed), nrows = 0;
    for (uint32_t i = 1; i < n; i++)
        nrows += relaxed_load(&gptl_tree_node(&t->tree, i)->count) != 0;
    if (nrows == 0)
        return;
    struct gptl_interval_part *part = new_part(mark, nrows);
    if (!part)
        gptl_core_warn("GPTLmark", "no memory for the interval of thread %d", t->slot);

    for (uint32_t i = 1; i < n; i++) {
        struct gptl_node *node = gptl_tree_node(&t->tree, i);
        uint64_t count = relaxed_load(&node->count);
        struct gptl_extra *extra = count ? gptl_tree_extra(t, node) : NULL;
        if (!extra)
            continue;
        struct gptl_interval_row row = {i, count, relaxed_load(&node->total), gptl_node_max(node),
                                        gptl_node_min(node)};
        if (part)
            part->rows[part->nrows++] = row;
        extra->count += count;
        extra->recurse += relaxed_load(&node->recurse);
        extra->total += row.total;
        extra->max = extra->max > row.max ? extra->max : row.max;
        extra->min = extra->min < row.min ? extra->min : row.min;
        relaxed_store(&node->count, 0);
        relaxed_store(&node->recurse, 0);
        relaxed_store(&node->total, 0);
        gptl_node_set_max(node, 0);
        gptl_node_set_min(node, UINT64_MAX);
    }
    if (part) {
        part->next = t->intervals;
        t->intervals = part;
        t->nintervals++;
    }
    if (t->nintervals > (uint32_t)gptl_core_option(GPTL_OPT_MARKS))
        gptl_roll_join_parts(t);
}

/* ---- Resets -------------------------------------------------------------------------------- */

static void zero_extra(struct gptl_extra *extra)
{
    extra->count = extra->recurse = extra->total = extra->max = 0;
    extra->min = UINT64_MAX;
    relaxed_store(&extra->given, 0);
    struct gptl_values *values = relaxed_load(&extra->values);
    for (uint32_t i = 0; values && i < values->n; i++)
        relaxed_store(&values->value[i], 0);
    gptl_amounts_reset(extra);
    struct gptl_histogram *histogram = relaxed_load(&extra->histogram);
    for (int i = 0; histogram && i < GPTL_HISTOGRAM_BUCKETS; i++)
        __atomic_store_n(&histogram->bucket[i], 0, __ATOMIC_RELAXED);
}

/* Zero all numbers of a node. Back edges have counts as well. */
static void zero_node(struct gptl_node *node)
{
    relaxed_store(&node->count, 0);
    relaxed_store(&node->recurse, 0);
    relaxed_store(&node->total, 0);
    gptl_node_set_max(node, 0);
    gptl_node_set_min(node, UINT64_MAX);
    gptl_node_set_latest(node, 0);
    relaxed_store(&node->unstopped, 0);
    struct gptl_extra *extra = relaxed_load(&node->extra);
    if (extra)
        zero_extra(extra);
    gptl_throttle_reset(node);
}

static void restart_frames(struct gptl_thread *t, const struct gptl_region *region, uint64_t at)
{
    struct gptl_frame *top = relaxed_load(&t->top);
    for (struct gptl_frame *f = relaxed_load(&t->base) + 1; f <= top; f++)
        if ((!region || relaxed_load(&f->node)->region == region) && !gptl_frame_is_untimed(f))
            relaxed_store(&f->start, at);
    gptl_meter_restart(t, region);
}

static void free_intervals(struct gptl_thread *t)
{
    for (struct gptl_interval_part *part = t->intervals, *next; part; part = next) {
        next = part->next;
        free_part(part);
    }
    t->intervals = NULL;
    t->nintervals = 0;
}

static void reset_thread(struct gptl_thread *t, uint64_t at)
{
    uint32_t n = atomic_load_explicit(&t->tree.nnodes, memory_order_relaxed);
    for (uint32_t i = 1; i < n; i++)
        zero_node(gptl_tree_node(&t->tree, i));
    restart_frames(t, NULL, at);
    free_intervals(t);
    memset(t->missed, 0, sizeof t->missed);
    relaxed_store(&t->crossed, 0);
    t->ncrossings = 0;
    gptl_ledger_reset(t);
    relaxed_store(&t->dropped, 0);
    relaxed_store(&t->unmatched, 0);
    relaxed_store(&t->backwards, 0);
    relaxed_store(&t->too_deep, 0);
    relaxed_store(&t->unwound, 0);
    relaxed_store(&t->own_work, 0);
}

static void reset_region(struct gptl_thread *t, const struct gptl_region *region, uint64_t at)
{
    uint32_t n = atomic_load_explicit(&t->tree.nnodes, memory_order_relaxed);
    for (uint32_t i = 1; i < n; i++) {
        struct gptl_node *node = gptl_tree_node(&t->tree, i);
        if (node->region == region)
            zero_node(node);
        else if (node->parent && node->parent->region == region)
            gptl_throttle_reset_parent(node);
    }
    restart_frames(t, region, at);
}

/* ---- Orders -------------------------------------------------------------------------------- */

static void free_resets(struct gptl_orders *orders)
{
    for (struct gptl_reset_order *r = orders->resets, *next; r; r = next) {
        next = r->next;
        gptl_mem_free(r, sizeof *r);
    }
    orders->resets = NULL;
}

/* Forget the addresses of all functions: valid ones are found again. */
static void forget_addresses(struct gptl_thread *t)
{
    uint32_t n = atomic_load_explicit(&t->tree.nnodes, memory_order_relaxed);
    for (uint32_t i = 1; i < n; i++) {
        struct gptl_node *node = gptl_tree_node(&t->tree, i);
        if (node->region->function)
            node->known = GPTL_KNOWN_NOWHERE;
    }
}

static void watch_nodes(struct gptl_thread *t)
{
    uint32_t n = atomic_load_explicit(&t->tree.nnodes, memory_order_relaxed);
    for (uint32_t i = 1; i < n; i++)
        gptl_throttle_watch(t, gptl_tree_node(&t->tree, i));
}

void gptl_roll_move(struct gptl_thread *t, uint64_t ticks)
{
    struct gptl_frame *top = relaxed_load(&t->top);
    for (struct gptl_frame *f = relaxed_load(&t->base) + 1; f <= top; f++)
        relaxed_store(&f->start, relaxed_load(&f->start) + ticks);
    t->moved += ticks;
    uint32_t n = atomic_load_explicit(&t->tree.nnodes, memory_order_relaxed);
    /* Blocks of throttled calls are moved only if that takes less time than it corrects. */
    if (!gptl_core_option(GPTL_OPT_THROTTLE) || ticks < n)
        return;
    for (uint32_t i = 1; i < n; i++)
        gptl_throttle_shift(gptl_tree_node(&t->tree, i), ticks);
}

void gptl_roll_obey(struct gptl_thread *t)
{
    struct gptl_orders *orders = &t->orders;
    gptl_thread_gate_clear(t, GPTL_GATE_ORDERS);
    if (orders->reset)
        reset_thread(t, orders->reset_at);
    for (struct gptl_reset_order *r = orders->resets; r; r = r->next)
        if (r->before_mark)
            reset_region(t, r->region, r->at);
    if (orders->mark && !orders->reset)
        roll_thread(t, orders->mark);
    for (struct gptl_reset_order *r = orders->resets; r; r = r->next)
        reset_region(t, r->region, r->at);
    if (orders->shift)
        gptl_roll_move(t, orders->shift);
    if (orders->clock && orders->clock != t->clock)
        gptl_convert_thread(t, orders->clock);
    if (orders->forget)
        forget_addresses(t);
    if (orders->watch)
        watch_nodes(t);
    if (t->nswallowed)
        gptl_thread_keep_swallowed(t);
    free_resets(orders);
    memset(orders, 0, sizeof *orders);
}

/* Iterates over the threads with a tree in this measurement; the loop body uses T. */
#define FOR_EACH_THREAD(t)                                                                         \
    for (uint32_t slot = 0; slot < gptl_g.nthreads; slot++)                                        \
        for (struct gptl_thread *t = gptl_g.threads[slot]; t && t->epoch == gptl_g.epoch; t = NULL)

static void given(struct gptl_thread *t)
{
    if (t == gptl_tls || !t->live)
        gptl_roll_obey(t);
    else
        gptl_thread_gate_set(t, GPTL_GATE_ORDERS);
}

static bool order_reset_of(struct gptl_thread *t, struct gptl_region *region, uint64_t at)
{
    struct gptl_reset_order *r = t->orders.resets;
    while (r && r->region != region)
        r = r->next;
    if (!r) {
        r = gptl_mem_pages(sizeof *r);
        if (!r)
            return false;
        r->region = region;
        r->before_mark = t->orders.mark == 0;
        r->next = t->orders.resets;
        t->orders.resets = r;
    }
    r->at = at - t->orders.shift;
    return true;
}

bool gptl_roll_order_reset(struct gptl_region *region)
{
    bool all = true;
    FOR_EACH_THREAD (t) {
        uint64_t now = gptl_state_now(t->clock);
        if (region) {
            all &= order_reset_of(t, region, now);
        } else {
            free_resets(&t->orders);
            t->orders.reset = true;
            t->orders.reset_at = now - t->orders.shift;
            t->orders.mark = 0;
        }
        given(t);
    }
    if (!region)
        gptl_roll_end();
    return all;
}

void gptl_roll_order_shift(uint64_t ticks)
{
    double tick = gptl_clock_lasting_seconds_per_tick(gptl_clock_now());
    FOR_EACH_THREAD (t) {
        /* A thread that has not yet changed its clock counts in ticks of the old one. */
        double own =
            t->clock == gptl_clock_now() ? tick : gptl_clock_lasting_seconds_per_tick(t->clock);
        if (t->clock == gptl_clock_now())
            t->orders.shift += ticks;
        else if (own > 0)
            t->orders.shift += (uint64_t)((double)ticks * (tick / own));
        given(t);
    }
}

void gptl_roll_order_clock(const struct gptl_clock *clock)
{
    FOR_EACH_THREAD (t) {
        t->orders.clock = clock;
        given(t);
    }
}

void gptl_roll_order_forget(void)
{
    FOR_EACH_THREAD (t) {
        t->orders.forget = true;
        given(t);
    }
}

void gptl_roll_order_watch(void)
{
    FOR_EACH_THREAD (t) {
        t->orders.watch = true;
        given(t);
    }
}

bool gptl_roll_order_mark(const char *label)
{
    uint32_t most = (uint32_t)gptl_core_option(GPTL_OPT_MARKS);
    if (!roll.spans) {
        roll.spans = gptl_mem_pages((most + 1) * sizeof *roll.spans);
        roll.capacity = most;
    }
    if (!roll.spans)
        return false;
    if (roll.nspans == roll.capacity)
        join_spans();
    roll.marks++;
    struct gptl_roll_span *span = &roll.spans[roll.nspans++];
    span->first = span->last = roll.marks;
    /* "" is the label of the interval after the last mark. */
    snprintf(span->label, sizeof span->label, "%s", *label ? label : "(empty)");
    FOR_EACH_THREAD (t) {
        if (!t->orders.mark)
            t->orders.mark = roll.marks;
        given(t);
    }
    return true;
}

void gptl_roll_free(struct gptl_thread *t)
{
    free_resets(&t->orders);
    free_intervals(t);
    memset(&t->orders, 0, sizeof t->orders);
}

void gptl_roll_end(void)
{
    gptl_mem_free(roll.spans, (roll.capacity + 1) * sizeof *roll.spans);
    memset(&roll, 0, sizeof roll);
}
