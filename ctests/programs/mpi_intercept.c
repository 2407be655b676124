/* mpi_intercept.c - a program that defines some of MPI's functions itself, as tools do. */
#include <mpi.h>
#include <stdio.h>

static int sends;

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    sends++;
    return PMPI_Send(buffer, count, type, to, tag, comm);
}

int main(void)
{
    int out[5] = {0}, in[5], rank, size;
    MPI_Request r;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Irecv(in, 5, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &r);
    MPI_Send(out, 5, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return sends != 1;
}
