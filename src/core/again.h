/*
 * again.h - calls of a node that is open already, throttled, left out, or an edge back, and the ends of
 * such calls: rarer than the short path, and as little in the way.
 */
#ifndef GPTL_CORE_AGAIN_H
#define GPTL_CORE_AGAIN_H

#include "core/thread.h"

/* NODE, a child of the innermost region, is started. */
int gptl_again_enter(struct gptl_thread *t, struct gptl_frame *top, struct gptl_node *node);
/* The same for a function, whose hook was called at STACK by CALLER, at the time NOW. */
int gptl_again_enter_function(struct gptl_thread *t, struct gptl_frame *top, struct gptl_node *node,
                              uintptr_t stack, uintptr_t caller, uint64_t now);

/* The innermost call, of NODE, has ended after TICKS; the node is still open, or is watched. */
int gptl_again_leave(struct gptl_thread *t, struct gptl_node *node, uint64_t ticks);
/* It ends NOW: the longest call so far, or one that is not timed, or the clock ran backwards. */
int gptl_again_leave_unusually(struct gptl_thread *t, struct gptl_frame *top, uint64_t now);
/* It ends, and is not timed. */
int gptl_again_leave_untimed(struct gptl_thread *t, struct gptl_frame *top, struct gptl_node *node);

#endif
