/*
 * variables.c - the variables GPTL_OPTIONS, GPTL_IO and GPTL_IOSTACK for the command of `gptl run`.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "postproc/run/run.h"

#include "core/core.h"

void run_double_quotes(const char *from, char *to)
{
    for (; *from; from++) {
        *to++ = *from;
        if (*from == '"')
            *to++ = '"';
    }
    *to = '\0';
}

/* Set GPTL_OPTIONS; the user's options are last, so that they take precedence. */
bool run_set_options(const struct run *run, const char *options)
{
    const char *before = getenv("GPTL_OPTIONS");
    char quoted[2 * PATH_MAX];
    size_t size = sizeof quoted + strlen(options) + (before ? strlen(before) : 0) + 128;
    char *value = malloc(size);
    if (!value)
        return false;
    run_double_quotes(run->directory, quoted);
    /* run.dir is last, because runs can be nested. */
    snprintf(value, size, "output=auto,json;salvage=%s;%s;%s;run.dir=\"%s\"",
             *run->directory ? "on" : "off", before ? before : "", options, quoted);
    bool done = setenv("GPTL_OPTIONS", value, 1) == 0;
    gptl_core_set_options(value, "gptl run");
    free(value);
    return done;
}

/*
 * Set NAME to PATH, followed by the user's options and the directory of the run. In a nested run,
 * the user's options stay, and the outer path is dropped.
 */
static bool set_log(const struct run *run, const char *name, const char *path, const char *more)
{
    const char *before = getenv(name);
    bool is_within = before && strstr(before, "run.dir=");
    char quoted[2 * PATH_MAX], directory[2 * PATH_MAX];
    size_t size = 6 * PATH_MAX + 64 + (before ? strlen(before) : 0);
    char *value = malloc(size);
    if (!value)
        return false;
    run_double_quotes(path, quoted);
    run_double_quotes(run->directory, directory);
    snprintf(value, size, "%s%spath=\"%s\"%s%s%s", is_within ? before : "", is_within ? ";" : "",
             quoted, more, before && !is_within ? ";" : "", before && !is_within ? before : "");
    size_t n = strlen(value);
    if (*run->directory)
        snprintf(value + n, size - n, ";run.dir=\"%s\"", directory);
    bool done = setenv(name, value, 1) == 0;
    free(value);
    return done;
}

/* Make PATH absolute. */
static bool find_absolute(const char *path, char to[PATH_MAX])
{
    char here[PATH_MAX] = "";
    if (*path != '/' && !getcwd(here, sizeof here))
        return false;
    return snprintf(to, PATH_MAX, "%s%s%s", here, *here ? "/" : "", path) < PATH_MAX;
}

bool run_set_io_log(const struct run *run)
{
    char path[PATH_MAX];
    return !find_absolute(RUN_IO_LOG, path) ||
           set_log(run, "GPTL_IO", path, *run->directory ? ";salvage=on" : "");
}

bool run_set_span_logs(const struct run *run)
{
    char path[PATH_MAX], pattern[PATH_MAX + 32];
    if (!find_absolute(run->span_logs, path))
        return false;
    snprintf(pattern, sizeof pattern, "%s/{layer}.{rank}.log", path);
    return set_log(run, "GPTL_IOSTACK", pattern, "");
}
