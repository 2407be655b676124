/*
 * copy.c - flat copies of the trees, for reports.
 *
 * The lock prevents threads from applying pending requests during a copy; numbers of a running
 * thread may be torn by its current call.
 */
#include "config.h"

#include "core/copy.h"

#include <stdlib.h>
#include <string.h>

#include "core/amounts.h"
#include "core/clock.h"
#include "core/estimate.h"
#include "core/histogram.h"
#include "core/metrics.h"
#include "core/roll.h"

#define load(p) atomic_load_explicit(p, memory_order_relaxed)

/* ---- Nodes --------------------------------------------------------------------------------- */

static const struct gptl_reset_order *reset_order(const struct gptl_thread *t,
                                                  const struct gptl_region *region)
{
    const struct gptl_reset_order *r = t->orders.resets;
    while (r && r->region != region)
        r = r->next;
    return r;
}

/*
 * Correct times given by the caller, which were converted to ticks with an earlier, less accurate
 * rate of the clock, so that the report shows the given times.
 */
static void correct_given(uint64_t given, double factor, struct gptl_node_copy *out)
{
    if (given < out->total) {
        out->total = out->total - given + (uint64_t)((double)given * factor + 0.5);
        return;
    }
    out->total = (uint64_t)((double)out->total * factor + 0.5);
    out->max = (uint64_t)((double)out->max * factor + 0.5);
    out->min = (uint64_t)((double)out->min * factor + 0.5);
    out->latest = (uint64_t)((double)out->latest * factor + 0.5);
}

static const struct gptl_throttle *throttle_of(const struct gptl_extra *extra)
{
    const struct gptl_throttle *throttle =
        atomic_load_explicit(&extra->throttle, memory_order_acquire);
    return throttle && gptl_throttle_has_any(throttle) ? throttle : NULL;
}

/*
 * Return the estimated total of a node that may be throttled; TOTAL is its weighted sum of timed
 * calls.
 */
static uint64_t estimated(const struct gptl_thread *t, const struct gptl_node *node,
                          const struct gptl_extra *extra, uint64_t total, uint64_t *error)
{
    const struct gptl_throttle *throttle = throttle_of(extra);
    if (!throttle)
        return total;
    uint64_t now = gptl_state_now(t->clock), inside = gptl_throttle_inside(node);
    return gptl_estimate_total(throttle, total, gptl_throttle_lasted(throttle, now, inside), error);
}

void gptl_copy_node(const struct gptl_thread *t, struct gptl_node *node, double seconds_per_tick,
                    struct gptl_node_copy *out)
{
    out->target = gptl_node_is_edge_back(node) ? node->last->index : node->index;
    out->region = node->region->id;
    out->kind = node->region->kind;
    out->open = gptl_node_open(node);
    out->open_ticks = 0;
    if (t->orders.reset || reset_order(t, node->region)) {
        out->count = out->recurse = out->total = out->max = out->latest = 0;
        out->min = UINT64_MAX;
        out->unstopped = 0;
        return;
    }
    out->count = load(&node->count);
    out->recurse = load(&node->recurse);
    out->total = load(&node->total);
    out->max = gptl_node_max(node);
    out->min = gptl_node_min(node);
    out->latest = gptl_node_latest(node);
    out->unstopped = load(&node->unstopped);
    const struct gptl_extra *extra = atomic_load_explicit(&node->extra, memory_order_acquire);
    if (extra) {
        out->count += extra->count;
        out->recurse += extra->recurse;
        uint64_t error;
        out->total = estimated(t, node, extra, out->total + extra->total, &error);
        out->max = extra->max > out->max ? extra->max : out->max;
        out->min = extra->min < out->min ? extra->min : out->min;
        uint64_t given = load(&extra->given);
        if (given && seconds_per_tick > 0)
            correct_given(given, t->given_rate / seconds_per_tick, out);
    }
}

