/*
 * crossed.h - stops out of order, and stops that are missing.
 *
 * When A is stopped while B, started inside it, is open, either B's stop comes next (the two were
 * crossed) or never (an error path left it out). B stays open, and is watched. It has been missed if
 * it is started again, or if a region around A is stopped as well: then B's call ends at the moment
 * when A was stopped. If its stop comes after all, the call gets the rest of its time.
 */
#ifndef GPTL_CORE_CROSSED_H
#define GPTL_CORE_CROSSED_H

#include "core/thread.h"

/* FRAME, which is not the top one, is about to be stopped at NOW. */
void gptl_crossed_stop(struct gptl_thread *t, struct gptl_frame **frame, uint64_t now);
/* NAME is about to be started while some frames are watched. */
void gptl_crossed_start(struct gptl_thread *t, struct gptl_name name);
/* Whether a stop of NAME, which is not open, is that of a call that was held to be missed. */
bool gptl_crossed_late(struct gptl_thread *t, struct gptl_name name, uint64_t now);
/* Frame number K, which was watched, has ended. */
void gptl_crossed_ended(struct gptl_thread *t, uint32_t k);

#endif
