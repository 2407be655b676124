/* span_logs.c - the directory of span logs of `gptl run --iostack`. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "postproc/ioc/memory.h"
#include "postproc/run/run.h"

#include "iostack/format.h"

/*
 * Count the span logs in the directory, and their processes; a missing directory is not an error.
 */
static void count_logs(const char *logs, size_t *nlogs, size_t *nprocesses)
{
    DIR *entries = opendir(logs);
    struct dirent *entry;
    struct gptl_iostack_header h;
    size_t n = 0, room = 0;
    uint64_t *seen = NULL;
    *nlogs = 0;
    while (entries && (entry = readdir(entries))) {
        int fd = openat(dirfd(entries), entry->d_name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        bool is_log = fd >= 0 && read(fd, &h, sizeof h) == (ssize_t)sizeof h &&
                      memcmp(h.magic, GPTL_IOSTACK_MAGIC, sizeof h.magic) == 0;
        if (fd >= 0)
            close(fd);
        if (!is_log)
            continue;
        size_t i = 0;
        while (i < n && seen[i] != h.process)
            i++;
        seen = memory_room(seen, &room, n + 1, sizeof *seen);
        seen[i] = h.process;
        n += i == n;
        ++*nlogs;
    }
    if (entries)
        closedir(entries);
    free(seen);
    *nprocesses = n;
}

/*
 * Choose the directory of logs, which is created at the end: a new one, or one without logs, so
 * that two runs are not mistaken for one.
 */
bool run_choose_span_logs(struct run *run)
{
    char *logs = run->span_logs;
    size_t nlogs, nprocesses;
    struct stat s;
    bool named = *logs != '\0';
    for (int i = 0; !named; i++) {
        snprintf(logs, sizeof run->span_logs, i ? "iostack.%d" : "iostack", i);
        if (lstat(logs, &s) != 0)
            return true;
    }
    char above[PATH_MAX];
    snprintf(above, sizeof above, "%.*s", (int)(strrchr(logs, '/') ? strrchr(logs, '/') - logs : 1),
             strrchr(logs, '/') ? logs : ".");
    bool is_there = stat(logs, &s) == 0;
    if (is_there ? !S_ISDIR(s.st_mode) : *above && stat(above, &s) != 0) {
        fprintf(stderr, "gptl run: cannot make %s: %s\n", logs,
                strerror(is_there ? EEXIST : errno));
        return false;
    }
    count_logs(logs, &nlogs, &nprocesses);
    if (nlogs > 0)
        fprintf(stderr, "gptl run: %s has logs of another run; name another folder\n", logs);
    return nlogs == 0;
}

/* Report the logs, and the command to analyze them. */
void run_tell_span_logs(const struct run *run, int status)
{
    const char *logs = run->span_logs;
    size_t nlogs, nprocesses;
    count_logs(logs, &nlogs, &nprocesses);
    if (nlogs > 0)
        fprintf(stderr,
                "gptl run: %zu log%s of %zu process%s in %s; look at them with: gptl iostack %s\n",
                nlogs, nlogs == 1 ? "" : "s", nprocesses, nprocesses == 1 ? "" : "es", logs, logs);
    if (nlogs == 0 && run_ended_by_itself(status))
        fprintf(stderr,
                "gptl run: no process made calls for I/O that could be seen and written down; what "
                "is linked statically, or is started on another machine without LD_PRELOAD and "
                "GPTL_IOSTACK, cannot be seen: see gptl-run(1)\n");
}
