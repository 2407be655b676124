/* progress.h - progress of a long operation, in a line on a terminal that is cleared at the end. */
#ifndef GPTL_POSTPROC_PROGRESS_H
#define GPTL_POSTPROC_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    const char *what;
    uint64_t whole;
    int percent; /* displayed percentage; -1: none */
    bool shown;
};

/*
 * Start a display with label WHAT: "reading timing.0.json". It is hidden unless stderr is a
 * terminal and WHOLE, in bytes, takes a while.
 */
struct progress progress_begin(const char *what, uint64_t whole);
void progress_at(struct progress *progress, uint64_t done);
/* Clear the line; also needed before other output to the terminal. */
void progress_end(struct progress *progress);

#endif
