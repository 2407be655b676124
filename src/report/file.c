/*
 * file.c - report files.
 *
 * A new file is written next to its destination under a temporary name and renamed at the end.
 * Appended data is written to the file itself, and cut off again if it does not fit. A special file
 * (a terminal, a pipe, /dev/null) is written directly.
 */
#include "config.h"

#include "report/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/core.h"
#include "core/descriptor.h"
#include "core/stderr.h"

/*
 * Advice for a message: a text and, unless PLACE is NULL, a better destination, introduced by a
 * verb that depends on the function.
 */
struct advice {
    const char *text, *place;
};

static struct advice advice(int error)
{
    switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return (struct advice){"make room, or ", "a place that has some"};
    case EACCES:
    case EPERM:
    case EROFS:
        return (struct advice){"", "a directory that you may write to"};
    case ENOENT:
    case ENOTDIR:
        return (struct advice){"make its directory, or ", "one that exists"};
    case EISDIR:
        return (struct advice){"", "the name of a file"};
    case ENXIO:
    case EPIPE:
        return (struct advice){"nobody reads from this pipe", NULL};
    case ENOMEM:
        return (struct advice){"there is no memory for it", NULL};
    case EMFILE:
    case ENFILE:
        return (struct advice){"close files, or raise their limit (ulimit -n)", NULL};
    default:
        return (struct advice){"", "another place"};
    }
}

/* Return whether the option output.path determines the file; explicitly named reports ignore it. */
static bool follows_option(const char *function)
{
    return strcmp(function, "GPTLpr") == 0 || strcmp(function, "automatic report") == 0 ||
           strcmp(function, "merged report") == 0;
}

static int report_error(const struct gptl_file *file, int error)
{
    struct advice helps = advice(error);
    const char *way = !helps.place                     ? ""
                      : follows_option(file->function) ? "set output.path to "
                                                       : "choose ";
    return gptl_core_error(file->function, "cannot write %s: %s; %s%s%s",
                           file->path ? file->path : "the report", strerror(error), helps.text, way,
                           helps.place ? helps.place : "");
}

static void discard(struct gptl_file *file)
{
    free(file->path);
    free(file->temporary);
    free(file->out);
    memset(file, 0, sizeof *file);
}

static int open_retrying(const char *path, int flags)
{
    int fd;
    do
        fd = gptl_descriptor_open(path, flags | O_NOCTTY, 0666);
    while (fd < 0 && errno == EINTR);
    return fd;
}

/* ---- Destination ----------------------------------------------------------------------------- */

/*
 * Return the descriptor denoted by a name like /dev/stdout, or -1. Opening such a name again would
 * truncate or overwrite earlier output of the program.
 */
static int named_descriptor(const char *path)
{
    if (strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    static const char *const directories[] = {"/dev/fd/", "/proc/self/fd/"};
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(directories[i]);
        char *end;
        if (strncmp(path, directories[i], length) != 0)
            continue;
        long fd = strtol(path + length, &end, 10);
        return path[length] && *end == '\0' && fd >= 0 && fd < 1 << 20 ? (int)fd : -1;
    }
    return -1;
}

/* Open a device. A pipe without a reader is an error, whereas a plain open would block forever. */
static int open_device(const char *path)
{
    int fd = open_retrying(path, O_WRONLY | O_NONBLOCK);
    if (fd >= 0)
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    return fd;
}

static int open_appending(struct gptl_file *file)
{
    int fd = open_retrying(file->path, O_WRONLY | O_APPEND);
    struct stat old;
    if (fd < 0)
        return -1;
    if (fstat(fd, &old)) {
        close(fd);
        return -1;
    }
    file->append = true;
    file->old_size = old.st_size;
    return fd;
}

/*
 * Resolve symbolic links first, because the rename must keep them. The target need not exist yet.
 */
