/*
 * crossed.h - stops out of order, and missing stops.
 *
 * When A is stopped while B, started inside it, is open, either B's stop follows (the two were
 * crossed) or never (an error path omitted it). B stays open, and is watched. Its stop counts as
 * missing if B is started again, or if a region around A is stopped as well: then B's call ends at
 * the moment when A was stopped. If the stop arrives after all, the call gets the rest of its time.
 */
#ifndef GPTL_CORE_CROSSED_H
#define GPTL_CORE_CROSSED_H

#include "core/thread.h"

/* Process the stop of FRAME, which is not the top frame, at tick NOW. */
void gptl_crossed_stop(struct gptl_thread *t, struct gptl_frame **frame, uint64_t now);
/* Process the start of NAME while some frames are watched. */
void gptl_crossed_start(struct gptl_thread *t, struct gptl_name name);
/*
 * Return whether a stop of NAME, which is not open, belongs to a call with a seemingly missing
 * stop; if so, complete that call.
 */
bool gptl_crossed_late(struct gptl_thread *t, struct gptl_name name, uint64_t now);
/* Stop watching frame number K, which has ended. */
void gptl_crossed_ended(struct gptl_thread *t, uint32_t k);

#endif
