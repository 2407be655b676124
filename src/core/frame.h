/*
 * frame.h - the stack of open regions, off the short path: a frame comes, a frame goes and leaves its
 * time. The thread that calls is the stack's owner, and busy.
 */
#ifndef GPTL_CORE_FRAME_H
#define GPTL_CORE_FRAME_H

#include "core/thread.h"

/*
 * Opens the node, or the one that it leads back to. When it starts is the caller's to say, if it is
 * to be timed.
 */
void gptl_frame_push(struct gptl_thread *t, struct gptl_node *node, struct gptl_call call);
/* Adds the times of CALLS calls that took EACH, TICKS together. */
void gptl_frame_add_times(struct gptl_thread *t, struct gptl_node *node, uint64_t calls,
                          uint64_t ticks, uint64_t each);
/* Ends a frame, which may lie below others; NOW is in ticks. */
void gptl_frame_end(struct gptl_thread *t, struct gptl_frame *frame, uint64_t now);
/* The same as of a moment that is past, when the meters said VALUES; NULL: as now. */
void gptl_frame_end_then(struct gptl_thread *t, struct gptl_frame *frame, uint64_t then,
                         const int64_t *values);
/* Ends all frames, which nobody has stopped. */
void gptl_frame_end_all(struct gptl_thread *t);

#endif
