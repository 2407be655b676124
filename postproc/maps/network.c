/*
 * network.c - measures messages between two ranks. This program is not linked with MPI: a launcher
 * starts it twice, and each process executes the program for its MPI, one of which prints the
 * results.
 */
#include "config.h"

#include "postproc/maps/network.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "postproc/commands.h"
#include "postproc/ioc/memory.h"
#include "postproc/maps/deadline.h"
#include "postproc/maps/measure.h"

extern char **environ;

/* ---- The ranks ----------------------------------------------------------------------------- */

/* Environment variables of launchers: rank and size, and the MPI that they belong to. */
static const struct {
    const char *family, *rank, *size;
} launchers[] = {{"openmpi", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                 {"mpich", "PMI_RANK", "PMI_SIZE"},
                 {"openmpi", "PMIX_RANK", NULL}};
enum { LAUNCHERS = sizeof launchers / sizeof *launchers };

/* Return the index of the launcher that started this process, or LAUNCHERS. */
static size_t find_launcher(void)
{
    size_t i = 0;
    while (i < LAUNCHERS && !getenv(launchers[i].rank))
        i++;
    return i;
}

bool network_is_rank(int *rank)
{
    size_t i = find_launcher();
    const char *size = i < LAUNCHERS && launchers[i].size ? getenv(launchers[i].size) : NULL;
    if (i == LAUNCHERS || (size && atoi(size) < 2))
        return false;
    *rank = atoi(getenv(launchers[i].rank));
    return true;
}

/* Find the program for the MPI that started this process. Returns 0, or -1 after a message. */
static int find_ping(char *path, size_t size)
{
    char name[64];
    size_t i = find_launcher();
    if (i == LAUNCHERS) {
        fprintf(stderr,
                "gptl maps: the command behind -- started no ranks of MPICH or Open MPI: it "
                "must be as mpiexec -n 2\n");
        return -1;
    }
    snprintf(name, sizeof name, "gptl-maps-%s", launchers[i].family);
    if (gptl_find_helper(name, path, size))
        return 0;
    fprintf(stderr,
            "gptl maps: %s is not installed: build gptl with this MPI (configure "
            "--with-mpi)\n",
            name);
    return -1;
}

int network_ping(char *const *arguments)
{
    char path[PATH_MAX + 128];
    if (find_ping(path, sizeof path))
        return -1;
    execv(path, arguments);
    fprintf(stderr, "gptl maps: cannot start %s: %s\n", path, strerror(errno));
    return -1;
}

static char fast[] = "quick", usual[] = "usual";

int network_join(bool quick)
{
    static char name[] = "gptl maps";
    char *arguments[] = {name, quick ? fast : usual, NULL};
    return network_ping(arguments);
}

/* ---- Fit ----------------------------------------------------------------------------------- */

/* Minimize the squares of (latency + slope * bytes) / seconds - 1. */
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
    /* If the messages do not fit a line, use the first and the last one. */
    network->latency_seconds = latency > 0 && isfinite(latency) ? latency : first->seconds;
    network->bytes_per_second =
        slope > 0 && isfinite(slope) ? 1 / slope : (double)(last->bytes + 1) / last->seconds;
}

/* ---- Job ----------------------------------------------------------------------------------- */

/* Parse a size and its times; 0 means not measured. Returns false for other lines. */
static bool read_message(const char *line, struct machine_message *message)
{
    unsigned long long bytes;
    int at = 0, used = 0;
    bool all = sscanf(line, "gptl-maps %llu bytes%n", &bytes, &at) == 1 && at > 0;
    message->bytes = bytes;
#define PART(name, kind)                                                                           \
    all = all && sscanf(line + at, " %lf%n", &message->name, &used) == 1;                          \
    at += used;
#include "postproc/machine/message.def"
#undef PART
    return all;
}

/* Parse the lines of a rank; other lines are passed on to the user. */
static void read_lines(FILE *from, struct machine_network *network)
{
    unsigned long long bytes;
    char line[4096];
    size_t room = 0;
    while (fgets(line, sizeof line, from)) {
        struct machine_message one;
        if (sscanf(line, "gptl-maps eager %llu", &bytes) == 1) {
            network->eager_bytes = bytes;
            network->knows_eager = true;
            network->nmessages = 0; /* all that were measured come once more */
            continue;
        }
        if (sscanf(line, "gptl-maps missing %llu", &bytes) == 1) {
            network->missing = (unsigned)bytes;
            continue;
        }
        if (!read_message(line, &one)) {
            fputs(line, stderr);
            continue;
        }
        if (!(one.seconds > 0) || (network->nmessages > 0 &&
                                   one.bytes <= network->messages[network->nmessages - 1].bytes))
            continue;
        network->messages = memory_room(network->messages, &room, network->nmessages + 1,
                                        sizeof *network->messages);
        network->messages[network->nmessages++] = one;
    }
}

