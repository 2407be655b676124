/*
 * preload.c - the libraries that `gptl run` preloads: their paths, and LD_PRELOAD for the command.
 */
#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "postproc/commands.h"
#include "postproc/run/run.h"

#include "posix/filters.h"

#ifndef RUN_LIBRARY_NAME
#define RUN_LIBRARY_NAME NULL
#endif

enum { LIBRARY_SIZE = PATH_MAX + 64 };

static bool find_library(const char *name, char *path, size_t size)
{
    static const char *const places[] = {"/.libs/", "/../lib/"};
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; slash && i < sizeof places / sizeof places[0]; i++) {
        snprintf(path, size, "%s%s%s", self, places[i], name);
        if (access(path, R_OK) == 0)
            return true;
    }
    snprintf(path, size, "%s/%s", LIBRARY_DIR, name);
    return access(path, R_OK) == 0;
}

bool gptl_find_library(const char *who, const char *name, char *path, size_t size)
{
    if (find_library(name, path, size))
        return true;
    fprintf(stderr, "%s: %s is not installed beside gptl\n", who, name);
    return false;
}

/* Prepend VALUE and BETWEEN to the environment variable NAME. */
static bool set_before(const char *name, const char *value, const char *between)
{
    const char *before = getenv(name);
    if (!before || !*before)
        return setenv(name, value, 1) == 0;
    size_t size = strlen(value) + strlen(between) + strlen(before) + 1;
    char *both = malloc(size);
    if (!both)
        return false;
    snprintf(both, size, "%s%s%s", value, between, before);
    bool done = setenv(name, both, 1) == 0;
    free(both);
    return done;
}

/*
 * Return whether the loader can preload PATH: spaces and colons separate names in LD_PRELOAD,
 * without quoting.
 */
static bool is_loadable(const char *path)
{
    if (!strpbrk(path, " :"))
        return true;
    fprintf(stderr,
            "gptl run: the loader cannot preload %s: its path has a blank or a colon; install gptl "
            "at another place\n",
            path);
    return false;
}

/* Return the list; the first library passes it on to the programs that the command starts. */
const char *run_list_libraries(const struct run *run)
{
    const struct {
        const char *name;
        bool is_wanted, is_optional; /* optional: skipped if it was not built */
    } libraries[] = {
        {RUN_LIBRARY_NAME, RUN_LIBRARY_NAME != NULL, false},
        {IO_LIBRARY_NAME, run->records_io || run->follows_io, false},
        {PROBE_LIBRARY_NAME, run->follows_io, false},
        {IOSTACK_LIBRARY_NAME, run->follows_io, true},
        {MPI_LIBRARY_NAME, run->sees_mpi || run->follows_io, !run->sees_mpi},
        {LIBRARY_NAME, true, false},
    };
    static char list[sizeof libraries / sizeof *libraries * LIBRARY_SIZE];
    size_t n = 0;
    list[0] = '\0';
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        char path[LIBRARY_SIZE];
        const char *name = libraries[i].name;
        if (!libraries[i].is_wanted ||
            (libraries[i].is_optional && !find_library(name, path, sizeof path)))
            continue;
        if (!gptl_find_library("gptl run", name, path, sizeof path) || !is_loadable(path))
            return NULL;
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n ? ":" : "", path);
    }
    return list;
}

bool run_set_preload(const struct run *run)
{
    const char *list = run->is_bare ? "" : run_list_libraries(run);
    /*
     * A program built with AddressSanitizer refuses to start after other preloaded libraries,
     * unless this check is disabled.
     */
    return list && set_before("ASAN_OPTIONS", "verify_asan_link_order=0", ":") &&
           (run->is_bare || set_before("LD_PRELOAD", list, ":")) &&
           (!(run->records_io || run->follows_io) || gptl_posix_tell_filters()) &&
           (!run->records_io || run_set_io_log(run)) &&
           (!run->follows_io || run_set_span_logs(run));
}
