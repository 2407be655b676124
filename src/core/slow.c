/*
 * slow.c - starts and stops in unusual cases.
 *
 * While a thread runs this code it is busy: an event in that time comes from a signal handler, and
 * is dropped together with its stop, because the tree may be half changed.
 */
#include "config.h"

#include "core/slow.h"

#include <limits.h>
#include <string.h>

#include "gptl.h"

#include "core/busy.h"
#include "core/clock.h"
#include "core/crossed.h"
#include "core/frame.h"
#include "core/function.h"
#include "core/host.h"
#include "core/meter.h"
#include "core/prefix.h"
#include "core/roll.h"
#include "core/skipped.h"
#include "core/stamp.h"
#include "core/unwound.h"

#define load(p) atomic_load_explicit(p, memory_order_relaxed)
#define store(p, v) atomic_store_explicit(p, v, memory_order_relaxed)

/* ---- Names --------------------------------------------------------------------------------- */

struct gptl_name gptl_slow_name(const char *name, size_t length)
{
    bool counted = gptl_length_is_counted(length);
    size_t n = counted ? strnlen(name, length) : strlen(name);
    while (counted && n > 0 && name[n - 1] == ' ')
        n--;
    enum gptl_kind kind = gptl_length_kind(length);
    return n ? (struct gptl_name){name, n, kind} : (struct gptl_name){"(empty)", 7, kind};
}

/* Return the number of bytes of a name that a message prints. */
int gptl_slow_shown(struct gptl_name name)
{
    return name.length > 200 ? 200 : (int)name.length;
}

static const char *function_name(const char *verb, size_t length, const int *handle)
{
    static const char *const names[2][2][2] = {
        {{"GPTLstart", "GPTLstart_handle"}, {"GPTLstartf", "GPTLstartf_handle"}},
        {{"GPTLstop", "GPTLstop_handle"}, {"GPTLstopf", "GPTLstopf_handle"}}};
    return names[verb[2] == 'o'][gptl_length_is_counted(length)][handle != NULL];
}

/* Return whether the arguments are valid; otherwise report the error. */
bool gptl_slow_valid(const char *function, const char *name, size_t length)
{
    if (!name)
        gptl_core_error(function, "an argument is NULL");
    else if (gptl_length_is_counted(length) && length > INT_MAX)
        gptl_core_error(function, "the length %d is negative", (int)length);
    else
        return true;
    return false;
}

/* Return whether HANDLE belongs to this name; initialize it if it is 0. */
static bool own_handle(const char *function, struct gptl_name name, int *handle)
{
    int given = gptl_lookup_handle(handle);
    if (given == 0) {
        struct gptl_region *region = gptl_name_intern(name, gptl_name_hash(name));
        if (!region) {
            gptl_core_error(function, "no memory for the name \"%.*s\"", gptl_slow_shown(name),
                            name.text);
            return false;
        }
        __atomic_store_n(handle, (int)region->id, __ATOMIC_RELAXED); /* threads may share it */
        return true;
    }
    struct gptl_region *region = gptl_name_by_id((uint32_t)given);
    if (region && gptl_name_is_of(name, region))
        return true;
    gptl_core_error(function, "the handle %d given for \"%.*s\" belongs to %s%s%s", given,
                    gptl_slow_shown(name), name.text, region ? "\"" : "no region",
                    region ? region->name : "", region ? "\"" : "");
    return false;
}

int GPTLinit_handle(const char *name, int *handle)
{
    if (!gptl_slow_valid("GPTLinit_handle", handle ? name : NULL, GPTL_NUL_ENDED))
        return -1;
    return own_handle("GPTLinit_handle", gptl_slow_name(name, GPTL_NUL_ENDED), handle) ? 0 : -1;
}

int gptl_slow_leave(struct gptl_thread *t, uint64_t now)
{
    uint32_t busy = t->busy;
    gptl_busy_set(t, busy + 1, NULL);
    gptl_frame_end(t, load(&t->top), now);
    gptl_busy_set(t, busy, NULL);
    return 0;
}

/* ---- First steps of every slow event ------------------------------------------------------- */

/* Mark the thread as busy and apply pending requests. Return whether there were any. */
bool gptl_slow_begin(struct gptl_thread *t, const struct gptl_call *call)
{
    gptl_busy_set(t, 1, call);
    if (t->ndropped)
        gptl_busy_forget(t);
    bool orders = load(&t->gate) & GPTL_GATE_ORDERS;
    if (orders) {
        gptl_lock();
        gptl_roll_obey(t);
        gptl_unlock();
    }
    if (t->meter.paused && !(load(&t->gate) & GPTL_GATE_DISABLED))
        gptl_meter_resume(t);
    return orders;
}

