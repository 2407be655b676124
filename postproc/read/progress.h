/* progress.h - how far a long work has come, in a line on a terminal that goes away at the end. */
#ifndef GPTL_POSTPROC_PROGRESS_H
#define GPTL_POSTPROC_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    const char *what;
    uint64_t whole;
    int percent; /* that stands there; -1: nothing does */
    bool shown;
};

/*
 * WHAT stands before the number: "reading timing.0.json". Nothing is shown unless stderr is a
 * terminal and WHOLE, in bytes, is so much that it takes a while.
 */
struct progress progress_begin(const char *what, uint64_t whole);
void progress_at(struct progress *progress, uint64_t done);
/* Clears the line. Also before anything else is written to the terminal. */
void progress_end(struct progress *progress);

#endif
