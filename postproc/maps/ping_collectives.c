/* ping_collectives.c - times of collectives of the first and the last rank. */
#include "postproc/maps/ping.h"

#include <stdbool.h>

static int count_of(int bytes)
{
    return bytes > (int)sizeof(double) ? bytes / (int)sizeof(double) : 1;
}

static void call_bcast(int bytes, int root)
{
    bool is_root = (rank == 0) == (root == 0);
    MPI_Bcast(is_root ? out : in, bytes, MPI_BYTE, root, two);
}

static void call_reduce(int bytes, int root)
{
    MPI_Reduce(out, in, count_of(bytes), MPI_DOUBLE, MPI_SUM, root, two);
}

static void call_allgather(int bytes)
{
    MPI_Allgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, two);
}

static void call_alltoall(int bytes)
{
    MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, two);
}

/* BYTES is the amount that each rank sends to each, or keeps of a sum. */
static void call_allgatherv(int bytes)
{
    int counts[] = {bytes, bytes}, places[] = {0, bytes};
    MPI_Allgatherv(out, bytes, MPI_BYTE, in, counts, places, MPI_BYTE, two);
}

static void call_alltoallv(int bytes)
{
    int counts[] = {bytes, bytes}, places[] = {0, bytes};
    MPI_Alltoallv(out, counts, places, MPI_BYTE, in, counts, places, MPI_BYTE, two);
}

static void call_reduce_scatter(int bytes)
{
    int counts[] = {count_of(bytes), count_of(bytes)};
    MPI_Reduce_scatter(out, in, counts, MPI_DOUBLE, MPI_SUM, two);
}

static void call_reduce_scatter_block(int bytes)
{
    MPI_Reduce_scatter_block(out, in, count_of(bytes), MPI_DOUBLE, MPI_SUM, two);
}

static void call_allreduce(int bytes)
{
    MPI_Allreduce(out, in, count_of(bytes), MPI_DOUBLE, MPI_SUM, two);
}

static void call_gather(int bytes, int root)
{
    MPI_Gather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, root, two);
}

static void call_scatter(int bytes, int root)
{
    MPI_Scatter(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, root, two);
}

/* These lack a root, but the first rank does not need data from the other one. */
static void call_scan(int bytes, int root)
{
    (void)root;
    MPI_Scan(out, in, count_of(bytes), MPI_DOUBLE, MPI_SUM, two);
}

static void call_exscan(int bytes, int root)
{
    (void)root;
    MPI_Exscan(out, in, count_of(bytes), MPI_DOUBLE, MPI_SUM, two);
}

/* Nonblocking collectives often use other algorithms. */

static void wait_for(MPI_Request request)
{
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void call_ibarrier(int bytes)
{
    MPI_Request request;
    (void)bytes;
    MPI_Ibarrier(two, &request);
    wait_for(request);
}

static void call_ibcast(int bytes, int root)
{
    MPI_Request request;
    MPI_Ibcast(rank == 0 ? out : in, bytes, MPI_BYTE, root, two, &request);
    wait_for(request);
}

static void call_ireduce(int bytes, int root)
{
    MPI_Request request;
    MPI_Ireduce(out, in, count_of(bytes), MPI_DOUBLE, MPI_SUM, root, two, &request);
    wait_for(request);
}

static void call_iallgather(int bytes)
{
    MPI_Request request;
    MPI_Iallgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, two, &request);
    wait_for(request);
}

static void call_ialltoall(int bytes)
{
    MPI_Request request;
    MPI_Ialltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, two, &request);
    wait_for(request);
}

static void call_iallreduce(int bytes)
{
    MPI_Request request;
    MPI_Iallreduce(out, in, count_of(bytes), MPI_DOUBLE, MPI_SUM, two, &request);
    wait_for(request);
}

/*
 * Return the one-way time of a collective whose data comes only from SOURCE, which waits for an
 * answer; the answer's time is subtracted. Each rank first writes WRITES times BYTES; afterwards
 * the other reads READS times BYTES.
 */
static double one_way(void (*call)(int, int), int root, int source, int writes, int reads,
                      int bytes, int n)
{
    bool waits = (rank == 0) == (source == 0);
    double wrote = 0, read = 0, from = MPI_Wtime();
    for (int i = 0; i < n; i++) {
        wrote += timed_write(writes * bytes);
        call(bytes, root);
        if (waits) {
            ping_receive(0, ANSWER);
        } else {
            read += timed_read(reads * bytes);
            ping_send(0, ANSWER);
        }
    }
    double seconds = MPI_Wtime() - from, theirs = theirs_of(wrote);
    seconds -= (theirs > wrote ? theirs : wrote) + read + theirs_of(read);
    return seconds / n - answer;
}

