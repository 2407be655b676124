/*
 * disabled.c - a pair after GPTLdisable, against two empty calls into a library of the same kind.
 */
#include "bench.h"
#include "empty.h"

#include <stddef.h>

#include <gptl.h>

static void run_empty(void *arg, long rounds)
{
    (void)arg;
    while (rounds-- > 0) {
        bench_empty_start("pair");
        bench_empty_stop("pair");
    }
}

int main(void)
{
    struct bench_work work[2] = {
        {.run = run_empty, .pairs = 1},
        {.run = bench_run_pair, .pairs = 1},
    };

    bench_open();
    bench_library(NULL);
    if (GPTLdisable())
        bench_stop(1, "GPTLdisable failed");
    bench_compare(work, 2);
    bench_row("disabled, a pair (floor: two empty calls)", work[0].ns, work[1].ns, "1.3x");
    bench_close();
}
