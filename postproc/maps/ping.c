/*
 * ping.c - times of messages between the first and the last rank of a job, and their division into
 * work of sender, network and receiver: gptl-maps-mpich and gptl-maps-openmpi, which gptl maps
 * executes in each rank. This file chooses the sizes and the duration of each measurement.
 *
 * Sent data is written first, as in programs: its lines must be transferred from another core's
 * cache, which takes twice as long as for data that was sent unchanged before. Data received by
 * collectives is read: some collectives forward it from where it arrived, and take longer if it was
 * read since the last time; messages do not.
 */
#include "postproc/maps/ping.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/maps/steady.h"

enum { MOST_SAMPLES = 64, MOST_SIZES = 128, MOST_PASSES = 6, LATE = 5, FIRST_BYTES = 1024 };

/* Duration of the measurement of a size and of the job. */
struct effort {
    double sample, size;     /* seconds */
    double search, patience; /* seconds to search for a state of the machine, and to wait for it */
    double most;             /* seconds of the job after which no pass begins */
    double end;              /* seconds of the job after which no further size is measured */
    /* Minimum seconds for the last try at a state of the machine, even after END. */
    double least_end;
    int passes;   /* over all sizes */
    size_t least; /* samples */
    int factor;   /* between sizes */
    bool beside;  /* also sizes next to powers of two */
};

/* The usual effort takes less than two minutes including the rest of a profile. */
static const struct effort usual = {250e-6, 0.0021, 2, 15, 45, 52, 16, MOST_PASSES, 4, 2, true},
                           quick = {100e-6, 0.002, 0.05, 0.1, 45, 45, 15, 1, 5, 16, false};

int rank, peer;
MPI_Comm two;
char *out, *in;
int eager;
double answer, alone, exchanged, summed, clock_cost;
static double began, end; /* of the measurement; no size is measured after end */

/* Return rank 0's VALUE in both ranks. */
static int decide(int value)
{
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, peer, WORD, MPI_COMM_WORLD);
    else
        MPI_Recv(&value, 1, MPI_INT, peer, WORD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return value;
}

/* ---- All sizes ----------------------------------------------------------------------------- */

