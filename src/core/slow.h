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
 * What GPTLstart and GPTLstop return. LENGTH is the name's, blanks at the end included,
 * or GPTL_NAME_OF a kind; HANDLE may be NULL; NOW is the clock as read by the short path, or 0.
 */
int gptl_slow_start(const char *name, size_t length, int *handle);
int gptl_slow_stop(const char *name, size_t length, int *handle, uint64_t now);

/* The same when more than counters is on; CALL is that of the public function. */
int gptl_simple_start(const char *name, size_t length, int *handle, struct gptl_call call);
int gptl_simple_stop(const char *name, size_t length, int *handle, uint64_t now,
                     struct gptl_call call);

/* The same for a function; CALL is that of the hook. They are 0. */
int gptl_slow_enter(const char *address, struct gptl_call call);
int gptl_slow_exit(const char *address, struct gptl_call call);

/* The same, whatever is unusual. */
int gptl_slow_start_any(const char *name, size_t length, int *handle, struct gptl_call call);
int gptl_slow_stop_any(const char *name, size_t length, int *handle, uint64_t now,
                       struct gptl_call call);
int gptl_slow_enter_any(const char *address, struct gptl_call call);
int gptl_slow_exit_any(const char *address, struct gptl_call call);

/* Stops the innermost region, whichever way its time is out of the ordinary; is 0. */
int gptl_slow_leave(struct gptl_thread *t, uint64_t now);
/* Whether a stop of NAME may mean this frame. */
bool gptl_slow_is_frame_of(const struct gptl_thread *t, const struct gptl_frame *frame,
                           struct gptl_name name);
/* What every slow event begins with: the thread is busy then. Returns whether orders were executed. */
bool gptl_slow_begin(struct gptl_thread *t, const struct gptl_call *call);
/* Whether the arguments can be used; otherwise the error has been reported. */
bool gptl_slow_valid(const char *function, const char *name, size_t length);
bool gptl_slow_too_deep(const struct gptl_thread *t);
/* As many bytes of a name as a message shows. */
int gptl_slow_shown(struct gptl_name name);

/* The region's name as it is kept: cut at NUL and trailing blanks, "(empty)" if nothing is left. */
struct gptl_name gptl_slow_name(const char *name, size_t length);

#endif
