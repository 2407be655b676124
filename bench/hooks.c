/*
 * hooks.c - a call of an empty instrumented function: timed; excluded by a filter; throttled, so
 * that one in 16 is timed; in a process that does not measure. Also one of 10,000 functions in
 * random order and in a fixed order, and the time of these calls without measurement: instruction
 * cache misses and mispredicted jumps.
 */
#include "bench.h"
#include "instrumented.h"
#include "orders.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static void run_empty(void *arg, long rounds)
{
    (void)arg;
    while (rounds-- > 0)
        bench_instrumented_empty();
}

/* Report the floor and the call in a process with the options of its environment. */
static void give_empty(void)
{
    struct bench_work work[2] = {{0}, {.run = run_empty, .pairs = 1}};

    work[0] = bench_library(NULL);
    bench_compare(work, 2);
    bench_give(work[0].ns);
    bench_give(work[1].ns);
    bench_close();
}

/*
 * Time RUN, whose rounds contain CALLS calls, in a process that does not measure: bench_library
 * turns the library on, so it is called last.
 */
static void give_idle(bench_run *run, long pairs)
{
    const long rounds = 50000 / pairs;
    double ns = 1e9;

    for (int repeat = 0; repeat < 200; repeat++) {
        double begin = bench_seconds();
        run(NULL, rounds);
        double one = 1e9 * (bench_seconds() - begin) / (double)(rounds * pairs);
        ns = one < ns ? one : ns;
    }
    struct bench_work work[2] = {bench_library(NULL), {.run = run_empty, .pairs = 1}};
    bench_compare(work, 2);
    bench_give(work[0].ns);
    bench_give(ns);
    bench_close();
}

static void show_child(const char *work, const char *options, const char *what, const char *target)
{
    double ns[2];

    if (bench_child(options, what, ns, 2))
        printf("# %s: not measured\n", work);
    else
        bench_row(work, ns[0], ns[1], target);
}

int main(int argc, char **argv)
{
    struct bench_work work[4] = {
        {0},
        {.run = run_empty, .pairs = 1},
        {.run = bench_same_order, .pairs = BENCH_FUNCTIONS},
        {.run = bench_any_order, .pairs = BENCH_FUNCTIONS},
    };

    if (argc > 1 && strcmp(argv[1], "idle") == 0)
        give_idle(run_empty, 1);
    if (argc > 1 && strcmp(argv[1], "idle10000") == 0)
        give_idle(bench_any_order, BENCH_FUNCTIONS);
    if (argc > 1)
        give_empty();
    bench_open();
    work[0] = bench_library(NULL);
    bench_compare(work, 4);
    bench_row("instrumented empty function, a call", work[0].ns, work[1].ns, "1.20x");
    show_child("the same, left out by a filter", "exclude=bench_instrumented_empty", "empty",
               "0.50x");
    show_child("the same, throttled", "throttle=1000", "empty", "shown");
    show_child("the same, in a process that does not measure", NULL, "idle", "shown");
    bench_row("one of 10,000, in the same random order", work[0].ns, work[2].ns, "2.50x");
    bench_row("one of 10,000, never the same order", work[0].ns, work[3].ns, "2.50x");
    show_child("the same, in a process that does not measure", NULL, "idle10000", "shown");
    bench_close();
}
