/*
 * first_visit.c - the first start+stop on a path, including page faults and growing tables: 10,000
 * unknown names, and 10,000 new paths of 100 known names.
 *
 * A first visit happens once, so each repeat is a separate process.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <gptl.h>

enum { VISITS = 10000, SIDE = 100, REPEATS = 30 };
static char names[VISITS + 2 * SIDE][16];

static void visit_names(void)
{
    int i;

    for (i = 0; i < VISITS; i++) {
        GPTLstart(names[i]);
        GPTLstop(names[i]);
    }
}

/* The first SIDE names are the existing parents; the next SIDE are their children. */
static void visit_paths(void)
{
    int i, k;

    for (i = 0; i < SIDE; i++) {
        GPTLstart(names[i]);
        for (k = SIDE; k < 2 * SIDE; k++) {
            GPTLstart(names[k]);
            GPTLstop(names[k]);
        }
        GPTLstop(names[i]);
    }
}

static void give_visit(const char *what)
{
    int paths = strcmp(what, "paths") == 0;
    double begin;
    int i;

    for (i = 0; i < VISITS + 2 * SIDE; i++)
        snprintf(names[i], sizeof names[i], "region_%d", i);
    bench_library(NULL);
    bench_run_pair(NULL, 1); /* the creation of the thread state is not part of a visit */
    for (i = 0; paths && i < 2 * SIDE; i++) {
        GPTLstart(names[i]);
        GPTLstop(names[i]);
    }
    begin = bench_seconds();
    if (paths)
        visit_paths();
    else
        visit_names();
    bench_give(1e9 * (bench_seconds() - begin) / VISITS);
    bench_close();
}

static double best_of(const char *what)
{
    double best = INFINITY, worst = 0, ns;
    int i;

    for (i = 0; i < REPEATS; i++) {
        if (bench_child(NULL, what, &ns, 1))
            bench_stop(1, "a child process gave no figure");
        best = ns < best ? ns : best;
        worst = ns > worst ? ns : worst;
    }
    printf("# %s: worst of %d processes %.0f ns\n", what, REPEATS, worst);
    return best;
}

int main(int argc, char **argv)
{
    struct bench_work floor;

    if (argc > 1)
        give_visit(argv[1]);
    bench_open();
    floor = bench_library(NULL);
    bench_compare(&floor, 1);
    bench_row("first visit, a name never seen", floor.ns, best_of("names"), "under 1000 ns");
    bench_row("first visit, a new path of known names", floor.ns, best_of("paths"),
              "under 1000 ns");
    bench_close();
}
