/*
 * messages_patterns.c - kernels with further features of MPI: derived types, probes, nonblocking
 * sums, parts of different sizes, scans, planes of cubes, indexed blocks, arbitrary order.
 */
#include "bench/predict/messages.h"

#include <mpi.h>
#include <stdlib.h>

/*
 * A plane that is cut vertically: the BYTES of one column are spread over the rows and sent as a
 * derived type.
 */
void columns(void)
{
    enum { WIDTH = 64 };
    int n = count(), mine = rank == 0 ? WIDTH - 2 : 1, theirs = rank == 0 ? WIDTH - 1 : 0;
    MPI_Datatype column;
    if (n * WIDTH > MOST / (int)sizeof(double))
        return;
    MPI_Type_vector(n, 1, WIDTH, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    for (int i = 0; i < turns; i++) {
        double *from = i % 2 ? in : out, *to = i % 2 ? out : in;
        MPI_Sendrecv(from + mine, 1, column, peer, 1, from + theirs, 1, column, peer, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int y = 1; y < n - 1; y++)
            for (int x = 1; x < WIDTH - 1; x++) {
                int k = y * WIDTH + x;
                to[k] = 0.25 * (from[k - 1] + from[k + 1] + from[k - WIDTH] + from[k + WIDTH]);
            }
    }
    MPI_Type_free(&column);
}

/* Blocks circulate while the previous ones are used, as in Cannon's matrix product. */
void cannon(void)
{
    int n = count();
    double *block = out, *next = in;
    for (int i = 0; i < turns; i++) {
        MPI_Request requests[2];
        MPI_Isend(block, n, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(next, n, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, &requests[1]);
        double *sums = out + MOST / sizeof(double) / 2;
        for (int k = 0; k < n; k++)
            sums[k % 512] += block[k] * 1e-9;
        compute(work);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        double *other = block;
        block = next;
        next = other;
    }
}

/* Only the sender knows the varying number of particles that leave: up to BYTES of them. */
void particles(void)
{
    unsigned random = 1 + (unsigned)rank;
    for (int i = 0; i < turns; i++) {
        MPI_Request request;
        MPI_Status status;
        int n = (int)((random = random * 1103515245u + 12345u) >> 8) % (count() + 1), come;
        compute(work);
        write_out(n);
        MPI_Isend(out, n, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, &request);
        MPI_Probe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_DOUBLE, &come);
        MPI_Recv(in, come, MPI_DOUBLE, status.MPI_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        read_in(come);
    }
}

/* A nonblocking sum overlaps computation, with a test from time to time. */
void polling(void)
{
    for (int i = 0; i < turns; i++) {
        MPI_Request request;
        int done = 0;
        write_out(count());
        MPI_Iallreduce(out, in, count(), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
        for (int k = 0; k < 4; k++) {
            compute(work);
            if (!done)
                MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        }
        if (!done)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        read_in(count());
    }
}

/* A producer and a consumer; the producer is ahead by up to two items. */
void pipeline(void)
{
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int n = count();
    for (int i = 0; i < turns; i++) {
        if (rank == 0) {
            double *from = out + i % 2 * n;
            MPI_Wait(&requests[i % 2], MPI_STATUS_IGNORE);
            for (int k = 0; k < n; k++)
                from[k] += 1;
            compute(work);
            MPI_Isend(from, n, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, &requests[i % 2]);
        } else {
            MPI_Recv(in, n, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            read_in(n);
            compute(work);
        }
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* The second rank contributes three times as much. */
void uneven(void)
{
    int each = count(), counts[2] = {each, 3 * each}, places[2] = {0, each};
    int give[2] = {each, each}, at[2] = {0, each};
    for (int i = 0; i < turns; i++) {
        compute(work);
        write_out(counts[rank]);
        MPI_Allgatherv(out, counts[rank], MPI_DOUBLE, in, counts, places, MPI_DOUBLE,
                       MPI_COMM_WORLD);
        read_in(4 * each);
        MPI_Alltoallv(out, give, at, MPI_DOUBLE, in, give, at, MPI_DOUBLE, MPI_COMM_WORLD);
        read_in(2 * each);
    }
}

/* Prefix sums, and sums of which each rank keeps a part. */
void scan(void)
{
    for (int i = 0; i < turns; i++) {
        compute(work);
        write_out(2 * count());
        MPI_Scan(out, in, count(), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        read_in(count());
        MPI_Reduce_scatter_block(out, in, count(), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        read_in(count());
    }
}

/* Synchronous sends: the sender waits for the receiver regardless of the size. */
void synchronous(void)
{
    for (int i = 0; i < turns; i++) {
        compute(work);
        if (rank == i % 2) {
            write_out(count());
            MPI_Ssend(out, bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD);
        } else {
            MPI_Recv(in, bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            read_in(count());
        }
    }
}

/*
 * Sample sort: keys move to the rank that owns their half of the values; counts are exchanged
 * first.
 */
void buckets(void)
{
    unsigned random = 1 + (unsigned)rank;
    for (int i = 0; i < turns; i++) {
        int n = count(), give[2], get[2], at[2] = {0}, from[2] = {0};
        random = random * 1103515245u + 12345u;
        give[0] = n / 4 + (int)((random >> 8) % (unsigned)(n / 2 + 1));
        give[1] = n - give[0];
        compute(work);
        write_out(n);
        MPI_Alltoall(give, 1, MPI_INT, get, 1, MPI_INT, MPI_COMM_WORLD);
        at[1] = give[0];
        from[1] = get[0];
        MPI_Alltoallv(out, give, at, MPI_DOUBLE, in, get, from, MPI_DOUBLE, MPI_COMM_WORLD);
        read_in(get[0] + get[1]);
    }
}

/*
 * Multigrid: grids of BYTES at their border, half of it, and so on, and back. All ranks know the
 * residual.
 */
void multigrid(void)
{
    enum { LEVELS = 6 };
    for (int i = 0; i < turns; i++) {
        double rest = 1, all;
        for (int k = 0; k < 2 * LEVELS - 1; k++) {
            MPI_Request requests[2];
            int n = count() >> (k < LEVELS ? k : 2 * LEVELS - 2 - k);
            MPI_Irecv(in, n, MPI_DOUBLE, peer, k, MPI_COMM_WORLD, &requests[0]);
            MPI_Isend(out, n, MPI_DOUBLE, peer, k, MPI_COMM_WORLD, &requests[1]);
            compute(work >> (k < LEVELS ? k : 2 * LEVELS - 2 - k));
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
            read_in(n);
            write_out(n);
        }
        MPI_Allreduce(&rest, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

/* A wavefront moves over the blocks of a plane from the first rank to the last one, and back. */
void sweep(void)
{
    enum { BLOCKS = 8 };
    int n = count();
    for (int i = 0; i < turns; i++)
        for (int way = 0; way < 2; way++)
            for (int k = 0; k < BLOCKS; k++) {
                if (rank != way) {
                    MPI_Recv(in, n, MPI_DOUBLE, peer, way, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                    read_in(n);
                }
                compute(work);
                if (rank == way) {
                    write_out(n);
                    MPI_Send(out, n, MPI_DOUBLE, peer, way, MPI_COMM_WORLD);
                }
            }
}

/*
 * A cube with faces of BYTES: one face with one element per row and one with distant whole rows are
 * sent as subarrays.
 */
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

/* Results of different sizes, up to BYTES, arrive in any order and are read on arrival. */
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

/*
 * Eight steps exchange a few numbers with a neighbor; then all BYTES go to the first rank, which
 * decides the next step.
 */
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

/*
 * The shared BYTES of two parts of an irregular grid are at scattered places, one or two numbers at
 * each.
 */
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

/*
 * Molecular dynamics: atoms near the border go to the neighbor and forces return; from time to time
 * all ranks agree, and one collects.
 */
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
