/*
 * mpi_trace.c - calls of all kinds in a trace, each rank with its neighbors on a ring;
 * ctests/mpi_trace.sh contains the expectations. With an argument, two threads at once.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gptl.h"

enum { N = 100 };
static int rank, size, next, before;
static char in[N], out[N];

static void messages(void)
{
    MPI_Status status;
    MPI_Request request[2];
    static char buffer[N + 2 * MPI_BSEND_OVERHEAD];
    MPI_Buffer_attach(buffer, sizeof buffer);
    MPI_Bsend(out, N, MPI_CHAR, next, 1, MPI_COMM_WORLD);
    MPI_Recv(in, N, MPI_CHAR, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    void *detached;
    int length;
    MPI_Buffer_detach(&detached, &length);
    MPI_Irecv(in, N, MPI_CHAR, before, 2, MPI_COMM_WORLD, &request[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Rsend(out, N / 2, MPI_CHAR, next, 2, MPI_COMM_WORLD);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Irecv(in, N, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request[0]);
    MPI_Ssend(out, N, MPI_CHAR, next, 3, MPI_COMM_WORLD);
    MPI_Wait(&request[0], &status);
    MPI_Sendrecv(out, N, MPI_CHAR, next, 4, in, N, MPI_CHAR, before, 4, MPI_COMM_WORLD, &status);
    MPI_Sendrecv_replace(out, N, MPI_CHAR, next, 5, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, 1, MPI_CHAR, rank + 1 < size ? next : MPI_PROC_NULL, 6, in, 1, MPI_CHAR,
                 rank > 0 ? before : MPI_PROC_NULL, 6, MPI_COMM_WORLD, &status);
    MPI_Send(out, N, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    /* Nothing comes. */
    MPI_Irecv(in, N, MPI_CHAR, before, 999, MPI_COMM_WORLD, &request[0]);
    MPI_Cancel(&request[0]);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
}

