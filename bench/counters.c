/*
 * counters.c - a start+stop pair with two counters of one component on, against what it cannot do
 * without: two bare readings of the very same set of events, and two clock readings.
 *
 * Events that the kernel counts in software cost a system call a reading, which makes the library's
 * own part look small; so that part is told in nanoseconds as well. On a processor whose counters
 * can be read without the kernel, events=NAME,NAME shows the ratio where it is hardest.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gptl.h>
#include <papi.h>

enum { SETS = 256 };

struct reads {
    struct bench_work clock;
    int set;
};

static void run_floor(void *arg, long rounds)
{
    struct reads *reads = arg;
    long long values[2];

    while (rounds-- > 0) {
        PAPI_read(reads->set, values);
        reads->clock.run(reads->clock.arg, 1);
        PAPI_read(reads->set, values);
    }
}

/* The set of two events that the library has opened for this thread, or -1. */
static int find_set(void)
{
    int set, status;

    for (set = 0; set < SETS; set++)
        if (PAPI_state(set, &status) == PAPI_OK && status & PAPI_RUNNING &&
            PAPI_num_events(set) == 2)
            return set;
    return -1;
}

/* Gives the floor and the pair. */
static void give_pair(void)
{
    struct reads reads = {.clock = bench_library(NULL)};
    struct bench_work work[2] = {{run_floor, &reads, 1, 0, 0}, {bench_run_pair, NULL, 1, 0, 0}};

    bench_run_pair(NULL, 1);
    reads.set = find_set();
    if (GPTLnum_errors() > 0 || reads.set < 0)
        bench_stop(77, "these events cannot be counted here");
    bench_compare(work, 2);
    bench_give(work[0].ns);
    bench_give(work[1].ns);
    bench_close();
}

static void compare(const char *events)
{
    char options[512], work[128];
    double ns[2];

    snprintf(options, sizeof options, "counters=%s", events);
    snprintf(work, sizeof work, "counters: %s", events);
    if (bench_child(options, "pair", ns, 2)) {
        printf("# %s: not measured, they cannot be counted here\n", work);
        return;
    }
    bench_row(work, ns[0], ns[1], "at most 1.15x");
    printf("# of that the library's own part: %.1f ns\n", ns[1] - ns[0]);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "pair") == 0)
        give_pair();
    bench_open();
    compare("PAPI_TOT_INS,PAPI_TOT_CYC");
    compare("perf::TASK-CLOCK,perf::PAGE-FAULTS");
    if (argc > 1 && strncmp(argv[1], "events=", 7) == 0)
        compare(argv[1] + 7);
    bench_close();
}
