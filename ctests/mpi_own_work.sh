#!/bin/sh
# The library's own work is charged neither to the program's regions nor to MPI: the handshake in MPI_Init,
# statistics and traces of calls, the completion of a thousand requests, a summary. The clock is the
# program's PMPI_Wtime, which advances only with the library's calls of MPI.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/mpi_lib.sh"
need_plain_build
need awk

cat >work.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <gptl.h>
#include <gptlmpi.h>
#include <mpi.h>
#include <stdio.h>
#include <time.h>

static double seconds;

double PMPI_Wtime(void)
{
    return seconds;
}

#define MOVE_ON(name, parameters, arguments)                                                       \
    int name parameters                                                                            \
    {                                                                                              \
        int(*next) parameters = (int(*) parameters)dlsym(RTLD_NEXT, #name);                        \
        seconds += 1;                                                                              \
        return next arguments;                                                                     \
    }
MOVE_ON(PMPI_Comm_get_attr, (MPI_Comm comm, int key, void *value, int *found),
        (comm, key, value, found))

/* The clock of before MPI_Init goes on until all is known: there real time passes. */
int PMPI_Query_thread(int *level)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((double)(now.tv_sec - begin.tv_sec) + 1e-9 * (double)(now.tv_nsec - begin.tv_nsec) < 0.4);
    *level = MPI_THREAD_SINGLE;
    return MPI_SUCCESS;
}

static double time_of(const char *name)
{
    double found = -1;
    GPTLget_wallclock(name, -1, &found);
    return found;
}

int main(int argc, char **argv)
{
    int rank, got, one = 1;
    MPI_Comm comm;
    GPTLstart("total");
    MPI_Init(&argc, &argv);
    GPTLstart("messages");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_rank(comm, &rank);
    for (int i = 0; i < 10; i++)
        MPI_Sendrecv(&one, 1, MPI_INT, rank, 0, &got, 1, MPI_INT, rank, 0, comm, MPI_STATUS_IGNORE);
    GPTLstop("messages");
    GPTLstart("summary");
    GPTLpr_summary_file(comm, "summary");
    GPTLstop("summary");
    GPTLstop("total");
    MPI_Comm_free(&comm);
    if (rank == 0)
        printf("moved %g init %g messages %g calls %g summary %g\n", seconds,
               time_of("total") - time_of("MPI_Init"), time_of("messages"),
               time_of("MPI_Sendrecv"), time_of("summary"));
    MPI_Finalize();
    return 0;
}
END
cat >complete.c <<'END'
#include <gptl.h>
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { N = 1000, ROUNDS = 300 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    static MPI_Request r[N];
    static int in[N];
    double passed = 0, wait, call;
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    for (int k = 0; k < ROUNDS; k++) {
        for (int i = 0; i < N; i++)
            MPI_Irecv(&in[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &r[i]);
        for (int i = 0; i < N; i++)
            MPI_Send(&i, 1, MPI_INT, 0, i, MPI_COMM_SELF);
        double begin = now();
        GPTLstart("wait");
        MPI_Waitall(N, r, MPI_STATUSES_IGNORE);
        GPTLstop("wait");
        passed += now() - begin;
    }
    GPTLget_wallclock("wait", -1, &wait);
    GPTLget_wallclock("MPI_Waitall", -1, &call);
    printf("%.9f %.9f\n", wait - call, passed - call);
    MPI_Finalize();
    return 0;
}
END

for mpi in $mpis; do
    # shellcheck disable=SC2046 # a list of words
    compile_mpi "$mpi" work work.c -rdynamic $(linked "$mpi")
    # shellcheck disable=SC2046
    compile_mpi "$mpi" complete complete.c $(linked "$mpi")
    for options in 'mpi_matrix=0' 'mpi_matrix=1;mpi_sizes=1' 'trace=ti;trace.dir=trace'; do
        rm -rf timing* trace
        GPTL_OPTIONS="utr=mpiwtime;output=none;$options" mpirun "$mpi" 2 ./work >out 2>&1 ||
            fail "$mpi, $options: ended with $?: $(cat out)"
        awk -v options="$options" '$1 == "moved" {
            found = 1
            noted = options ~ /=1|ti/
            exit !((!noted || $2 >= 2) && $4 < 0.2 && $6 < 0.2 && $8 < 0.2 && $10 < 0.2)
        } END { exit !found }' out || fail "$mpi, $options: the library'\''s time is in regions: $(cat out)"
    done
    rm -f timing*
    GPTL_OPTIONS=output=none mpirun "$mpi" 1 ./complete >out 2>&1 || fail "$mpi: ended with $?: $(cat out)"
    awk '{ print "of", $2, "s around MPI_Waitall,", $1, "are a region'\''s"; exit !($1 < 0.5 * $2) }' out ||
        fail "$mpi: completing requests is charged to the region around it: $(cat out)"
done
