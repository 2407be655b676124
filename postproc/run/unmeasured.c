/* unmeasured.c - programs of a run that could not be measured: number, reason and remedy. */
#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "postproc/run/run.h"

#include "core/room.h"
#include "run/container.h"

static struct gptl_room_file alone; /* used without a directory */

static struct gptl_room_file *find_counts(const struct run *run)
{
    struct gptl_room_file *room = *run->directory ? gptl_room_map(run->directory) : NULL;
    return room ? room : &alone;
}

extern char **environ;

bool run_count_container(const struct run *run, char *const words[])
{
    enum gptl_container kind = gptl_container_of(words[0]);
    bool is_start = false;
    for (char **variable = environ; *variable; variable++)
        if (gptl_container_is_prepared(*variable, true))
            return false;
    for (char *const *word = words; *word; word++) {
        if (gptl_container_is_prepared(*word, false))
            return false;
        is_start |= gptl_container_is_start(kind, *word);
    }
    if (is_start)
        gptl_room_count(find_counts(run), GPTL_ROOM_CONTAINER, words[0]);
    return is_start;
}

/* ---- Remedies -------------------------------------------------------------------------------- */

/* Our files that a container needs. */
struct needs {
    char libraries[PATH_MAX], place[PATH_MAX]; /* directories, quoted for a shell */
    const char *preload;
};

/* Write the directory of PATH, quoted if a shell requires it. */
static void quote_directory(char to[PATH_MAX], const char *path)
{
    const char *slash = strrchr(path, '/');
    int n = slash > path ? (int)(slash - path) : 1;
    bool is_plain = (int)strspn(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "0123456789_-+./@%") >= n;
    snprintf(to, PATH_MAX, is_plain ? "%.*s" : "\"%.*s\"", n, path);
}

static void find_needs(const struct run *run, struct needs *needs)
{
    needs->preload = run_list_libraries(run);
    if (!needs->preload)
        needs->preload = "";
    char first[PATH_MAX];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(needs->preload, ":"), needs->preload);
    quote_directory(needs->libraries, *first ? first : "/");
    quote_directory(needs->place, *run->directory ? run->directory : "/tmp/.");
}

/* Write the environment to set; the variable BIND keeps its present value. */
static void put_variables(FILE *to, const struct needs *needs, const char *bind,
                          const char *environment)
{
    const char *before = getenv(bind);
    fprintf(to, "start gptl run with %s=%s%s%s,%s %s_LD_PRELOAD=%s in its environment", bind,
            before ? before : "", before && *before ? "," : "", needs->libraries, needs->place,
            environment, needs->preload);
}

static void put_options(FILE *to, const struct run *run, const struct needs *needs, bool with_user)
{
    fprintf(to, "add the options --volume %s:%s --volume %s:%s --env LD_PRELOAD=%s",
            needs->libraries, needs->libraries, needs->place, needs->place, needs->preload);
    fprintf(to, " --env GPTL_OPTIONS%s%s", run->records_io ? " --env GPTL_IO" : "",
            run->follows_io ? " --env GPTL_IOSTACK" : "");
    if (with_user)
        fprintf(to, " --user %lu:%lu", (unsigned long)getuid(), (unsigned long)getgid());
}

static void put_remedy(FILE *to, const struct run *run, enum gptl_container kind)
{
    struct needs needs;
    find_needs(run, &needs);
    switch (kind) {
    case GPTL_CONTAINER_APPTAINER:
        put_variables(to, &needs, "APPTAINER_BINDPATH", "APPTAINERENV");
        break;
    case GPTL_CONTAINER_SINGULARITY:
        put_variables(to, &needs, "SINGULARITY_BINDPATH", "SINGULARITYENV");
        break;
    case GPTL_CONTAINER_PODMAN:
    case GPTL_CONTAINER_DOCKER:
        put_options(to, run, &needs, kind == GPTL_CONTAINER_DOCKER);
        break;
    case GPTL_CONTAINER_BWRAP:
        fprintf(to, "add the options --ro-bind %s %s --bind %s %s", needs.libraries,
                needs.libraries, needs.place, needs.place);
        break;
    case GPTL_CONTAINER_CHROOT:
    case GPTL_CONTAINER_OTHER:
    case GPTL_CONTAINER_NONE:
        fprintf(to, "bind %s and %s into it", needs.libraries, needs.place);
        break;
    }
}

/* ---- Message --------------------------------------------------------------------------------- */

static void put_reason(FILE *to, const struct run *run, const struct gptl_room_file *room,
                       enum gptl_room_reason reason)
{
    enum gptl_container starter = gptl_container_of(room->root_starter);
    enum gptl_container kind = gptl_container_of(room->first[reason]);
    switch (reason) {
    case GPTL_ROOM_OTHER_ABI:
        fputs("built for another processor or C library than gptl; install a gptl that is built "
              "for it",
              to);
        break;
    case GPTL_ROOM_OTHER_ROOT:
        fputs("started in a root directory without the libraries of gptl; ", to);
        put_remedy(to, run, starter);
        break;
    case GPTL_ROOM_OTHER_USER:
        fputs("started by another user, who may not write to the directory of this run; start "
              "gptl run as that user",
              to);
        break;
    case GPTL_ROOM_CONTAINER:
        fputs("it starts programs in a container without the libraries of gptl; ", to);
        put_remedy(to, run, kind);
        if (kind == GPTL_CONTAINER_OTHER || gptl_container_becomes_command(kind))
            fprintf(to, ", and set LD_PRELOAD=%s there", run_list_libraries(run));
        break;
    case GPTL_ROOM_NREASONS:
        break;
    }
}

static void tell_reason(const struct run *run, const struct gptl_room_file *room,
                        enum gptl_room_reason reason)
{
    char *line = NULL;
    size_t size;
    unsigned n = atomic_load(&room->unmeasured[reason]);
    FILE *to = n > 0 ? open_memstream(&line, &size) : NULL;
    if (!to)
        return;
    fprintf(to, "gptl run: \"%.*s\"", GPTL_ROOM_NAME, room->first[reason]);
    if (n > 1)
        fprintf(to, " and %u more", n - 1);
    fprintf(to, " %s not measured: ", n > 1 ? "were" : "was");
    put_reason(to, run, room, reason);
    fputc('\n', to);
    if (fclose(to) == 0)
        fputs(line, stderr);
    free(line);
}

void run_tell_unmeasured(const struct run *run)
{
    const struct gptl_room_file *room = find_counts(run);
    for (int i = 0; i < GPTL_ROOM_NREASONS; i++)
        tell_reason(run, room, (enum gptl_room_reason)i);
}