bool gptl_copy_is_region(const struct gptl_thread *t, const struct gptl_node *node)
{
    if (node == t->tree.fold || node == t->tree.fold_other)
        return load(&node->count) > 0 || gptl_node_open(node) > 0;
    return node->index != 0 && !gptl_node_is_edge_back(node) && !gptl_node_is_left_out(node);
}

static bool copy_extra(const struct gptl_thread *t, struct gptl_node *node,
                       const struct gptl_node_copy *copy, struct gptl_extra_copy *out,
                       uint32_t ncounters)
{
    const struct gptl_extra *extra = atomic_load_explicit(&node->extra, memory_order_acquire);
    if (!extra || t->orders.reset || reset_order(t, node->region))
        return false;
    const struct gptl_throttle *throttle = throttle_of(extra);
    if (throttle) {
        out->timed = load(&throttle->timed);
        estimated(t, node, extra, UINT64_MAX, &out->error);
    }
    const struct gptl_values *values = atomic_load_explicit(&extra->values, memory_order_acquire);
    for (uint32_t i = 0; values && i < values->n; i++)
        if (i < GPTL_NVALUES)
            out->values[i] = load(&values->value[i]);
        else if (i - GPTL_NVALUES < ncounters)
            out->counters[i - GPTL_NVALUES] = load(&values->value[i]);
    uint32_t first;
    if (gptl_amounts_at(gptl_metrics_kept(), &first))
        gptl_amounts_of(extra, copy->count, out->counters + first);
    out->histogram = gptl_histogram_copy(extra);
    return true;
}

/*
 * Return the number of nodes that have an extra, or will have one because a node below has amounts.
 */
static uint32_t count_extras(const struct gptl_thread *t, uint32_t n, struct gptl_node_copy *nodes)
{
    uint32_t nextras = 0;
    for (uint32_t i = n; i-- > 0;) {
        const struct gptl_node *node = gptl_tree_node(&t->tree, i);
        const struct gptl_extra *extra = load(&node->extra);
        /* open is temporarily used as a mark */
        bool moves = nodes[i].open || (extra && load(&extra->moves));
        if (moves && node->parent)
            nodes[node->parent->index].open = 1;
        nextras += extra || moves;
    }
    return nextras;
}

static bool copy_nodes(struct gptl_thread *t, struct gptl_copy *out)
{
    uint32_t n = atomic_load_explicit(&t->tree.nnodes, memory_order_acquire);
    out->nodes = calloc(n, sizeof *out->nodes);
    uint32_t nextras = out->nodes ? count_extras(t, n, out->nodes) : 0;
    out->extras = nextras ? calloc(nextras, sizeof *out->extras) : NULL;
    const struct gptl_kept_metrics *metrics = gptl_metrics_kept();
    uint32_t nslots = metrics ? metrics->nslots : 0;
    if (nextras && nslots)
        out->counters = calloc((size_t)nextras * nslots, sizeof *out->counters);
    if (!out->nodes || (nextras && (!out->extras || (nslots && !out->counters))))
        return false;
    out->ncounters = nslots;
    for (uint32_t i = 0; i < nextras && nslots; i++)
        out->extras[i].counters = out->counters + (size_t)i * nslots;
    for (uint32_t i = 0; i < n; i++) {
        struct gptl_node *node = gptl_tree_node(&t->tree, i);
        struct gptl_node_copy *copy = &out->nodes[i];
        gptl_copy_node(t, node, out->seconds_per_tick, copy);
        copy->name = i ? node->region->name : "";
        copy->parent = node->parent ? node->parent->index : 0;
        if (load(&node->extra) && out->nextras < nextras &&
            copy_extra(t, node, copy, &out->extras[out->nextras], nslots))
            copy->extra = ++out->nextras;
    }
    out->nnodes = n;
    uint32_t first;
    if (gptl_amounts_at(metrics, &first))
        gptl_amounts_include(out, first, nextras);
    return true;
}