static void probes(void)
{
    MPI_Status status;
    MPI_Message message;
    MPI_Request request;
    int flag = 0;
    MPI_Isend(out, 10, MPI_CHAR, next, 7, MPI_COMM_WORLD, &request);
    MPI_Probe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &status);
    while (!flag)
        MPI_Iprobe(before, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Recv(in, N, MPI_CHAR, before, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Isend(out, 20, MPI_CHAR, next, 8, MPI_COMM_WORLD, &request);
    MPI_Mprobe(before, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
    MPI_Mrecv(in, N, MPI_CHAR, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Isend(out, 30, MPI_CHAR, next, 9, MPI_COMM_WORLD, &request);
    for (flag = 0; !flag;)
        MPI_Improbe(before, 9, MPI_COMM_WORLD, &flag, &message, &status);
    MPI_Mrecv(in, N, MPI_CHAR, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Nothing has arrived at first, regardless of the number of tests. */
static void polls(void)
{
    enum { OFTEN = 20000 };
    MPI_Request request;
    int flag = 0;
    MPI_Irecv(in, N, MPI_CHAR, before, 71, MPI_COMM_WORLD, &request);
    for (double from = MPI_Wtime(); MPI_Wtime() < from + 1e-3;)
        ;
    for (int i = 0; i < OFTEN && !flag; i++)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(out, 40, MPI_CHAR, next, 71, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void requests(void)
{
    enum { MANY = 6 };
    static char many[2 * MANY][N];
    MPI_Request r[2 * MANY], p[2];
    MPI_Status statuses[2 * MANY];
    int index, done, indexes[2 * MANY], flag = 0, left = 2 * MANY;
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < MANY; i++) {
            MPI_Irecv(many[i], N, MPI_CHAR, i % 2 ? MPI_ANY_SOURCE : before, 10 + i, MPI_COMM_WORLD,
                      &r[i]);
            MPI_Isend(many[MANY + i], N, MPI_CHAR, next, 10 + i, MPI_COMM_WORLD, &r[MANY + i]);
        }
        if (round == 0)
            for (int i = 0; i < 2 * MANY; i++)
                MPI_Waitany(2 * MANY, r, &index, MPI_STATUS_IGNORE);
        for (left = 2 * MANY; round == 1 && left > 0; left -= done)
            MPI_Waitsome(2 * MANY, r, &done, indexes, statuses);
        for (flag = 0; round == 2 && !flag;)
            MPI_Testall(2 * MANY, r, &flag, MPI_STATUSES_IGNORE);
        for (left = 2 * MANY; round == 3 && left > 0;) {
            MPI_Testsome(2 * MANY, r, &done, indexes, MPI_STATUSES_IGNORE);
            left -= done;
            if (left > 0)
                MPI_Testany(2 * MANY, r, &index, &flag, statuses);
            left -= left > 0 && flag && index != MPI_UNDEFINED;
        }
    }
    MPI_Recv_init(in, N, MPI_CHAR, MPI_ANY_SOURCE, 20, MPI_COMM_WORLD, &p[0]);
    MPI_Ssend_init(out, N, MPI_CHAR, next, 20, MPI_COMM_WORLD, &p[1]);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, p);
        MPI_Waitall(2, p, MPI_STATUSES_IGNORE);
    }
    MPI_Start(&p[0]);
    MPI_Start(&p[1]);
    for (int i = 0; i < 2; i++)
        for (flag = 0; !flag;)
            MPI_Test(&p[i], &flag, MPI_STATUS_IGNORE);
    MPI_Request_free(&p[0]);
    MPI_Request_free(&p[1]);
}

/* Send COUNT of TYPE to the next rank with TAG, and free the type. */
static void in_pieces(int count, MPI_Datatype type, int tag)
{
    static double numbers[N];
    int bytes;
    MPI_Type_commit(&type);
    MPI_Type_size(type, &bytes);
    MPI_Sendrecv(numbers, count, type, next, tag, in, count * bytes, MPI_CHAR, before, tag,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
}

/* Noncontiguous data, and data that only seems so. */
static void columns(void)
{
    static double there[N], here[N];
    int sizes[] = {4, 6}, part[] = {3, 2}, whole[] = {2, 6}, corner[] = {1, 1, 1}, edge[] = {1, 0};
    int cube[] = {4, 4, 4}, plane[] = {3, 2, 1}, across[] = {1, 3, 2};
    int lengths[] = {1, 3}, places[] = {0, 2}, anywhere[] = {0, 3, 8}, evenly[] = {0, 4, 8};
    MPI_Aint offsets[] = {0, 8};
    MPI_Datatype type, other, types[] = {MPI_INT, MPI_DOUBLE};
    MPI_Request r[2];
    MPI_Type_vector(5, 1, 4, MPI_INT, &type);
    in_pieces(1, type, 51);
    MPI_Type_vector(5, 2, 4, MPI_INT, &type); /* perhaps with the same handle */
    in_pieces(1, type, 52);
    MPI_Type_create_subarray(2, sizes, part, corner, MPI_ORDER_C, MPI_DOUBLE, &type);
    in_pieces(1, type, 53);
    MPI_Type_create_subarray(2, sizes, part, corner, MPI_ORDER_FORTRAN, MPI_DOUBLE, &type);
    in_pieces(1, type, 54);
    MPI_Type_create_subarray(2, sizes, whole, edge, MPI_ORDER_C, MPI_DOUBLE, &type);
    in_pieces(1, type, 55);
    MPI_Type_indexed(2, lengths, places, MPI_INT, &type);
    in_pieces(1, type, 56);
    lengths[1] = 1;
    MPI_Type_create_struct(2, lengths, offsets, types, &type);
    in_pieces(2, type, 57);
    MPI_Type_create_resized(MPI_DOUBLE, 0, 16, &type);
    in_pieces(3, type, 58);
    MPI_Type_create_resized(MPI_DOUBLE, 0, 16, &type);
    in_pieces(1, type, 59);
    MPI_Type_create_resized(MPI_DOUBLE, 0, 16, &type);
    MPI_Type_contiguous(4, type, &other);
    MPI_Type_free(&type);
    in_pieces(1, other, 60);
    MPI_Type_contiguous(4, MPI_INT, &type);
    in_pieces(2, type, 61);
    MPI_Type_create_subarray(3, cube, plane, corner, MPI_ORDER_C, MPI_DOUBLE, &type);
    in_pieces(1, type, 64);
    MPI_Type_create_subarray(3, cube, across, corner, MPI_ORDER_FORTRAN, MPI_DOUBLE, &type);
    in_pieces(1, type, 65);
    MPI_Type_vector(4, 1, 2, MPI_DOUBLE, &type);
    in_pieces(2, type, 66);
    MPI_Type_create_indexed_block(3, 1, anywhere, MPI_DOUBLE, &type);
    in_pieces(1, type, 67);
    MPI_Type_create_indexed_block(3, 1, evenly, MPI_DOUBLE, &type);
    in_pieces(1, type, 68);
    MPI_Type_vector(2, 1, 2, MPI_INT, &other);
    MPI_Type_create_indexed_block(3, 1, anywhere, other, &type);
    MPI_Type_free(&other);
    in_pieces(1, type, 69);
    MPI_Type_create_indexed_block(3, 1, anywhere, MPI_INT, &other);
    MPI_Type_vector(2, 1, 2, other, &type);
    MPI_Type_free(&other);
    in_pieces(1, type, 70);
    MPI_Type_vector(5, 3, 6, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    MPI_Recv_init(here, 1, type, before, 62, MPI_COMM_WORLD, &r[0]);
    MPI_Send_init(there, 1, type, next, 62, MPI_COMM_WORLD, &r[1]);
    MPI_Startall(2, r);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    MPI_Sendrecv(there, 15, MPI_DOUBLE, next, 63, here, 1, type, before, 63, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
}

static void collectives(MPI_Comm comm)
{
    int n, me, one[64], all[64], counts[64], places[64];
    MPI_Datatype types[64];
    MPI_Request r;
    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &me);
    for (int i = 0; i < n; i++) {
        counts[i] = 1;
        places[i] = i;
        types[i] = MPI_INT;
        one[i] = me;
    }
    MPI_Barrier(comm);
    MPI_Bcast(one, 1, MPI_INT, n - 1, comm);
    MPI_Gather(one, 1, MPI_INT, all, 1, MPI_INT, 0, comm);
    MPI_Gatherv(one, 1, MPI_INT, all, counts, places, MPI_INT, 0, comm);
    MPI_Scatter(all, 1, MPI_INT, one, 1, MPI_INT, 0, comm);
    MPI_Scatterv(all, counts, places, MPI_INT, one, 1, MPI_INT, 0, comm);
    MPI_Allgather(one, 1, MPI_INT, all, 1, MPI_INT, comm);
    MPI_Allgatherv(one, 1, MPI_INT, all, counts, places, MPI_INT, comm);
    MPI_Alltoall(one, 1, MPI_INT, all, 1, MPI_INT, comm);
    MPI_Alltoallv(one, counts, places, MPI_INT, all, counts, places, MPI_INT, comm);
    for (int i = 0; i < n; i++)
        places[i] = (int)sizeof(int) * i;
    MPI_Alltoallw(one, counts, places, types, all, counts, places, types, comm);
    MPI_Reduce(one, all, 1, MPI_INT, MPI_SUM, 0, comm);
    MPI_Allreduce(MPI_IN_PLACE, all, 1, MPI_INT, MPI_SUM, comm);
    MPI_Reduce_scatter(one, all, counts, MPI_INT, MPI_SUM, comm);
    MPI_Reduce_scatter_block(one, all, 1, MPI_INT, MPI_SUM, comm);
    MPI_Scan(one, all, 1, MPI_INT, MPI_SUM, comm);
    MPI_Exscan(one, all, 1, MPI_INT, MPI_SUM, comm);
    MPI_Ibarrier(comm, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Iallreduce(one, all, 1, MPI_INT, MPI_SUM, comm, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Ibcast(one, 1, MPI_INT, 0, comm, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void communicators(void)
{
    MPI_Comm half, twin, grid;
    int dims[1] = {size}, periodic[1] = {0}, values[2] = {0}, got[2];
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    collectives(half);
    MPI_Comm_dup(half, &twin);
    collectives(twin);
    MPI_Comm_free(&half);
    int n, me;
    MPI_Comm_size(twin, &n);
    MPI_Comm_rank(twin, &me);
    MPI_Sendrecv(out, 1, MPI_CHAR, (me + 1) % n, 30, in, 1, MPI_CHAR, MPI_ANY_SOURCE, 30, twin,
                 MPI_STATUS_IGNORE);
    MPI_Comm_free(&twin);
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periodic, 0, &grid);
    MPI_Neighbor_alltoall(values, 1, MPI_INT, got, 1, MPI_INT, grid);
    MPI_Neighbor_allgather(values, 1, MPI_INT, got, 1, MPI_INT, grid);
    MPI_Comm_free(&grid);
}

static void windows(void)
{
    MPI_Win window;
    MPI_Group all, to, from;
    MPI_Request r;
    int *memory, mine[4] = {rank}, got[4];
    MPI_Win_allocate(4 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &window);
    MPI_Win_fence(0, window);
    MPI_Put(mine, 1, MPI_INT, next, 0, 1, MPI_INT, window);
    MPI_Get(got, 2, MPI_INT, next, 1, 2, MPI_INT, window);
    MPI_Put(mine, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &next, &to);
    MPI_Group_incl(all, 1, &before, &from);
    MPI_Win_post(from, 0, window);
    MPI_Win_start(to, 0, window);
    MPI_Accumulate(mine, 3, MPI_INT, next, 0, 3, MPI_INT, MPI_SUM, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    MPI_Group_free(&from);
    MPI_Group_free(&to);
    MPI_Group_free(&all);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, window);
    MPI_Fetch_and_op(mine, got, MPI_INT, next, 0, MPI_SUM, window);
    MPI_Win_unlock(next, window);
    MPI_Win_lock_all(0, window);
    MPI_Rput(mine, 4, MPI_INT, next, 0, 4, MPI_INT, window, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Win_flush(next, window);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

/* The even ranks and the odd ranks. Their joint communication is not replayed. */
static void between(void)
{
    MPI_Comm half, both;
    MPI_Request r;
    int n, me, last;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 40, &both);
    MPI_Comm_remote_size(both, &n);
    MPI_Comm_rank(both, &me);
    if (me < n) {
        MPI_Irecv(in, N, MPI_CHAR, me, 41, both, &r);
        MPI_Send(out, 70, MPI_CHAR, me, 41, both);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    MPI_Allreduce(&me, &last, 1, MPI_INT, MPI_MAX, both);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}

static void *thread(void *argument)
{
    int tag = 100 + *(int *)argument;
    for (int i = 0; i < 50; i++) {
        MPI_Request r[2];
        MPI_Irecv(in + tag % 2, 1, MPI_CHAR, before, tag, MPI_COMM_WORLD, &r[0]);
        MPI_Isend(out, 1, MPI_CHAR, next, tag, MPI_COMM_WORLD, &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
    return NULL;
}

static void threads(void)
{
    pthread_t t[2];
    int number[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, thread, &number[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
}

int main(int argc, char **argv)
{
    int level;
    MPI_Init_thread(&argc, &argv, argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    before = (rank + size - 1) % size;
    if (argc > 1 && strcmp(argv[1], "killed") == 0) {
        for (int i = 0; i < 40000; i++)
            MPI_Sendrecv(out, 1, MPI_CHAR, next, 4, in, 1, MPI_CHAR, before, 4, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
        abort();
    }
    if (argc > 1 && level == MPI_THREAD_MULTIPLE) {
        threads();
    } else if (argc == 1) {
        windows();
        if (size > 1)
            between();
        GPTLstart("messages");
        messages();
        GPTLstart("probes");
        probes();
        GPTLstop("probes");
        polls();
        GPTLstop("messages");
        requests();
        columns();
        collectives(MPI_COMM_WORLD);
        communicators();
    }
    MPI_Finalize();
    return 0;
}
