/*
 * wrap_aio.c - the wrappers of POSIX asynchronous I/O.
 *
 * A request is recorded as a call with its size and offset. The bytes are recorded at aio_return,
 * as a read or a write. If the program never calls aio_return, the transferred bytes are unknown.
 */
#include "config.h"

#include "posix/apart.h"
#include "posix/next.h"
#include "posix/offer.h"
#include "posix/peek.h"

static void submitted(unsigned call, int fd, int64_t asked, int64_t at, int result, uint64_t start)
{
    int error = errno;
    struct gptl_posix_event event = gptl_posix_event(GPTL_POSIX_OTHER, call, fd, result, start);
    event.has_at = event.has_asked = true;
    event.value = at;
    event.asked = asked;
    if (gptl_posix_identify(&event, fd))
        gptl_posix_offer(&event, error);
    errno = error;
}

static void returned(unsigned call, int fd, int operation, int64_t asked, int64_t at,
                     int64_t result, uint64_t start)
{
    int error = errno;
    enum gptl_posix_type type = operation == LIO_WRITE  ? GPTL_POSIX_WRITE
                                : operation == LIO_READ ? GPTL_POSIX_READ
                                                        : GPTL_POSIX_FSYNC;
    struct gptl_posix_event event = gptl_posix_event(type, call, fd, result, start);
    if (type != GPTL_POSIX_FSYNC) {
        event.has_at = true;
        event.value = at;
        event.has_asked = result != asked;
        event.asked = asked;
    }
    if (gptl_posix_identify(&event, fd))
        gptl_posix_offer(&event, error);
    errno = error;
}

/* The control block belongs to the program, which may free it once it has the result. */
#define AIO(name, block)                                                                           \
    WRAPPER(name, int, (struct block * a))                                                         \
    {                                                                                              \
        uint64_t start = gptl_posix_start();                                                       \
        int fd = a->aio_fildes;                                                                    \
        int64_t asked = (int64_t)a->aio_nbytes, at = a->aio_offset;                                \
        int result = gptl_posix_next.name(a);                                                      \
        if (gptl_posix_is_active())                                                                \
            submitted(GPTL_CALL_##name, fd, asked, at, result, start);                             \
        return result;                                                                             \
    }
AIO(aio_read, aiocb)
AIO(aio_read64, aiocb64)
AIO(aio_write, aiocb)
AIO(aio_write64, aiocb64)

#define AIO_FSYNC(name, block)                                                                     \
    WRAPPER(name, int, (int operation, struct block *a))                                           \
    {                                                                                              \
        uint64_t start = gptl_posix_start();                                                       \
        int fd = a->aio_fildes;                                                                    \
        int result = gptl_posix_next.name(operation, a);                                           \
        gptl_posix_status_else(GPTL_POSIX_OTHER, GPTL_CALL_##name, fd, result, result, operation,  \
                               0, start);                                                          \
        return result;                                                                             \
    }
AIO_FSYNC(aio_fsync, aiocb)
AIO_FSYNC(aio_fsync64, aiocb64)

#define AIO_RETURN(name, block)                                                                    \
    WRAPPER(name, ssize_t, (struct block * a))                                                     \
    {                                                                                              \
        uint64_t start = gptl_posix_start();                                                       \
        int fd = a->aio_fildes, operation = a->aio_lio_opcode;                                     \
        int64_t asked = (int64_t)a->aio_nbytes, at = a->aio_offset;                                \
        ssize_t result = gptl_posix_next.name(a);                                                  \
        if (gptl_posix_is_active())                                                                \
            returned(GPTL_CALL_##name, fd, operation, asked, at, result, start);                   \
        return result;                                                                             \
    }
AIO_RETURN(aio_return, aiocb)
AIO_RETURN(aio_return64, aiocb64)

/*
 * Report one call for each request in the list. A request may be complete and its block freed, or
 * it may have been refused.
 */
#define LIO(name, block)                                                                           \
    WRAPPER(name, int, (int mode, struct block *const list[], int n, struct sigevent *event))      \
    {                                                                                              \
        uint64_t start = gptl_posix_start();                                                       \
        int result = gptl_posix_next.name(mode, list, n, event);                                   \
        for (int i = 0; i < n && gptl_posix_is_active(); i++) {                                    \
            struct block *each, copy;                                                              \
            if (gptl_posix_is_sealed || !gptl_posix_peek(&each, &list[i], sizeof each))            \
                break;                                                                             \
            if (each && gptl_posix_peek(&copy, each, sizeof copy) &&                               \
                copy.aio_lio_opcode != LIO_NOP)                                                    \
                submitted(GPTL_CALL_##name, copy.aio_fildes, (int64_t)copy.aio_nbytes,             \
                          copy.aio_offset, result, start);                                         \
        }                                                                                          \
        return result;                                                                             \
    }
LIO(lio_listio, aiocb)
LIO(lio_listio64, aiocb64)
