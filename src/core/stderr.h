/*
 * stderr.h - lines for the user, on descriptor 2 while it is what it was at load: a program may close
 * it and open a file of its own there.
 *
 * It needs nothing else of the core, and is in the preloaded libraries as well.
 */
#ifndef GPTL_CORE_STDERR_H
#define GPTL_CORE_STDERR_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Remembers which file descriptor 2 is. Done at load; tests that put another file there call it again. */
void gptl_stderr_begin(void);

/* Whether descriptor 2 is still that file. */
bool gptl_stderr_is_open(void);
/* The same, and it is not /dev/null. */
bool gptl_stderr_is_heard(void);

/*
 * Writes LINE in one call, so that lines of several threads and processes stay whole; or nothing, if
 * descriptor 2 is another file. Keeps errno, raises no signal, is safe in signal handlers and no point
 * of cancellation.
 */
void gptl_stderr_write(const char *line, size_t size);

/* Writing may raise SIGPIPE or SIGXFSZ, which would end the program: they are blocked, … */
struct gptl_write_signals {
    sigset_t mask, pending;
};
void gptl_stderr_hold_signals(struct gptl_write_signals *before);
/* … and consumed, unless the program's own were pending already. Keeps errno. */
void gptl_stderr_release_signals(const struct gptl_write_signals *before);

#endif
