/*
 * wrap_data.c - the wrappers of calls that transfer bytes between a descriptor and memory or
 * another descriptor.
 */
#include "config.h"

#include <limits.h>

#include "posix/apart.h"
#include "posix/fds.h"
#include "posix/follow.h"
#include "posix/next.h"
#include "posix/offer.h"
#include "posix/peek.h"

/* After a failure, the array may be shorter than N. */
static __attribute__((noinline, cold)) int64_t sum_refused(const struct iovec *v, int n)
{
    enum { GROUP = 8 };
    struct iovec copy[GROUP];
    int64_t sum = 0;
    if (errno == EFAULT || n > IOV_MAX || gptl_posix_is_sealed)
        return 0;
    for (int i = 0; i < n; i += GROUP) {
        int some = n - i < GROUP ? n - i : GROUP;
        if (!gptl_posix_peek(copy, v + i, (size_t)some * sizeof *copy))
            return 0;
        for (int k = 0; k < some; k++)
            sum += (int64_t)copy[k].iov_len;
    }
    return sum;
}

/* Return the total size of an array of buffers in bytes. */
static int64_t gptl_posix_sum(const struct iovec *v, int n, int64_t result)
{
    int64_t sum = 0;
    if (result < 0)
        return sum_refused(v, n);
    for (int i = 0; i < n && i < IOV_MAX; i++)
        sum += (int64_t)v[i].iov_len;
    return sum;
}

static int64_t gptl_posix_message(const struct msghdr *m, int64_t result)
{
    struct msghdr copy;
    if (result >= 0)
        return gptl_posix_sum(m->msg_iov, (int)m->msg_iovlen, result);
    if (gptl_posix_is_sealed || !gptl_posix_peek(&copy, m, sizeof copy) ||
        copy.msg_iovlen > IOV_MAX)
        return 0;
    return sum_refused(copy.msg_iov, (int)copy.msg_iovlen);
}

