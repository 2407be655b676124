/*
 * pair_name.c - start and stop of one literal name, compared with two calls of library functions
 * that only read the clock.
 */
#include "bench.h"
#include "empty.h"

#include <stddef.h>

static void run_clock_calls(void *arg, long rounds)
{
    (void)arg;
    while (rounds-- > 0) {
        bench_clock_start("pair");
        bench_clock_stop("pair");
    }
}

int main(void)
{
    struct bench_work work[3] = {
        {0},
        {.run = bench_run_pair, .pairs = 1},
        {.run = run_clock_calls, .pairs = 1},
    };

    bench_open();
    work[0] = bench_library(NULL);
    bench_compare(work, 3);
    bench_row("start+stop, one literal name", work[0].ns, work[1].ns, "1.10x");
    bench_row("two library calls that only read the clock", work[0].ns, work[2].ns,
              "shown: the least that is possible");
    bench_close();
}
