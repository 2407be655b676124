/*
 * skipped.h - untimed starts, which are beyond the depth limit or lack memory for their frame, and
 * their stops.
 */
#ifndef GPTL_CORE_SKIPPED_H
#define GPTL_CORE_SKIPPED_H

#include "core/thread.h"

void gptl_skipped_start(struct gptl_thread *t, struct gptl_name name);
/* Return whether this is the stop of a skipped start. */
bool gptl_skipped_stop(struct gptl_thread *t, struct gptl_name name);
/*
 * Forget the skipped starts when a region around them is stopped: their stops are missing, or come
 * late.
 */
void gptl_skipped_forget(struct gptl_thread *t);
/* Forget the skipped starts whose stops cannot come: longjmp left them. */
void gptl_skipped_gone(struct gptl_thread *t);
/* Return whether this is the stop of a forgotten start. */
bool gptl_skipped_late(struct gptl_thread *t, struct gptl_name name);

#endif