/* ---- Start --------------------------------------------------------------------------------- */

bool gptl_slow_too_deep(const struct gptl_thread *t)
{
    return t->skipped || gptl_thread_depth(t) >= gptl_core_option(GPTL_OPT_DEPTHLIMIT);
}

static bool room_for_frame(struct gptl_thread *t)
{
    if (load(&t->gate) & GPTL_GATE_METER && !gptl_meter_is_open(t) && !gptl_meter_open(t))
        return false;
    if (gptl_thread_depth(t) + 1 >= t->stack_size && !gptl_thread_grow_stack(t))
        return false;
    return !(load(&t->gate) & (GPTL_GATE_METER | GPTL_GATE_PREFIX | GPTL_GATE_CROSSED)) ||
           gptl_thread_grow_side(t);
}

static void push(struct gptl_thread *t, struct gptl_node *node, uint32_t prefix,
                 struct gptl_call call)
{
    gptl_frame_push(t, node, call);
    if (t->side_size > gptl_thread_depth(t))
        t->side[gptl_thread_depth(t)] = (struct gptl_side_frame){.prefix = prefix};
}

/*
 * Start a region; GIVEN is the caller's name, without a prefix. Return whether a timed call began,
 * so that the caller must set its start, or -1. The depth cannot show this: calls with missing
 * stops may have ended first.
 */
static int start_named(struct gptl_thread *t, const char *function, struct gptl_name given,
                       const char *raw, size_t length, int *handle, struct gptl_call call)
{
    uint32_t gate = load(&t->gate), prefix = 0;
    struct gptl_name name = given;
    if (gate & (GPTL_GATE_DEPTH | GPTL_GATE_SKIPPING) && gptl_slow_too_deep(t)) {
        gptl_increment(&t->too_deep);
        gptl_skipped_start(t, name);
        return 0;
    }
    if (gate & GPTL_GATE_CROSSED)
        gptl_crossed_start(t, name);
    if (t->prefix_length && name.kind == GPTL_KIND_USER && !gptl_prefix_add(t, &name, &prefix))
        return gptl_core_error(function, "no memory for the prefix of \"%.*s\"",
                               gptl_slow_shown(name), name.text);
    if (!room_for_frame(t)) {
        gptl_skipped_start(t, given);
        return gptl_core_error(function, "no memory for level %u, \"%.*s\"",
                               gptl_thread_depth(t) + 1, gptl_slow_shown(name), name.text);
    }
    uint64_t key = handle ? (uint64_t)gptl_lookup_handle(handle) << 4 : (uint64_t)(uintptr_t)raw;
    push(t, gptl_tree_child(t, load(&load(&t->top)->node), name, key, raw, length), prefix, call);
    if (gate & GPTL_GATE_MEMUSAGE)
        gptl_stamp_growth(name, "start");
    bool timed = !gptl_frame_is_untimed(load(&t->top));
    if (gate & GPTL_GATE_METER && timed)
        gptl_meter_start(t);
    return timed;
}

/*
 * Create a node for a function excluded by a filter, at its position in the tree; it never has a
 * frame.
 */
static void remember_left_out(struct gptl_thread *t, struct gptl_name name, const char *address)
{
    struct gptl_node *parent = load(&load(&t->top)->node);
    uint64_t key = (uint64_t)(uintptr_t)address;
    struct gptl_node *node = gptl_tree_child(t, parent, name, key, address, GPTL_FUNCTION);
    if (node->parent == parent) {
        store(&node->open, GPTL_LEFT_OUT);
        gptl_tree_remember(t, parent, node, key); /* again, now as an excluded function */
    }
}

/* Start a region or function; return as start_named does. */
static int start_busy(struct gptl_thread *t, const char *function, const char *raw, size_t length,
                      int *handle, struct gptl_call call)
{
    if (length == GPTL_FUNCTION) {
        struct gptl_function_found found;
        gptl_function_find(raw, &found);
        gptl_unwound_enter(t, call);
        if (!found.left_out)
            return start_named(t, function, found.name, found.stays ? raw : NULL, length, NULL,
                               call);
        if (found.stays)
            remember_left_out(t, found.name, raw);
        return 0;
    }
    struct gptl_name name = gptl_slow_name(raw, length);
    if (handle && !own_handle(function, name, handle))
        return -1;
    return start_named(t, function, name, raw, length, handle, (struct gptl_call){0, 0});
}

