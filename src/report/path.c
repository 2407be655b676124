/* path.c - the name of the report file: expands tokens such as {rank}. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/claim.h"
#include "core/rundir.h"
#include "report/host.h"
#include "report/report.h"

enum { ABSOLUTE_SIZE = 2 * PATH_MAX, WIDEST = 64 };

/*
 * Split the width off a numeric token NAME:WIDTH of LENGTH bytes: 6, or 06 for zero padding. Return
 * the length of NAME, or LENGTH without a width.
 */
static size_t take_width(const char *name, size_t length, int *width, bool *zeros)
{
    const char *colon = memchr(name, ':', length);
    size_t i = colon ? (size_t)(colon - name) + 1 : length;
    int digits = 0;
    *width = 0;
    *zeros = i < length && name[i] == '0';
    for (; i < length && name[i] >= '0' && name[i] <= '9' && digits < 3; i++, digits++)
        *width = 10 * *width + (name[i] - '0');
    if (!colon || digits == 0 || i < length || *width > WIDEST) {
        *width = 0;
        return length;
    }
    return (size_t)(colon - name);
}

static void put_number(char *value, size_t size, long number, int width, bool zeros)
{
    snprintf(value, size, zeros ? "%0*ld" : "%*ld", width, number);
}

/* Store the value of token NAME (LENGTH bytes); false if the token is unknown. */
static bool token_value(const char *name, size_t length, int id, const struct gptl_process *process,
                        char *value, size_t size)
{
    static const char *const names[] = {"rank", "pid", "host", "job", "program"};
    enum { NUMBERS = 2 }; /* numeric tokens, which may have a width */
    int which = 0, width;
    bool zeros;
    size_t whole = length;
    length = take_width(name, length, &width, &zeros);
    while (which < 5 && (strlen(names[which]) != length || memcmp(names[which], name, length) != 0))
        which++;
    if (which >= NUMBERS && length < whole)
        return false;
    switch (which) {
    case 0:
        if (id < 0)
            snprintf(value, size, "merged");
        else
            put_number(value, size, id, width, zeros);
        return true;
    case 1:
        put_number(value, size, process->pid, width, zeros);
        return true;
    case 2:
        gptl_host_name(value, size);
        return true;
    case 3:
        snprintf(value, size, "%s", gptl_host_job() ? gptl_host_job() : "nojob");
        return true;
    case 4: {
        const char *slash = strrchr(process->program, '/');
        snprintf(value, size, "%s", slash ? slash + 1 : process->program);
        return true;
    }
    default:
        return false;
    }
}

static void unknown_token(const char *function, const char *token, size_t length)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&told))
        gptl_core_error_job(
            function,
            "%.*s is no token and stays as it is; there are {rank} {rank:06} {pid} {host} {job} "
            "{program}",
            (int)length, token);
}

void gptl_report_expand(const char *function, const char *from, char *path, size_t size, int id,
                        const struct gptl_process *process)
{
    size_t used = 0;
    while (*from && used < size) {
        const char *end = *from == '{' ? strchr(from, '}') : NULL;
        size_t length = end ? (size_t)(end - from) + 1 : 1;
        char value[GPTL_HOST_SIZE];
        if (end && token_value(from + 1, length - 2, id, process, value, sizeof value)) {
            for (char *c = value; *c; c++)
                if (*c == '/') /* a job or host name must not create directories */
                    *c = '_';
            used += (size_t)snprintf(path + used, size - used, "%s", value);
        } else {
            if (end)
                unknown_token(function, from, length);
            used += (size_t)snprintf(path + used, size - used, "%.*s", (int)length, from);
        }
        from += length;
    }
    if (used >= size) {
        gptl_core_error(function, "the path is longer than %lu bytes", (unsigned long)size - 1);
        used = 0;
    }
    path[used] = '\0';
}

/*
 * Create the parent directories of PATH, so that a missing directory does not lose the report.
 * Failures are reported when the file is opened.
 */
static void make_folders(char *path)
{
    int error = errno;
    char *last = strrchr(path, '/');
    if (last && last > path) {
        *last = '\0';
        bool missing = access(path, F_OK) != 0;
        *last = '/';
        for (char *slash = path; missing && (slash = strchr(slash + 1, '/'));) {
            *slash = '\0';
            mkdir(path, 0777);
            *slash = '/';
        }
    }
    errno = error;
}

/* Return the pattern for the path. Scripts for GPTL 8 expect timing.000000. */
static const char *pattern_of_options(void)
{
    const char *pattern = gptl_core_string(GPTL_STR_OUTPUT_PATH);
    bool gptl8 = gptl_core_option(GPTL_OPT_LAYOUT) == GPTL_LAYOUT_GPTL8;
    return gptl8 && strcmp(pattern, "timing.{rank}") == 0 ? "timing.{rank:06}" : pattern;
}

void gptl_report_path(char *path, size_t size, int id, const struct gptl_process *process)
{
    gptl_report_expand("output.path", pattern_of_options(), path, size, id, process);
}

