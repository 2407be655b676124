/*
 * trace_file.c - the file of a trace. Written data survives a kill; a write error is reported once
 * and ends the trace. System calls bypass libc, because libgptl_io would attribute the file to the
 * program.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/kernel.h"
#include "core/rundir.h"
#include "core/stderr.h"

#include "mpi/trace_stream.h"

enum { NAME_SIZE = PATH_MAX + 64 };

static struct {
    char path[2048 + NAME_SIZE];
    int fd, mode;
    dev_t device;
    ino_t inode;
    bool failed, is_staged, takes_memory;
} file = {.fd = -1};

static int open_file(int flags)
{
    int fd = (int)gptl_kernel_six(SYS_openat, AT_FDCWD, (long)file.path, flags | O_CLOEXEC,
                                  file.mode, 0, 0);
    if (fd < 0 || fd > 2)
        return fd;
    int raised = (int)gptl_kernel_six(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 3, 0, 0, 0);
    int error = errno;
    gptl_kernel_six(SYS_close, fd, 0, 0, 0, 0, 0); /* descriptors 0 to 2 belong to the program */
    errno = error;
    return raised;
}

/* Create the missing directories of the path. */
static void make_folders(void)
{
    for (char *slash = file.path + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        gptl_kernel_six(SYS_mkdirat, AT_FDCWD, (long)file.path, 0777, 0, 0, 0);
        *slash = '/';
    }
}

static bool fail(const char *what)
{
    if (!file.failed)
        gptl_core_warn("trace", "%s %s: %s; the trace ends here%s", what, file.path,
                       strerror(errno),
                       file.is_staged ? ": set trace.dir to a directory with more room, outside of "
                                        "the working directory"
                                      : "");
    file.failed = true;
    return false;
}

/*
 * Return whether the descriptor is still ours. The program may have closed it, and another file may
 * have its number. A file without a name is lost: the process outlived the command, and `gptl run`
 * has already moved the file.
 */
static bool is_own(void)
{
    struct stat status;
    return file.fd >= 0 && fstat(file.fd, &status) == 0 && status.st_dev == file.device &&
           status.st_ino == file.inode && status.st_nlink > 0;
}

bool gptl_mpi_trace_file_write(const unsigned char *bytes, size_t size)
{
    if (file.failed)
        return false;
    if (!is_own()) {
        file.fd = open_file(O_WRONLY | O_APPEND | O_NOFOLLOW);
        if (!is_own())
            return fail("cannot find its file any more,");
    }
    if (file.takes_memory && !gptl_rundir_take(gptl_core_string(GPTL_STR_RUN_DIR), size)) {
        errno = ENOSPC;
        return fail("cannot write");
    }
    struct gptl_write_signals signals;
    ssize_t n = 1;
    gptl_stderr_hold_signals(&signals); /* the kernel sends a signal at the file size limit */
    while (size > 0 && (n > 0 || (n < 0 && errno == EINTR))) {
        n = gptl_kernel_six(SYS_write, file.fd, (long)bytes, (long)size, 0, 0, 0);
        bytes += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    gptl_stderr_release_signals(&signals);
    return size == 0 || fail("cannot write");
}

static bool find_status(const char *path, struct stat *s)
{
    return gptl_kernel_six(SYS_newfstatat, AT_FDCWD, (long)path, (long)s, 0, 0, 0) == 0;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/*
 * Return whether the absolute PATH, which need not exist, is below DIRECTORY; true also in doubt.
 */
static bool is_below(const char *path, const char *directory)
{
    char at[NAME_SIZE];
    struct stat wanted, root, s;
    snprintf(at, sizeof at, "%s", path);
    if (!find_status(directory, &wanted) || !find_status("/", &root))
        return true;
    while (!find_status(at, &s)) {
        char *slash = strrchr(at, '/');
        if (!slash || slash == at)
            return is_same(&wanted, &root);
        *slash = '\0';
    }
    for (size_t n = strlen(at); !is_same(&s, &wanted); n += 3) {
        if (is_same(&s, &root))
            return false;
        if (n + 4 > sizeof at)
            return true;
        memcpy(at + n, "/..", 4);
        if (!find_status(at, &s))
            return true;
    }
    return true;
}

/*
 * Under `gptl run`, keep the trace NAME elsewhere, because our files must not appear where the
 * command works. A user who names another directory has reasons, such as disk space, so that choice
 * is respected.
 */
static bool stage(const char *name)
{
    const char *run = gptl_core_string(GPTL_STR_RUN_DIR);
    char home[PATH_MAX];
    if (!*run)
        return false;
    if (*name == '/' && gptl_rundir_absolute(run, ".", home) && !is_below(name, home))
        return false;
    file.mode = 0600;
    file.is_staged = gptl_rundir_stage_large(run, name, file.path);
    file.takes_memory = file.is_staged && !gptl_rundir_overflow(run, home);
    return file.is_staged;
}

/* Store an absolute path, since the program may change its directory. */
static void choose_path(int rank)
{
    const char *folder = gptl_core_string(GPTL_STR_TRACE_DIR);
    char here[2048] = "", name[NAME_SIZE];
    int length = (int)strlen(folder);
    if (!length) {
        folder = gptl_core_string(GPTL_STR_OUTPUT_PATH);
        const char *slash = strrchr(folder, '/');
        length = slash ? (int)(slash - folder) : 0;
    }
    snprintf(name, sizeof name, "%.*s%s" GPTL_TI_PREFIX "%d" GPTL_TI_SUFFIX, length, folder,
             length ? "/" : "", rank);
    if (stage(name))
        return;
    file.mode = 0666;
    if (*name != '/' && getcwd(here, sizeof here - 1))
        strcat(here, "/");
    snprintf(file.path, sizeof file.path, "%s%s", here, name);
}

bool gptl_mpi_trace_file_open(int rank, int nranks)
{
    struct stat status;
    char head[512], host[256] = "localhost";
    choose_path(rank);
    make_folders();
    file.fd = open_file(O_WRONLY | O_APPEND | O_CREAT | O_TRUNC);
    if (file.fd < 0 || fstat(file.fd, &status) != 0) {
        gptl_core_warn_job("trace", "cannot open %s: %s; this run is not traced (set trace.dir)",
                           file.path, strerror(errno));
        file.failed = true;
        return false;
    }
    file.device = status.st_dev;
    file.inode = status.st_ino;
    gethostname(host, sizeof host - 1);
    uint64_t now = gptl_core_read_systime(CLOCK_REALTIME);
    int n = snprintf(head, sizeof head,
                     GPTL_TI_FIRST_LINE "rank %d\nranks %d\nhost %s\nstarted %lld.%09ld\n\n", rank,
                     nranks, host, (long long)(now / 1000000000), (long)(now % 1000000000));
    return gptl_mpi_trace_file_write((const unsigned char *)head, (size_t)n);
}

bool gptl_mpi_trace_file_is_open(void)
{
    return file.fd >= 0;
}

void gptl_mpi_trace_file_close(void)
{
    if (is_own())
        gptl_kernel_six(SYS_close, file.fd, 0, 0, 0, 0, 0);
}