/*
 * Return the output of FD until its end, SECONDS or a signal as a string that the caller frees; the last line is whole.
 * Ranks print rarely, so reading everything at once delays nothing.
 */
static char *read_output(int fd, double seconds, bool *is_over)
{
    enum { WAIT = 200 /* milliseconds */, CHUNK = 65536 };
    double from = measure_now();
    size_t room = 0, n = 0;
    char *text = memory_room(NULL, &room, CHUNK + 1, 1);
    *is_over = false;
    while (!*is_over && !deadline_signal() && measure_now() - from < seconds) {
        struct pollfd end = {.fd = fd, .events = POLLIN};
        if (poll(&end, 1, WAIT) <= 0)
            continue;
        text = memory_room(text, &room, n + CHUNK + 1, 1);
        ssize_t got = read(fd, text + n, CHUNK);
        *is_over = got == 0 || (got < 0 && errno != EINTR);
        n += got > 0 ? (size_t)got : 0;
    }
    while (!*is_over && n > 0 && text[n - 1] != '\n')
        n--;
    text[n] = 0;
    return text;
}

/* Start ARGUMENTS with their output connected to *END. Returns an errno. */
static int start(char *const *arguments, pid_t *pid, int *end)
{
    posix_spawn_file_actions_t actions;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    int error = posix_spawnp(pid, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error != 0)
        close(ends[0]);
    *end = ends[0];
    return error;
}

/* Return LAUNCHER followed by this program; the caller frees the array. */
static char **behind(char *const *launcher, char *self, char *effort)
{
    static char command[] = "maps", option[] = "--ping";
    char *more[] = {self, command, option, effort};
    size_t n = 0;
    while (launcher[n])
        n++;
    char **arguments = memory_zeros(n + 5, sizeof *arguments);
    memcpy(arguments, launcher, n * sizeof *arguments);
    memcpy(arguments + n, more, sizeof more);
    return arguments;
}

/* Wait for the end of process PID, which is terminated unless it IS_OVER. Returns its status. */
static int end_job(pid_t pid, bool is_over)
{
    int status = -1;
    if (!is_over)
        kill(pid, SIGTERM); /* the launcher then ends its ranks */
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

static void read_result(char *text, struct machine_network *network)
{
    FILE *lines = *text ? fmemopen(text, strlen(text), "r") : NULL;
    if (!lines)
        return;
    read_lines(lines, network);
    fclose(lines);
}

/* Run the job that ARGUMENTS start, or join the existing one. Returns 0, or -1 after a message. */
static int run_job(char *const *arguments, struct machine_network *network, double seconds)
{
    pid_t pid;
    int end = -1, error = start(arguments, &pid, &end);
    if (error != 0) {
        fprintf(stderr, "gptl maps: cannot start %s: %s\n", arguments[0], strerror(error));
        return -1;
    }
    bool is_over;
    char *result = read_output(end, seconds, &is_over);
    close(end);
    int status = end_job(pid, is_over);
    read_result(result, network);
    free(result);
    if (is_over && !deadline_signal() && (!WIFEXITED(status) || WEXITSTATUS(status) != 0)) {
        fprintf(stderr, "gptl maps: the network was not measured: %s failed\n", arguments[0]);
        return -1;
    }
    if (network->nmessages >= 2)
        return 0;
    if (deadline_signal())
        fprintf(stderr, "gptl maps: interrupted before the network was measured\n");
    else if (!is_over)
        fprintf(stderr,
                "gptl maps: the network was not measured: the ranks printed no result within "
                "%.0f s; leave out `-- %s` to measure all else\n",
                seconds, arguments[0]);
    else
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

int network_measure(struct machine *machine, char *const *launcher, bool quick, double seconds)
{
    struct machine_network *network = memory_zeros(1, sizeof *network);
    char path[PATH_MAX + 128] = "", *effort = quick ? fast : usual;
    char *alone[] = {path, effort, NULL}, **arguments = NULL;
    int status = -1;
    if (!launcher)
        status = find_ping(path, sizeof path);
    else if (readlink("/proc/self/exe", path, sizeof path - 1) > 0)
        status = 0;
    if (status == 0) {
        arguments = launcher ? behind(launcher, path, effort) : NULL;
        status = run_job(launcher ? arguments : alone, network, seconds);
    }
    free(arguments);
    if (status != 0) {
        free_network(network);
        return -1;
    }
    network_fit(network);
    free_network(machine->network);
    machine->network = network;
    return 0;
}
