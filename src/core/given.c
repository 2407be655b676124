/* given.c - calls with times given by the caller: GPTLstartstop_val and related functions. */
#include "config.h"

#include <math.h>

#include "gptl.h"

#include "core/busy.h"
#include "core/clock.h"
#include "core/frame.h"
#include "core/prefix.h"
#include "core/slow.h"

#define load(p) atomic_load_explicit(p, memory_order_relaxed)
#define store(p, v) atomic_store_explicit(p, v, memory_order_relaxed)

/*
 * Maximum of a node's ticks: 73 years of nanoseconds. A larger sum could not be converted to
 * another clock, and later measurements could make it overflow.
 */
static const double MOST_TICKS = 0x1p61;

static bool has_room(const struct gptl_node *node, double ticks)
{
    const struct gptl_extra *extra = load(&node->extra);
    double before = (double)load(&node->total) + (extra ? (double)extra->total : 0);
    return before + ticks <= MOST_TICKS;
}

/*
 * Add CALLS calls that took SECONDS in total to EDGE, a child of an open node, or to the target of
 * a back edge.
 */
static int add_to(struct gptl_thread *t, const char *function, struct gptl_name name,
                  struct gptl_node *edge, double seconds, int calls)
{
    bool leads_back = load(&edge->open) == GPTL_EDGE_BACK;
    struct gptl_node *node = leads_back ? edge->last : edge;
    bool is_open = gptl_node_open(node) > 0; /* then the open call includes this time */
    if (!(t->given_rate > 0))
        t->given_rate = gptl_clock_lasting_seconds_per_tick(t->clock);
    double ticks = seconds / t->given_rate + 0.5;
    if (!is_open && !has_room(node, ticks))
        return gptl_core_error(function, "\"%.*s\" has no room for %g s (at most %g s in all)",
                               gptl_slow_shown(name), name.text, seconds,
                               MOST_TICKS * t->given_rate);
    if (leads_back)
        store(&edge->count, load(&edge->count) + (uint64_t)calls);
    store(&node->count, load(&node->count) + (uint64_t)calls);
    if (is_open) {
        store(&node->recurse, load(&node->recurse) + (uint64_t)calls);
        return 0;
    }
    gptl_frame_add_times(t, node, (uint64_t)calls, (uint64_t)ticks, (uint64_t)(ticks / calls));
    struct gptl_extra *extra = gptl_tree_extra(t, node);
    if (extra)
        store(&extra->given, load(&extra->given) + (uint64_t)ticks);
    return 0;
}

static int add(const char *function, const char *raw, size_t length, double seconds, int calls)
{
    if (!gptl_slow_valid(function, raw, length))
        return -1;
    if (!(seconds >= 0) || !isfinite(seconds))
        return gptl_core_error(function, "%g is not a time: it must be 0 or more seconds", seconds);
    if (calls < 1)
        return gptl_core_error(function, "%d calls: there must be 1 or more", calls);
    int rc;
    struct gptl_thread *t = gptl_thread_enter(function, &rc);
    if (!t)
        return rc;
    if (t->busy || load(&t->gate) & GPTL_GATE_DISABLED)
        return 0;
    gptl_slow_begin(t, NULL);
    struct gptl_name name = gptl_slow_name(raw, length);
    uint32_t prefix;
    if (t->prefix_length && !gptl_prefix_add(t, &name, &prefix)) {
        rc = gptl_core_error(function, "no memory for the prefix of \"%.*s\"",
                             gptl_slow_shown(name), name.text);
    } else if (!(load(&t->gate) & GPTL_GATE_DEPTH && gptl_slow_too_deep(t))) {
        struct gptl_node *child =
            gptl_tree_child(t, load(&load(&t->top)->node), name, (uint64_t)(uintptr_t)raw, NULL, 0);
        rc = add_to(t, function, name, child, seconds, calls);
    }
    gptl_busy_set(t, 0, NULL);
    return rc;
}

int GPTLstartstop_val(const char *name, double value)
{
    return add("GPTLstartstop_val", name, GPTL_NUL_ENDED, value, 1);
}

int GPTLstartstop_vals(const char *name, double value, int calls)
{
    gptl_core_saw_fork("GPTLstartstop_vals", false);
    return add("GPTLstartstop_vals", name, GPTL_NUL_ENDED, value, calls);
}

int GPTLstartstop_valsf(const char *name, int length, double value, int calls)
{
    gptl_core_saw_fork("GPTLstartstop_valsf", false);
    return add("GPTLstartstop_valsf", name, (size_t)(unsigned)length, value, calls);
}
