/*
 * slow.h - starts and stops when anything is unusual: a name not in the cache, a feature that is
 * on, crossed stops, the first event of a thread or of the process.
 */
#ifndef GPTL_CORE_SLOW_H
#define GPTL_CORE_SLOW_H

#include <stddef.h>
#include <stdint.h>

#include "core/lookup.h"

/*
 * What GPTLstart and GPTLstop return. LENGTH is the name's, blanks at the end included, or
 * GPTL_NUL_ENDED; HANDLE may be NULL; NOW is the clock as read by the short path, or 0.
 */
int gptl_slow_start(const char *name, size_t length, int *handle);
int gptl_slow_stop(const char *name, size_t length, int *handle, uint64_t now);

/* Stops the innermost region, whichever way its time is out of the ordinary; is 0. */
int gptl_slow_leave(struct gptl_thread *t, uint64_t now);
/* Whether a stop of NAME may mean this frame. */
bool gptl_slow_is_frame_of(const struct gptl_thread *t, const struct gptl_frame *frame,
                           struct gptl_name name);
/* The region's name as it is kept: cut at NUL and trailing blanks, "(empty)" if nothing is left. */
struct gptl_name gptl_slow_name(const char *name, size_t length);

#endif
