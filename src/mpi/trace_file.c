/*
 * trace_file.c - the file of a trace. What has been written survives a kill; a file that cannot be written
 * any more is said once, and ends the trace. System calls go past libc, since libgptl_io would take the
 * file for the program's.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/kernel.h"
#include "core/stderr.h"

#include "mpi/trace_stream.h"

static struct {
    char path[4400];
    int fd;
    dev_t device;
    ino_t inode;
    bool failed;
} file = {.fd = -1};

static int open_file(int flags)
{
    int fd =
        (int)gptl_kernel_six(SYS_openat, AT_FDCWD, (long)file.path, flags | O_CLOEXEC, 0666, 0, 0);
    if (fd < 0 || fd > 2)
        return fd;
    int raised = (int)gptl_kernel_six(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 3, 0, 0, 0);
    int error = errno;
    gptl_kernel_six(SYS_close, fd, 0, 0, 0, 0, 0); /* 0 to 2 are the program's */
    errno = error;
    return raised;
}

/* Those that the path names and that do not exist. */
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
        gptl_core_warn("trace", "%s %s: %s; the trace ends here", what, file.path, strerror(errno));
    file.failed = true;
    return false;
}

/* The program may have closed the descriptor, and another file have its number. */
static bool is_own(void)
{
    struct stat status;
    return file.fd >= 0 && fstat(file.fd, &status) == 0 && status.st_dev == file.device &&
           status.st_ino == file.inode;
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
    struct gptl_write_signals signals;
    ssize_t n = 1;
    gptl_stderr_hold_signals(&signals); /* at the limit of a file's size the kernel sends one */
    while (size > 0 && (n > 0 || (n < 0 && errno == EINTR))) {
        n = gptl_kernel_six(SYS_write, file.fd, (long)bytes, (long)size, 0, 0, 0);
        bytes += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    gptl_stderr_release_signals(&signals);
    return size == 0 || fail("cannot write");
}

static void choose_path(int rank)
{
    const char *folder = gptl_core_string(GPTL_STR_TRACE_DIR);
    char here[2048] = "";
    int length = (int)strlen(folder);
    if (!length) {
        folder = gptl_core_string(GPTL_STR_OUTPUT_PATH);
        const char *slash = strrchr(folder, '/');
        length = slash ? (int)(slash - folder) : 0;
    }
    /* Absolute, since the program may change its directory. */
    if (folder[0] != '/' && getcwd(here, sizeof here - 1))
        strcat(here, "/");
    snprintf(file.path, sizeof file.path, "%s%.*s%s" GPTL_TI_PREFIX "%d" GPTL_TI_SUFFIX, here,
             length, folder, length ? "/" : "", rank);
}

bool gptl_mpi_trace_file_open(int rank, int nranks)
{
    struct stat status;
    struct timespec t;
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
    clock_gettime(CLOCK_REALTIME, &t);
    int n = snprintf(head, sizeof head,
                     GPTL_TI_FIRST_LINE "rank %d\nranks %d\nhost %s\nstarted %lld.%09ld\n\n", rank,
                     nranks, host, (long long)t.tv_sec, t.tv_nsec);
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
