/*
 * again.c - starts and stops of a node that is already open, throttled, excluded, or a back edge.
 */
#include "config.h"

#include "core/again.h"

#include "core/host.h"
#include "core/short.h"
#include "core/throttle.h"

#define load(p) atomic_load_explicit(p, memory_order_relaxed)
#define store(p, v) atomic_store_explicit(p, v, memory_order_relaxed)

/* ---- Start --------------------------------------------------------------------------------- */

/*
 * Push a frame without a start, for an untimed call of a throttled node; most calls are untimed. A
 * function's exit recognizes by t->left_out that it needs no clock; other stops recognize it too
 * late.
 */
GPTL_INLINED int push_untimed(struct gptl_thread *t, struct gptl_frame *top, struct gptl_node *node,
                              struct gptl_call call)
{
    t->left_out = node->known;
    store(&t->top, top + 1);
    atomic_signal_fence(memory_order_release);
    top[1].call = call;
    store(&top[1].node, node);
    store(&top[1].start, GPTL_UNTIMED);
    return 0;
}

/* Start the call that gptl_throttle_next decides about: one or two calls in a block. */
static __attribute__((noinline)) int enter_chosen(struct gptl_thread *t, struct gptl_frame *top,
                                                  struct gptl_node *node, uintptr_t stack,
                                                  uintptr_t caller)
{
    if (!gptl_throttle_next(top, node, gptl_counter()))
        return push_untimed(t, top, node, (struct gptl_call){stack, caller});
    t->left_out = 0;
    return gptl_short_push(t, top, node, (struct gptl_call){stack, caller}, gptl_counter(), true);
}

static __attribute__((noinline)) int enter_throttled(struct gptl_thread *t, struct gptl_frame *top,
                                                     struct gptl_node *node, uintptr_t stack,
                                                     uintptr_t caller)
{
    uint32_t open = load(&node->open);
    store(&node->open, open + 1);
    if (open & GPTL_OPEN_FRAMES)
        store(&node->recurse, load(&node->recurse) + 1);
    else if (gptl_throttle_is_next(node))
        return enter_chosen(t, top, node, stack, caller);
    return push_untimed(t, top, node, (struct gptl_call){stack, caller});
}

/* Start a node that is open or watched, a back edge to such a node, or an excluded function. */
GPTL_INLINED int enter_open(struct gptl_thread *t, struct gptl_frame *top, struct gptl_node *node,
                            struct gptl_call call, uint64_t now, bool is_function)
{
    uint32_t open = load(&node->open);
    if (open == GPTL_LEFT_OUT) {
        t->left_out = node->known;
        return 0;
    }
    if (open == GPTL_EDGE_BACK) {
        store(&node->count, load(&node->count) + 1);
        node = node->last;
        open = load(&node->open);
    }
    if (open & GPTL_THROTTLED)
        return enter_throttled(t, top, node, call.stack, call.caller);
    if (open & GPTL_OPEN_FRAMES)
        store(&node->recurse, load(&node->recurse) + 1);
    store(&node->open, open + 1);
    return gptl_short_push(t, top, node, call, now, is_function);
}

int gptl_again_enter(struct gptl_thread *t, struct gptl_frame *top, struct gptl_node *node)
{
    return enter_open(t, top, node, GPTL_NO_CALL, 0, false);
}

/*
 * Start a function that is already open, unless longjmp left that call and this one comes from
 * further up the stack.
 */
int gptl_again_enter_function(struct gptl_thread *t, struct gptl_frame *top, struct gptl_node *node,
                              uintptr_t stack, uintptr_t caller, uint64_t now)
{
    struct gptl_call call = {stack, caller};
    /* the enclosing function; regions started by hand do not count */
    const struct gptl_frame *around = top;
    while (!around->call.stack && around > load(&t->base))
        around--;
    if (unlikely(gptl_call_is_after(call, around->call)) && !gptl_node_is_left_out(node))
        return gptl_slow_enter((const char *)node->known, call);
    return enter_open(t, top, node, call, now, true);
}

/* ---- Stop ---------------------------------------------------------------------------------- */

int gptl_again_leave_untimed(struct gptl_thread *t, struct gptl_frame *top, struct gptl_node *node)
{
    store(&t->top, top - 1);
    if (likely(gptl_node_open(node))) {
        store(&node->count, load(&node->count) + 1);
        store(&node->open, load(&node->open) - 1);
    }
    t->left_out = gptl_frame_is_untimed(top - 1) ? load(&top[-1].node)->known : 0;
    return 0;
}

int gptl_again_leave_unusually(struct gptl_thread *t, struct gptl_frame *top, uint64_t now)
{
    if (gptl_frame_is_untimed(top))
        return gptl_again_leave_untimed(t, top, load(&top->node));
    return gptl_slow_leave(t, now);
}

int gptl_again_leave(struct gptl_thread *t, struct gptl_node *node, uint64_t ticks)
{
    if (unlikely(gptl_node_open(node) == GPTL_OPEN_FRAMES)) {
        /*
         * The node was not open: a thread that was ended within a hook has left a frame of another
         * node.
         */
        store(&node->open, load(&node->open) + 1);
        store(&node->count, load(&node->count) - 1);
        return 0;
    }
    if (gptl_node_open(node))
        return 0; /* the outermost call adds the time when it leaves */
    uint32_t calls = gptl_throttle_calls(node);
    gptl_throttle_end(t, node, ticks);
    store(&node->latest, ticks);
    store(&node->total, load(&node->total) + calls * ticks);
    if (unlikely(ticks < load(&node->min)))
        store(&node->min, ticks);
    return 0;
}
