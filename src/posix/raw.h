/*
 * raw.h - system calls that bypass the wrappers and are not cancellation points, and small
 * functions that are safe in signal handlers. They set errno as usual.
 */
#ifndef GPTL_POSIX_RAW_H
#define GPTL_POSIX_RAW_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/descriptor.h"
#include "core/kernel.h"

#ifndef MADV_POPULATE_WRITE /* since Linux 5.14; older headers lack it */
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_WIPEONFORK /* since Linux 4.14 */
#define MADV_WIPEONFORK 18
#endif

/* A signal set in the kernel's format: libc's type takes 128 bytes of a possibly small stack. */
typedef uint64_t gptl_raw_signals;

/*
 * Block all signals until gptl_raw_unblock restores BEFORE, including libc's internal signals for
 * cancellation, which would end a thread at any point.
 */
static inline void gptl_raw_block(gptl_raw_signals *before)
{
    gptl_raw_signals all = UINT64_MAX;
    gptl_kernel_call(SYS_rt_sigprocmask, SIG_SETMASK, &all, before, sizeof all);
}

static inline void gptl_raw_unblock(const gptl_raw_signals *before)
{
    gptl_kernel_call(SYS_rt_sigprocmask, SIG_SETMASK, before, NULL, sizeof *before);
}

static inline int gptl_raw_open(const char *path, int flags, int mode)
{
    return gptl_descriptor_open(path, flags, mode);
}

static inline int gptl_raw_close(int fd)
{
    return (int)gptl_kernel_call(SYS_close, fd);
}

static inline ssize_t gptl_raw_read(int fd, void *to, size_t size)
{
    return gptl_kernel_call(SYS_read, fd, to, size);
}

static inline ssize_t gptl_raw_write(int fd, const void *from, size_t size)
{
    return gptl_kernel_call(SYS_write, fd, from, size);
}

static inline off_t gptl_raw_lseek(int fd, off_t at, int whence)
{
    return gptl_kernel_call(SYS_lseek, fd, at, whence);
}

static inline ssize_t gptl_raw_readlink(const char *path, char *to, size_t size)
{
    return gptl_kernel_call(SYS_readlinkat, AT_FDCWD, path, to, size);
}

static inline int gptl_raw_fstat(int fd, struct stat *s)
{
    return (int)gptl_kernel_call(SYS_fstat, fd, s);
}

static inline int gptl_raw_stat(const char *path, struct stat *s)
{
    return (int)gptl_kernel_call(SYS_newfstatat, AT_FDCWD, path, s, 0);
}

/* Map SIZE bytes of private zeroed memory. Return NULL on failure. */
static inline void *gptl_raw_pages(size_t size)
{
    enum { PROTECTION = PROT_READ | PROT_WRITE };
    enum { FLAGS = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE };
#ifdef __SANITIZE_THREAD__ /* must see that these pages are new */
    void *p = mmap(NULL, size, PROTECTION, FLAGS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
#else
    long p = gptl_kernel_call(SYS_mmap, NULL, size, PROTECTION, FLAGS, -1, 0);
    return p == -1 ? NULL : (void *)p;
#endif
}

static inline void gptl_raw_free(void *pages, size_t size)
{
#ifdef __SANITIZE_THREAD__
    munmap(pages, size);
#else
    gptl_kernel_call(SYS_munmap, pages, size);
#endif
}

/* Append VALUE in decimal at END, the end of a string with enough space. Return the new end. */
static inline char *gptl_raw_decimal(char *end, uint64_t value)
{
    char digits[24];
    int n = 0;
    do
        digits[n++] = (char)('0' + value % 10);
    while (value /= 10);
    while (n > 0)
        *end++ = digits[--n];
    *end = '\0';
    return end;
}

/* Append TEXT, truncated before LIMIT. Return the new end. */
static inline char *gptl_raw_append(char *end, const char *limit, const char *text)
{
    while (*text && end + 1 < limit)
        *end++ = *text++;
    *end = '\0';
    return end;
}

#endif
