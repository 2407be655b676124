/* unseen.c - warnings about invisible parts of a command of `gptl run`, with remedies. */
#include "config.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "postproc/run/directory.h"
#include "postproc/run/program.h"
#include "postproc/run/run.h"

#include "core/claim.h"
#include "run/container.h"

bool run_ended_by_itself(int status)
{
    return status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) < 126;
}

/*
 * Warn about a program of another architecture; the system identifies scripts and invalid programs.
 */
static bool warn_if_other_abi(struct run *run, const char *file)
{
    run->is_bare = run_is_of_other_abi(file);
    if (run->is_bare)
        fprintf(stderr,
                "gptl run: %s is built for another processor than gptl: it is run without what "
                "gptl would "
                "preload, and nothing is seen of it; install a gptl that is built for it\n",
                file);
    return run->is_bare;
}

/*
 * Warn if the command cannot be measured. The loader of another C library would not even start it
 * with preloaded libraries.
 */
bool run_warn_if_unseen(struct run *run, char *const words[])
{
    char file[PATH_MAX] = "", self[PATH_MAX], interpreter[PATH_MAX] = "", own[PATH_MAX];
    bool is_known = run_find_interpreter(words[0], file, interpreter);
    enum gptl_container kind = gptl_container_of(words[0]);
    if (kind != GPTL_CONTAINER_NONE &&
        (!gptl_container_becomes_command(kind) || (is_known && !*interpreter))) {
        run->is_bare = true;
        return run_count_container(run, words);
    }
    if (!is_known)
        return warn_if_other_abi(run, file);
    if (*interpreter == '\0' && (run->records_io || run->follows_io)) {
        fprintf(stderr,
                "gptl run: %s is linked statically: no library can see its calls for I/O; link it "
                "without -static\n",
                file);
        return true;
    }
    run->is_bare = *interpreter && run_find_interpreter("/proc/self/exe", self, own) && *own &&
                   strcmp(basename(interpreter), basename(own)) != 0;
    if (run->is_bare)
        fprintf(
            stderr,
            "gptl run: %s runs with another C library than gptl (%s, not %s): it is run without "
            "what gptl would preload, and nothing is seen of it\n",
            file, interpreter, own);
    return run->is_bare;
}

static bool has_no_mpi(const char *directory, void *unused)
{
    (void)unused;
    return !gptl_claim_is_made(directory, GPTL_CLAIM_MPI, 0);
}

/*
 * Warn if MPI calls were not visible. Preloaded libraries cannot intercept calls of statically
 * linked programs, or of programs without the environment of the command.
 */
void run_warn_if_no_mpi(const struct run *run, int status)
{
    if (*run->directory && run_directory_each(run->directory, has_no_mpi, NULL) &&
        run_ended_by_itself(status))
        fprintf(
            stderr,
            "gptl run: no process was seen to call MPI; one that is linked statically, or that "
            "is started on another machine without LD_PRELOAD and GPTL_OPTIONS, cannot be seen: "
            "see gptl-run(1)\n");
}

off_t run_io_log_bytes(void)
{
    const char *own = getenv("GPTL_IO");
    struct stat s;
    if (own && strstr(own, "path="))
        return -1;
    return stat(RUN_IO_LOG, &s) == 0 ? s.st_size : 0;
}

/*
 * Warn if the log has not grown since BEFORE (programs that close stderr cannot report the reason),
 * or if it contains earlier calls, which gptl ioc does not distinguish. Otherwise report its
 * location if IS_TOLD.
 */
void run_tell_calls(int status, off_t before, bool is_told)
{
    if (before < 0)
        return;
    if (run_io_log_bytes() != before) {
        if (before > 0)
            fputs("gptl run: calls for I/O were added to " RUN_IO_LOG
                  ", which had those of another run: gptl ioc takes both for one\n",
                  stderr);
        else if (is_told)
            fputs("gptl run: calls for I/O are in " RUN_IO_LOG
                  "; look at them with: gptl ioc summary " RUN_IO_LOG "\n",
                  stderr);
    } else if (run_ended_by_itself(status))
        fprintf(stderr,
                "gptl run: no calls were written to " RUN_IO_LOG
                "; there were none, or its disk is full, "
                "or what was started is linked statically, or runs without LD_PRELOAD and GPTL_IO: "
                "see gptl-run(1)\n");
}

/* ---- Ranks --------------------------------------------------------------------------------- */

struct ranks {
    unsigned char *began;
    long size;
};

static long read_number(const char *directory, const char *name)
{
    char path[2 * PATH_MAX];
    long number = 0;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *from = fopen(path, "re");
    if (from && fscanf(from, "%ld", &number) != 1)
        number = 0;
    if (from)
        fclose(from);
    return number;
}

static bool take_ranks(const char *directory, void *context)
{
    static const char prefix[] = GPTL_CLAIM_PREFIX GPTL_CLAIM_RANK ".";
    struct ranks *ranks = context;
    DIR *entries = opendir(directory);
    struct dirent *entry;
    while (entries && (entry = readdir(entries))) {
        if (strncmp(entry->d_name, prefix, sizeof prefix - 1) != 0)
            continue;
        long size = read_number(directory, entry->d_name);
        unsigned long long rank = strtoull(entry->d_name + sizeof prefix - 1, NULL, 16);
        if (ranks->size == 0 && size > 0 && size < 1 << 24) {
            ranks->began = calloc((size_t)size, 1);
            ranks->size = ranks->began ? size : 0;
        }
        if (rank < (unsigned long long)ranks->size)
            ranks->began[rank] = 1;
    }
    if (entries)
        closedir(entries);
    return true;
}

void run_tell_missing_ranks(const char *directory)
{
    struct ranks ranks = {NULL, 0};
    char list[512] = "";
    size_t used = 0;
    long n = 0;
    run_directory_each(directory, take_ranks, &ranks);
    for (long i = 0; i < ranks.size; i++) {
        n += !ranks.began[i];
        if (!ranks.began[i] && used + 32 < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%ld", used ? ", " : "", i);
    }
    if (n > 0)
        fprintf(stderr,
                "gptl run: nothing could be collected from rank%s %s%s, where the directory of "
                "this run is "
                "not seen; set GPTL_RUN_DIR to a directory that all hosts share\n",
                n == 1 ? "" : "s", list, used + 32 >= sizeof list ? ", ..." : "");
    free(ranks.began);
}
