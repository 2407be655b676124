/*
 * unwound.c - calls of functions that ended without their exit.
 *
 * A signal handler may have jumped away between any two instructions of the fast path. So a frame
 * may contain the data of an earlier frame, and a node may count an open frame that was never
 * pushed or has been removed. In the first case the frame's node is not open. For the second case
 * the open frames of all nodes are recounted, not every time, but often enough.
 */
#include "config.h"

#include "core/unwound.h"

#include "core/frame.h"

#define load(p) atomic_load_explicit(p, memory_order_relaxed)
#define store(p, v) atomic_store_explicit(p, v, memory_order_relaxed)

/* Number of nodes recounted for each time that calls were left. */
enum { RECOUNT = 64 };

static void count_open(struct gptl_thread *t)
{
    uint32_t n = load(&t->tree.nnodes);
    t->unwinds = 0;
    for (uint32_t i = 1; i < n; i++) {
        struct gptl_node *node = gptl_tree_node(&t->tree, i);
        store(&node->open, load(&node->open) & ~GPTL_OPEN_FRAMES);
    }
    struct gptl_frame *top = load(&t->top);
    for (struct gptl_frame *f = load(&t->base) + 1; f <= top; f++)
        store(&load(&f->node)->open, load(&load(&f->node)->open) + 1);
}

static void recount(struct gptl_thread *t)
{
    if (++t->unwinds >= load(&t->tree.nnodes) / RECOUNT)
        count_open(t);
}

/*
 * Correct the start of the top frame if a signal handler prevented its store: then it is 0 or
 * belongs to an earlier call.
 */
static void set_likely_start(struct gptl_thread *t, struct gptl_frame *top, uint64_t now)
{
    uint64_t begin = load(&top->start), around = load(&top[-1].start);
    bool is_outermost = top - 1 == load(&t->base);
    if (begin == 0 || (!is_outermost && begin < around && around < GPTL_UNTIMED))
        store(&top->start, now);
}

/* End the innermost frame, whose function was left. */
static void end_left(struct gptl_thread *t, uint64_t now)
{
    struct gptl_frame *top = load(&t->top);
    struct gptl_node *node = load(&top->node);
    if (gptl_node_open(node) == 0) {
        top->call.stack = 0;
        store(&t->top, top - 1);
        return;
    }
    set_likely_start(t, top, now);
    if (node->region->function)
        gptl_increment(&t->unwound);
    else
        store(&node->unstopped, load(&node->unstopped) + 1);
    gptl_frame_end(t, top, now);
}

/*
 * pthread_exit in a signal handler, and cancellation, may interrupt any code. A node that counts a
 * removed frame would make all later calls in this slot look recursive. Large trees are recounted
 * at some exits only, so that short threads stay cheap.
 */
void gptl_unwound_settle(struct gptl_thread *t)
{
    enum { CHEAP = 2048 };
    struct gptl_frame *base = load(&t->base);
    while (load(&t->top) > base && gptl_node_open(load(&load(&t->top)->node)) == 0)
        store(&t->top, load(&t->top) - 1);
    struct gptl_frame *top = load(&t->top);
    if (top > base)
        set_likely_start(t, top, t->clock->read());
    if (load(&t->tree.nnodes) <= CHEAP || top > base ||
        ++t->unwinds >= load(&t->tree.nnodes) / CHEAP)
        count_open(t);
}

static bool is_function(const struct gptl_frame *frame)
{
    return load(&frame->node)->region->function != NULL;
}

static void end_from(struct gptl_thread *t, struct gptl_frame *frame, uint64_t now)
{
    while (load(&t->top) >= frame)
        end_left(t, now);
    recount(t);
}

/*
 * The stack of a coroutine or of a signal handler may lie anywhere, but not between the outermost
 * function's frame and the frame of a function inside it. At the exact position of a function's
 * frame it is the same stack.
 */
void gptl_unwound_enter(struct gptl_thread *t, struct gptl_call call)
{
    struct gptl_frame *top = load(&t->top), *base = load(&t->base), *left = NULL;
    struct gptl_frame *outermost = base + 1;
    while (outermost < top && !is_function(outermost))
        outermost++;
    bool same_stack = outermost <= top && call.stack <= outermost->call.stack;
    for (struct gptl_frame *f = top; same_stack && f > base; f--) {
        if (!is_function(f))
            continue;
        if (f->call.stack > call.stack ||
            !f->call.stack) /* 0: a handler has interrupted its start */
            break;
        if (gptl_call_is_after(call, f->call))
            left = f;
    }
    if (left)
        end_from(t, left, t->clock->read());
}

void gptl_unwound_exit(struct gptl_thread *t, struct gptl_frame *frame, uint64_t now)
{
    struct gptl_frame *top = load(&t->top), *f = top;
    while (f > frame && !is_function(f))
        f--;
    if (f > frame)
        end_from(t, frame + 1, now);
}
