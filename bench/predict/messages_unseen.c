/*
 * messages_unseen.c - programs that were written when the model was done, and that nothing in it was made for.
 */
#include "bench/predict/messages.h"

#include <mpi.h>
#include <stdlib.h>

/* The numbers of BYTES that two parts of an irregular grid share are at any places, one or two at each. */
void elements(void)
{
    enum { APART = 5 };
    int n = count() > 2 ? count() / 3 * 2 : 2, *lengths, *places; /* 1 and 2 in turn */
    unsigned random = 7;
    MPI_Datatype shared;
    MPI_Request requests[2];
    if (n * APART > MOST / (int)sizeof(double) || !(lengths = malloc(2 * (size_t)n * sizeof(int))))
        return;
    places = lengths + n;
    for (int i = 0; i < n; i++) {
        lengths[i] = 1 + i % 2;
        places[i] = i * APART + (int)((random = random * 1103515245u + 12345u) >> 16) % (APART - 1);
    }
    MPI_Type_indexed(n, lengths, places, MPI_DOUBLE, &shared);
    MPI_Type_commit(&shared);
    MPI_Recv_init(in, 1, shared, peer, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(out, 1, shared, peer, 1, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < turns; i++) {
        MPI_Startall(2, requests);
        compute(work);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        for (int k = 0; k < n; k++)
            for (int m = places[k]; m < places[k] + lengths[k]; m++)
                out[m] = 0.5 * (out[m] + in[m]);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Type_free(&shared);
    free(lengths);
}

/* Atoms near the border go to the neighbor, forces on them come back; now and then all agree, and one collects. */
void molecules(void)
{
    enum { SOON = 5, LATER = 20 };
    double own[4] = {1, 2, 3, 4}, all[4];
    for (int i = 0; i < turns; i++) {
        MPI_Request requests[2];
        for (int way = 0; way < 2; way++) { /* positions, forces */
            int n = way == 0 ? count() : count() / 2;
            write_out(n);
            MPI_Irecv(in, n, MPI_DOUBLE, peer, way, MPI_COMM_WORLD, &requests[0]);
            MPI_Isend(out, n, MPI_DOUBLE, peer, way, MPI_COMM_WORLD, &requests[1]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
            read_in(n);
            compute(way == 0 ? work : work / 4);
        }
        if (i % SOON == 0)
            MPI_Allreduce(own, all, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (i % LATER == 0) {
            MPI_Reduce(out, in, count() / 8 + 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
            MPI_Bcast(own, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        }
    }
}
