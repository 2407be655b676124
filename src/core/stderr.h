/*
 * stderr.h - lines for the user, on descriptor 2 while it is the same file as at load: a program
 * may close it and open another file there.
 *
 * Independent of the rest of the core, and part of the preloaded libraries as well.
 */
#ifndef GPTL_CORE_STDERR_H
#define GPTL_CORE_STDERR_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Record the file of descriptor 2. Called at load, and by tests that redirect the descriptor. */
void gptl_stderr_begin(void);

/* Return whether descriptor 2 is still that file. */
bool gptl_stderr_is_open(void);
/* Return whether it is still that file and not /dev/null. */
bool gptl_stderr_is_heard(void);

/*
 * Write LINE in one call, so that lines of several threads and processes stay whole; write nothing
 * if descriptor 2 is another file. Preserves errno, raises no signal, is safe in signal handlers
 * and not a cancellation point.
 */
void gptl_stderr_write(const char *line, size_t size);

/* Block SIGPIPE and SIGXFSZ, which a write may raise and which would terminate the program. */
struct gptl_write_signals {
    sigset_t mask, pending;
};
void gptl_stderr_hold_signals(struct gptl_write_signals *before);
/*
 * Consume the two signals, unless they were pending before, and restore the mask. Preserves errno.
 */
void gptl_stderr_release_signals(const struct gptl_write_signals *before);

#endif
