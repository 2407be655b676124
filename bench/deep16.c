/*
 * deep16.c - 16 levels deep: a pair below 16 open regions, and all 16 levels opened and closed.
 */
#include "bench.h"

#include <stddef.h>

#include <gptl.h>

enum { LEVELS = 16 };
static const char *const level[LEVELS] = {
    "level_0", "level_1", "level_2",  "level_3",  "level_4",  "level_5",  "level_6",  "level_7",
    "level_8", "level_9", "level_10", "level_11", "level_12", "level_13", "level_14", "level_15",
};

static void open_all(void)
{
    int i;

    for (i = 0; i < LEVELS; i++)
        GPTLstart(level[i]);
}

static void close_all(void)
{
    int i;

    for (i = LEVELS - 1; i >= 0; i--)
        GPTLstop(level[i]);
}

static void run_ladder(void *arg, long rounds)
{
    (void)arg;
    while (rounds-- > 0) {
        open_all();
        close_all();
    }
}

int main(void)
{
    struct bench_work work[2];

    bench_open();
    work[0] = bench_library(NULL);

    work[1] = (struct bench_work){.run = run_ladder, .pairs = LEVELS};
    bench_compare(work, 2);
    bench_row("16 levels opened and closed, a pair", work[0].ns, work[1].ns, "1.10x");

    open_all();
    work[1] = (struct bench_work){.run = bench_run_pair, .pairs = 1};
    bench_compare(work, 2);
    close_all();
    bench_row("below 16 open levels, a pair", work[0].ns, work[1].ns, "1.10x");
    bench_close();
}