static int start_event(const char *function, const char *name, size_t length, int *handle,
                       struct gptl_call call)
{
    int rc;
    struct gptl_thread *t = gptl_thread_enter(function, &rc);
    if (!t)
        return rc;
    if (t->busy && gptl_busy_is(t, call))
        return gptl_busy_start(t, call);
    if (load(&t->gate) & GPTL_GATE_DISABLED) {
        if (load(&t->gate) & GPTL_GATE_METER && !t->meter.paused) {
            gptl_busy_set(t, 1, &call);
            gptl_meter_pause(t);
            gptl_busy_set(t, 0, NULL);
        }
        t->nswallowed++;
        return 0;
    }
    gptl_slow_begin(t, &call);
    if (load(&t->gate) & GPTL_GATE_FOLLOWED)
        gptl_state_tell_follower(load(&load(&t->top)->node));
    int timed = start_busy(t, function, name, length, handle, call);
    gptl_busy_set(t, 0, NULL);
    if (timed < 0)
        return timed;
    if (timed)
        store(&load(&t->top)->start, t->clock->read());
    return 0;
}

int gptl_slow_start_any(const char *name, size_t length, int *handle, struct gptl_call call)
{
    const char *function = function_name("start", length, handle);
    if (!gptl_slow_valid(function, name, length))
        return -1;
    return start_event(function, name, length, handle, call);
}

/* Enter a function. A hook never turns the library on, unless the environment requests it. */
int gptl_slow_enter_any(const char *address, struct gptl_call call)
{
    struct gptl_host host = gptl_host_save();
    if (address && gptl_state_by_environment()) {
        start_event("", address, GPTL_FUNCTION, NULL, call);
        struct gptl_thread *t = gptl_thread_own();
        if (t && t->skipped == 1) /* the outermost skipped start */
            t->skipped_stack = call.stack;
    }
    gptl_host_restore(host);
    return 0;
}

/* ---- Stop ---------------------------------------------------------------------------------- */

bool gptl_slow_is_frame_of(const struct gptl_thread *t, const struct gptl_frame *frame,
                           struct gptl_name name)
{
    const struct gptl_region *region = load(&frame->node)->region;
    uint32_t k = (uint32_t)(frame - load(&t->base));
    uint32_t prefix = k < t->side_size ? t->side[k].prefix : 0;
    return region->size == prefix + name.length + 1 && region->kind == name.kind &&
           memcmp(region->name + prefix, name.text, name.length) == 0;
}

/*
 * Return the innermost frame whose start had this name, or else the innermost whose name with its
 * prefix equals it.
 */
static struct gptl_frame *find_frame(const struct gptl_thread *t, struct gptl_name name)
{
    struct gptl_frame *base = load(&t->base);
    for (struct gptl_frame *f = load(&t->top); f > base; f--)
        if (gptl_slow_is_frame_of(t, f, name))
            return f;
    for (struct gptl_frame *f = load(&t->top); f > base; f--)
        if (gptl_name_is_of(name, load(&f->node)->region))
            return f;
    /* A name without memory runs under the name "(other)". */
    struct gptl_region *other = t->tree.fold_other->region;
    if (load(&t->tree.folded_names))
        for (struct gptl_frame *f = load(&t->top); f > base; f--)
            if (load(&f->node)->region == other)
                return f;
    /* A path without memory runs under the node for all such paths. */
    if (load(&t->tree.folded_paths))
        for (struct gptl_frame *f = load(&t->top); f > base; f--)
            if (load(&f->node) == t->tree.fold_other)
                return f;
    return NULL;
}

/*
 * Return whether this is the stop of a region started while measuring was disabled: these are the
 * innermost regions, except for regions started after measuring resumed.
 */
static bool is_swallowed(struct gptl_thread *t, struct gptl_name name)
{
    if (t->nswallowed) {
        t->nswallowed--;
        return true;
    }
    if (!t->nswallowed_before)
        return false;
    struct gptl_swallowed *last = &t->swallowed[t->nswallowed_before - 1];
    struct gptl_frame *frame = gptl_thread_depth(t) > last->depth ? find_frame(t, name) : NULL;
    if (frame && frame - load(&t->base) > (ptrdiff_t)last->depth)
        return false;
    if (--last->count == 0 && --t->nswallowed_before == 0)
        gptl_thread_gate_clear(t, GPTL_GATE_SWALLOWED);
    return true;
}

static int unmatched(struct gptl_thread *t, const char *function, struct gptl_name name,
                     uint64_t now)
{
    if (load(&t->gate) & GPTL_GATE_DISABLED || gptl_crossed_late(t, name, now) ||
        gptl_skipped_late(t, name))
        return 0;
    if (t->inherited) {
        t->inherited--;
        return 0;
    }
    gptl_increment(&t->unmatched);
    uint32_t depth = gptl_thread_depth(t);
    const char *inside = depth ? load(&load(&t->top)->node)->region->name : NULL;
    return gptl_core_error(function, "\"%.*s\" is not open on thread %d (%s%s%s)",
                           gptl_slow_shown(name), name.text, t->slot,
                           inside ? "innermost open region: \"" : "no region is",
                           inside ? inside : "", inside ? "\"" : " open");
}

