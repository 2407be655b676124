/*
 * collect.c - moves results of a run from its directory to their destinations.
 *
 * Most destinations are on another file system: a file is copied under a temporary name next to its
 * destination, renamed, and only then removed from the directory of the run.
 */
#include "config.h"

#include "postproc/run/directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/claim.h"
#include "core/core.h"
#include "core/rundir.h"
#include "ioc/format.h"
#include "ioc/log.h"
#include "iostack/format.h"
#include "mpi/trace_format.h"
#include "report/file.h"

#define WHO "gptl run"

enum { PIECE = 1 << 16 };

/* First file that could not be moved, and the reason. */
struct collection {
    char staged[PATH_MAX], target[PATH_MAX];
    int error; /* 0: all files were moved */
};

/* ---- One file ------------------------------------------------------------------------------ */

static bool ends_with(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return n >= m && strcmp(path + n - m, end) == 0;
}

/* Return whether PATH is an unfinished report, which its process will move itself. */
static bool is_incomplete(const char *path)
{
    const char *name = strrchr(path, '/'), *mark = name ? strstr(name, ".tmp.") : NULL;
    return mark && mark[5] >= '0' && mark[5] <= '9' &&
           strspn(mark + 5, "0123456789.") == strlen(mark + 5);
}

static void make_above(const char *target)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", target);
    for (char *slash = path; (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
}

/* Return the error that prevents a new file next to TARGET, or 0. */
static int refusal(const char *target)
{
    char path[PATH_MAX];
    struct stat s;
    snprintf(path, sizeof path, "%s", target);
    if (stat(target, &s) == 0 && !S_ISREG(s.st_mode))
        return 0; /* a device or a pipe */
    char *slash = strrchr(path, '/');
    if (slash && slash > path)
        *slash = '\0';
    else
        snprintf(path, sizeof path, "%s", slash ? "/" : ".");
    if (stat(path, &s) == 0 && s.st_nlink == 0) /* a removed working directory */
        return ENOENT;
    return access(path, W_OK | X_OK) == 0 ? 0 : errno;
}

static bool copy(int from, struct gptl_out *out)
{
    static char piece[PIECE];
    ssize_t n;
    while ((n = read(from, piece, sizeof piece)) > 0)
        gptl_out_bytes(out, piece, (size_t)n);
    return n == 0;
}

/*
 * Choose the name of a JSON report. A file with two documents is invalid JSON, so the next document
 * gets a number where a text report would be appended.
 */
static void choose_number(const char *target, char path[PATH_MAX])
{
    const char *dot = strrchr(target, '.');
    snprintf(path, PATH_MAX, "%s", target);
    for (unsigned n = 2; access(path, F_OK) == 0; n++)
        snprintf(path, PATH_MAX, "%.*s.%u%s", (int)(dot - target), target, n, dot);
}

static bool move_report(int from, const char *target)
{
    struct gptl_file file;
    char path[PATH_MAX];
    bool appends = gptl_core_option(GPTL_OPT_APPEND) != 0;
    bool is_document = ends_with(target, ".json") || ends_with(target, ".xml");
    snprintf(path, sizeof path, "%s", target);
    if (appends && is_document)
        choose_number(target, path);
    if (gptl_file_open(&file, WHO, path, appends && !is_document))
        return false;
    bool whole = copy(from, file.out);
    return gptl_file_close(&file, whole) == 0 && whole;
}

/*
 * Append a log. A process may have it open for writing; it detects afterwards that the log was
 * moved.
 */
static bool append_log(int from, const char *target)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct gptl_ioc_log log;
    struct stat s;
    static char piece[PIECE];
    ssize_t n = 0;
    while (fcntl(from, F_SETLKW, &whole) != 0 && errno == EINTR)
        continue;
    if (fstat(from, &s) != 0 || !gptl_ioc_log_open(&log, target, (uint64_t)s.st_size, true))
        return false;
    while (!log.failed && (n = read(from, piece, sizeof piece)) > 0)
        gptl_ioc_log_put(&log, piece, (size_t)n);
    log.failed |= n < 0;
    return gptl_ioc_log_close(&log, target);
}

