/*
 * messages.c - small programs of two ranks, whose replayed and measured times are compared
 * (bench/predict/net).
 *
 *     messages REPEATS SMALL LARGE {KERNEL BYTES TIMES WORK}...
 *
 * waits until the round trips of a small message and of one of 16 KiB take these seconds, and
 * prints a line for each kernel: the median seconds of its repeats. It ends before the first kernel
 * that would have to wait too long. As in any program, data is computed before it is sent, and read
 * after it is received. WORK is the additional computation per step.
 */
#include "bench/predict/messages.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/maps/steady.h"

enum { WINDOW = 16, MOST_REPEATS = 100, PATIENCE = 6 /* seconds */ };

int rank, peer, bytes, turns;
long work;
double out[MOST / sizeof(double)], in[MOST / sizeof(double)];
static int repeats;
static double initialized;
static volatile double sink;

/* ---- What ranks compute -------------------------------------------------------------------- */

void compute(long steps)
{
    double x = 1;
    for (long i = 0; i < steps; i++)
        x = x * 1.0000001 + 1e-9;
    sink = x;
}

int count(void)
{
    return bytes / (int)sizeof(double) + (bytes % (int)sizeof(double) != 0);
}

void write_out(int n)
{
    for (int i = 0; i < n; i++)
        out[i] += 1;
}

void read_in(int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += in[i];
    sink = sum;
}

/* ---- Messages ------------------------------------------------------------------------------ */

static void send(void)
{
    write_out(count());
    MPI_Send(out, bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD);
}