/* Set the time for which the outermost calls of open regions have lasted NOW. */
static void copy_frames(const struct gptl_thread *t, struct gptl_copy *out, uint64_t now)
{
    const struct gptl_orders *orders = &t->orders;
    struct gptl_frame *top = load(&t->top);
    for (struct gptl_frame *f = load(&t->base) + 1; f <= top; f++) {
        struct gptl_node *node = load(&f->node);
        uint32_t i = gptl_tree_index(&t->tree, node, out->nnodes);
        if (i >= out->nnodes || gptl_frame_is_untimed(f) || !out->nodes[i].open ||
            out->nodes[i].open_ticks)
            continue;
        const struct gptl_reset_order *reset = reset_order(t, node->region);
        uint64_t start = reset ? reset->at : orders->reset ? orders->reset_at : load(&f->start);
        start += orders->shift;
        out->nodes[i].open_ticks = now > start ? now - start : 0;
    }
}

/* ---- Intervals ----------------------------------------------------------------------------- */

static struct gptl_interval_row *new_row(struct gptl_interval *interval, uint32_t capacity)
{
    if (!interval->rows)
        interval->rows = calloc(capacity, sizeof *interval->rows);
    return interval->rows ? &interval->rows[interval->nrows++] : NULL;
}

/*
 * Copy the measurements since the last mark, or before the first mark that the owner has not yet
 * applied.
 */
static void copy_current(struct gptl_thread *t, struct gptl_copy *out,
                         struct gptl_interval *interval)
{
    for (uint32_t i = 1; i < out->nnodes; i++) {
        struct gptl_node *node = gptl_tree_node(&t->tree, i);
        uint64_t count = load(&node->count);
        const struct gptl_reset_order *reset = reset_order(t, node->region);
        if (!count || (reset && (reset->before_mark || !t->orders.mark)))
            continue;
        struct gptl_interval_row *row = new_row(interval, out->nnodes);
        if (!row)
            return;
        *row = (struct gptl_interval_row){i, count, load(&node->total), gptl_node_max(node),
                                          gptl_node_min(node)};
    }
}

static void copy_part(const struct gptl_thread *t, const struct gptl_roll_span *span,
                      struct gptl_interval *interval)
{
    const struct gptl_interval_part *part = t->intervals;
    while (part && (part->mark < span->first || part->mark > span->last))
        part = part->next;
    if (!part)
        return;
    interval->rows = calloc(part->nrows, sizeof *interval->rows);
    if (!interval->rows)
        return;
    memcpy(interval->rows, part->rows, part->nrows * sizeof *interval->rows);
    interval->nrows = part->nrows;
}

static bool copy_intervals(struct gptl_thread *t, struct gptl_copy *out)
{
    const struct gptl_roll_span *spans;
    uint32_t n = gptl_roll_spans(&spans);
    if (n == 0)
        return true;
    out->intervals = calloc(n + 1, sizeof *out->intervals);
    if (!out->intervals)
        return false;
    out->nintervals = n + 1;
    gptl_roll_join_parts(t);
    uint64_t mark = t->orders.reset ? 0 : t->orders.mark;
    for (uint32_t i = 0; i < n; i++) {
        struct gptl_interval *interval = &out->intervals[i];
        memcpy(interval->label, spans[i].label, sizeof interval->label);
        interval->marks = spans[i].last - spans[i].first + 1;
        if (mark >= spans[i].first && mark <= spans[i].last)
            copy_current(t, out, interval);
        else if (!t->orders.reset)
            copy_part(t, &spans[i], interval);
    }
    out->intervals[n].marks = 1;
    if (!mark && !t->orders.reset)
        copy_current(t, out, &out->intervals[n]);
    return true;
}

/* ---- Threads ------------------------------------------------------------------------------- */