/* Copy a file without its holes; logs of spans have many. */
static bool copy_extents(int from, int to)
{
    static char piece[PIECE];
    struct stat s;
    if (fstat(from, &s) != 0 || ftruncate(to, s.st_size) != 0)
        return false;
    for (off_t at = 0, end; at < s.st_size; at = end) {
        at = lseek(from, at, SEEK_DATA);
        if (at < 0)
            return errno == ENXIO;
        end = lseek(from, at, SEEK_HOLE);
        for (off_t k = at; k < end;) {
            size_t size = end - k < PIECE ? (size_t)(end - k) : PIECE;
            ssize_t n = pread(from, piece, size, k);
            if (n <= 0 || pwrite(to, piece, (size_t)n, k) != n)
                return false;
            k += n;
        }
    }
    return true;
}

/* Move a large file; within a file system it is not copied. REPLACES: overwrite TARGET. */
static bool move_large(int from, const char *staged, const char *target, bool replaces)
{
    int (*const put)(const char *, const char *) = replaces ? rename : link;
    char path[PATH_MAX + 64];
    mode_t mask = umask(0);
    umask(mask);
    fchmod(from, 0666 & ~mask);
    if (put(staged, target) == 0)
        return true;
    snprintf(path, sizeof path, "%s.tmp.%ld", target, (long)getpid());
    int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (to < 0)
        return false;
    bool done = copy_extents(from, to);
    done = close(to) == 0 && done && put(path, target) == 0;
    int error = errno;
    unlink(path);
    errno = error;
    return done;
}

static bool has_magic(int fd, const char *magic, size_t size)
{
    char begin[32];
    return pread(fd, begin, size, 0) == (ssize_t)size && memcmp(begin, magic, size) == 0;
}

static bool move_content(int from, const char *staged, const char *target)
{
    struct gptl_iostack_header spans;
    struct gptl_ioc_header calls;
    if (has_magic(from, GPTL_IOSTACK_MAGIC, sizeof spans.magic))
        return move_large(from, staged, target, false);
    if (has_magic(from, GPTL_TI_FIRST_LINE, sizeof GPTL_TI_FIRST_LINE - 1))
        return move_large(from, staged, target, true);
    if (has_magic(from, GPTL_IOC_MAGIC, sizeof calls.magic))
        return append_log(from, target);
    return move_report(from, target);
}

static void move_file(struct collection *c, const char *directory, const char *staged)
{
    const char *target = gptl_rundir_target(directory, staged);
    if (!target || is_incomplete(staged))
        return;
    make_above(target);
    int error = refusal(target), from = error ? -1 : open(staged, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (!error) {
        errno = EIO;
        error = from >= 0 && move_content(from, staged, target) ? 0 : errno;
    }
    if (error == 0)
        unlink(staged);
    else if (c->error == 0) {
        c->error = error;
        snprintf(c->staged, sizeof c->staged, "%.*s", PATH_MAX - 1, staged);
        snprintf(c->target, sizeof c->target, "%.*s", PATH_MAX - 1, target);
    }
    if (from >= 0)
        close(from); /* also unlocks it */
}

/* ---- All files ----------------------------------------------------------------------------- */

static void move_all(struct collection *c, const char *directory, const char *path, int depth)
{
    struct dirent **entries;
    int n = depth < 256 ? scandir(path, &entries, NULL, alphasort) : -1;
    for (int i = 0; i < n; i++) {
        char below[2 * PATH_MAX];
        const char *name = entries[i]->d_name;
        struct stat s;
        snprintf(below, sizeof below, "%s/%s", path, name);
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && strlen(below) < PATH_MAX &&
            lstat(below, &s) == 0) {
            if (S_ISDIR(s.st_mode))
                move_all(c, directory, below, depth + 1);
            else if (S_ISREG(s.st_mode))
                move_file(c, directory, below);
        }
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    rmdir(path);
}

static bool collect(const char *directory, void *context)
{
    static const char *const trees[] = {GPTL_RUNDIR_HERE, GPTL_RUNDIR_ROOT};
    struct collection *c = context;
    for (size_t i = 0; i < 2; i++) {
        char path[PATH_MAX + 8];
        snprintf(path, sizeof path, "%s/%s", directory, trees[i]);
        move_all(c, directory, path, 0);
    }
    return true;
}

bool run_collect(const char *directory)
{
    struct collection c = {.error = 0};
    run_directory_each(directory, collect, &c);
    if (c.error == 0)
        return true;
    char *slash = strrchr(c.staged, '/');
    if (slash)
        *slash = '\0';
    fprintf(stderr, WHO ": cannot write %s: %s; the results are in %s\n", c.target,
            strerror(c.error), c.staged);
    return false;
}
