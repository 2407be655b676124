/*
 * slow.h - starts and stops in unusual cases: a name that is not in the cache, an active feature,
 * crossed stops, the first event of a thread or of the process.
 */
#ifndef GPTL_CORE_SLOW_H
#define GPTL_CORE_SLOW_H

#include <stddef.h>
#include <stdint.h>

#include "core/lookup.h"

/*
 * Start or stop a region and return the result of GPTLstart or GPTLstop. LENGTH is the length of
 * the name including trailing spaces, or GPTL_NAME_OF a kind; HANDLE may be NULL; NOW is the clock
 * reading of the fast path, or 0.
 */
int gptl_slow_start(const char *name, size_t length, int *handle);
int gptl_slow_stop(const char *name, size_t length, int *handle, uint64_t now);

/*
 * Start or stop a region if more features than the counters are active; CALL is the call of the
 * public function.
 */
int gptl_simple_start(const char *name, size_t length, int *handle, struct gptl_call call);
int gptl_simple_stop(const char *name, size_t length, int *handle, uint64_t now,
                     struct gptl_call call);

/* Start or stop a function and return 0; CALL is the call of the hook. */
int gptl_slow_enter(const char *address, struct gptl_call call);
int gptl_slow_exit(const char *address, struct gptl_call call);

/* Start or stop a region in any unusual case. */
int gptl_slow_start_any(const char *name, size_t length, int *handle, struct gptl_call call);
int gptl_slow_stop_any(const char *name, size_t length, int *handle, uint64_t now,
                       struct gptl_call call);
int gptl_slow_enter_any(const char *address, struct gptl_call call);
int gptl_slow_exit_any(const char *address, struct gptl_call call);

/* Stop the innermost region in any unusual case of its time, and return 0. */
int gptl_slow_leave(struct gptl_thread *t, uint64_t now);
/* Return whether a stop of NAME can refer to this frame. */
bool gptl_slow_is_frame_of(const struct gptl_thread *t, const struct gptl_frame *frame,
                           struct gptl_name name);
/*
 * Begin a slow event: mark the thread as busy and apply pending requests. Return whether there were
 * any.
 */
bool gptl_slow_begin(struct gptl_thread *t, const struct gptl_call *call);
/* Return whether the arguments are valid; otherwise the error has been reported. */
bool gptl_slow_valid(const char *function, const char *name, size_t length);
bool gptl_slow_too_deep(const struct gptl_thread *t);
/* Return the number of bytes of a name that a message prints. */
int gptl_slow_shown(struct gptl_name name);

/*
 * Return the region's name in stored form: cut at NUL and trailing spaces; "(empty)" if nothing
 * remains.
 */
struct gptl_name gptl_slow_name(const char *name, size_t length);

#endif
