/*
 * messages_unseen.c - programs that were written when the model was done, and that nothing in it was made for.
 */
#include "bench/predict/messages.h"

#include <mpi.h>

/* Keys go to the rank whose half of the values they are in: who gets how many is told before. */
void buckets(void)
{
    unsigned random = 1 + (unsigned)rank;
    for (int i = 0; i < turns; i++) {
        int n = count(), give[2], get[2], at[2] = {0}, from[2] = {0};
        random = random * 1103515245u + 12345u;
        give[0] = n / 4 + (int)((random >> 8) % (unsigned)(n / 2 + 1));
        give[1] = n - give[0];
        compute(work);
        write_out(n);
        MPI_Alltoall(give, 1, MPI_INT, get, 1, MPI_INT, MPI_COMM_WORLD);
        at[1] = give[0];
        from[1] = get[0];
        MPI_Alltoallv(out, give, at, MPI_DOUBLE, in, get, from, MPI_DOUBLE, MPI_COMM_WORLD);
        read_in(get[0] + get[1]);
    }
}

/* Grids of BYTES at their border, and of half of that, and so on; and back. All know how far they are. */
void multigrid(void)
{
    enum { LEVELS = 6 };
    for (int i = 0; i < turns; i++) {
        double rest = 1, all;
        for (int k = 0; k < 2 * LEVELS - 1; k++) {
            MPI_Request requests[2];
            int n = count() >> (k < LEVELS ? k : 2 * LEVELS - 2 - k);
            MPI_Irecv(in, n, MPI_DOUBLE, peer, k, MPI_COMM_WORLD, &requests[0]);
            MPI_Isend(out, n, MPI_DOUBLE, peer, k, MPI_COMM_WORLD, &requests[1]);
            compute(work >> (k < LEVELS ? k : 2 * LEVELS - 2 - k));
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
            read_in(n);
            write_out(n);
        }
        MPI_Allreduce(&rest, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

/* A front goes over the blocks of a plane, from the first rank to the last one, and then the other way. */
void sweep(void)
{
    enum { BLOCKS = 8 };
    int n = count();
    for (int i = 0; i < turns; i++)
        for (int way = 0; way < 2; way++)
            for (int k = 0; k < BLOCKS; k++) {
                if (rank != way) {
                    MPI_Recv(in, n, MPI_DOUBLE, peer, way, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                    read_in(n);
                }
                compute(work);
                if (rank == way) {
                    write_out(n);
                    MPI_Send(out, n, MPI_DOUBLE, peer, way, MPI_COMM_WORLD);
                }
            }
}
