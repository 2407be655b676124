/*
 * network.c - messages between two ranks. This program has no MPI in it: a launcher starts it twice, and
 * each becomes the program of the MPI that started it, one of which writes down what it measured.
 */
#include "config.h"

#include "postproc/maps/network.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "postproc/commands.h"
#include "postproc/ioc/memory.h"

extern char **environ;

/* ---- The ranks ----------------------------------------------------------------------------- */

/* The family of the MPI whose launcher started this process; NULL: none did. */
static const char *family(void)
{
    static const char *const marks[][2] = {{"OMPI_COMM_WORLD_SIZE", "openmpi"},
                                           {"PRTE_LAUNCHED", "openmpi"},
                                           {"PMI_RANK", "mpich"},
                                           {"PMIX_RANK", "openmpi"}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (getenv(marks[i][0]))
            return marks[i][1];
    return NULL;
}

int network_ping(char *const *arguments)
{
    char name[64], path[PATH_MAX + 128];
    const char *mpi = family();
    if (!mpi) {
        fprintf(stderr,
                "gptl maps: the command behind -- started no ranks of MPICH or Open MPI: it "
                "must be as mpiexec -n 2\n");
        return -1;
    }
    snprintf(name, sizeof name, "gptl-maps-%s", mpi);
    if (!gptl_find_helper(name, path, sizeof path)) {
        fprintf(stderr,
                "gptl maps: %s is not installed: build gptl with this MPI (configure "
                "--with-mpi)\n",
                name);
        return -1;
    }
    execv(path, arguments);
    fprintf(stderr, "gptl maps: cannot start %s: %s\n", path, strerror(errno));
    return -1;
}

/* ---- The fit ------------------------------------------------------------------------------- */

/* Least squares of (latency + slope * bytes) / seconds - 1. */
void network_fit(struct machine_network *network)
{
    double a = 0, b = 0, c = 0, d = 0, e = 0;
    for (size_t i = 0; i < network->nmessages; i++) {
        double weight = 1 / network->messages[i].seconds;
        double bytes = (double)network->messages[i].bytes * weight;
        a += weight * weight;
        b += weight * bytes;
        c += bytes * bytes;
        d += weight;
        e += bytes;
    }
    double determinant = a * c - b * b;
    double latency = (d * c - b * e) / determinant, slope = (a * e - b * d) / determinant;
    const struct machine_message *first = &network->messages[0];
    const struct machine_message *last = &network->messages[network->nmessages - 1];
    /* Messages that are too odd for a line still have a first and a last one. */
    network->latency_seconds = latency > 0 && isfinite(latency) ? latency : first->seconds;
    network->bytes_per_second =
        slope > 0 && isfinite(slope) ? 1 / slope : (double)(last->bytes + 1) / last->seconds;
}

/* ---- The job ------------------------------------------------------------------------------- */

static struct machine_network *read_messages(const char *path)
{
    struct machine_network *network = memory_zeros(1, sizeof *network);
    unsigned long long bytes;
    double seconds;
    size_t room = 0;
    FILE *file = fopen(path, "re");
    while (file && fscanf(file, "%llu %lf", &bytes, &seconds) == 2 && seconds > 0) {
        network->messages = memory_room(network->messages, &room, network->nmessages + 1,
                                        sizeof *network->messages);
        network->messages[network->nmessages++] = (struct machine_message){bytes, seconds};
    }
    if (file)
        fclose(file);
    if (network->nmessages >= 2) {
        network_fit(network);
        return network;
    }
    free(network->messages);
    free(network);
    return NULL;
}

/* Runs LAUNCHER with this program, told to write to PATH, behind it. Returns 0, or -1 after a message. */
static int launch(char *const *launcher, const char *path, bool quick)
{
    static char command[] = "maps", option[] = "--ping", fast[] = "quick", usual[] = "usual";
    char self[PATH_MAX] = "";
    size_t n = 0;
    int status;
    pid_t pid;
    if (readlink("/proc/self/exe", self, sizeof self - 1) <= 0)
        return -1;
    while (launcher[n])
        n++;
    char **arguments = memory_zeros(n + 6, sizeof *arguments);
    memcpy(arguments, launcher, n * sizeof *arguments);
    char *to = memory_text(path);
    char *more[] = {self, command, option, to, quick ? fast : usual};
    memcpy(arguments + n, more, sizeof more);
    int error = posix_spawnp(&pid, arguments[0], NULL, NULL, arguments, environ);
    free(arguments);
    free(to);
    if (error != 0) {
        fprintf(stderr, "gptl maps: cannot start %s: %s\n", launcher[0], strerror(error));
        return -1;
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    fprintf(stderr, "gptl maps: the network was not measured: %s failed\n", launcher[0]);
    return -1;
}

/* Where rank 0 may be another node, it is the working directory that both see. */
int network_measure(struct machine *machine, char *const *launcher, bool quick)
{
    char path[PATH_MAX + 64], here[PATH_MAX] = "";
    if (!getcwd(here, sizeof here)) {
        fprintf(stderr, "gptl maps: the working directory: %s\n", strerror(errno));
        return -1;
    }
    snprintf(path, sizeof path, "%s/.gptl-maps.%ld", here, (long)getpid());
    int status = launch(launcher, path, quick);
    struct machine_network *network = status == 0 ? read_messages(path) : NULL;
    unlink(path);
    if (status == 0 && !network) {
        fprintf(stderr, "gptl maps: the ranks measured nothing: is the command behind -- as "
                        "mpiexec -n 2?\n");
        status = -1;
    }
    if (!network)
        return status;
    if (machine->network)
        free(machine->network->messages);
    free(machine->network);
    machine->network = network;
    return 0;
}
