/*
 * check.c - gptl ioc check: runs a program recorded and under strace, and reports the reads and
 * writes of files missing from the log.
 *
 * A call is either in the log or made by libc internally. The bytes of each file are compared,
 * because some records represent several system calls. Data of killed processes is added to the log
 * first.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "postproc/commands.h"
#include "postproc/ioc/ioc.h"
#include "postproc/ioc/memory.h"
#include "postproc/ioc/salvage.h"
#include "postproc/ioc/trace.h"
#include "postproc/temporary.h"

static const char calls[] =
    "trace=read,write,pread64,pwrite64,readv,writev,preadv,pwritev,preadv2,pwritev2,"
    "copy_file_range,sendfile,splice";

static void help(FILE *to)
{
    fputs("usage: gptl ioc check [--] COMMAND [ARGUMENT...]\n"
          "\n"
          "Runs COMMAND recorded and under strace, and compares the bytes that were read\n"
          "from and written to each file. Lists the files that differ, and the calls that\n"
          "strace saw and that are not in the log: direct system calls, and those of\n"
          "programs that take no preload. The exit status is 1 when a file differs.\n",
          to);
}

/* ---- The run ------------------------------------------------------------------------------- */

static bool has_strace(void)
{
    const char *path = getenv("PATH");
    char file[4096 + 16];
    while (path && *path) {
        size_t n = strcspn(path, ":");
        snprintf(file, sizeof file, "%.*s/strace", (int)(n < 4096 ? n : 4096), path);
        if (access(file, X_OK) == 0)
            return true;
        path += n + (path[n] == ':');
    }
    return false;
}

/* Run COMMAND. Returns the wait status, or -1 after a message. */
static int run_traced(char **command, const char *folder)
{
    char library[4096], preload[3 * 4096], log[2 * 4096 + 64], trace[4096 + 64];
    const char *before = getenv("LD_PRELOAD");
    if (!gptl_find_library("gptl ioc check", IO_LIBRARY_NAME, library, sizeof library))
        return -1;
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s%s%s", library, before ? ":" : "",
             before ? before : "");
    snprintf(log, sizeof log,
             "GPTL_IO=path=\"%s/ioc.log\";full=write;salvage=on;salvage.dir=\"%s\"", folder,
             folder);
    snprintf(trace, sizeof trace, "%s/trace", folder);
    size_t n = 0;
    while (command[n])
        n++;
    char *const words[] = {"strace", "-f", "-y",    "-qq", "-s", "0",  "-o",
                           trace,    "-E", preload, "-E",  log,  "-e", (char *)(uintptr_t)calls,
                           "--"};
    const size_t nwords = sizeof words / sizeof *words;
    char **all = memory_zeros(nwords + n + 1, sizeof *all);
    memcpy(all, words, sizeof words);
    memcpy(all + nwords, command, n * sizeof *all);
    int status = -1;
    pid_t pid = fork();
    if (pid == 0) {
        execvp("strace", all);
        _exit(127);
    }
    free(all);
    if (pid < 0)
        fprintf(stderr, "gptl ioc check: cannot start strace: %s\n", strerror(errno));
    else
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            continue;
    return pid < 0 ? -1 : status;
}

/* ---- The comparison ------------------------------------------------------------------------ */

struct check {
    struct trace trace;
    struct agree agree; /* bytes of each file */
    const struct files *files;
    struct map asynchronous; /* number of logged calls of libc's threads, by key of equal calls */
};

static uint64_t asynchronous_key(bool is_write, int64_t fd, int64_t result)
{
    return (uint64_t)result << 32 | (uint64_t)is_write << 31 | ((uint64_t)fd & 0x7fffffff);
}

static void found(struct check *check, const struct call *call, int32_t fd)
{
    struct trace_calls *c = trace_find(&check->trace, call->thread, call->name, fd, call->result);
    if (c)
        c->recorded++;
}

/*
 * Add bytes of the log under the rules of strace: without files of the kernel's pseudo file
 * systems.
 */
static void sum_up(struct check *check, const struct end *end, bool writes, int64_t bytes)
{
    const struct file *file = &check->files->files[end->file];
    if (bytes > 0 && !file->in_memory && trace_is_file(file->path, ""))
        agree_add(&check->agree, BY_LOG, file->path, writes, (uint64_t)bytes);
}

static void visit(void *to, const struct call *call)
{
    struct check *check = to;
    sum_up(check, &call->from, false, call->read);
    if (call->has_to)
        sum_up(check, &call->to, true, call->written);
    if (strncmp(call->name, "aio_return", 10) == 0)
        ++*map_put(&check->asynchronous,
                   asynchronous_key(call->type == GPTL_IOC_WRITE, call->from.fd, call->result));
    else if (call->type == GPTL_IOC_READ || call->type == GPTL_IOC_WRITE)
        found(check, call, call->from.fd);
    if (call->has_to && call->to.fd != call->from.fd)
        found(check, call, call->to.fd);
}

/*
 * Return how many of LEFT calls without a record of their thread a thread of libc made on behalf of
 * others.
 */
static uint64_t by_threads_of_libc(struct check *check, const struct trace_calls *c, uint64_t left)
{
    bool is_write = strcmp(c->name, "pwrite") == 0;
    uint64_t *n = is_write || strcmp(c->name, "pread") == 0
                      ? map_find(&check->asynchronous, asynchronous_key(is_write, c->fd, c->result))
                      : NULL;
    uint64_t own = !n ? 0 : *n < left ? *n : left;
    if (n)
        *n -= own;
    return own;
}

