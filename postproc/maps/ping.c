/*
 * ping.c - what messages cost, from the first to the last rank of a job, and how they divide into what
 * the sender, the network and the receiver do: gptl-maps-mpich and gptl-maps-openmpi, which gptl maps
 * becomes in each rank.
 *
 * What is sent has been written before, as in programs: the cache of another core has to give it away,
 * which takes twice as long as if it had been sent unchanged before. What collectives bring is read: some
 * send it on from where it came to, and take longer where it was read since the last time; messages do not.
 */
#include "postproc/maps/ping.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "postproc/maps/steady.h"

enum { MOST_BYTES = ROOM / 2, MOST_SAMPLES = 64, LINE = 64, UNTIMED = 1024, STREAM = 16, LATE = 5 };

/* How long to look at a size, and so the job at all of them. */
struct effort {
    double sample, size;     /* seconds */
    double search, patience; /* seconds to find a state of the machine, and to wait for it */
    int least;               /* samples */
    int factor;              /* from one size to the next */
    bool beside;             /* sizes beside powers, too */
};

static const struct effort usual = {500e-6, 0.03, 2, 20, 10, 2, true},
                           quick = {100e-6, 0.002, 0.05, 0.1, 5, 4, false};

int rank, peer;
MPI_Comm two;
char *out, *in;
double answer;
static double clock_cost;  /* between two readings of the clock */
static double alone;       /* seconds of a message of the size that is looked at … */
static double exchanged;   /* … and of one in each direction */
static volatile char sink; /* of what is read */

/* ---- Between the ranks --------------------------------------------------------------------- */

void ping_send(int bytes, int tag)
{
    MPI_Send(out, bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD);
}

void ping_receive(int bytes, int tag)
{
    MPI_Recv(in, bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Rank 0 decides; the other one learns what. */
static int decide(int value)
{
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, peer, WORD, MPI_COMM_WORLD);
    else
        MPI_Recv(&value, 1, MPI_INT, peer, WORD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return value;
}

static void spin(double seconds)
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

/* ---- What is measured: seconds of one of N ------------------------------------------------- */

double theirs_of(double seconds)
{
    double theirs = 0;
    MPI_Sendrecv(&seconds, 1, MPI_DOUBLE, peer, WORD, &theirs, 1, MPI_DOUBLE, peer, WORD,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return theirs;
}

/* One way of a message there and back, without what is written. */
static double message(int bytes, int n)
{
    double wrote = 0, from = MPI_Wtime();
    for (int i = 0; i < n; i++) {
        if (rank == 0) {
            wrote += timed_write(bytes);
            ping_send(bytes, DATA);
        }
        ping_receive(bytes, DATA);
        if (rank != 0) {
            wrote += timed_write(bytes);
            ping_send(bytes, DATA);
        }
    }
    double seconds = MPI_Wtime() - from - wrote;
    return (seconds - theirs_of(wrote)) / (2.0 * n);
}

/* The same, of one that comes back to where it was sent from: what comes is written before it is sent on. */
static double reused(int bytes, int n)
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

/* What the sender itself has to do for a message that the other rank waits for. */
static double sending(int bytes, int n)
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
        spin(1e-6); /* the other one is there */
        double from = MPI_Wtime();
        MPI_Isend(out, bytes, MPI_BYTE, peer, DATA, MPI_COMM_WORLD, &request);
        double until = MPI_Wtime();
        spin(2 * alone + 2e-6);
        double again = MPI_Wtime();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        seconds += MPI_Wtime() - again + until - from - 2 * clock_cost;
        ping_receive(0, ANSWER);
    }
    return seconds / n;
}

/* What the receiver has to do for one that has come, as far as it does without the receiver. */
static double receiving(int bytes, int n)
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

/* Both ways at the same time. */
static double exchange(int bytes, int n)
{
    double wrote = 0, from = MPI_Wtime();
    for (int i = 0; i < n; i++) {
        wrote += timed_write(bytes);
        swap(out, in, bytes);
    }
    return (MPI_Wtime() - from - wrote) / n;
}

/* The same, of what came, and to where it was sent from before. */
static double reused_exchange(int bytes, int n)
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
 * By how much an exchange takes longer to memory that was given back and is taken again: its pages come one by one, and
 * are cleared, as something is written there; by the kernel, where that moves the data.
 */
static double renewal(int bytes, int n)
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

/* By how much each further message makes it longer, of some that are sent one after the other. */
static double stream(int bytes, int n)
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

/* Until a sender that waits for its receiver, who is there, can use its data again. */
static double returning(int bytes, int n)
{
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
        ping_send(bytes, DATA);
        seconds += MPI_Wtime() - from - clock_cost;
        ping_receive(0, ANSWER);
    }
    return seconds / n;
}

