/* descriptor.c - file descriptors of the library, which are never the standard ones. */
#include "config.h"

#include "core/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "core/kernel.h"

/*
 * libgptl_io identifies libgptl's own files by the calls of libc's functions, and must not observe
 * its own files at all: it uses system calls.
 */
#ifdef GPTL_INTERPOSES
#define copy_above(fd, least) (int)gptl_kernel_call(SYS_fcntl, fd, F_DUPFD_CLOEXEC, least)
#define close(fd) gptl_kernel_call(SYS_close, fd)
#define open(path, flags, mode) (int)gptl_kernel_call(SYS_openat, AT_FDCWD, path, flags, mode)
#define pipe2(ends, flags) (int)gptl_kernel_call(SYS_pipe2, ends, flags)
#else
#define copy_above(fd, least) fcntl(fd, F_DUPFD_CLOEXEC, least)
#endif

int gptl_descriptor_raise(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    int high = copy_above(fd, STDERR_FILENO + 1), error = errno;
    close(fd);
    errno = error;
    return high;
}

int gptl_descriptor_open(const char *path, int flags, int mode)
{
    return gptl_descriptor_raise(open(path, flags | O_CLOEXEC, mode));
}

bool gptl_descriptor_pipe(int ends[2])
{
    int low[2];
    if (pipe2(low, O_CLOEXEC) != 0)
        return false;
    ends[0] = gptl_descriptor_raise(low[0]);
    ends[1] = gptl_descriptor_raise(low[1]);
    if (ends[0] >= 0 && ends[1] >= 0)
        return true;
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
    return false;
}