static bool follow_links(struct gptl_file *file)
{
    char to[4096];
    for (int links = 0; links <= 40; links++) {
        ssize_t n = readlink(file->path, to, sizeof to);
        if (n < 0)
            return true;
        const char *slash = strrchr(file->path, '/');
        size_t folder = slash && to[0] != '/' ? (size_t)(slash - file->path) + 1 : 0;
        char *next = malloc(folder + (size_t)n + 1);
        if (!next)
            return false;
        memcpy(next, file->path, folder);
        memcpy(next + folder, to, (size_t)n);
        next[folder + (size_t)n] = '\0';
        free(file->path);
        file->path = next;
    }
    errno = ELOOP;
    return false;
}

static int open_temporary(struct gptl_file *file, const struct stat *old)
{
    static atomic_uint count; /* distinguishes simultaneous reports of several threads */
    if (!follow_links(file))
        return -1;
    size_t size = strlen(file->path) + 64;
    file->temporary = malloc(size);
    if (!file->temporary) {
        errno = ENOMEM;
        return -1;
    }
    snprintf(file->temporary, size, "%s.tmp.%ld.%u", file->path, (long)getpid(),
             atomic_fetch_add(&count, 1));
    /* An existing file is a leftover of a killed process with the same number. */
    int fd = open_retrying(file->temporary, O_WRONLY | O_CREAT | O_EXCL);
    if (fd < 0 && errno == EEXIST && unlink(file->temporary) == 0)
        fd = open_retrying(file->temporary, O_WRONLY | O_CREAT | O_EXCL);
    if (fd >= 0 && old && fchmod(fd, old->st_mode & 0777)) {
        /* keep the default mode */
    }
    return fd;
}

/* Return whether descriptor 2 is a file of the program. An automatic report must not go there. */
static bool is_of_program(const struct gptl_file *file, int fd)
{
    return fd == STDERR_FILENO && strcmp(file->function, "automatic report") == 0 &&
           !gptl_stderr_is_open();
}

static int open_path(struct gptl_file *file, bool append)
{
    struct stat old;
    int named = named_descriptor(file->path);
    if (is_of_program(file, named)) {
        errno = EBADF;
        return -1;
    }
    if (named >= 0)
        return fcntl(named, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (stat(file->path, &old))
        return open_temporary(file, NULL);
    if (S_ISDIR(old.st_mode)) {
        errno = EISDIR;
        return -1;
    }
    if (!S_ISREG(old.st_mode))
        return open_device(file->path);
    if (access(file->path, W_OK)) /* a rename would bypass the missing permission */
        return -1;
    return append ? open_appending(file) : open_temporary(file, &old);
}

int gptl_file_open(struct gptl_file *file, const char *function, const char *path, bool append)
{
    *file = (struct gptl_file){.function = function, .path = strdup(path ? path : "/dev/stderr")};
    errno = ENOMEM;
    int fd = file->path ? open_path(file, append) : -1;
    if (fd >= 0) {
        file->out = gptl_out_new(fd);
        if (file->out) {
            file->out->is_stdout = named_descriptor(file->path) == STDOUT_FILENO;
            if (file->append && file->old_size > 0)
                gptl_out_char(file->out, '\n');
            return 0;
        }
        close(fd);
        if (file->temporary)
            unlink(file->temporary);
        errno = ENOMEM;
    }
    report_error(file, errno);
    discard(file);
    return -1;
}

/* ---- Completion ------------------------------------------------------------------------------ */

static void undo(const struct gptl_file *file, int fd)
{
    if (file->append && ftruncate(fd, file->old_size)) {
        /* Written data stays at the end of the file. The error is reported anyway. */
    }
    if (file->temporary)
        unlink(file->temporary);
}

int gptl_file_close(struct gptl_file *file, bool complete)
{
    int fd = file->out->fd;
    int error = complete ? gptl_out_flush(file->out) : 0;
    if (!complete || error)
        undo(file, fd);
    /* Some file systems report a full disk only at close. */
    if (close(fd) && errno != EINTR && complete && !error) {
        error = errno;
        if (file->append && truncate(file->path, file->old_size)) {
            /* as above */
        }
        undo(file, -1);
    }
    if (complete && !error && file->temporary && rename(file->temporary, file->path)) {
        error = errno;
        unlink(file->temporary);
    }
    int result = error ? report_error(file, error) : complete ? 0 : -1;
    discard(file);
    return result;
}
