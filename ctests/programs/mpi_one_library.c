/*
 * mpi_one_library.c: the functions with a communicator and the clock of MPI, in a program that is
 * linked with libgptl and its MPI only. Impossible calls return -1, with one line on stderr each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <gptlmpi.h>

static void check(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "not true: %s\n", what);
    exit(3);
}
#define CHECK(x) check(x, #x)

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void refused(void)
{
    CHECK(GPTLpr_summary(MPI_COMM_WORLD) == -1);
    CHECK(GPTLpr_summary_file(MPI_COMM_WORLD, "refused") == -1);
    CHECK(GPTLbarrier(MPI_COMM_WORLD, "refused") == -1);
}

/* A region that takes 20 ms at least, by another clock. */
static void spin(const char *name)
{
    double seconds, begin = now();
    CHECK(GPTLstart(name) == 0);
    while (now() - begin < 0.02)
        continue;
    CHECK(GPTLstop(name) == 0);
    double passed = now() - begin;
    CHECK(GPTLget_wallclock(name, -1, &seconds) == 0);
    CHECK(seconds > 0.0199 && seconds <= passed + 1e-4);
}

int main(int argc, char **argv)
{
    int rank, size, sum = 0;
    MPI_Comm half;
    char file[32];
    refused();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(GPTLsetutr(GPTLmpiwtime) == 0);
    CHECK(GPTLinitialize() == 0);
    CHECK(GPTLstart("total") == 0);
    spin("within");
    for (int i = 0; i <= rank; i++)
        CHECK(GPTLstartstop_val("work", 1.0 + rank) == 0);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == size * (size - 1) / 2);
    CHECK(GPTLbarrier(MPI_COMM_WORLD, "barrier") == 0);
    CHECK(GPTLstop("total") == 0);
    CHECK(GPTLpr_summary(MPI_COMM_WORLD) == 0);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    snprintf(file, sizeof file, "half.%d", rank % 2);
    CHECK(GPTLpr_summary_file(half, file) == 0);
    MPI_Comm_free(&half);
    CHECK(GPTLpr_file(rank == 0 ? "own" : "/dev/null") == 0);
    MPI_Finalize();
    refused();
    spin("after");
    CHECK(GPTLfinalize() == 0);
    return 0;
}