/* Return whether the report was not requested by its process, but is written at its end. */
static bool is_automatic(const char *function)
{
    return strcmp(function, "automatic report") == 0 || strcmp(function, "merged report") == 0;
}

static bool is_device(const char *path)
{
    return (strncmp(path, "/dev/", 5) == 0 && strncmp(path, "/dev/shm/", 9) != 0) ||
           strncmp(path, "/proc/", 6) == 0;
}

const char *gptl_report_place(const char *function, const char *path, char place[PATH_MAX])
{
    const char *run = gptl_core_string(GPTL_STR_RUN_DIR);
    bool is_staged = *run && is_automatic(function) && !is_device(path);
    if (is_staged && !gptl_rundir_has_ended(run) && gptl_rundir_stage(run, path, place))
        return place;
    bool follows_option = is_automatic(function) || strcmp(function, "GPTLpr") == 0;
    if (!is_staged || !gptl_rundir_absolute(run, path, place))
        snprintf(place, PATH_MAX, "%s", path);
    if (follows_option)
        make_folders(place);
    return place;
}

bool gptl_report_is_late(const char *function, const char *place)
{
    const char *run = gptl_core_string(GPTL_STR_RUN_DIR);
    return is_automatic(function) && gptl_rundir_target(run, place) && gptl_rundir_has_ended(run) &&
           access(place, F_OK) == 0;
}

void gptl_report_remove(const char *place)
{
    static const char *const ends[] = {"", ".json", ".xml"};
    char path[PATH_MAX + 8];
    int error = errno;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(path, sizeof path, "%s%s", place, ends[i]);
        unlink(path);
    }
    errno = error;
}

void gptl_report_retract(const char *function, const char *place)
{
    if (is_automatic(function) && gptl_rundir_target(gptl_core_string(GPTL_STR_RUN_DIR), place) &&
        gptl_core_option(GPTL_OPT_SALVAGE) && !gptl_core_option(GPTL_OPT_APPEND))
        gptl_report_remove(place);
}

/* Store the absolute form of PATH, truncated if it is too long. */
static void make_absolute(const char *path, char absolute[ABSOLUTE_SIZE])
{
    char here[PATH_MAX] = "";
    if (path[0] != '/' && !getcwd(here, sizeof here))
        here[0] = '\0';
    snprintf(absolute, ABSOLUTE_SIZE, "%s%s%s", here, *here ? "/" : "", path);
}

/* Return whether a report for PATH already exists in the run directory. */
static bool is_staged(const char *run, const char *path)
{
    static const char *const ends[] = {"", ".json", ".xml"};
    char staged[PATH_MAX], file[PATH_MAX + 8];
    if (!gptl_rundir_stage(run, path, staged))
        return true;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(file, sizeof file, "%s%s", staged, ends[i]);
        if (access(file, F_OK) == 0)
            return true;
    }
    return false;
}

/* Return whether process PID may use PATH: it claims the path first, or claims are unavailable. */
static bool claim_path(const char *path, long pid, bool is_own)
{
    const char *run = gptl_core_string(GPTL_STR_RUN_DIR);
    uint64_t key = gptl_claim_key(0, path);
    char owner[24];
    snprintf(owner, sizeof owner, "%ld", pid);
    uint64_t owned = gptl_claim_key(key, owner);
    int first = gptl_claim(run, GPTL_CLAIM_PATH, key, NULL);
    if (first > 0)
        gptl_claim(run, GPTL_CLAIM_OWNER, owned, NULL);
    /*
     * `gptl run` reports for process PID, which may have claimed PATH before it failed to write. The
     * process itself needs the first claim: in another PID namespace another one has the same number.
     */
    return first != 0 ||
           (!is_own && gptl_claim_is_made(run, GPTL_CLAIM_OWNER, owned) && !is_staged(run, path));
}

void gptl_report_claim(char *path, size_t size, long pid)
{
    static uint64_t claimed; /* by this process, which may write its file again */
    static long claimer;
    static char end[48];
    uint64_t key = gptl_claim_key(0, path);
    size_t length = strlen(path);
    bool is_own = pid == (long)getpid();
    if (is_own && key == claimed && pid == claimer) {
        snprintf(path + length, size - length, "%s", end);
        return;
    }
    /* In another container another process may have the same number. */
    for (int n = 1; !claim_path(path, pid, is_own) && n < 1000; n++)
        snprintf(path + length, size - length, n > 1 ? ".%ld.%d" : ".%ld", pid, n);
    if (is_own) {
        claimed = key;
        claimer = pid;
        snprintf(end, sizeof end, "%s", path + length);
    }
}

void gptl_report_wrote(const char *function, const char *path)
{
    char absolute[ABSOLUTE_SIZE];
    if (is_device(path))
        return;
    if (!is_automatic(function)) {
        make_absolute(path, absolute);
        path = absolute;
    }
    gptl_claim(gptl_core_string(GPTL_STR_RUN_DIR), GPTL_CLAIM_WROTE, gptl_claim_key(0, path), path);
}
