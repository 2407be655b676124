/*
 * counters.c - a start+stop pair with two counters of one component, compared with its floor: two
 * raw readings of the same set of events and two clock readings.
 *
 * Software events of the kernel cost a system call per reading, which hides the library's share;
 * therefore that share is also printed in nanoseconds. The ratio is hardest where counters are read
 * without the kernel: a libpapi that reads the clock instead simulates this case, and
 * events=NAME,NAME measures it on a processor with such counters.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gptl.h>
#include <papi.h>

enum { SETS = 4096 };

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

/* Return the set of two events that the library has opened for this thread, or -1. */
static int find_set(void)
{
    int set, status;

    for (set = 0; set < SETS; set++)
        if (PAPI_state(set, &status) == PAPI_OK && status & PAPI_RUNNING &&
            PAPI_num_events(set) == 2)
            return set;
    return -1;
}

/* Report the floor and the pair. */
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

/* Simulate counters that are read without the kernel: the child finds another libpapi. */
static void compare_in_user_space(void)
{
    const char *before = getenv("LD_LIBRARY_PATH");
    char folder[1024], path[4096], name[64];
    double ns[2];

    bench_enter_tempdir();
    snprintf(name, sizeof name, "libpapi.so.%d.%d", PAPI_VERSION_MAJOR(PAPI_VERSION),
             PAPI_VERSION_MINOR(PAPI_VERSION));
    if (!getcwd(folder, sizeof folder) || symlink(BENCH_PAPI, name) != 0)
        bench_stop(1, "no other libpapi can be had");
    snprintf(path, sizeof path, "%s:%s", folder, before ? before : "");
    setenv("LD_LIBRARY_PATH", path, 1);
    if (bench_child("counters=A,B", "pair", ns, 2))
        bench_stop(1, "the other libpapi does not work");
    bench_row("counters: read as fast as two clocks", ns[0], ns[1], "shown");
    printf("# of that the library's own part: %.1f ns\n", ns[1] - ns[0]);
    unlink(name);
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
    compare_in_user_space();
    bench_close();
}
