/*
 * skipped.h - starts that are not timed, because they lie beyond the depth limit or there is no
 * memory for their frame, and the stops that belong to them.
 */
#ifndef GPTL_CORE_SKIPPED_H
#define GPTL_CORE_SKIPPED_H

#include "core/thread.h"

void gptl_skipped_start(struct gptl_thread *t, struct gptl_name name);
/* Whether this is the stop of a skipped start. */
bool gptl_skipped_stop(struct gptl_thread *t, struct gptl_name name);
/* A region around them is stopped: the stops of those that are left were missed, or come late. */
void gptl_skipped_forget(struct gptl_thread *t);
/* The same, where no stop will come: they were left by longjmp. */
void gptl_skipped_gone(struct gptl_thread *t);
/* Whether this is the stop of one that was forgotten. */
bool gptl_skipped_late(struct gptl_thread *t, struct gptl_name name);

#endif