double bcast(int bytes, int n)
{
    return one_way(call_bcast, 0, 0, 1, 1, bytes, n);
}

double bcast_back(int bytes, int n)
{
    return one_way(call_bcast, 1, 1, 1, 1, bytes, n);
}

double reduce(int bytes, int n)
{
    return one_way(call_reduce, 0, 1, 1, 1, bytes, n);
}

double reduce_back(int bytes, int n)
{
    return one_way(call_reduce, 1, 0, 1, 1, bytes, n);
}

double gather(int bytes, int n)
{
    return one_way(call_gather, 0, 1, 1, 2, bytes, n);
}

double scatter(int bytes, int n)
{
    return one_way(call_scatter, 0, 0, 2, 1, bytes, n);
}

double scan(int bytes, int n)
{
    return one_way(call_scan, 0, 0, 1, 1, bytes, n);
}

double exscan(int bytes, int n)
{
    return one_way(call_exscan, 0, 0, 1, 1, bytes, n);
}

/*
 * Return the time of a collective. Each rank writes WRITES times BYTES before, and reads READS
 * times BYTES after.
 */
static double both_ways(void (*call)(int), int writes, int reads, int bytes, int n)
{
    double own = 0, from = MPI_Wtime();
    for (int i = 0; i < n; i++) {
        own += timed_write(writes * bytes);
        call(bytes);
        own += timed_read(reads * bytes);
    }
    return (MPI_Wtime() - from - own) / n;
}

double allgather(int bytes, int n)
{
    return both_ways(call_allgather, 1, 2, bytes, n);
}

double alltoall(int bytes, int n)
{
    return both_ways(call_alltoall, 2, 2, bytes, n);
}

double allgatherv(int bytes, int n)
{
    return both_ways(call_allgatherv, 1, 2, bytes, n);
}

double alltoallv(int bytes, int n)
{
    return both_ways(call_alltoallv, 2, 2, bytes, n);
}

double allreduce(int bytes, int n)
{
    return both_ways(call_allreduce, 1, 1, bytes, n);
}

double reduce_scatter(int bytes, int n)
{
    return both_ways(call_reduce_scatter, 2, 1, bytes, n);
}

double reduce_scatter_block(int bytes, int n)
{
    return both_ways(call_reduce_scatter_block, 2, 1, bytes, n);
}

double ibcast(int bytes, int n)
{
    return one_way(call_ibcast, 0, 0, 1, 1, bytes, n);
}

double ireduce(int bytes, int n)
{
    return one_way(call_ireduce, 0, 1, 1, 1, bytes, n);
}

double iallgather(int bytes, int n)
{
    return both_ways(call_iallgather, 1, 2, bytes, n);
}

double ialltoall(int bytes, int n)
{
    return both_ways(call_ialltoall, 2, 2, bytes, n);
}

double iallreduce(int bytes, int n)
{
    return both_ways(call_iallreduce, 1, 1, bytes, n);
}

/*
 * Return a rank's time in MPI while both ranks compute and poll: the mean over the two ranks, one
 * of which may have more work. In between, each waits for the other one without work for the
 * processor.
 */
double iallreduce_busy(int bytes, int n)
{
    double busy = 0;
    for (int i = 0; i < n; i++) {
        MPI_Request request;
        int done = 0;
        timed_write(bytes);
        double from = MPI_Wtime();
        MPI_Iallreduce(out, in, count_of(bytes), MPI_DOUBLE, MPI_SUM, two, &request);
        busy += MPI_Wtime() - from - clock_cost;
        while (!done) {
            spin(summed);
            from = MPI_Wtime();
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
            busy += MPI_Wtime() - from - clock_cost;
        }
        timed_read(bytes);
    }
    return (busy + theirs_of(busy)) / (2 * n);
}

static void call_barrier(int bytes)
{
    (void)bytes;
    MPI_Barrier(two);
}

static double without_data(void (*call)(int), int n)
{
    double from = MPI_Wtime();
    for (int i = 0; i < n; i++)
        call(0);
    return (MPI_Wtime() - from) / n;
}

double barrier(int bytes, int n)
{
    (void)bytes;
    return without_data(call_barrier, n);
}

double ibarrier(int bytes, int n)
{
    (void)bytes;
    return without_data(call_ibarrier, n);
}
