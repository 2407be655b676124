/*
 * mpi_summary.c WHAT: known calls on each rank, and a summary of them.
 *
 *   all       over MPI_COMM_WORLD: each rank calls "work" rank + 1 times within "main", odd ranks
 *             "odd N" at the top, and the last one nothing if there are several
 *   halves    two communicators, whose summaries are timing.half.0 and timing.half.1
 *   merged    no summary: the report at MPI_Finalize, with 2,000 regions
 *   fortran   the same as all, by the names that Fortran calls, if compiled with -DFORTRAN
 *   wrong     what cannot be done
 *   time      1000 regions on 1000 paths: the median of nine summaries in milliseconds
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gptlmpi.h>

static int rank, size;

static void check(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "rank %d: not true: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}
#define CHECK(x) check(x, #x)

/* A second for each call, without waiting. */
static void add(const char *name, int calls)
{
    for (int i = 0; i < calls; i++)
        CHECK(GPTLstartstop_val(name, 1.0 + rank) == 0);
}

static void measure(void)
{
    char odd[16];
    if (size > 1 && rank == size - 1)
        return;
    CHECK(GPTLstart("main") == 0);
    add("work", rank + 1);
    CHECK(GPTLstop("main") == 0);
    snprintf(odd, sizeof odd, "odd %d", rank);
    if (rank % 2)
        add(odd, 1);
}

static void many_regions(void)
{
    char name[32];
    for (int i = 0; i < 2000; i++) {
        snprintf(name, sizeof name, "region %d of a long name", i);
        add(name, 1);
    }
}

static void halves(void)
{
    MPI_Comm half;
    char file[32];
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    snprintf(file, sizeof file, "timing.half.%d", rank % 2);
    CHECK(GPTLpr_summary_file(half, file) == 0);
    MPI_Comm_free(&half);
}

#ifdef FORTRAN
int gptlpr_summary_(const int *comm);
int gptlpr_summary_file_(const int *comm, const char *file, int length);
int gptlbarrier_(const int *comm, const char *name, int length);

static void fortran(void)
{
    MPI_Comm half;
    int world = MPI_Comm_c2f(MPI_COMM_WORLD);
    CHECK(gptlbarrier_(&world, "fortran barrier   ", 18) == 0);
    CHECK(gptlpr_summary_(&world) == 0);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    int part = MPI_Comm_c2f(half);
    CHECK(gptlpr_summary_file_(&part, rank % 2 ? "timing.odd " : "timing.even", 11) == 0);
    MPI_Comm_free(&half);
}
#endif

static void wrong(void)
{
    CHECK(GPTLpr_summary(MPI_COMM_NULL) == -1);
    CHECK(GPTLpr_summary_file(MPI_COMM_WORLD, NULL) == -1);
    CHECK(GPTLpr_summary_file(MPI_COMM_WORLD, "") == -1);
    CHECK(GPTLpr_summary_file(MPI_COMM_WORLD, "missing/summary") == -1);
    if (size > 1) {
        MPI_Comm half, both;
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &both);
        CHECK(GPTLpr_summary(both) == -1);
        MPI_Comm_free(&both);
        MPI_Comm_free(&half);
    }
    CHECK(GPTLpr_summary_file(MPI_COMM_WORLD, "after") == 0);
    CHECK(GPTLbarrier(MPI_COMM_NULL, "nobody") == -1);
    /* A report that cannot time itself must not wait forever. */
    CHECK(GPTLbarrier(MPI_COMM_WORLD, rank ? "barrier" : NULL) == (rank ? 0 : -1));
}

static int compare(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static void take_time(void)
{
    double times[9];
    char name[32];
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "module %d", i / 100);
        CHECK(GPTLstart(name) == 0);
        snprintf(name, sizeof name, "region %d", i);
        add(name, 1);
        snprintf(name, sizeof name, "module %d", i / 100);
        CHECK(GPTLstop(name) == 0);
    }
    for (int i = 0; i < 9; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = MPI_Wtime();
        CHECK(GPTLpr_summary_file(MPI_COMM_WORLD, "/dev/null") == 0);
        times[i] = (MPI_Wtime() - begin) * 1e3;
    }
    qsort(times, 9, sizeof *times, compare);
    if (rank == 0)
        printf("%d ranks: %.1f ms\n", size, times[4]);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "all";
    check(GPTLpr_summary(MPI_COMM_WORLD) == -1, "no summary before MPI_Init");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    measure();
    CHECK(GPTLbarrier(MPI_COMM_WORLD, "the barrier") == 0);
    if (strcmp(what, "all") == 0)
        CHECK(GPTLpr_summary(MPI_COMM_WORLD) == 0);
#ifdef FORTRAN
    else if (strcmp(what, "fortran") == 0)
        fortran();
#endif
    else if (strcmp(what, "halves") == 0)
        halves();
    else if (strcmp(what, "wrong") == 0)
        wrong();
    else if (strcmp(what, "time") == 0)
        take_time();
    else
        many_regions();
    MPI_Finalize();
    check(GPTLpr_summary(MPI_COMM_SELF) == -1, "no summary after MPI_Finalize");
    return 0;
}
