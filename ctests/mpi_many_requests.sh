#!/bin/sh
# Calls with a thousand incomplete requests take as long as without the library, and the report attributes no more
# to MPI; the bytes of completed requests are exact, for each function that completes several.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/mpi_lib.sh"
need_plain_build
need awk

cat >many.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000, POLLS = 1, ROUNDS = 2000 };
static MPI_Request r[N];
static int in[N], indices[N];

static void post(void)
{
    for (int i = 0; i < N; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &r[i]);
}

static void send_all(void)
{
    for (int i = 0; i < N; i++)
        MPI_Send(&i, 1, MPI_INT, 0, i, MPI_COMM_SELF);
}

static double poll(int (*any)(int, MPI_Request *, int *, int *, MPI_Status *),
                   int (*some)(int, MPI_Request *, int *, int *, MPI_Status *))
{
    int index, flag;
    double begin = PMPI_Wtime();
    for (int i = 0; i < POLLS; i++) {
        any(N, r, &index, &flag, MPI_STATUS_IGNORE);
        some(N, r, &index, indices, MPI_STATUSES_IGNORE);
    }
    return PMPI_Wtime() - begin;
}

int main(int argc, char **argv)
{
    double plain = 1e9, ours = 1e9;
    int n, index, flag, left = N;
    MPI_Init(&argc, &argv);
    post();
    for (int i = 0; i < ROUNDS; i++) {
        double p = poll(PMPI_Testany, PMPI_Testsome), o = poll(MPI_Testany, MPI_Testsome);
        plain = p < plain ? p : plain;
        ours = o < ours ? o : ours;
    }
    send_all();
    MPI_Waitany(N, r, &index, MPI_STATUS_IGNORE);
    MPI_Testany(N, r, &index, &flag, MPI_STATUS_IGNORE);
    MPI_Waitsome(N / 2, r, &n, indices, MPI_STATUSES_IGNORE);
    MPI_Testsome(N / 2, r, &n, indices, MPI_STATUSES_IGNORE);
    MPI_Waitall(N, r, MPI_STATUSES_IGNORE);
    post();
    send_all();
    do
        MPI_Testall(N, r, &flag, MPI_STATUSES_IGNORE);
    while (!flag);
    post();
    send_all();
    while (left > 0) {
        MPI_Testsome(N, r, &n, indices, MPI_STATUSES_IGNORE);
        left -= n;
    }
    printf("%.9f %.9f\n", plain, ours);
    MPI_Finalize();
    return 0;
}
END

for mpi in $mpis; do
    # shellcheck disable=SC2046 # a list of words
    compile_mpi "$mpi" many many.c $(linked "$mpi")
    rm -f timing*
    mpirun "$mpi" 1 ./many >out 2>&1 || fail "$mpi: ended with $?: $(cat out)"
    [ "$(moved timing.0 MPI_Irecv)" = "0 12000" ] || fail "$mpi: MPI_Irecv moved $(moved timing.0 MPI_Irecv)"
    awk '{ print "polls took", $2 / $1, "times MPI'\''s own"; exit !($2 < 2.5 * $1) }' out ||
        fail "$mpi: polls of 1000 requests take too long: $(cat out)"
done
