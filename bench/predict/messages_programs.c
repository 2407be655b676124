/* messages_programs.c - kernels as in application programs: stencils, solvers, matrices. */
#include "bench/predict/messages.h"

#include <mpi.h>

/*
 * Heat on a plane, cut in two: each rank has rows of BYTES, and sends its first or last row to the
 * other.
 */
void heat(void)
{
    enum { ROWS = 64 };
    int n = count(), mine = rank == 0 ? ROWS : 1, theirs = rank == 0 ? ROWS + 1 : 0;
    double *old = out, *new = in;
    MPI_Request requests[4];
    if ((ROWS + 2) * n > MOST / (int)sizeof(double))
        return;
    for (int half = 0; half < 2; half++) {
        double *from = half ? new : old;
        MPI_Recv_init(from + theirs * n, n, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD,
                      &requests[2 * half]);
        MPI_Send_init(from + mine * n, n, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD,
                      &requests[2 * half + 1]);
    }
    for (int i = 0; i < turns; i++) {
        double change = 0, most, *from = i % 2 ? new : old, *to = i % 2 ? old : new;
        MPI_Startall(2, &requests[2 * (i % 2)]);
        MPI_Waitall(2, &requests[2 * (i % 2)], MPI_STATUSES_IGNORE);
        for (int y = 1; y <= ROWS; y++)
            for (int x = 1; x < n - 1; x++) {
                int k = y * n + x;
                to[k] = 0.25 * (from[k - 1] + from[k + 1] + from[k - n] + from[k + n]);
                change += to[k] - from[k];
            }
        if (i % 10 == 0)
            MPI_Allreduce(&change, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    for (int i = 0; i < 4; i++)
        MPI_Request_free(&requests[i]);
}

/* Conjugate gradients on a one-dimensional grid: a neighbor's number, and two sums. */
void conjugate(void)
{
    int n = count();
    double *x = out + 1, *y = in + 1;
    for (int i = 0; i < turns; i++) {
        double sums[2] = {0, 0}, all;
        int mine = rank == 0 ? n - 1 : 0, theirs = rank == 0 ? n : -1;
        MPI_Sendrecv(&x[mine], 1, MPI_DOUBLE, peer, 1, &x[theirs], 1, MPI_DOUBLE, peer, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int k = 0; k < n; k++) {
            y[k] = 2.1 * x[k] - x[k - 1] - x[k + 1];
            sums[0] += x[k] * y[k];
        }
        MPI_Allreduce(&sums[0], &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        for (int k = 0; k < n; k++) {
            x[k] += 1e-9 * all * y[k];
            sums[1] += x[k] * x[k];
        }
        MPI_Allreduce(&sums[1], &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

/* The ranks alternate in computing a column of a matrix, which all ranks use. */
void panels(void)
{
    int n = count();
    for (int i = 0; i < turns; i++) {
        if (rank == i % 2)
            write_out(n);
        MPI_Bcast(out, n, MPI_DOUBLE, i % 2, MPI_COMM_WORLD);
        for (int k = 0; k < 8; k++)
            for (int j = 0; j < n; j++)
                in[j] -= 1e-9 * out[j];
    }
}

/* A square of BYTES in total is modified and transposed between the ranks. */
void transpose(void)
{
    int n = count() / 2;
    for (int i = 0; i < turns; i++) {
        for (int k = 0; k < 2 * n; k++)
            out[k] = out[k] * 0.999 + in[k];
        MPI_Alltoall(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, MPI_COMM_WORLD);
    }
}
