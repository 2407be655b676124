/*
 * mpi_constants.c, also for C++: the constants of MPI that are addresses. Each of the processes
 * prints a line for each one. With -DBARE it calls MPI_Init and MPI_Finalize only, which need only
 * names of MPI.
 */
#include <mpi.h>
#include <stdio.h>

#ifdef __cplusplus
#include <gptl.hpp>
#else
#include <gptl.h>
#endif

#ifndef BARE
static int rank, size;

static void say(const char *what, int holds)
{
    printf("%d %s %s\n", rank, what, holds ? "T" : "F");
}

static void constants(void)
{
    int all[8], pair[2] = {0, 0}, lengths[1] = {2}, got = -1, in = 0, out = 0, weighted = 1, next,
                before;
    MPI_Aint places[1];
    MPI_Datatype type;
    MPI_Request requests[2];
    MPI_Comm graph;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    before = (rank + size - 1) % size;
    all[rank] = rank;
    MPI_Allgather(MPI_IN_PLACE, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    int right = 1;
    for (int i = 0; i < size; i++)
        right &= all[i] == i;
    say("MPI_IN_PLACE", right);
    if (rank == 0)
        pair[0] = 7, pair[1] = 8;
    MPI_Get_address(pair, &places[0]);
    MPI_Type_create_hindexed(1, lengths, places, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Bcast(MPI_BOTTOM, 1, type, 0, MPI_COMM_WORLD);
    say("MPI_BOTTOM", pair[0] == 7 && pair[1] == 8);
    MPI_Type_free(&type);
    MPI_Isend(&rank, 1, MPI_INT, next, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&got, 1, MPI_INT, before, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    say("MPI_STATUSES_IGNORE", got == before);
    MPI_Sendrecv(&rank, 1, MPI_INT, next, 2, &got, 1, MPI_INT, before, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    say("MPI_STATUS_IGNORE", got == before);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &next,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
    say("MPI_UNWEIGHTED", in == 1 && out == 1 && !weighted);
    MPI_Comm_free(&graph);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, &before, MPI_WEIGHTS_EMPTY, 0, &next,
                                   MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &graph);
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
    say("MPI_WEIGHTS_EMPTY", in == 0 && out == 0 && weighted);
    MPI_Comm_free(&graph);
}
#endif

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rc = GPTLstart("region");
#ifndef BARE
    constants();
#endif
    rc |= GPTLstop("region");
    MPI_Finalize();
    return rc != 0;
}