static bool copy_thread(struct gptl_thread *t, struct gptl_copy *out, uint64_t now,
                        double seconds_per_tick)
{
    *out = (struct gptl_copy){
        .thread = t->slot,
        .seconds_per_tick = seconds_per_tick,
        .live = t->live && t != gptl_thread_own(),
        .crossed = load(&t->crossed),
        .folded_paths = load(&t->tree.folded_paths),
        .folded_names = load(&t->tree.folded_names),
        .dropped = load(&t->dropped),
        .unmatched = load(&t->unmatched),
        .backwards = load(&t->backwards),
        .too_deep = load(&t->too_deep),
        .unwound = load(&t->unwound),
        .own_work = load(&t->own_work),
        .nthreads_served = t->nserved,
        .memory = gptl_thread_bytes(t),
        .table_slots = load(&t->tree.table_capacity),
        .longest_probe = load(&t->tree.longest_probe),
        .cache_slots = gptl_cache_slots(load(&t->tree.table_capacity)),
    };
    if (!copy_nodes(t, out))
        return false;
    out->table_used = out->nnodes - 1;
    copy_frames(t, out, now);
    if (t->ncrossings && !t->orders.reset) {
        out->crossings = calloc(t->ncrossings, sizeof *out->crossings);
        if (!out->crossings)
            return false;
        memcpy(out->crossings, t->crossings, t->ncrossings * sizeof *out->crossings);
        out->ncrossings = t->ncrossings;
    }
    return copy_intervals(t, out);
}

static bool has_regions(const struct gptl_thread *t)
{
    uint32_t n = atomic_load_explicit(&t->tree.nnodes, memory_order_acquire);
    for (uint32_t i = 1; i < n; i++)
        if (gptl_copy_is_region(t, gptl_tree_node(&t->tree, i)))
            return true;
    return false;
}

/* Return whether the thread has any region. Requires the lock. */
static bool has_measured(const struct gptl_thread *t)
{
    return t && t->epoch == gptl_g.epoch && has_regions(t);
}

bool gptl_core_has_measured(void)
{
    bool found = false;
    gptl_lock();
    for (uint32_t slot = 0; !found && slot < gptl_g.nthreads; slot++)
        found = has_measured(gptl_g.threads[slot]);
    gptl_unlock();
    return found;
}

int gptl_core_copy(struct gptl_copy **copies, int *ncopies)
{
    *ncopies = 0;
    *copies = NULL;
    bool whole = true;
    gptl_lock();
    if (gptl_g.nthreads) {
        *copies = calloc(gptl_g.nthreads, sizeof **copies);
        whole = *copies != NULL;
    }
    const struct gptl_clock *clock = NULL;
    double seconds_per_tick = 0;
    uint64_t now = 0;
    for (uint32_t slot = 0; whole && slot < gptl_g.nthreads; slot++) {
        struct gptl_thread *t = gptl_g.threads[slot];
        if (!has_measured(t))
            continue;
        if (t->clock != clock) { /* once for all threads, so that equal ticks are equal times */
            clock = t->clock;
            now = gptl_state_now(clock); /* before the calibration, which may wait */
            seconds_per_tick = gptl_clock_seconds_per_tick(clock);
        }
        whole = copy_thread(t, &(*copies)[(*ncopies)++], now, seconds_per_tick);
    }
    gptl_unlock();
    if (whole)
        return 0;
    gptl_core_copy_free(*copies, *ncopies);
    return -1;
}

void gptl_core_copy_free(struct gptl_copy *copies, int ncopies)
{
    for (int i = 0; i < ncopies; i++) {
        for (uint32_t j = 0; j < copies[i].nextras; j++)
            free(copies[i].extras[j].histogram);
        for (uint32_t j = 0; j < copies[i].nintervals; j++)
            free(copies[i].intervals[j].rows);
        free(copies[i].intervals);
        free(copies[i].crossings);
        free(copies[i].extras);
        free(copies[i].counters);
        free(copies[i].nodes);
        free(copies[i].ids);
    }
    free(copies);
}