/* ---- All sizes ----------------------------------------------------------------------------- */

/*
 * The least of several samples: whatever else the machine does makes them longer. Those count before and
 * after which messages take what they took at first. How many messages a sample has follows from the
 * least so far; where ranks have to wait for a core, that is one at first, and there are fewer samples.
 */
static double measure(double (*what)(int, int), int bytes, const struct effort *effort)
{
    double began = MPI_Wtime(), least = what(bytes, 1), counts = 0;
    bool steady = false;
    for (int samples = 0;;) {
        double since = MPI_Wtime() - began;
        int more = samples < effort->least ? since < LATE * effort->size
                                           : samples < MOST_SAMPLES && since < effort->size;
        double n = effort->sample / (2 * (least > 1e-8 ? least : 1e-8)) + 1;
        int messages = decide(!more ? 0 : n < 10000 ? (int)n : 10000);
        if (messages == 0) {
            least = samples > 0 ? counts : least;
            return least > 1e-9 ? least : 1e-9;
        }
        if (!steady)
            began += steady_wait();
        double seconds = what(bytes, messages);
        least = seconds < least ? seconds : least;
        steady = steady_now();
        if (!steady)
            continue;
        counts = samples == 0 || seconds < counts ? seconds : counts;
        samples++;
    }
}

/* Whether a sender waits for a receiver that is late. Both ranks know then. */
static bool waits(int bytes)
{
    enum { TRIES = 3 }; /* one that is not waited for may be slow for other reasons */
    double late = 200e-6 + bytes * 5e-9, seconds = 0;
    for (int i = 0; i < TRIES; i++) {
        if (rank == 0) {
            ping_receive(0, READY);
            double from = MPI_Wtime();
            ping_send(bytes, DATA);
            seconds = MPI_Wtime() - from;
        } else {
            ping_send(0, READY);
            spin(late);
            ping_receive(bytes, DATA);
        }
        if (!decide(seconds > late / 2))
            return false;
    }
    return true;
}

/* How large messages may be that leave at once. */
static int find_eager(void)
{
    int eager = 0, waiting = MOST_BYTES;
    if (!waits(waiting))
        return waiting;
    while (waiting - eager > 1) {
        int middle = eager + (waiting - eager) / 2;
        *(waits(middle) ? &waiting : &eager) = middle;
    }
    return eager;
}

/*
 * Powers; what is a little less and more than those where MPIs have their steps, by headers and by the halves and
 * buffers of collectives; and both sides of the step that was found.
 */
static int next_size(int bytes, int eager, const struct effort *effort)
{
    enum { FIRST_STEP = 1024, LAST_STEP = 65536, HEADER = 64 };
    static const int beside[] = {-2 * HEADER, -HEADER, 0, 2 * HEADER};
    int next = 0;
    for (int power = 1; next <= bytes; power *= effort->factor) {
        bool all = effort->beside && power >= FIRST_STEP && power <= LAST_STEP;
        for (size_t i = 0; i < sizeof beside / sizeof *beside && next <= bytes; i++)
            if (all || beside[i] == 0)
                next = power + beside[i];
    }
    if (bytes < eager && eager < next)
        return eager;
    return bytes <= eager && eager + 1 < next ? eager + 1 : next;
}

