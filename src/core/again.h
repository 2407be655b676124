/*
 * again.h - starts of a node that is already open, throttled, excluded, or a back edge, and the
 * stops of such calls: rarer than the fast path, and almost as cheap.
 */
#ifndef GPTL_CORE_AGAIN_H
#define GPTL_CORE_AGAIN_H

#include "core/thread.h"

/* Start NODE, a child of the innermost region. */
int gptl_again_enter(struct gptl_thread *t, struct gptl_frame *top, struct gptl_node *node);
/* Start the function NODE, whose hook was called with stack pointer STACK by CALLER at tick NOW. */
int gptl_again_enter_function(struct gptl_thread *t, struct gptl_frame *top, struct gptl_node *node,
                              uintptr_t stack, uintptr_t caller, uint64_t now);

/* Finish the innermost call, of NODE, which took TICKS; the node is still open, or is watched. */
int gptl_again_leave(struct gptl_thread *t, struct gptl_node *node, uint64_t ticks);
/*
 * Stop the innermost call at tick NOW: the longest call so far, an untimed call, or a clock that
 * ran backwards.
 */
int gptl_again_leave_unusually(struct gptl_thread *t, struct gptl_frame *top, uint64_t now);
/* Stop the innermost call, which is untimed. */
int gptl_again_leave_untimed(struct gptl_thread *t, struct gptl_frame *top, struct gptl_node *node);

#endif