static int by_size(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Return the median of SECONDS, which it sorts. */
static double middle_of(double *seconds, size_t n)
{
    qsort(seconds, n, sizeof *seconds, by_size);
    return seconds[n / 2];
}

/*
 * Return the median of several samples, which is typical of programs when two cores compete for the
 * same lines. Only samples between two checks of an unchanged machine state count. The number of
 * messages per sample follows from the minimum so far; where ranks wait for a core, it is one at
 * first, and there are fewer samples.
 */
static double measure(double (*what)(int, int), int bytes, const struct effort *effort)
{
    double from = MPI_Wtime(), least = what(bytes, 1), counted[MOST_SAMPLES];
    bool steady = false;
    for (size_t samples = 0;;) {
        double since = MPI_Wtime() - from;
        int more = samples < effort->least ? since < LATE * effort->size
                                           : samples < MOST_SAMPLES && since < effort->size;
        double n = effort->sample / (2 * (least > 1e-8 ? least : 1e-8)) + 1;
        int messages = decide(!more ? 0 : n < 10000 ? (int)n : 10000);
        if (messages == 0) {
            double middle = samples > 0 ? middle_of(counted, samples) : least;
            return middle > 1e-9 ? middle : 1e-9;
        }
        if (!steady)
            from += steady_wait();
        double seconds = what(bytes, messages);
        least = seconds < least ? seconds : least;
        steady = steady_now();
        if (steady)
            counted[samples++] = seconds;
    }
}

/* Return whether a sender waits for a late receiver; the same answer in both ranks. */
static bool waits(int bytes)
{
    enum { TRIES = 3 }; /* a sender that does not wait may be slow for other reasons */
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

/* Return the eager limit: the largest message that is sent without waiting. */
static int find_eager(void)
{
    int leaving = 0, waiting = MOST_BYTES;
    if (!waits(waiting))
        return waiting;
    while (waiting - leaving > 1) {
        int middle = leaving + (waiting - leaving) / 2;
        *(waits(middle) ? &waiting : &leaving) = middle;
    }
    return leaving;
}

/*
 * Return the next size: powers of two; values slightly below and above, where protocols change
 * because of headers and of halves and buffers of collectives; and both sides of the eager limit.
 */
static int next_size(int bytes, const struct effort *effort)
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
                                            synchronous,
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
                                            iallreduce_busy,
                                            pieces8,
                                            pieces8_exchange,
                                            rows8,
                                            rows8_exchange,
                                            pieces24,
                                            pieces24_exchange,
                                            pieces24_sent,
                                            pieces24_sent_exchange,
                                            pieces24_received,
                                            pieces24_received_exchange,
                                            pieces64,
                                            pieces64_exchange,
                                            pieces512,
                                            pieces512_exchange,
                                            list8,
                                            list8_exchange,
                                            list24,
                                            list24_exchange,
                                            list24_sent,
                                            list24_sent_exchange,
                                            list24_received,
                                            list24_received_exchange,
                                            uneven8,
                                            uneven8_exchange};
enum { PARTS = sizeof parts / sizeof *parts };
static const enum kind {
    NETWORK,
    OWN,
    COLLECTIVE,
    PIECES
} kinds[] = {
#define PART(name, kind) kind,
#include "postproc/machine/message.def"
#undef PART
};
_Static_assert(sizeof kinds / sizeof *kinds == PARTS, "message.def has other parts");

/*
 * A disturbance may last longer than the measurement of a size, so each size is measured in several
 * passes. Their median counts, as for the runs of a program: faster moments do not last for a whole
 * program.
 */
static struct size {
    int bytes, n[PARTS];
    double passes[PARTS][MOST_PASSES]; /* sorted */
} sizes[MOST_SIZES];

static double seconds_of(const struct size *size, size_t i)
{
    return size->n[i] > 0 ? size->passes[i][(size->n[i] - 1) / 2] : 0;
}

static bool has_part(const struct size *size, size_t i)
{
    return !(((parts[i] == barrier || parts[i] == ibarrier) && size->bytes > 0) ||
             (kinds[i] == PIECES && size->bytes > PIECED_MOST));
}

/* All parts that a message of this size has are measured. */
static bool is_whole(const struct size *size)
{
    for (size_t i = 0; i < PARTS; i++)
        if (has_part(size, i) && size->n[i] == 0)
            return false;
    return true;
}

static double measure_part(struct size *size, size_t i, const struct effort *effort)
{
    double *passes = size->passes[i];
    passes[size->n[i]++] = measure(parts[i], size->bytes, effort);
    qsort(passes, (size_t)size->n[i], sizeof *passes, by_size);
    return seconds_of(size, i);
}

static void measure_size(struct size *size, const struct effort *effort)
{
    int bytes = size->bytes;
    for (size_t i = 0; i < PARTS; i++) {
        if (!has_part(size, i))
            continue;
        if (!decide(MPI_Wtime() < end))
            return;
        double seconds = measure_part(size, i, effort);
        if (parts[i] == message)
            alone = seconds;
        if (parts[i] == exchange)
            exchanged = seconds;
        if (parts[i] == iallreduce)
            summed = seconds;
        if (parts[i] == message && bytes == 0)
            answer = alone;
    }
}

/* Those before count no more. */
static void print_sizes(size_t n)
{
    size_t missing = 0;
    printf("gptl-maps eager %d\n", eager);
    for (size_t k = 0; k < n; k++) {
        missing += !is_whole(&sizes[k]);
        if (sizes[k].n[0] == 0)
            continue;
        printf("gptl-maps %d bytes", sizes[k].bytes);
        for (size_t i = 0; i < PARTS; i++)
            printf(" %.9g", seconds_of(&sizes[k], i));
        printf("\n");
    }
    printf("gptl-maps missing %zu\n", missing);
    fflush(stdout);
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
 * Measure every size of N at multiples of STEP that is not yet measured in pass PASS. Returns
 * whether time is left and, unless this is the LAST try, the machine is in the same state.
 */
static bool measure_every(size_t n, size_t step, int pass, bool last, const struct effort *effort)
{
    for (size_t k = 0; k < n; k++) {
        if ((k % step != 0 && k + 1 < n) || sizes[k].n[0] > pass)
            continue;
        measure_size(&sizes[k], effort);
        if (rank == 0)
            print_sizes(n); /* so that they are kept if this is interrupted */
        if (!decide(MPI_Wtime() < end))
            return false;
        if (!last && steady_given_up())
            return false;
    }
    return true;
}

/*
 * Measure all sizes in the fastest state of the machine that a search finds, or in the current one.
 * Returns false if the state does not last; unless this is the LAST try, sizes are missing then.
 */
static bool measure_state(const struct effort *effort, bool last)
{
    steady_begin(rank == 0, peer, effort->search, effort->patience);
    enum { FAR = 8 };
    bool more = true;
    eager = find_eager();
    end = began + effort->end;
    if (last && end < MPI_Wtime() + effort->least_end)
        end = MPI_Wtime() + effort->least_end;
    size_t n = 0;
    for (int bytes = 0; bytes <= MOST_BYTES && n < MOST_SIZES; bytes = next_size(bytes, effort))
        sizes[n++] = (struct size){.bytes = bytes};
    for (int pass = 0;
         more && pass < effort->passes && (pass == 0 || decide(MPI_Wtime() < began + effort->most));
         pass++)
        /*
         * Start with widely spaced sizes, so that a slow machine has some of all sizes at the
         * deadline.
         */
        for (size_t step = FAR; step > 0 && more; step /= FAR)
            more = measure_every(n, step, pass, last, effort);
    if (!last && steady_given_up())
        return false;
    if (rank == 0)
        print_sizes(n);
    return !steady_given_up();
}

/*
 * Allocate a page-aligned buffer. Large arrays of programs have equal offsets in a page, too: some
 * processors (AMD's Zen) take three times as long to copy to a target that is 1 to 31 bytes further
 * in its page.
 */
static char *make_room(void)
{
    enum { PAGE = 4096 };
    char *room = aligned_alloc(PAGE, ROOM);
    return room ? memset(room, 0, ROOM) : NULL;
}

static int measure_all(const struct effort *effort)
{
    out = make_room();
    in = make_room();
    if (!out || !in) {
        fprintf(stderr, "gptl maps: there is not enough memory for messages\n");
        free(out);
        free(in);
        return -1;
    }
    began = MPI_Wtime();
    clock_cost = cost_of_clock();
    make_two();
    measure(message, FIRST_BYTES, effort); /* establishes connections */
    /* Programs do not run in a state that does not return. */
    struct effort again = *effort;
    again.search = 0;
    again.passes = (again.passes + 1) / 2;
    again.patience /= 2;
    if (!measure_state(effort, false) && !measure_state(&again, true) && rank == 0)
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
    else if (rank == 0 || rank == size - 1) /* ranks in between do not take part */
        status = measure_all(strcmp(argv[1], "quick") == 0 ? &quick : &usual);
    else
        status = 0;
    if (status != 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Finalize();
    return 0;
}
