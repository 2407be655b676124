/*
 * bench.c - pinning, comparison and rows; the floors are in floor.c, trees and children in child.c.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* CPU affinity, nftw */
#endif
#include "bench.h"

#include <ftw.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <gptl.h>

enum { MAX_WORKS = 8, MIN_REPEATS = 100, MAX_REPEATS = 1000 };
static const double repeat_seconds = 2e-4;
static const double compare_seconds = 0.5; /* end of a comparison after MIN_REPEATS */

static cpu_set_t allowed; /* CPU set before pinning */
static char tempdir[PATH_MAX];

static int choose_core(int nth)
{
    const char *wish = getenv("BENCH_CPU");
    int first = wish && *wish ? atoi(wish) : -1;
    int core;

    if (first >= 0 && nth-- == 0)
        return first;
    for (core = CPU_SETSIZE - 1; core >= 0; core--)
        if (CPU_ISSET(core, &allowed) && core != first && nth-- == 0)
            return core;
    return -1;
}

int bench_pin(int nth)
{
    int core = choose_core(nth);
    cpu_set_t one;

    if (core < 0 || core >= CPU_SETSIZE)
        return -1;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    return sched_setaffinity(0, sizeof one, &one);
}

void bench_open(void)
{
    /* A bench that dies keeps its rows, even if its output goes to a pipe. */
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (sched_getaffinity(0, sizeof allowed, &allowed) || bench_pin(0))
        printf("# not pinned to a core: expect noise\n");
    else
        printf("# pinned to core %d\n", choose_core(0));
    printf("# %-44s | %10s | %10s | %8s | %s\n", "work", "floor ns", "figure ns", "ratio",
           "target");
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
    (void)st, (void)type, (void)where;
    return remove(path);
}

static __attribute__((noreturn)) void leave(int status)
{
    if (*tempdir && chdir("/") == 0)
        nftw(tempdir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    fflush(stdout);
    /* No exit handlers or destructors: they would write the automatic report. */
    _exit(status);
}

void bench_stop(int status, const char *why)
{
    fprintf(stderr, "bench: %s\n", why);
    leave(status);
}

/* A figure is void if the library refused a part of the work. */
static void check_library(void)
{
    if (GPTLnum_errors() > 0)
        bench_stop(1, "the library reported errors, so there is no figure");
}

void bench_close(void)
{
    check_library();
    leave(0);
}

void bench_enter_tempdir(void)
{
    const char *parent = getenv("TMPDIR");

    snprintf(tempdir, sizeof tempdir, "%s/bench.XXXXXX", parent && *parent ? parent : "/tmp");
    if (!mkdtemp(tempdir)) {
        *tempdir = '\0';
        bench_stop(1, "cannot make a temporary directory");
    }
    if (chdir(tempdir))
        bench_stop(1, "cannot enter the temporary directory");
}

double bench_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double time_repeat(const struct bench_work *work)
{
    double begin = bench_seconds();

    work->run(work->arg, work->rounds);
    return bench_seconds() - begin;
}

/* Find the rounds of each work that make repeats of equal length. This also warms up. */
static void fit_rounds(struct bench_work *work, int count)
{
    double seconds = repeat_seconds, round;
    int i;

    for (i = 0; i < count; i++) {
        work[i].rounds = 1;
        time_repeat(&work[i]);
        round = time_repeat(&work[i]);
        seconds = round > seconds ? round : seconds;
    }
    for (i = 0; i < count; i++)
        while (time_repeat(&work[i]) < seconds / 2)
            work[i].rounds *= 2;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *value, int count)
{
    qsort(value, (size_t)count, sizeof *value, compare_doubles);
    return value[count / 2];
}

void bench_compare(struct bench_work *work, int count)
{
    static double ns[MAX_WORKS]
                    [MAX_REPEATS]; /* of the first work; of the others, the ratio to it */
    double begin = bench_seconds();
    int i, repeat;

    if (count > MAX_WORKS)
        bench_stop(1, "too many works to compare");
    fit_rounds(work, count);
    for (repeat = 0; repeat < MAX_REPEATS; repeat++) {
        if (repeat >= MIN_REPEATS && bench_seconds() - begin > compare_seconds)
            break;
        for (i = 0; i < count; i++) {
            double pairs = (double)work[i].rounds * (double)work[i].pairs;

            ns[i][repeat] = 1e9 * time_repeat(&work[i]) / pairs;
            if (i > 0)
                ns[i][repeat] /= ns[0][repeat];
        }
    }
    check_library();
    work[0].ns = median(ns[0], repeat);
    for (i = 1; i < count; i++)
        work[i].ns = work[0].ns * median(ns[i], repeat);
}

void bench_row_text(const char *work, const char *floor, const char *figure, double ratio,
                    const char *target)
{
    char cell[32] = "-";

    if (isfinite(ratio))
        snprintf(cell, sizeof cell, "%.2fx", ratio);
    printf("%-46s | %10s | %10s | %8s | %s\n", work, floor, figure, cell, target);
}

void bench_row(const char *work, double floor_ns, double figure_ns, const char *target)
{
    char floor[32], figure[32];

    snprintf(floor, sizeof floor, "%.2f", floor_ns);
    snprintf(figure, sizeof figure, "%.2f", figure_ns);
    bench_row_text(work, floor, figure, figure_ns / floor_ns, target);
}
