/*
 * messages_unseen.c - programs that were written when the model was done, and that nothing in it was made for.
 */
#include "bench/predict/messages.h"

#include <mpi.h>

/* A cube whose faces have BYTES: one that is cut off each row, and one of whole rows far apart, go as subarrays. */
void faces(void)
{
    enum { LAYERS = 2 };
    int n = 1;
    while ((n + 1) * (n + 1) <= count())
        n++;
    int sizes[] = {n, n, n}, side[] = {n, n, 1}, middle[] = {n, 1, n};
    int first[] = {0, 0, 0}, last_side[] = {0, 0, n - 1}, last_middle[] = {0, n - 1, 0};
    MPI_Datatype gives[LAYERS], gets[LAYERS];
    if (n * n * n > MOST / (int)sizeof(double))
        return;
    MPI_Type_create_subarray(3, sizes, side, rank ? first : last_side, MPI_ORDER_C, MPI_DOUBLE,
                             &gives[0]);
    MPI_Type_create_subarray(3, sizes, side, rank ? last_side : first, MPI_ORDER_C, MPI_DOUBLE,
                             &gets[0]);
    MPI_Type_create_subarray(3, sizes, middle, rank ? first : last_middle, MPI_ORDER_C, MPI_DOUBLE,
                             &gives[1]);
    MPI_Type_create_subarray(3, sizes, middle, rank ? last_middle : first, MPI_ORDER_C, MPI_DOUBLE,
                             &gets[1]);
    for (int k = 0; k < LAYERS; k++) {
        MPI_Type_commit(&gives[k]);
        MPI_Type_commit(&gets[k]);
    }
    for (int i = 0; i < turns; i++) {
        MPI_Request requests[2 * LAYERS];
        for (int k = 0; k < LAYERS; k++) {
            MPI_Irecv(in, 1, gets[k], peer, k, MPI_COMM_WORLD, &requests[k]);
            MPI_Isend(out, 1, gives[k], peer, k, MPI_COMM_WORLD, &requests[LAYERS + k]);
        }
        compute(work);
        MPI_Waitall(2 * LAYERS, requests, MPI_STATUSES_IGNORE);
        for (int k = 0; k < n * n * n; k++)
            out[k] = 0.5 * (out[k] + in[k]);
    }
    for (int k = 0; k < LAYERS; k++) {
        MPI_Type_free(&gives[k]);
        MPI_Type_free(&gets[k]);
    }
}

/* Results of different sizes, up to BYTES, come in any order, and are looked at as they come. */
void pool(void)
{
    enum { RESULTS = 4 };
    unsigned random = 1;
    for (int i = 0; i < turns; i++) {
        int first = (int)((random = random * 1103515245u + 12345u) >> 8) % RESULTS;
        MPI_Request requests[RESULTS];
        for (int k = 0; rank == 0 && k < RESULTS; k++)
            MPI_Irecv(in + k * count(), count(), MPI_DOUBLE, MPI_ANY_SOURCE, k, MPI_COMM_WORLD,
                      &requests[k]);
        for (int k = 0; rank == 1 && k < RESULTS; k++) {
            int which = (first + k) % RESULTS, n = count() / (which + 1);
            compute(work);
            write_out(n);
            MPI_Send(out, n, MPI_DOUBLE, peer, which, MPI_COMM_WORLD);
        }
        for (int k = 0; rank == 0 && k < RESULTS; k++) {
            int which;
            MPI_Waitany(RESULTS, requests, &which, MPI_STATUS_IGNORE);
            read_in(count() / (which + 1));
        }
        if (rank == 0)
            MPI_Send(out, 1, MPI_DOUBLE, peer, RESULTS, MPI_COMM_WORLD);
        else
            MPI_Recv(in, 1, MPI_DOUBLE, peer, RESULTS, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* Eight steps with a neighbor's few numbers; then all of BYTES goes to the first rank, which decides what is next. */
void snapshot(void)
{
    enum { STEPS = 8, HALO = 8 };
    int n = count(), counts[2] = {n, n / 2}, places[2] = {0, n};
    for (int i = 0; i < turns; i++) {
        double next = i;
        for (int k = 0; k < STEPS; k++) {
            compute(work);
            MPI_Sendrecv(out, HALO, MPI_DOUBLE, peer, 1, in, HALO, MPI_DOUBLE, peer, 1,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            write_out(HALO);
        }
        write_out(counts[rank]);
        MPI_Gatherv(out, counts[rank], MPI_DOUBLE, in, counts, places, MPI_DOUBLE, 0,
                    MPI_COMM_WORLD);
        if (rank == 0)
            read_in(n + n / 2);
        MPI_Bcast(&next, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
}
