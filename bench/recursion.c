/*
 * recursion.c - one region open 1000 times.
 *
 * A loop of starts, then a loop of stops: real recursion would add mispredicted returns of the
 * program's deep stack, which do not belong to the library.
 */
#include "bench.h"

#include <stddef.h>

#include <gptl.h>

enum { DEPTH = 1000 };

static void run_recursion(void *arg, long rounds)
{
    int i;

    (void)arg;
    while (rounds-- > 0) {
        for (i = 0; i < DEPTH; i++)
            GPTLstart("recurse");
        for (i = 0; i < DEPTH; i++)
            GPTLstop("recurse");
    }
}

int main(void)
{
    struct bench_work work[2] = {{0}, {.run = run_recursion, .pairs = DEPTH}};

    bench_open();
    work[0] = bench_library(NULL);
    bench_compare(work, 2);
    bench_row("recursion 1000 deep, a pair", work[0].ns, work[1].ns, "1.2x");
    bench_close();
}
