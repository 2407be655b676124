/*
 * peek.c - reads memory of the program that may be unmapped.
 *
 * The kernel copies, as it does for the program's own calls. If a filter refuses process_vm_readv,
 * the kernel is only asked whether each page is mapped: rt_sigprocmask reads its set before it
 * rejects the invalid operation.
 */
#include "config.h"

#include "posix/peek.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>

#include "posix/raw.h"

enum { PAGE = 4096 };

static bool is_there(const void *at)
{
    enum { NO_SUCH_OPERATION = 99 };
    uintptr_t word = (uintptr_t)at / 8 * 8;
    return gptl_kernel_call(SYS_rt_sigprocmask, NO_SUCH_OPERATION, word, NULL, sizeof(uint64_t)) ==
               -1 &&
           errno == EINVAL;
}

/* The bytes are within one page. */
static bool copy_piece(void *to, const void *from, size_t size)
{
    static bool is_refused;
    struct iovec local = {to, size}, remote = {(void *)(uintptr_t)from, size};
    if (!is_refused) {
        long n = gptl_kernel_call(SYS_process_vm_readv, gptl_kernel_call(SYS_getpid), &local, 1,
                                  &remote, 1);
        if (n >= 0 || errno == EFAULT)
            return n == (long)size;
        is_refused = errno == EPERM || errno == ENOSYS || errno == EACCES;
    }
    if (!is_there(from))
        return false;
    memcpy(to, from, size);
    return true;
}

static size_t piece_of(const void *from, size_t size)
{
    size_t left = PAGE - (uintptr_t)from % PAGE;
    return size < left ? size : left;
}

bool gptl_posix_peek(void *to, const void *from, size_t size)
{
    int error = errno;
    bool done = true;
    for (size_t at = 0, n; at < size && done; at += n) {
        n = piece_of((const char *)from + at, size - at);
        done = copy_piece((char *)to + at, (const char *)from + at, n);
    }
    errno = error;
    return done;
}

ssize_t gptl_posix_peek_text(char *to, size_t room, const char *from)
{
    int error = errno;
    ssize_t length = -1;
    for (size_t at = 0, n; at < room && from; at += n) {
        size_t wanted = at == 0 ? 256 : room; /* most strings are short */
        n = piece_of(from + at, wanted < room - at ? wanted : room - at);
        if (!copy_piece(to + at, from + at, n))
            break;
        const char *end = memchr(to + at, '\0', n);
        if (end) {
            length = end - to;
            break;
        }
    }
    errno = error;
    return length;
}
