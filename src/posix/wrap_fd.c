/*
 * wrap_fd.c - the wrappers of calls on a descriptor that transfer no bytes, or close or duplicate
 * it.
 */
#include "config.h"

#include <limits.h>
#include <linux/fs.h>
#include <stdarg.h>
#include <sys/ioctl.h>

#include "posix/fds.h"
#include "posix/files.h"
#include "posix/follow.h"
#include "posix/next.h"
#include "posix/offer.h"
#include "posix/raw.h"
#include "posix/setup.h"

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1u << 2)
#endif

#define STATUS_OF(name, ret, params, args, type, call, fd, data)                                   \
    WRAPPER(name, ret, params)                                                                     \
    {                                                                                              \
        if (GPTL_POSIX_##type == GPTL_POSIX_LSEEK)                                                 \
            (void)gptl_posix_is_others(fd);                                                        \
        uint64_t start = gptl_posix_start();                                                       \
        ret RESULT = gptl_posix_next.name args;                                                    \
        gptl_posix_status(GPTL_POSIX_##type, call, fd, RESULT, data, start);                       \
        return RESULT;                                                                             \
    }
#define STATUS(name, ret, params, args, type, fd, data)                                            \
    STATUS_OF(name, ret, params, args, type, GPTL_CALL_NONE, fd, data)
#define STATUS_NAMED(name, ret, params, args, type, fd, data)                                      \
    STATUS_OF(name, ret, params, args, type, GPTL_CALL_##name, fd, data)

#define FD(name, ret, params, args, fd, argument, value)                                           \
    WRAPPER(name, ret, params)                                                                     \
    {                                                                                              \
        uint64_t start = gptl_posix_start();                                                       \
        ret RESULT = gptl_posix_next.name args;                                                    \
        gptl_posix_status_else(GPTL_POSIX_OTHER, GPTL_CALL_##name, fd, RESULT, RESULT, argument,   \
                               value, start);                                                      \
        return RESULT;                                                                             \
    }

static void range(unsigned call, int fd, int64_t result, bool is_errno, int argument, int64_t at,
                  int64_t length, uint64_t start)
{
    int error = errno;
    struct gptl_posix_event event =
        gptl_posix_event(call == GPTL_CALL_sync_file_range ? GPTL_POSIX_FSYNC : GPTL_POSIX_OTHER,
                         call, fd, result, start);
    if (is_errno)
        event.data = -result;
    event.arg = argument;
    event.value = at;
    event.has_asked = true;
    event.asked = length;
    if (gptl_posix_identify(&event, fd))
        gptl_posix_offer(&event, error);
}

#define RANGE(name, ret, params, args, fd, argument, at, length, is_errno)                         \
    WRAPPER(name, ret, params)                                                                     \
    {                                                                                              \
        uint64_t start = gptl_posix_start();                                                       \
        ret RESULT = gptl_posix_next.name args;                                                    \
        if (gptl_posix_is_active())                                                                \
            range(GPTL_CALL_##name, fd, RESULT, is_errno, argument, at, (int64_t)(length), start); \
        return RESULT;                                                                             \
    }
#include "posix/calls.def"

/* ---- Closing --------------------------------------------------------------------------------- */

/*
 * The descriptor leaves the table before it is closed: afterwards another thread may own the same
 * number. Unknown descriptors are not queried: some programs close all possible numbers.
 */
static inline int wrap_close(int fd, unsigned call, int (*next)(int))
{
    uint64_t start = gptl_posix_start();
    uint32_t entry = gptl_posix_take(fd);
    int result = next(fd);
    if (!(entry & GPTL_POSIX_OFFERED))
        return result;
    if (result == 0 && !call) {
        OFFER(plain, GPTL_POSIX_CLOSE, fd, 0, start);
    } else {
        int error = errno;
        struct gptl_posix_event event = gptl_posix_event(GPTL_POSIX_CLOSE, call, fd, result, start);
        gptl_posix_offer(&event, error);
    }
    return result;
}

WRAPPER(close, int, (int fd))
{
    return wrap_close(fd, GPTL_CALL_NONE, gptl_posix_next.close);
}

WRAPPER(__close, int, (int fd))
{
    return wrap_close(fd, GPTL_CALL___close, gptl_posix_next.__close);
}

static void closed_range(unsigned call, unsigned first, unsigned last, int flags, int result,
                         uint64_t start)
{
    int error = errno;
    struct gptl_posix_event event = gptl_posix_event(GPTL_POSIX_OTHER, call, -1, result, start);
    event.arg = flags;
    event.has_gone = result == 0 && !(flags & CLOSE_RANGE_CLOEXEC);
    event.gone = first > INT_MAX ? INT_MAX : (int)first;
    event.gone_last = last > INT_MAX ? INT_MAX : (int)last;
    gptl_posix_offer(&event, error);
}

/* A descriptor that is still open, after a failure, is queried at its next use. */
static void take_range(unsigned first, unsigned last, int flags)
{
    for (unsigned fd = first; !(flags & CLOSE_RANGE_CLOEXEC) && fd <= last; fd++) {
        if (fd >= (unsigned)gptl_posix_fds_end())
            return;
        gptl_posix_take((int)fd);
    }
}

WRAPPER(close_range, int, (unsigned first, unsigned last, int flags))
{
    uint64_t start = gptl_posix_start();
    take_range(first, last, flags);
    int result = gptl_posix_next.close_range(first, last, flags);
    if (gptl_posix_is_active())
        closed_range(GPTL_CALL_close_range, first, last, flags, result, start);
    return result;
}

WRAPPER(closefrom, void, (int first))
{
    uint64_t start = gptl_posix_start();
    unsigned from = first > 0 ? (unsigned)first : 0;
    take_range(from, INT_MAX, 0);
    gptl_posix_next.closefrom(first);
    if (gptl_posix_is_active())
        closed_range(GPTL_CALL_closefrom, from, INT_MAX, 0, 0, start);
}

/* ---- Duplicating ----------------------------------------------------------------------------- */

/* Report that MADE is a duplicate of FD. TAKEN: previous entry of that number, or 0. */
static void copied(unsigned call, int fd, int made, int argument, uint32_t taken, uint64_t start)
{
    int error = errno;
    struct gptl_posix_event event = gptl_posix_event(GPTL_POSIX_OTHER, call, fd, made, start);
    event.arg = argument;
    bool offered = gptl_posix_identify(&event, fd);
    if (made >= 0 && made != fd) {
        uint32_t entry = gptl_posix_entry(fd);
        gptl_posix_set(made, entry);
        gptl_posix_share(fd);
        gptl_posix_share(made);
        event.has_gone = (taken & GPTL_POSIX_OFFERED) != 0;
        event.gone = event.gone_last = made;
        event.has_made = offered;
        event.made_is_duplicate = true;
        event.made = made;
        event.made_file = entry & GPTL_POSIX_FILE_MASK;
    }
    if (offered || event.has_gone)
        gptl_posix_offer(&event, error);
    errno = error;
}

WRAPPER(dup, int, (int fd))
{
    uint64_t start = gptl_posix_start();
    int made = gptl_posix_next.dup(fd);
    if (gptl_posix_is_active())
        copied(GPTL_CALL_dup, fd, made, 0, 0, start);
    return made;
}

/*
 * Takes TO's entry before the call, in order to report that TO was closed; restores it if the call
 * fails.
 */
static inline int wrap_dup2(int fd, int to, unsigned call, int (*next)(int, int))
{
    uint64_t start = gptl_posix_start();
    uint32_t before = to != fd ? gptl_posix_take(to) : 0;
    int made = next(fd, to);
    if (made < 0 && before)
        gptl_posix_set(to, before);
    if (gptl_posix_is_active())
        copied(call, fd, made, 0, made < 0 ? 0 : before, start);
    return made;
}

WRAPPER(dup2, int, (int fd, int to))
{
    return wrap_dup2(fd, to, GPTL_CALL_dup2, gptl_posix_next.dup2);
}

WRAPPER(__dup2, int, (int fd, int to))
{
    return wrap_dup2(fd, to, GPTL_CALL___dup2, gptl_posix_next.__dup2);
}

WRAPPER(dup3, int, (int fd, int to, int flags))
{
    uint64_t start = gptl_posix_start();
    uint32_t before = to != fd ? gptl_posix_take(to) : 0;
    int made = gptl_posix_next.dup3(fd, to, flags);
    if (made < 0 && before)
        gptl_posix_set(to, before);
    if (gptl_posix_is_active())
        copied(GPTL_CALL_dup3, fd, made, flags, made < 0 ? 0 : before, start);
    return made;
}

/* The third argument is passed on as a pointer, which also holds an int. */
#define FCNTL(name)                                                                                \
    __attribute__((visibility("default"))) int gptl_wrap_##name(int fd, int command,               \
                                                                ...) __asm__(#name);               \
    int gptl_wrap_##name(int fd, int command, ...)                                                 \
    {                                                                                              \
        va_list list;                                                                              \
        va_start(list, command);                                                                   \
        void *argument = va_arg(list, void *);                                                     \
        va_end(list);                                                                              \
        uint64_t start = gptl_posix_start();                                                       \
        int result = gptl_posix_next.name(fd, command, argument);                                  \
        if (command == F_SETFL && result == 0)                                                     \
            gptl_posix_appends(fd, (intptr_t)argument &O_APPEND);                                  \
        if (!gptl_posix_is_active())                                                               \
            return result;                                                                         \
        if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)                                      \
            copied(GPTL_CALL_##name, fd, result, command, 0, start);                               \
        else                                                                                       \
            gptl_posix_status_else(GPTL_POSIX_OTHER, GPTL_CALL_##name, fd, result, result,         \
                                   command, (int64_t)(intptr_t)argument, start);                   \
        return result;                                                                             \
    }
FCNTL(fcntl)
FCNTL(fcntl64)
FCNTL(__fcntl)

/* Report an ioctl, such as cloning another descriptor's file without copying bytes. */
static void cloned(int fd, int result, unsigned long request, void *argument, uint64_t start)
{
    int error = errno;
    struct gptl_posix_event event =
        gptl_posix_event(GPTL_POSIX_OTHER, GPTL_CALL_ioctl, fd, result, start);
    event.arg = (int)request;
    event.value = (int64_t)(intptr_t)argument;
    if (gptl_posix_identify(&event, fd))
        gptl_posix_offer(&event, error);
    errno = error;
}

__attribute__((visibility("default"))) int gptl_wrap_ioctl(int fd, unsigned long request,
                                                           ...) __asm__("ioctl");
int gptl_wrap_ioctl(int fd, unsigned long request, ...)
{
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    uint64_t start = gptl_posix_start();
    int result = gptl_posix_next.ioctl(fd, request, argument);
    if (gptl_posix_is_active())
        cloned(fd, result, request, argument, start);
    return result;
}

/* ---- Functions that replace 0, 1 and 2 inside libc ------------------------------------------- */

static void replaced(unsigned call, int result)
{
    take_range(STDIN_FILENO, STDERR_FILENO, 0);
    if (gptl_posix_is_active())
        closed_range(call, STDIN_FILENO, STDERR_FILENO, 0, result, gptl_posix_start());
}

/* The parent ends inside daemon(). */
WRAPPER(daemon, int, (int keeps_directory, int keeps_descriptors))
{
    gptl_posix_leave(true);
    int result = gptl_posix_next.daemon(keeps_directory, keeps_descriptors);
    gptl_posix_moved_directory();
    if (!keeps_descriptors)
        replaced(GPTL_CALL_daemon, result);
    return result;
}

WRAPPER(login_tty, int, (int fd))
{
    int result = gptl_posix_next.login_tty(fd);
    if (result == 0)
        replaced(GPTL_CALL_login_tty, result);
    return result;
}

WRAPPER(forkpty, int, (int *fd, char *name, const struct termios *mode, const struct winsize *size))
{
    int result = gptl_posix_next.forkpty(fd, name, mode, size);
    if (result == 0)
        replaced(GPTL_CALL_forkpty, result);
    return result;
}

WRAPPER(fchdir, int, (int fd))
{
    uint64_t start = gptl_posix_start();
    int result = gptl_posix_next.fchdir(fd);
    gptl_posix_moved_directory();
    gptl_posix_status_else(GPTL_POSIX_OTHER, GPTL_CALL_fchdir, fd, result, result, 0, 0, start);
    return result;
}