/* In the order of message.def. */
static double (*const parts[])(int, int) = {message,
                                            sending,
                                            receiving,
                                            exchange,
                                            stream,
                                            returning,
                                            reused,
                                            reused_exchange,
                                            own_part,
                                            reduction,
                                            renewal,
                                            barrier,
                                            bcast,
                                            bcast_back,
                                            reduce,
                                            reduce_back,
                                            allgather,
                                            alltoall,
                                            gather,
                                            scatter,
                                            allgatherv,
                                            alltoallv,
                                            allreduce,
                                            reduce_scatter,
                                            reduce_scatter_block,
                                            scan,
                                            exscan,
                                            ibarrier,
                                            ibcast,
                                            ireduce,
                                            iallgather,
                                            ialltoall,
                                            iallreduce,
                                            pieces8,
                                            pieces8_exchange,
                                            rows8,
                                            rows8_exchange,
                                            pieces64,
                                            pieces64_exchange,
                                            list8,
                                            list8_exchange,
                                            uneven8,
                                            uneven8_exchange};
enum { PARTS = sizeof parts / sizeof *parts, IN_PIECES = 10 };

static void measure_size(int bytes, const struct effort *effort)
{
    double seconds[PARTS] = {0};
    for (size_t i = 0; i < PARTS; i++) {
        if (((parts[i] == barrier || parts[i] == ibarrier) && bytes > 0) ||
            (i >= PARTS - IN_PIECES && bytes > PIECED_MOST))
            continue;
        seconds[i] = measure(parts[i], bytes, effort);
        if (parts[i] == message)
            alone = seconds[i];
        if (parts[i] == exchange)
            exchanged = seconds[i];
        if (parts[i] == message && bytes == 0)
            answer = alone;
    }
    if (rank != 0)
        return;
    printf("gptl-maps %d bytes", bytes);
    for (size_t i = 0; i < PARTS; i++)
        printf(" %.9g", seconds[i]);
    printf("\n");
}

static double cost_of_clock(void)
{
    double least = 1;
    for (int i = 0; i < 100; i++) {
        double before = MPI_Wtime(), after = MPI_Wtime();
        least = after - before < least ? after - before : least;
    }
    return least;
}

static void make_two(void)
{
    MPI_Group world, ends;
    int members[] = {rank == 0 ? 0 : peer, rank == 0 ? peer : rank};
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, members, &ends);
    MPI_Comm_create_group(MPI_COMM_WORLD, ends, WORD, &two);
    MPI_Group_free(&ends);
    MPI_Group_free(&world);
}

/*
 * All sizes, in the fastest state of the machine that SEARCH seconds find, or in the one that it is in. False: it does
 * not last; unless this is the LAST try, not all of them were measured then.
 */
static bool measure_state(const struct effort *effort, double search, bool last)
{
    steady_begin(rank == 0, peer, 0, search, effort->patience);
    int eager = find_eager();
    if (rank == 0)
        printf("gptl-maps eager %d\n", eager);
    for (int bytes = 0; bytes <= MOST_BYTES; bytes = next_size(bytes, eager, effort)) {
        measure_size(bytes, effort);
        if (!last && steady_given_up())
            return false;
    }
    return !steady_given_up();
}

static int measure_all(const struct effort *effort)
{
    out = calloc(1, ROOM);
    in = calloc(1, ROOM);
    if (!out || !in) {
        fprintf(stderr, "gptl maps: there is not enough memory for messages\n");
        free(out);
        free(in);
        return -1;
    }
    clock_cost = cost_of_clock();
    memset(in, 0, ROOM);
    make_two();
    measure(message, UNTIMED, effort); /* connections are made */
    /* A state that does not come back is not the one that programs have. */
    if (!measure_state(effort, effort->search, false) && !measure_state(effort, 0, true) &&
        rank == 0)
        fprintf(stderr,
                "gptl maps: messages took several times as long for much of the time, and some are "
                "in the profile: what else runs here?\n");
    MPI_Comm_free(&two);
    free(out);
    free(in);
    return 0;
}

int main(int argc, char **argv)
{
    int size, status = -1;
    keep_memory();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    peer = rank == 0 ? size - 1 : 0;
    if (argc < 2)
        fprintf(stderr, "gptl maps: this program is started by `gptl maps -- mpiexec -n 2`\n");
    else if (size < 2)
        fprintf(stderr, "gptl maps: there is one rank, and messages need two: give "
                        "`mpiexec -n 2`\n");
    else if (rank == 0 || rank == size - 1) /* those between them have nothing to do */
        status = measure_all(strcmp(argv[1], "quick") == 0 ? &quick : &usual);
    else
        status = 0;
    if (status != 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Finalize();
    return 0;
}
