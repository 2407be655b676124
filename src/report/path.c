/* path.c - the name of the report file: tokens such as {rank} are replaced. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "report/host.h"
#include "report/report.h"

/* What token NAME (LENGTH bytes) stands for, or false. */
static bool token_value(const char *name, size_t length, int id, const struct gptl_process *process,
                        char *value, size_t size)
{
    static const char *const names[] = {"rank", "pid", "host", "job", "program"};
    int which = 0;
    while (which < 5 && (strlen(names[which]) != length || memcmp(names[which], name, length) != 0))
        which++;
    switch (which) {
    case 0:
        snprintf(value, size, id < 0 ? "merged" : "%d", id);
        return true;
    case 1:
        snprintf(value, size, "%ld", process->pid);
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
            "%.*s is no token and stays as it is; there are {rank} {pid} {host} {job} "
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
                if (*c == '/') /* a job's or a host's name makes no directory */
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

void gptl_report_path(char *path, size_t size, int id, const struct gptl_process *process)
{
    gptl_report_expand("output.path", gptl_core_string(GPTL_STR_OUTPUT_PATH), path, size, id,
                       process);
}

/* A number for an absolute path. */
static unsigned long long path_hash(const char *path)
{
    char here[4096] = "";
    unsigned long long h = 0xcbf29ce484222325u;
    if (path[0] != '/' && !getcwd(here, sizeof here))
        here[0] = '\0';
    for (const char *p = here; *p; p++)
        h = (h ^ (unsigned char)*p) * 0x100000001b3u;
    for (const char *p = path; *p; p++)
        h = (h ^ (unsigned char)*p) * 0x100000001b3u;
    return h;
}

void gptl_report_claim(char *path, size_t size, long pid)
{
    static unsigned long long claimed; /* for process CLAIMER, which may write its file anew */
    static long claimer;
    const char *folder = gptl_core_string(GPTL_STR_RUN_DIR);
    unsigned long long hash = path_hash(path);
    char claim[4400];
    if (!*folder || (hash == claimed && pid == claimer))
        return;
    snprintf(claim, sizeof claim, "%s/" GPTL_CLAIM_PREFIX "%llx", folder, hash);
    int fd = open(claim, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0) {
        claimed = hash;
        claimer = pid;
        close(fd);
    } else if (errno == EEXIST) {
        size_t length = strlen(path);
        snprintf(path + length, size - length, ".%ld", pid);
    }
}