#define MOVES(name, ret, params, args, type, call, fd, asked)                                      \
    static __attribute__((noinline, cold)) ret name##_followed params                              \
    {                                                                                              \
        struct gptl_posix_following f;                                                             \
        gptl_posix_follow(&f, fd);                                                                 \
        uint64_t start = gptl_posix_start();                                                       \
        ret RESULT = gptl_posix_next.name args;                                                    \
        gptl_posix_moved_followed(&f, GPTL_POSIX_##type, call, fd, RESULT, (int64_t)(asked),       \
                                  start);                                                          \
        return RESULT;                                                                             \
    }                                                                                              \
    WRAPPER(name, ret, params)                                                                     \
    {                                                                                              \
        if (gptl_posix_is_others(fd))                                                              \
            return name##_followed args;                                                           \
        uint64_t start = gptl_posix_start();                                                       \
        ret RESULT = gptl_posix_next.name args;                                                    \
        gptl_posix_moved(GPTL_POSIX_##type, call, fd, RESULT, (int64_t)(asked), start);            \
        return RESULT;                                                                             \
    }
#define BASIC(name, ret, params, args, type, fd, asked)                                            \
    MOVES(name, ret, params, args, type, GPTL_CALL_NONE, fd, asked)
#define DATA(name, ret, params, args, type, fd, asked)                                             \
    MOVES(name, ret, params, args, type, GPTL_CALL_##name, fd, asked)
#define DATA_AT(name, ret, params, args, type, fd, asked, at)                                      \
    WRAPPER(name, ret, params)                                                                     \
    {                                                                                              \
        uint64_t start = gptl_posix_start();                                                       \
        ret RESULT = gptl_posix_next.name args;                                                    \
        gptl_posix_moved_at(GPTL_POSIX_##type, GPTL_CALL_##name, fd, RESULT, (int64_t)(asked), at, \
                            start);                                                                \
        return RESULT;                                                                             \
    }
#include "posix/calls.def"

/* ---- An offset of -1 selects the descriptor's offset ----------------------------------------- */

static void vector(const struct gptl_posix_following *f, enum gptl_posix_type type, unsigned call,
                   int fd, int64_t result, const struct iovec *v, int n, int64_t at, int flags,
                   uint64_t start)
{
    int error = errno;
    struct gptl_posix_event event = gptl_posix_event(type, call, fd, result, start);
    event.asked = gptl_posix_sum(v, n, result);
    event.has_asked = event.asked != result;
    event.has_at = at != -1;
    event.value = event.has_at ? at : 0;
    event.arg = flags;
    gptl_posix_followed(f, &event, fd, type == GPTL_POSIX_WRITE);
    if (gptl_posix_identify(&event, fd))
        gptl_posix_offer(&event, error);
}

#define VECTOR(name, offset, type)                                                                 \
    WRAPPER(name, ssize_t, (int fd, const struct iovec *v, int n, offset at, int flags))           \
    {                                                                                              \
        struct gptl_posix_following f = {.is_followed = false};                                    \
        if (at == -1 && gptl_posix_is_others(fd))                                                  \
            gptl_posix_follow(&f, fd);                                                             \
        uint64_t start = gptl_posix_start();                                                       \
        ssize_t result = gptl_posix_next.name(fd, v, n, at, flags);                                \
        if (gptl_posix_is_active())                                                                \
            vector(&f, type, GPTL_CALL_##name, fd, result, v, n, at, flags, start);                \
        return result;                                                                             \
    }
VECTOR(preadv2, off_t, GPTL_POSIX_READ)
VECTOR(preadv64v2, off64_t, GPTL_POSIX_READ)
VECTOR(pwritev2, off_t, GPTL_POSIX_WRITE)
VECTOR(pwritev64v2, off64_t, GPTL_POSIX_WRITE)

/* ---- From one descriptor to another ---------------------------------------------------------- */

struct way {
    int fd;
    const off64_t *at; /* value after the call */
    struct gptl_posix_following f;
};

/*
 * Prepare one end of a transfer before the call. Without an explicit offset, the call moves the
 * descriptor's offset.
 */
static struct way way_of(int fd, const off64_t *at)
{
    struct way way = {.fd = fd, .at = at};
    if (!at && gptl_posix_is_others(fd))
        gptl_posix_follow(&way.f, fd);
    return way;
}

static bool read_offset(off64_t *to, const off64_t *from, int64_t result)
{
    if (result < 0)
        return !gptl_posix_is_sealed && gptl_posix_peek(to, from, sizeof *to);
    *to = *from;
    return true;
}

/*
 * Report a read that also states the destination of the bytes, or only one end if calls on the
 * other end are not reported. The upper half of CALL holds the flags: another argument would be
 * passed on the stack.
 */
static void transfer(uint64_t call, const struct way *in, const struct way *out, int64_t result,
                     int64_t asked, uint64_t start)
{
    int error = errno;
    struct gptl_posix_event event =
        gptl_posix_event(GPTL_POSIX_READ, (unsigned)call, in->fd, result, start);
    int64_t moved = result > 0 ? result : 0;
    off64_t in_at = 0, out_at = 0;
    bool from_has_at = in->at && read_offset(&in_at, in->at, result);
    bool to_has_at = out->at && read_offset(&out_at, out->at, result);
    gptl_posix_followed(&in->f, &event, in->fd, false);
    bool from = gptl_posix_identify(&event, in->fd);
    gptl_posix_followed(&out->f, &event, out->fd, true);
    bool to = gptl_posix_identify(&event, out->fd);
    event.has_asked = result != asked;
    event.asked = asked;
    event.arg = (int)(call >> 32);
    event.has_at = from ? from_has_at : to_has_at;
    event.value = !event.has_at ? 0 : (from ? in_at : out_at) - moved;
    event.has_second = from && to;
    event.second = out->fd;
    event.second_at = to_has_at ? out_at - moved : -1;
    if (!from) {
        event.type = GPTL_POSIX_WRITE;
        event.fd = out->fd;
    }
    if (from || to)
        gptl_posix_offer(&event, error);
    errno = error;
}

#define SENDFILE(name, offset)                                                                     \
    WRAPPER(name, ssize_t, (int out, int in, offset *at, size_t n))                                \
    {                                                                                              \
        struct way from = way_of(in, at), to = way_of(out, NULL);                                  \
        uint64_t start = gptl_posix_start();                                                       \
        ssize_t result = gptl_posix_next.name(out, in, at, n);                                     \
        if (gptl_posix_is_active())                                                                \
            transfer(GPTL_CALL_##name, &from, &to, result, (int64_t)n, start);                     \
        return result;                                                                             \
    }
SENDFILE(sendfile, off_t)
SENDFILE(sendfile64, off64_t)

#define TRANSFER(name)                                                                             \
    WRAPPER(name, ssize_t,                                                                         \
            (int in, off64_t *in_at, int out, off64_t *out_at, size_t n, unsigned flags))          \
    {                                                                                              \
        struct way from = way_of(in, in_at), to = way_of(out, out_at);                             \
        uint64_t start = gptl_posix_start();                                                       \
        ssize_t result = gptl_posix_next.name(in, in_at, out, out_at, n, flags);                   \
        if (gptl_posix_is_active())                                                                \
            transfer(GPTL_CALL_##name | (uint64_t)flags << 32, &from, &to, result, (int64_t)n,     \
                     start);                                                                       \
        return result;                                                                             \
    }
TRANSFER(copy_file_range)
TRANSFER(splice)
