/*
 * frame.h - the stack of open regions outside of the fast path: push a frame, end a frame and add
 * its time. The calling thread is the owner of the stack, and busy.
 */
#ifndef GPTL_CORE_FRAME_H
#define GPTL_CORE_FRAME_H

#include "core/thread.h"

/* Open the node, or the target of a back edge. The caller sets the start if the call is timed. */
void gptl_frame_push(struct gptl_thread *t, struct gptl_node *node, struct gptl_call call);
/* Add the times of CALLS calls of EACH ticks, TICKS in total. */
void gptl_frame_add_times(struct gptl_thread *t, struct gptl_node *node, uint64_t calls,
                          uint64_t ticks, uint64_t each);
/* End a frame, which may lie below others; NOW is in ticks. */
void gptl_frame_end(struct gptl_thread *t, struct gptl_frame *frame, uint64_t now);
/* End a frame as of the past tick THEN, when the meters had VALUES; NULL: read them now. */
void gptl_frame_end_then(struct gptl_thread *t, struct gptl_frame *frame, uint64_t then,
                         const int64_t *values);
/* End all frames that the program did not stop. */
void gptl_frame_end_all(struct gptl_thread *t);

#endif
