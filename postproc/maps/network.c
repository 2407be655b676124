/*
 * network.c - messages between two ranks. This program has no MPI in it: a launcher starts it twice, and
 * each becomes the program of the MPI that started it, one of which prints what it measured.
 */
#include "config.h"

#include "postproc/maps/network.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* Beside this program, in the build tree or installed. */
static bool find_program(const char *name, char *path, size_t size)
{
    static const char *const places[] = {"/", "/../libexec/gptl/"};
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
        snprintf(path, size, "%s%s%s", self, places[i], name);
        if (access(path, X_OK) == 0)
            return true;
    }
    snprintf(path, size, "%s/%s", HELPER_DIR, name);
    return access(path, X_OK) == 0;
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
    if (!find_program(name, path, sizeof path)) {
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

/* What is no line of a rank's goes on to the user. */
static void read_lines(FILE *from, struct machine_network *network)
{
    unsigned long long bytes;
    double seconds;
    char line[4096];
    size_t room = 0;
    while (fgets(line, sizeof line, from)) {
        if (sscanf(line, "gptl-maps %llu bytes %lf seconds", &bytes, &seconds) != 2) {
            fputs(line, stderr);
            continue;
        }
        if (!(seconds > 0) ||
            (network->nmessages > 0 && bytes <= network->messages[network->nmessages - 1].bytes))
            continue;
        network->messages = memory_room(network->messages, &room, network->nmessages + 1,
                                        sizeof *network->messages);
        network->messages[network->nmessages++] = (struct machine_message){bytes, seconds};
    }
}

/* Starts LAUNCHER with this program behind it; its output comes out of *END. Returns an errno. */
static int start(char *const *launcher, bool quick, pid_t *pid, int *end)
{
    static char command[] = "maps", option[] = "--ping", fast[] = "quick", usual[] = "usual";
    char self[PATH_MAX] = "", *more[] = {self, command, option, quick ? fast : usual};
    posix_spawn_file_actions_t actions;
    size_t n = 0;
    int ends[2];
    if (readlink("/proc/self/exe", self, sizeof self - 1) <= 0 || pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    while (launcher[n])
        n++;
    char **arguments = memory_zeros(n + 5, sizeof *arguments);
    memcpy(arguments, launcher, n * sizeof *arguments);
    memcpy(arguments + n, more, sizeof more);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    int error = posix_spawnp(pid, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    free(arguments);
    close(ends[1]);
    if (error != 0)
        close(ends[0]);
    *end = ends[0];
    return error;
}

/* Returns 0, or -1 after a message. */
static int run_job(char *const *launcher, bool quick, struct machine_network *network)
{
    pid_t pid;
    int end, status, error = start(launcher, quick, &pid, &end);
    if (error != 0) {
        fprintf(stderr, "gptl maps: cannot start %s: %s\n", launcher[0], strerror(error));
        return -1;
    }
    FILE *from = fdopen(end, "r");
    if (from) {
        read_lines(from, network);
        fclose(from);
    } else {
        close(end);
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "gptl maps: the network was not measured: %s failed\n", launcher[0]);
        return -1;
    }
    if (network->nmessages >= 2)
        return 0;
    fprintf(stderr, "gptl maps: the ranks measured nothing: is the command behind -- as "
                    "mpiexec -n 2?\n");
    return -1;
}

static void free_network(struct machine_network *network)
{
    if (network)
        free(network->messages);
    free(network);
}

int network_measure(struct machine *machine, char *const *launcher, bool quick)
{
    struct machine_network *network = memory_zeros(1, sizeof *network);
    if (run_job(launcher, quick, network)) {
        free_network(network);
        return -1;
    }
    network_fit(network);
    free_network(machine->network);
    machine->network = network;
    return 0;
}
