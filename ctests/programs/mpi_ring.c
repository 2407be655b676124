/*
 * mpi_ring.c - each rank sends a message to the next one, COUNT times, and all sum the received
 * values. With another argument it is killed then.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, count = argc > 1 ? atoi(argv[1]) : 3, token = 0, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < count; i++) {
        MPI_Request request;
        MPI_Irecv(&token, 1, MPI_INT, (rank + size - 1) % size, i, MPI_COMM_WORLD, &request);
        MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, i, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (token != (rank + size - 1) % size)
            MPI_Abort(MPI_COMM_WORLD, 3);
    }
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (argc > 2)
        raise(SIGKILL);
    MPI_Finalize();
    if (rank == 0)
        printf("sum %d\n", sum);
    return sum == size * (size - 1) / 2 ? 0 : 4;
}
