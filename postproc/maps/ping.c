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

static const struct effort usual = {500e-6, 0.15, 10}, quick = {100e-6, 0.01, 3};

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

/* The least of several samples: whatever else the machine does makes them longer. */
static double measure(char *buffer, int bytes, const struct effort *effort)
{
    double began = MPI_Wtime(), least = exchange(buffer, bytes, 2), other;
    double wanted = effort->sample / (2 * exchange(buffer, bytes, 2)) + 1;
    int n = decide(wanted < 10000 ? (int)wanted : 10000), samples = 0;
    do {
        other = exchange(buffer, bytes, n);
        least = samples == 0 || other < least ? other : least;
        samples++;
    } while (decide(samples < effort->least ||
                    (samples < MOST_SAMPLES && MPI_Wtime() - began < effort->size)));
    return least;
}

static int measure_all(FILE *to, const struct effort *effort)
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
        if (to)
            fprintf(to, "%d %.9g\n", bytes, seconds);
    }
    free(buffer);
    return 0;
}

/* The ranks between the first and the last one have nothing to do. */
static int take_part(const char *path, const struct effort *effort, int size)
{
    FILE *to = NULL;
    peer = rank == 0 ? size - 1 : 0;
    if (rank != 0 && rank != size - 1)
        return 0;
    if (rank == 0 && !(to = fopen(path, "we"))) {
        perror("gptl maps: cannot write what the ranks measure");
        return -1;
    }
    int status = measure_all(to, effort);
    return to && (ferror(to) | fclose(to)) ? -1 : status;
}

int main(int argc, char **argv)
{
    int size, status = -1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 3)
        fprintf(stderr, "gptl maps: this program is started by `gptl maps -- mpiexec -n 2`\n");
    else if (size < 2)
        fprintf(stderr, "gptl maps: there is one rank, and messages need two: give "
                        "`mpiexec -n 2`\n");
    else
        status = take_part(argv[1], strcmp(argv[2], "quick") == 0 ? &quick : &usual, size);
    if (status != 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Finalize();
    return 0;
}
