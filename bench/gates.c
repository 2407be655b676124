/*
 * gates.c - the cost of each option that leaves the fast path or changes the clock: a start+stop
 * pair of one name in a separate process, compared with the floor of its clock and the plain pair.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gptl.h>

struct gate {
    const char *work, *options, *clock, *prefix;
};

static const struct gate gates[] = {
    {"gates: plain pair", "", "tsc", NULL},
    {"gates: salvage=on", "salvage=on", "tsc", NULL},
    {"gates: verbose=on", "verbose=on", "tsc", NULL},
    {"gates: depthlimit=100", "depthlimit=100", "tsc", NULL},
    {"gates: histogram=on", "histogram=on", "tsc", NULL},
    {"gates: dopr_memusage=on", "dopr_memusage=on", "tsc", NULL},
    {"gates: cpu=on", "cpu=on", "tsc", NULL},
    {"gates: GPTLprefix_set", "", "tsc", "prefix_"},
    {"gates: clock_gettime", "", "clock_gettime", NULL},
    {"gates: gettimeofday", "", "gettimeofday", NULL},
};

/* Report the floor and the pair. */
static void give_pair(const struct gate *gate)
{
    struct bench_work work[2] = {{0}, {.run = bench_run_pair, .pairs = 1}};

    work[0] = bench_library(gate->clock);
    if (gate->prefix)
        GPTLprefix_set(gate->prefix);
    if (GPTLnum_errors() + GPTLnum_warn() > 0)
        bench_stop(1, "the library does not take the option");
    bench_compare(work, 2);
    bench_give(work[0].ns);
    bench_give(work[1].ns);
    bench_close();
}

int main(int argc, char **argv)
{
    double ns[2], plain = NAN; /* ratio of the plain pair to its floor */
    char target[64], what[16];
    size_t i;

    if (argc > 1)
        give_pair(&gates[atoi(argv[1])]);
    bench_open();
    bench_enter_tempdir(); /* salvage maps a file during the run */
    for (i = 0; i < sizeof gates / sizeof gates[0]; i++) {
        snprintf(what, sizeof what, "%zu", i);
        if (bench_child(gates[i].options, what, ns, 2)) {
            printf("# %s: not measured\n", gates[i].work);
            continue;
        }
        if (i == 0)
            plain = ns[1] / ns[0];
        /*
         * Processes may run at different frequencies, so plain is scaled by this process's floor.
         */
        snprintf(target, sizeof target, "shown");
        if (strcmp(gates[i].clock, gates[0].clock) == 0)
            snprintf(target, sizeof target, "shown: %+.1f ns to the plain pair",
                     ns[1] - plain * ns[0]);
        bench_row(gates[i].work, ns[0], ns[1], target);
    }
    bench_close();
}
