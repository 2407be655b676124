/*
 * replay.c - runs the simulator gptl-replay and parses its output. A separate process is needed
 * because SimGrid supports one simulation per process, and terminates the process on errors.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "postproc/commands.h"
#include "postproc/ioc/memory.h"
#include "postproc/net/net.h"
#include "postproc/temporary.h"

extern char **environ;

/* ---- Input files --------------------------------------------------------------------------- */

struct files {
    char folder[TEMPORARY_PATH];
    char platform[TEMPORARY_PATH + 32], settings[TEMPORARY_PATH + 32];
};

static int make_folder(struct files *files)
{
    if (!temporary_folder(NET_WHO, "gptl-net", files->folder))
        return -1;
    snprintf(files->platform, sizeof files->platform, "%s/platform.xml", files->folder);
    snprintf(files->settings, sizeof files->settings, "%s/settings", files->folder);
    return 0;
}

static void remove_files(const struct files *files)
{
    unlink(files->platform);
    unlink(files->settings);
    rmdir(files->folder);
}

static int write_settings(const struct net_case *one, const char *path)
{
    const struct network *network = one->network;
    FILE *file = fopen(path, "we");
    if (file) {
        fprintf(file, "eager %llu\nlatency %.17g\nbandwidth %.17g\nspeed %.17g\n",
                (unsigned long long)one->eager, network_wire(network), network->bytes_per_second,
                one->speed->all);
        for (size_t i = 0; !network->platform && i < network->npoints; i++) {
            const struct machine_message *p = &network->points[i];
            fprintf(file, "point %llu", (unsigned long long)p->bytes);
#define PART(name, kind) fprintf(file, " %.17g", p->name);
#include "postproc/machine/message.def"
#undef PART
            fputc('\n', file);
        }
        for (size_t i = 0; i < one->speed->n; i++)
            fprintf(file, "factor %.17g\n", one->speed->factors[i]);
    }
    bool written = file && !ferror(file);
    if (!file || fclose(file) != 0 || !written) {
        fprintf(stderr, NET_WHO ": cannot write %s: %s\n", path, strerror(errno));
        return -1;
    }
    return 0;
}

/* ---- Output -------------------------------------------------------------------------------- */

static void read_line(struct net_result *result, const char *line, int ranks, size_t *room)
{
    int rank, what, peer, tag;
    unsigned long never, unknown, event;
    struct net_rank r;
    if (sscanf(line, "time %lf", &result->seconds) == 1)
        return;
    if (sscanf(line, "rank %d %lf %lf %lf %lu %lu", &rank, &r.ended, &r.computed, &r.other, &never,
               &unknown) == 6 &&
        rank >= 0 && rank < ranks) {
        r.never = never;
        r.unknown = unknown;
        result->rank[rank] = r;
    } else if (sscanf(line, "stuck %d %lu %d %d %d", &rank, &event, &what, &peer, &tag) == 5) {
        result->stuck = memory_room(result->stuck, room, result->nstuck + 1, sizeof *result->stuck);
        result->stuck[result->nstuck++] = (struct net_stuck){rank, event, what, peer, tag};
    }
}

static int read_result(struct net_result *result, int fd, int ranks)
{
    FILE *from = fdopen(fd, "re");
    char line[512];
    size_t room = 0;
    result->seconds = -1;
    if (!from) {
        close(fd);
        return -1;
    }
    while (fgets(line, sizeof line, from))
        read_line(result, line, ranks, &room);
    fclose(from);
    return result->seconds < 0 ? -1 : 0;
}

static int start(const struct net_case *one, const struct files *files, int *from, pid_t *pid)
{
    char path[PATH_MAX + 64];
    int ends[2];
    if (!gptl_find_helper("gptl-replay", path, sizeof path)) {
        fprintf(stderr,
                NET_WHO ": gptl-replay is not there: gptl was built without SimGrid (Debian: "
                        "libsimgrid-dev, before configure)\n");
        return -1;
    }
    const char *platform = one->network->platform ? one->network->platform : files->platform;
    char *arguments[] = {path, (char *)(uintptr_t)platform, (char *)(uintptr_t)files->settings,
                         (char *)(uintptr_t)one->folder, NULL};
    if (pipe(ends) != 0) {
        fprintf(stderr, NET_WHO ": cannot talk to gptl-replay: %s\n", strerror(errno));
        return -1;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    int error = posix_spawn(pid, path, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    *from = ends[0];
    if (error == 0)
        return 0;
    close(ends[0]);
    fprintf(stderr, NET_WHO ": cannot start %s: %s\n", path, strerror(error));
    return -1;
}

int net_replay(struct net_result *result, const struct net_case *one)
{
    struct files files = {.folder = ""};
    int from, ended = 0;
    pid_t pid;
    *result = (struct net_result){0};
    result->rank = memory_zeros((size_t)one->ranks, sizeof *result->rank);
    if (make_folder(&files))
        return -1;
    int status =
        one->network->platform ? 0 : network_write(one->network, one->ranks, files.platform);
    if (status == 0)
        status = write_settings(one, files.settings);
    if (status == 0)
        status = start(one, &files, &from, &pid);
    if (status == 0) {
        status = read_result(result, from, one->ranks);
        while (waitpid(pid, &ended, 0) < 0 && errno == EINTR)
            ;
        if (status || !WIFEXITED(ended) || WEXITSTATUS(ended) != 0) {
            fprintf(stderr, NET_WHO ": the replay failed%s\n",
                    one->network->platform ? ": is the platform one of SimGrid's?" : "");
            status = -1;
        }
    }
    remove_files(&files);
    return status;
}

void net_result_free(struct net_result *result)
{
    free(result->rank);
    free(result->stuck);
    *result = (struct net_result){0};
}
