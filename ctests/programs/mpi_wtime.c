/*
 * mpi_wtime.c [set]: regions before, around, within and after MPI, measured with MPI_Wtime as the
 * clock: each agrees with CLOCK_MONOTONIC. With "set", GPTLsetutr selects it.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <gptl.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void check(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "not true: %s\n", what);
    exit(3);
}

/* A region that takes 20 ms at least. */
static void spin(const char *name)
{
    double seconds, begin = now();
    check(GPTLstart(name) == 0, "it starts");
    while (now() - begin < 0.02)
        continue;
    check(GPTLstop(name) == 0, "it stops");
    double passed = now() - begin;
    check(GPTLget_wallclock(name, -1, &seconds) == 0, "it has a time");
    check(seconds > 0.0199 && seconds <= passed + 1e-4, name);
}

int main(int argc, char **argv)
{
    double all, begin;
    if (argc > 1)
        check(GPTLsetutr(GPTLmpiwtime) == 0, "the clock is there before MPI_Init");
    begin = now();
    check(GPTLstart("all") == 0, "it starts");
    spin("before");
    MPI_Init(&argc, &argv);
    spin("within");
    MPI_Finalize();
    spin("after");
    check(GPTLstop("all") == 0, "it stops");
    double passed = now() - begin;
    check(GPTLget_wallclock("all", -1, &all) == 0, "it has a time");
    check(all > 0.0597 && all <= passed + 1e-4, "all");
    check(GPTLpr_file("wtime") == 0, "a report");
    return 0;
}
