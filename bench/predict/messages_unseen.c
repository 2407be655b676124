/*
 * messages_unseen.c - programs that were written after the model was complete and did not influence
 * it.
 */
#include "bench/predict/messages.h"

#include <mpi.h>
#include <stdlib.h>

/*
 * Border atoms, of three numbers each and in no order, are sent in place and return in one piece.
 */
void ghosts(void)
{
    enum { AXES = 3, APART = 4 };
    int n = count() / AXES > 1 ? count() / AXES : 1, *places;
    unsigned random = 3;
    MPI_Datatype atoms;
    if (n * APART * AXES > MOST / (int)sizeof(double) ||
        !(places = malloc((size_t)n * sizeof(int))))
        return;
    for (int i = 0; i < n; i++)
        places[i] =
            AXES * (i * APART + (int)((random = random * 1103515245u + 12345u) >> 16) % APART);
    MPI_Type_create_indexed_block(n, AXES, places, MPI_DOUBLE, &atoms);
    MPI_Type_commit(&atoms);
    for (int i = 0; i < turns; i++) {
        MPI_Request requests[2];
        for (int k = 0; k < n; k++)
            for (int axis = 0; axis < AXES; axis++)
                out[places[k] + axis] += 1e-3;
        MPI_Irecv(in, n * AXES, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, 1, atoms, peer, 1, MPI_COMM_WORLD, &requests[1]);
        compute(work);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        for (int k = 0; k < n * AXES; k++)
            in[k] *= 0.5;
        MPI_Sendrecv_replace(in, n * AXES, MPI_DOUBLE, peer, 2, peer, 2, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
        read_in(n * AXES);
    }
    MPI_Type_free(&atoms);
    free(places);
}

/*
 * Each rank has half of a vector: the vector is gathered and multiplied, and two products are
 * summed, the norm at the end.
 */
void lanczos(void)
{
    enum { BASIS = 8 };
    int n = count();
    double sums[BASIS] = {1, 2, 3}, all[BASIS];
    for (int i = 0; i < turns; i++) {
        MPI_Request request;
        write_out(n);
        MPI_Allgather(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, MPI_COMM_WORLD);
        read_in(2 * n);
        compute(work);
        MPI_Allreduce(sums, all, i % BASIS + 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        write_out(n);
        MPI_Iallreduce(sums, all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
        compute(work / 2);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/*
 * The transposition of each half of a slab overlaps the computation of the next one; the first rank
 * decides the next step.
 */
void spectral(void)
{
    enum { PLAN = 10 };
    int n = count() / 2 > 1 ? count() / 2 : 1;
    double plan[PLAN] = {0};
    for (int i = 0; i < turns; i++) {
        MPI_Request halves[2], next;
        for (int half = 0; half < 2; half++) {
            for (int k = 0; k < 2 * n; k++)
                out[2 * n * half + k] += 1;
            MPI_Ialltoall(out + 2 * n * half, n, MPI_DOUBLE, in + 2 * n * half, n, MPI_DOUBLE,
                          MPI_COMM_WORLD, &halves[half]);
            compute(work);
        }
        MPI_Waitall(2, halves, MPI_STATUSES_IGNORE);
        read_in(4 * n);
        MPI_Ibcast(plan, PLAN, MPI_DOUBLE, 0, MPI_COMM_WORLD, &next);
        compute(work / 2);
        MPI_Wait(&next, MPI_STATUS_IGNORE);
        MPI_Ibarrier(MPI_COMM_WORLD, &next);
        compute(work / 2);
        MPI_Wait(&next, MPI_STATUS_IGNORE);
    }
}

/* Sums over a row and a column of ranks, the second one needed by the first rank only. */
void contraction(void)
{
    int n = count();
    for (int i = 0; i < turns; i++) {
        MPI_Request request;
        write_out(n);
        MPI_Iallreduce(out, in, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
        compute(work);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        read_in(n);
        MPI_Ireduce(out, in, n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD, &request);
        compute(work);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (rank == 0)
            read_in(n);
        MPI_Iallgather(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, MPI_COMM_WORLD, &request);
        compute(work);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        read_in(2 * n);
    }
}
