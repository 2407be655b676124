/*
 * ping_messages.c - times of messages between the first and the last rank, and of a rank's own work
 * for them.
 */
#include "postproc/maps/ping.h"

#include <stddef.h>
#include <sys/mman.h>

enum { LINE = 64, UNTIMED = 1024, STREAM = 16 };

static volatile char sink; /* keeps reads alive */

/* ---- Between the ranks --------------------------------------------------------------------- */

void ping_send(int bytes, int tag)
{
    MPI_Send(out, bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD);
}

/* Send a message that completes when the receiver is ready, regardless of its size. */
static void send_synchronous(int bytes, int tag)
{
    MPI_Ssend(out, bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD);
}

void ping_receive(int bytes, int tag)
{
    MPI_Recv(in, bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void spin(double seconds)
{
    for (double end = MPI_Wtime() + seconds; MPI_Wtime() < end;)
        ;
}

static void write_out(int bytes)
{
    for (int i = 0; i < bytes; i += LINE)
        out[i]++;
}

static void read_in(int bytes)
{
    char all = 0;
    for (int i = 0; i < bytes; i += LINE)
        all ^= in[i];
    sink = all;
}

static double timed(void (*touch)(int), int bytes)
{
    if (bytes <= UNTIMED) {
        touch(bytes);
        return 0;
    }
    double from = MPI_Wtime();
    touch(bytes);
    return MPI_Wtime() - from + clock_cost;
}

double timed_write(int bytes)
{
    return timed(write_out, bytes);
}

double timed_read(int bytes)
{
    return timed(read_in, bytes);
}

/* ---- Measurements: seconds of one of N ----------------------------------------------------- */

double theirs_of(double seconds)
{
    double theirs = 0;
    MPI_Sendrecv(&seconds, 1, MPI_DOUBLE, peer, WORD, &theirs, 1, MPI_DOUBLE, peer, WORD,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return theirs;
}

/* Return the one-way time of a ping-pong, without the time of writing the data. */
static double one_way(void (*send)(int, int), int bytes, int n)
{
    double wrote = 0, from = MPI_Wtime();
    for (int i = 0; i < n; i++) {
        if (rank == 0) {
            wrote += timed_write(bytes);
            send(bytes, DATA);
        }
        ping_receive(bytes, DATA);
        if (rank != 0) {
            wrote += timed_write(bytes);
            send(bytes, DATA);
        }
    }
    double seconds = MPI_Wtime() - from - wrote;
    return (seconds - theirs_of(wrote)) / (2.0 * n);
}

double message(int bytes, int n)
{
    return one_way(ping_send, bytes, n);
}

double synchronous(int bytes, int n)
{
    return one_way(send_synchronous, bytes, n);
}

/*
 * Return the one-way time of a message received into the buffer that was sent from, so that the
 * received lines are overwritten before they are sent again.
 */
double reused(int bytes, int n)
{
    double from = MPI_Wtime();
    for (int i = 0; i < n; i++) {
        if (rank == 0)
            ping_send(bytes, DATA);
        MPI_Recv(out, bytes, MPI_BYTE, peer, DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank != 0)
            ping_send(bytes, DATA);
    }
    return (MPI_Wtime() - from) / (2.0 * n);
}

/*
 * Write one byte per number of an eager message, to other memory. Processors delay stores to lines
 * owned by another core, such as the target of an eager copy, until the store buffer fills:
 * programs then wait.
 */
static void write_next(int bytes)
{
    volatile char *next = out + MOST_BYTES;
    for (int i = 0; bytes <= eager && i < bytes; i += (int)sizeof(double))
        next[i] = 1;
}

/*
 * Return the sender's own time for a message that the receiver waits for, until it can write the
 * next one.
 */
double sending(int bytes, int n)
{
    double seconds = 0;
    for (int i = 0; i < n; i++) {
        if (rank != 0) {
            ping_receive(bytes, DATA);
            ping_send(0, ANSWER);
            continue;
        }
        MPI_Request request;
        write_out(bytes);
        double before = MPI_Wtime();
        write_next(bytes);
        seconds -= MPI_Wtime() - before - clock_cost;
        spin(1e-6); /* gives the other rank time to be ready */
        double from = MPI_Wtime();
        MPI_Isend(out, bytes, MPI_BYTE, peer, DATA, MPI_COMM_WORLD, &request);
        write_next(bytes);
        double until = MPI_Wtime();
        spin(2 * alone + 2e-6);
        double again = MPI_Wtime();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        seconds += MPI_Wtime() - again + until - from - 2 * clock_cost;
        ping_receive(0, ANSWER);
    }
    return seconds / n;
}

/*
 * Return the receiver's own time for a message that has already arrived, to the extent that it
 * proceeds without the receiver.
 */
double receiving(int bytes, int n)
{
    double seconds = 0;
    for (int i = 0; i < n; i++) {
        if (rank != 0) {
            write_out(bytes);
            ping_receive(0, READY);
            ping_send(bytes, DATA);
            continue;
        }
        MPI_Request request;
        double from = MPI_Wtime();
        MPI_Irecv(in, bytes, MPI_BYTE, peer, DATA, MPI_COMM_WORLD, &request);
        double until = MPI_Wtime();
        ping_send(0, READY);
        spin(3 * alone + 2e-6);
        double again = MPI_Wtime();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        seconds += MPI_Wtime() - again + until - from - 2 * clock_cost;
    }
    return seconds / n;
}

static void swap(const char *goes, char *comes, int bytes)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Irecv(comes, bytes, MPI_BYTE, peer, DATA, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(goes, bytes, MPI_BYTE, peer, DATA, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
}

/* Return the time of a simultaneous message in each direction. */
double exchange(int bytes, int n)
{
    double wrote = 0, from = MPI_Wtime();
    for (int i = 0; i < n; i++) {
        wrote += timed_write(bytes);
        swap(out, in, bytes);
    }
    return (MPI_Wtime() - from - wrote) / n;
}

/* Return the time of an exchange of received data, into the buffers that were sent from. */
double reused_exchange(int bytes, int n)
{
    double from = MPI_Wtime();
    for (int i = 0; i < n; i++) {
        swap(out, in, bytes);
        char *came = in;
        in = out;
        out = came;
    }
    return (MPI_Wtime() - from) / n;
}

/*
 * Return the additional time of an exchange into memory that was released and allocated again: page
 * faults clear its pages one by one, in the kernel if it moves the data.
 */
double renewal(int bytes, int n)
{
    size_t room = bytes > 0 ? (size_t)bytes : 1;
    double wrote = 0, from = MPI_Wtime();
    for (int i = 0; i < n; i++) {
        wrote += timed_write(bytes);
        char *new = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (new == MAP_FAILED)
            MPI_Abort(MPI_COMM_WORLD, 2);
        madvise(new, room, MADV_NOHUGEPAGE);
        swap(out, new, bytes);
        munmap(new, room);
    }
    return (MPI_Wtime() - from - wrote) / n - exchanged;
}

/* Return the additional time of each further message of a series. */
double stream(int bytes, int n)
{
    int several = bytes * STREAM <= MOST_BYTES ? STREAM : MOST_BYTES / bytes;
    double wrote = 0, from = MPI_Wtime();
    if (several < 2)
        return alone;
    for (int i = 0; i < n; i++) {
        MPI_Request requests[STREAM];
        MPI_Status statuses[STREAM];
        if (rank == 0)
            wrote += timed_write(several * bytes);
        for (int k = 0; k < several; k++)
            if (rank == 0)
                MPI_Isend(out + k * bytes, bytes, MPI_BYTE, peer, DATA, MPI_COMM_WORLD,
                          &requests[k]);
            else
                MPI_Irecv(in + k * bytes, bytes, MPI_BYTE, peer, DATA, MPI_COMM_WORLD,
                          &requests[k]);
        MPI_Waitall(several, requests, statuses);
        if (rank == 0)
            ping_receive(0, ANSWER);
        else
            ping_send(0, ANSWER);
    }
    return ((MPI_Wtime() - from - wrote) / n - alone - answer) / (several - 1);
}

/* Return the time until a synchronous sender, whose receiver is ready, can reuse its buffer. */
double returning(int bytes, int n)
{
    void (*send)(int, int) = bytes > eager ? ping_send : send_synchronous;
    double seconds = 0;
    for (int i = 0; i < n; i++) {
        if (rank == 0)
            write_out(bytes);
        else
            ping_receive(bytes, DATA);
        spin(1e-6);
        if (rank != 0) {
            ping_send(0, ANSWER);
            continue;
        }
        double from = MPI_Wtime();
        send(bytes, DATA);
        seconds += MPI_Wtime() - from - clock_cost;
        ping_receive(0, ANSWER);
    }
    return seconds / n;
}
