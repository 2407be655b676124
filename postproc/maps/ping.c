/*
 * ping.c - how long messages take from the first to the last rank of a job: gptl-maps-mpich and
 * gptl-maps-openmpi, which gptl maps becomes in each rank.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 4 << 20, MOST_SAMPLES = 64 };

/* How long to look at a size, and so the job at all of them. */
struct effort {
    double sample, size; /* seconds */
    int least;           /* samples */
};

static const struct effort usual = {500e-6, 0.15, 10}, quick = {100e-6, 0.01, 5};

static int rank, peer;

/* Seconds of one way, by N messages there and back. */
static double exchange(char *buffer, int bytes, int n)
{
    double from = MPI_Wtime();
    for (int i = 0; i < n; i++) {
        if (rank == 0)
            MPI_Send(buffer, bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD);
        MPI_Recv(buffer, bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank != 0)
            MPI_Send(buffer, bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD);
    }
    return (MPI_Wtime() - from) / (2.0 * n);
}

/* Rank 0 decides; the other one learns what. */
static int decide(int value)
{
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, peer, 2, MPI_COMM_WORLD);
    else
        MPI_Recv(&value, 1, MPI_INT, peer, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return value;
}

/*
 * The least of several samples: whatever else the machine does makes them longer. How many messages a
 * sample has follows from the least so far; where ranks have to wait for a core, that is one at first.
 */
static double measure(char *buffer, int bytes, const struct effort *effort)
{
    double began = MPI_Wtime(), least = exchange(buffer, bytes, 1);
    for (int samples = 0;; samples++) {
        int more = samples < effort->least ||
                   (samples < MOST_SAMPLES && MPI_Wtime() - began < effort->size);
        double n = effort->sample / (2 * least) + 1;
        int messages = decide(!more ? 0 : n < 10000 ? (int)n : 10000);
        if (messages == 0)
            return least;
        double seconds = exchange(buffer, bytes, messages);
        least = seconds < least ? seconds : least;
    }
}

static int measure_all(const struct effort *effort)
{
    char *buffer = malloc(MOST_BYTES);
    if (!buffer) {
        fprintf(stderr, "gptl maps: there is not enough memory for messages\n");
        return -1;
    }
    memset(buffer, 1, MOST_BYTES);
    measure(buffer, 1024, effort); /* connections are made */
    for (int bytes = 0; bytes <= MOST_BYTES; bytes = bytes > 0 ? 2 * bytes : 1) {
        double seconds = measure(buffer, bytes, effort);
        if (rank == 0)
            printf("gptl-maps %d bytes %.9g seconds\n", bytes, seconds);
    }
    free(buffer);
    return 0;
}

int main(int argc, char **argv)
{
    int size, status = -1;
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
