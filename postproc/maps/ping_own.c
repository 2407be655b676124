/* ping_own.c - a rank's work without messages: copying and summing. */
#include "config.h"

#include "postproc/maps/ping.h"

#include <limits.h>
#include <malloc.h>

double own_part(int bytes, int n)
{
    double from = MPI_Wtime();
    for (int i = 0; i < n; i++)
        MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_SELF);
    return (MPI_Wtime() - from) / n;
}

double reduction(int bytes, int n)
{
    int count = bytes / (int)sizeof(double);
    double from = MPI_Wtime();
    for (int i = 0; i < n; i++)
        MPI_Reduce_local(out, in, count, MPI_DOUBLE, MPI_SUM);
    return (MPI_Wtime() - from) / n;
}

/*
 * Whether the C library releases the temporary memory of collectives depends on the process's other
 * allocations, so the measurement keeps it allocated.
 */
void keep_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
#endif
}
