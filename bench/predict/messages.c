/*
 * messages.c - small programs of two ranks, whose replay is compared with what they take (bench/predict/net).
 *
 *     messages REPEATS {KERNEL BYTES TIMES WORK}...
 *
 * prints a line for each: the seconds that the usual one of its repeats took. As in any program, what is sent
 * has been computed before, and what comes is read. WORK is how much is computed besides, each time.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8 << 20, WINDOW = 16, MOST_REPEATS = 100 };

static int rank, peer, bytes, times, repeats;
static long work;
static double out[MOST / sizeof(double)], in[MOST / sizeof(double)];
static volatile double sink;

/* ---- What ranks compute -------------------------------------------------------------------- */

static void compute(long steps)
{
    double x = 1;
    for (long i = 0; i < steps; i++)
        x = x * 1.0000001 + 1e-9;
    sink = x;
}

static int count(void)
{
    return bytes / (int)sizeof(double) + (bytes % (int)sizeof(double) != 0);
}

static void write_out(int n)
{
    for (int i = 0; i < n; i++)
        out[i] += 1;
}

static void read_in(int n)
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
    for (int i = 0; i < times; i++) {
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
    for (int i = 0; i < times; i++) {
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
    for (int i = 0; i < times; i++) {
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
    for (int i = 0; i < times; i++) {
        MPI_Request requests[2];
        write_out(count());
        MPI_Irecv(in, bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD, &requests[1]);
        compute(work);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        read_in(count());
    }
}

/* Many messages one after the other in one direction, and an answer. */
static void window(void)
{
    int each = bytes / WINDOW, n = each / (int)sizeof(double);
    for (int i = 0; i < times; i++) {
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

/* One rank has twice as much to do, in turn. */
static void imbalance(void)
{
    long usual = work;
    for (int i = 0; i < times; i++) {
        int one = times;
        work = rank == i % 2 ? 2 * usual : usual;
        times = 1;
        exchange();
        times = one;
    }
    work = usual;
}

/* Rank 1 asks for work with a message for anybody, and gets it. */
static void worker(void)
{
    for (int i = 0; i < times; i++) {
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
    for (int i = 0; i < times; i++) {
        compute(work);
        write_out(count());
        MPI_Allreduce(out, in, count(), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        read_in(count());
    }
}

static void reduce(void)
{
    for (int i = 0; i < times; i++) {
        compute(work);
        write_out(count());
        MPI_Reduce(out, in, count(), MPI_DOUBLE, MPI_SUM, i % 2, MPI_COMM_WORLD);
        if (rank == i % 2)
            read_in(count());
    }
}

static void bcast(void)
{
    for (int i = 0; i < times; i++) {
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
    for (int i = 0; i < times; i++) {
        compute(work);
        write_out(count());
        MPI_Allgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
        read_in(2 * count());
    }
}

static void alltoall(void)
{
    for (int i = 0; i < times; i++) {
        compute(work);
        write_out(2 * count());
        MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
        read_in(2 * count());
    }
}

static void gather_scatter(void)
{
    for (int i = 0; i < times; i++) {
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
    for (int i = 0; i < times; i++) {
        compute(work);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* ---- As programs are ----------------------------------------------------------------------- */

/* Heat on a plane, cut in two: each has rows of BYTES, and gives its first or last one to the other. */
static void heat(void)
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
    for (int i = 0; i < times; i++) {
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

/* Conjugate gradients on a line of numbers: a neighbor's number, and two sums. */
static void conjugate(void)
{
    int n = count();
    double *x = out + 1, *y = in + 1;
    for (int i = 0; i < times; i++) {
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

/* Columns of a matrix are computed by one rank in turn, and all use them. */
static void panels(void)
{
    int n = count();
    for (int i = 0; i < times; i++) {
        if (rank == i % 2)
            write_out(n);
        MPI_Bcast(out, n, MPI_DOUBLE, i % 2, MPI_COMM_WORLD);
        for (int k = 0; k < 8; k++)
            for (int j = 0; j < n; j++)
                in[j] -= 1e-9 * out[j];
    }
}

/* A square of BYTES in all is transposed between the ranks, after something was done with it. */
static void transpose(void)
{
    int n = count() / 2;
    for (int i = 0; i < times; i++) {
        for (int k = 0; k < 2 * n; k++)
            out[k] = out[k] * 0.999 + in[k];
        MPI_Alltoall(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, MPI_COMM_WORLD);
    }
}

/* ---- Which --------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*run)(void);
} kernels[] = {
    {"pingpong", pingpong},     {"exchange", exchange},   {"sendrecv", sendrecv},
    {"overlap", overlap},       {"window", window},       {"imbalance", imbalance},
    {"worker", worker},         {"allreduce", allreduce}, {"reduce", reduce},
    {"bcast", bcast},           {"allgather", allgather}, {"alltoall", alltoall},
    {"gather", gather_scatter}, {"barrier", barrier},     {"heat", heat},
    {"conjugate", conjugate},   {"panels", panels},       {"transpose", transpose},
};

/* So that pages are there, and each repeat computes the same. */
static void fill(void)
{
    for (size_t i = 0; i < sizeof out / sizeof *out; i++)
        out[i] = in[i] = 1;
}

static double measure(void (*run)(void))
{
    fill();
    if (repeats > 1) /* a single one is traced, without this */
        MPI_Barrier(MPI_COMM_WORLD);
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

static double usual(void (*run)(void))
{
    double seconds[MOST_REPEATS];
    for (int i = 0; i < repeats; i++)
        seconds[i] = measure(run);
    qsort(seconds, (size_t)repeats, sizeof *seconds, in_order);
    return seconds[repeats / 2];
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    peer = 1 - rank;
    repeats = argc > 1 ? atoi(argv[1]) : 0;
    if (repeats < 1 || repeats > MOST_REPEATS) {
        fprintf(stderr, "messages: from 1 to %d repeats\n", MOST_REPEATS);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int i = 2; i + 3 < argc; i += 4) {
        size_t k = 0, n = sizeof kernels / sizeof *kernels;
        while (k < n && strcmp(argv[i], kernels[k].name) != 0)
            k++;
        bytes = atoi(argv[i + 1]);
        times = atoi(argv[i + 2]);
        work = atol(argv[i + 3]);
        if (k == n || bytes < 0 || bytes > MOST / 2) {
            fprintf(stderr, "messages: no kernel %s of %d bytes\n", argv[i], bytes);
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
        double seconds = usual(kernels[k].run);
        if (rank == 0)
            printf("%s %d %.9f\n", argv[i], bytes, seconds);
    }
    MPI_Finalize();
    return 0;
}