static int stop_busy(struct gptl_thread *t, const char *function, const char *raw, size_t length,
                     int *handle, uint64_t now)
{
    struct gptl_function_found found;
    bool is_function = length == GPTL_FUNCTION;
    if (is_function) {
        gptl_function_find(raw, &found);
        if (found.left_out)
            return 0;
    }
    struct gptl_name name = is_function ? found.name : gptl_slow_name(raw, length);
    if (handle && gptl_lookup_handle(handle) && !own_handle(function, name, handle))
        return -1;
    if (is_swallowed(t, name))
        return 0;
    if (t->skipped && gptl_skipped_stop(t, name))
        return 0;
    struct gptl_frame *frame = find_frame(t, name);
    if (!frame) /* a function may have been entered before measuring began */
        return is_function ? 0 : unmatched(t, function, name, now);
    if (t->skipped)
        gptl_skipped_forget(t);
    if (frame != load(&t->top) && is_function)
        gptl_unwound_exit(t, frame, now);
    else if (frame != load(&t->top))
        gptl_crossed_stop(t, &frame, now);
    gptl_frame_end(t, frame, now);
    if (load(&t->gate) & GPTL_GATE_MEMUSAGE)
        gptl_stamp_growth(name, "stop");
    return 0;
}

/* Handle a stop on a thread without starts. */
static int stop_without_thread(const char *function, const char *name, size_t length)
{
    struct gptl_name kept = gptl_slow_name(name, length);
    switch (load(&gptl_g.phase)) {
    case GPTL_ENDED:
        return gptl_state_turn_on() ? 0 : -1;
    case GPTL_ASIDE:
        return 0;
    default:
        if (load(&gptl_g.gate) & GPTL_GATE_DISABLED)
            return 0;
        return gptl_core_error(function, "\"%.*s\" is not open: this thread has started nothing",
                               gptl_slow_shown(kept), kept.text);
    }
}

/*
 * Pop a region of a measurement that has ended because another thread began a new one. Its tree
 * stays until this thread's next start, as the wrapper that stops the region may still add to its
 * node.
 */
static bool pop_ended(struct gptl_thread *t)
{
    if (t->epoch == load(&gptl_g.epoch) || t->busy || gptl_thread_depth(t) == 0)
        return false;
    store(&t->top, load(&t->top) - 1);
    return true;
}

static int stop_event(const char *function, const char *name, size_t length, int *handle,
                      uint64_t now, struct gptl_call call)
{
    struct gptl_thread *t = gptl_thread_own();
    if (gptl_tls == &gptl_limbo)
        return 0;
    if (t && t->busy && gptl_busy_is(t, call))
        return gptl_busy_stop(t);
    if (!t || !gptl_is_on())
        return stop_without_thread(function, name, length);
    if (pop_ended(t))
        return 0;
    if (!now)
        now = t->clock ? t->clock->read() : 0;
    int rc;
    t = gptl_thread_enter(function, &rc); /* a new measurement may have begun */
    if (!t)
        return rc;
    if (gptl_slow_begin(t, &call)) /* a reset or a new clock invalidates the earlier reading */
        now = t->clock->read();
    if (load(&t->gate) & GPTL_GATE_FOLLOWED)
        gptl_state_tell_follower(load(&load(&t->top)->node));
    if (load(&t->gate) & GPTL_GATE_DISABLED) {
        now = load(&gptl_g.disabled_at);
        gptl_meter_pause(t);
    }
    rc = stop_busy(t, function, name, length, handle, now);
    gptl_busy_set(t, 0, NULL);
    return rc;
}

int gptl_slow_stop_any(const char *name, size_t length, int *handle, uint64_t now,
                       struct gptl_call call)
{
    const char *function = function_name("stop", length, handle);
    if (!gptl_slow_valid(function, name, length))
        return -1;
    return stop_event(function, name, length, handle, now, call);
}

/*
 * Exit a function. A skipped call that lay deeper in the stack than this one has ended, with or
 * without its exit.
 */
int gptl_slow_exit_any(const char *address, struct gptl_call call)
{
    struct gptl_host host = gptl_host_save();
    struct gptl_thread *t = gptl_thread_own();
    if (address && t && gptl_is_on()) {
        if (t->skipped && t->skipped_stack && call.stack > t->skipped_stack && !t->busy)
            gptl_skipped_gone(t);
        stop_event("", address, GPTL_FUNCTION, NULL, 0, call);
    }
    gptl_host_restore(host);
    return 0;
}
