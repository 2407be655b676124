/* progress.c - progress of a long operation. */
#include "config.h"

#include "postproc/read/progress.h"

#include <stdio.h>
#include <unistd.h>

enum { LEAST = 50000000, LONGEST = 60 };

/*
 * Print WHAT and the percentage. A long WHAT is truncated at its start, because paths differ at
 * their end.
 */
static void put(const struct progress *progress)
{
    int length = 0, from = 0;
    while (progress->what[length])
        length++;
    if (length > LONGEST)
        from = length - LONGEST;
    fprintf(stderr, "\r%s%s: %d %%", from ? "..." : "", progress->what + from, progress->percent);
    fflush(stderr);
}

struct progress progress_begin(const char *what, uint64_t whole)
{
    return (struct progress){
        .what = what, .whole = whole, .percent = -1, .shown = whole >= LEAST && isatty(2)};
}

void progress_at(struct progress *progress, uint64_t done)
{
    if (!progress->shown)
        return;
    int percent = (int)((double)done / (double)progress->whole * 100);
    if (percent > 100)
        percent = 100;
    if (percent == progress->percent)
        return;
    progress->percent = percent;
    put(progress);
}

void progress_end(struct progress *progress)
{
    if (progress->percent >= 0)
        fprintf(stderr, "\r%*s\r", LONGEST + 12, "");
    progress->percent = -1;
}
