/* ping_own.c - what a rank does without messages: it copies, adds up, and gets memory anew. */
#include "config.h"

#include "postproc/maps/ping.h"

#include <limits.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

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

double renewal(int bytes, int n)
{
    int page = (int)sysconf(_SC_PAGESIZE);
    size_t room = bytes > 0 ? (size_t)bytes : 1;
    double from = MPI_Wtime();
    for (int i = 0; i < n; i++) {
        char *new = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (new == MAP_FAILED)
            MPI_Abort(MPI_COMM_WORLD, 2);
        madvise(new, room, MADV_NOHUGEPAGE);
        for (int k = 0; k < bytes; k += page)
            new[k] = 1;
        munmap(new, room);
    }
    return (MPI_Wtime() - from) / n;
}

/*
 * Where the C library gives back what collectives sum in, depends on what else the process has asked for, so their
 * times are those of memory that stays.
 */
void keep_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
#endif
}