/* Return the number of unexplained calls. */
static uint64_t explain(struct check *check, uint64_t *recorded, uint64_t *inside)
{
    uint64_t left_of_all = 0;
    for (size_t i = 0; i < check->trace.n; i++) {
        struct trace_calls *c = &check->trace.calls[i];
        uint64_t left = c->seen > c->recorded ? c->seen - c->recorded : 0;
        left -= by_threads_of_libc(check, c, left);
        *recorded += c->seen - left;
        for (int k = 0; k < NINSIDE; k++) {
            uint64_t own = c->inside[k] < left ? c->inside[k] : left;
            inside[k] += own;
            left -= own;
        }
        c->seen = left; /* for the list */
        left_of_all += left;
    }
    return left_of_all;
}

static void list_calls(const struct check *check)
{
    enum { SHOWN = 20 };
    uint64_t shown = 0;
    for (size_t i = 0; i < check->trace.n; i++) {
        const struct trace_calls *c = &check->trace.calls[i];
        if (c->seen == 0)
            continue;
        if (++shown > SHOWN)
            continue;
        printf("  %" PRIu64 " times, thread %" PRId64 ": %s(%" PRId64 ") %" PRId64 " \"%s\"\n",
               c->seen, c->thread, c->name, c->fd, c->result, c->path);
    }
    if (shown > SHOWN)
        printf("  and %" PRIu64 " more\n", shown - SHOWN);
}

static int print(struct check *check, uint64_t seen)
{
    uint64_t recorded = 0, inside[NINSIDE] = {0};
    uint64_t left = explain(check, &recorded, inside);
    printf("strace saw %" PRIu64 " reads and writes of files: %" PRIu64 " recorded", seen,
           recorded);
    for (int k = 0; k < NINSIDE; k++)
        if (inside[k])
            printf(", %" PRIu64 " %s", inside[k], trace_inside_names[k]);
    printf(", %" PRIu64 " not recorded\n", left);
    size_t differ = agree_print(&check->agree);
    if (differ == 0) {
        printf("the log has the bytes of all %zu files\n", check->agree.n);
        return GPTL_EXIT_DONE;
    }
    printf("the log has other bytes than strace saw of %zu of %zu files\n", differ, check->agree.n);
    list_calls(check);
    return GPTL_EXIT_FINDING;
}

static int compare(const char *folder)
{
    struct check check = {0};
    struct ioc ioc = {.tool = "check",
                      .selection = {.rank = -1, .from = INT64_MIN, .to = INT64_MAX}};
    char path[4096 + 64], *paths[] = {path};
    uint64_t seen = 0;
    struct stat status;
    snprintf(path, sizeof path, "%s/trace", folder);
    FILE *from = fopen(path, "re");
    if (!from || fstat(fileno(from), &status) != 0) {
        fprintf(stderr, "gptl ioc check: strace traced nothing: %s\n", strerror(errno));
        return GPTL_EXIT_USAGE;
    }
    trace_read(&check.trace, &check.agree, from, folder);
    fclose(from);
    for (size_t i = 0; i < check.trace.n; i++)
        seen += check.trace.calls[i].seen;
    snprintf(path, sizeof path, "%s/ioc.log", folder);
    int failed = 0;
    if (access(path, F_OK) == 0) { /* otherwise no process recorded anything */
        files_begin(&ioc.files, NULL);
        check.files = &ioc.files;
        failed = log_open(&ioc.log, paths, 1);
        if (!failed)
            walk(&ioc.log, &ioc.selection, &ioc.files, false, visit, &check);
        for (size_t i = 0; i < ioc.files.nnames; i++) {
            const struct file_name *name = &ioc.files.names[i];
            const char *now = ioc.files.files[name->file].path;
            if (name->file && trace_is_file(name->path, "") && trace_is_file(now, ""))
                agree_same(&check.agree, name->path, now);
        }
        log_free(&ioc.log);
        files_free(&ioc.files);
    }
    int result = failed ? GPTL_EXIT_USAGE : print(&check, seen);
    trace_free(&check.trace);
    agree_free(&check.agree);
    map_free(&check.asynchronous);
    return result;
}

static void remove_folder(const char *folder)
{
    static const char *const names[] = {"trace", "ioc.log"};
    char path[4096 + 64];
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

int ioc_check(int argc, char **argv)
{
    char folder[TEMPORARY_PATH];
    int first = argc > 1 && strcmp(argv[1], "--") == 0 ? 2 : 1;
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        help(stdout);
        return GPTL_EXIT_DONE;
    }
    if (first >= argc || (first == 1 && argv[1][0] == '-')) {
        help(stderr);
        return GPTL_EXIT_USAGE;
    }
    if (!has_strace()) {
        fputs("gptl ioc check: strace, which it compares with, is not installed\n", stderr);
        return GPTL_EXIT_USAGE;
    }
    if (!temporary_folder("gptl ioc check", "gptl-ioc", folder))
        return GPTL_EXIT_USAGE;
    int status = run_traced(argv + first, folder), result = GPTL_EXIT_USAGE;
    if (status != -1) {
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            fprintf(stderr, "gptl ioc check: the program, or strace, ended with status %d\n",
                    WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
        ioc_salvage_folder("gptl ioc check", folder, NULL, false);
        result = compare(folder);
    }
    remove_folder(folder);
    return result;
}