static void receive(void)
{
    MPI_Recv(in, bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    read_in(count());
}

static void pingpong(void)
{
    for (int i = 0; i < turns; i++) {
        compute(work);
        if (rank == 0)
            send();
        receive();
        if (rank != 0)
            send();
    }
}

static void exchange(void)
{
    for (int i = 0; i < turns; i++) {
        MPI_Request requests[2];
        compute(work);
        write_out(count());
        MPI_Irecv(in, bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        read_in(count());
    }
}

static void sendrecv(void)
{
    for (int i = 0; i < turns; i++) {
        compute(work);
        write_out(count());
        MPI_Sendrecv(out, bytes, MPI_BYTE, peer, 1, in, bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        read_in(count());
    }
}

/* Computes between posting and waiting. */
static void overlap(void)
{
    for (int i = 0; i < turns; i++) {
        MPI_Request requests[2];
        write_out(count());
        MPI_Irecv(in, bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD, &requests[1]);
        compute(work);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        read_in(count());
    }
}

/* A series of messages in one direction, and an answer. */
static void window(void)
{
    int each = bytes / WINDOW, n = each / (int)sizeof(double);
    for (int i = 0; i < turns; i++) {
        MPI_Request requests[WINDOW];
        compute(work);
        if (rank == 0)
            write_out(WINDOW * n);
        for (int k = 0; k < WINDOW; k++)
            if (rank == 0)
                MPI_Isend(out + k * n, each, MPI_BYTE, peer, 1, MPI_COMM_WORLD, &requests[k]);
            else
                MPI_Irecv(in + k * n, each, MPI_BYTE, peer, 1, MPI_COMM_WORLD, &requests[k]);
        MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
        if (rank == 0) {
            MPI_Recv(in, 1, MPI_BYTE, peer, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            read_in(WINDOW * n);
            MPI_Send(out, 1, MPI_BYTE, peer, 2, MPI_COMM_WORLD);
        }
    }
}

/* The ranks alternate in having twice the work. */
static void imbalance(void)
{
    long usual = work;
    for (int i = 0; i < turns; i++) {
        int one = turns;
        work = rank == i % 2 ? 2 * usual : usual;
        turns = 1;
        exchange();
        turns = one;
    }
    work = usual;
}

/* Rank 1 requests work with a message to any rank, and receives it. */
static void worker(void)
{
    for (int i = 0; i < turns; i++) {
        MPI_Status status;
        if (rank == 0) {
            MPI_Recv(in, 8, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            send();
        } else {
            MPI_Send(out, 8, MPI_BYTE, peer, 3, MPI_COMM_WORLD);
            receive();
            compute(work);
        }
    }
}

/* ---- Collectives --------------------------------------------------------------------------- */

static void allreduce(void)
{
    for (int i = 0; i < turns; i++) {
        compute(work);
        write_out(count());
        MPI_Allreduce(out, in, count(), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        read_in(count());
    }
}

static void reduce(void)
{
    for (int i = 0; i < turns; i++) {
        compute(work);
        write_out(count());
        MPI_Reduce(out, in, count(), MPI_DOUBLE, MPI_SUM, i % 2, MPI_COMM_WORLD);
        if (rank == i % 2)
            read_in(count());
    }
}

static void bcast(void)
{
    for (int i = 0; i < turns; i++) {
        compute(work);
        if (rank == i % 2)
            write_out(count());
        MPI_Bcast(rank == i % 2 ? out : in, bytes, MPI_BYTE, i % 2, MPI_COMM_WORLD);
        if (rank != i % 2)
            read_in(count());
    }
}

static void allgather(void)
{
    for (int i = 0; i < turns; i++) {
        compute(work);
        write_out(count());
        MPI_Allgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
        read_in(2 * count());
    }
}

static void alltoall(void)
{
    for (int i = 0; i < turns; i++) {
        compute(work);
        write_out(2 * count());
        MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
        read_in(2 * count());
    }
}

static void gather_scatter(void)
{
    for (int i = 0; i < turns; i++) {
        compute(work);
        write_out(count());
        MPI_Gather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
        if (rank == 0)
            read_in(2 * count());
        MPI_Scatter(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    }
}

static void barrier(void)
{
    for (int i = 0; i < turns; i++) {
        compute(work);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* ---- Which --------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*run)(void);
} kernels[] = {
    {"pingpong", pingpong},
    {"exchange", exchange},
    {"sendrecv", sendrecv},
    {"overlap", overlap},
    {"window", window},
    {"imbalance", imbalance},
    {"worker", worker},
    {"allreduce", allreduce},
    {"reduce", reduce},
    {"bcast", bcast},
    {"allgather", allgather},
    {"alltoall", alltoall},
    {"gather", gather_scatter},
    {"barrier", barrier},
    {"heat", heat},
    {"conjugate", conjugate},
    {"panels", panels},
    {"transpose", transpose},
    {"columns", columns},
    {"cannon", cannon},
    {"particles", particles},
    {"polling", polling},
    {"pipeline", pipeline},
    {"uneven", uneven},
    {"scan", scan},
    {"synchronous", synchronous},
    {"buckets", buckets},
    {"multigrid", multigrid},
    {"sweep", sweep},
    {"faces", faces},
    {"pool", pool},
    {"snapshot", snapshot},
    {"elements", elements},
    {"molecules", molecules},
    {"ghosts", ghosts},
    {"lanczos", lanczos},
    {"spectral", spectral},
    {"contraction", contraction},
};

/* Pages are touched, and each repeat computes the same. */
static void fill(void)
{
    for (size_t i = 0; i < sizeof out / sizeof *out; i++)
        out[i] = in[i] = 1;
}

/*
 * A single repeat is traced, and a replay begins when all ranks leave MPI_Init. Here the ranks
 * begin with the same delay after that, not at the same time: otherwise a repeat would wait for the
 * rank that left last.
 */
static void begin_together(void)
{
    double longest = MPI_Wtime() - initialized;
    PMPI_Allreduce(MPI_IN_PLACE, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    while (MPI_Wtime() < initialized + longest)
        ;
}

static double measure(void (*run)(void))
{
    fill();
    if (repeats > 1)
        MPI_Barrier(MPI_COMM_WORLD);
    else
        begin_together();
    double from = MPI_Wtime();
    run();
    double seconds = MPI_Wtime() - from;
    if (repeats > 1)
        MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
}

static int in_order(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

/* 0 if messages did not take the expected time before and after each of them. */
static double usual(void (*run)(void))
{
    double seconds[MOST_REPEATS];
    for (int i = 0; i < repeats; i++) {
        steady_wait();
        if (steady_given_up())
            return 0;
        seconds[i] = measure(run);
        if (!steady_now())
            return 0;
    }
    qsort(seconds, (size_t)repeats, sizeof *seconds, in_order);
    return seconds[repeats / 2];
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    initialized = MPI_Wtime();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    peer = 1 - rank;
    repeats = argc > 1 ? atoi(argv[1]) : 0;
    if (repeats < 1 || repeats > MOST_REPEATS) {
        fprintf(stderr, "messages: from 1 to %d repeats\n", MOST_REPEATS);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    struct steady_trips trips = {argc > 2 ? atof(argv[2]) : 0, argc > 3 ? atof(argv[3]) : 0};
    for (int i = 4; i + 3 < argc; i += 4) {
        size_t k = 0, n = sizeof kernels / sizeof *kernels;
        while (k < n && strcmp(argv[i], kernels[k].name) != 0)
            k++;
        bytes = atoi(argv[i + 1]);
        turns = atoi(argv[i + 2]);
        work = atol(argv[i + 3]);
        if (k == n || bytes < 0 || bytes > MOST / 2) {
            fprintf(stderr, "messages: no kernel %s of %d bytes\n", argv[i], bytes);
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
        steady_begin(rank == 0, peer, 0, PATIENCE);
        steady_expect(trips);
        double seconds = usual(kernels[k].run);
        if (seconds <= 0)
            break;
        if (rank == 0)
            printf("%s %d %.9f\n", argv[i], bytes, seconds);
    }
    MPI_Finalize();
    return 0;
}
