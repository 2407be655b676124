/*
 * wrap_stdio.c - the wrappers of stream calls.
 *
 * They record the program's requests to its streams. The resulting reads and writes of files are
 * recorded in streams.c and provide the totals, so the records here have separate types.
 */
#include "config.h"

#include <string.h>

#include "posix/apart.h"
#include "posix/fds.h"
#include "posix/files.h"
#include "posix/next.h"
#include "posix/offer.h"
#include "posix/own.h"
#include "posix/stream.h"
#include "posix/streams.h"

/* Direct access, because fileno would set errno for a memory stream, whose number is negative. */
static inline int fd_of(const FILE *f)
{
    return f ? f->_fileno : -1;
}

void gptl_posix_stream_moved(enum gptl_posix_type type, unsigned call, FILE *f, int64_t bytes,
                             int64_t asked, uint64_t start)
{
    int error = errno, fd = fd_of(f);
    if (gptl_posix_is_offered(fd) && bytes >= 0 && (asked < 0 || asked == bytes)) {
        OFFER(named, type, call, fd, bytes, start);
        return;
    }
    if (!gptl_posix_is_active() || fd < 0)
        return;
    struct gptl_posix_event event = gptl_posix_event(type, call, fd, 0, start);
    event.data = bytes;
    if (bytes <= 0)
        event.data = ferror_unlocked(f) ? -(int64_t)error : 0;
    event.has_asked = asked >= 0 && asked != bytes;
    event.asked = asked;
    if (gptl_posix_identify(&event, fd))
        gptl_posix_offer(&event, error);
    errno = error;
}

/*
 * After fclose and similar calls, F must not be accessed, so their wrappers do not use these
 * macros.
 */
#define STREAM_DATA(name, ret, params, args, type, stream, bytes, asked)                           \
    WRAPPER(name, ret, params)                                                                     \
    {                                                                                              \
        uint64_t start = gptl_posix_start();                                                       \
        ret RESULT = gptl_posix_next.name args;                                                    \
        gptl_posix_stream_moved(GPTL_POSIX_STDIO_##type, GPTL_CALL_##name, stream, bytes, asked,   \
                                start);                                                            \
        return RESULT;                                                                             \
    }

/* Programs make very many of these calls, so consecutive ones on a stream form one record. */
#define STREAM_CHAR(name, ret, params, args, type, stream, moved)                                  \
    WRAPPER(name, ret, params)                                                                     \
    {                                                                                              \
        ret RESULT = gptl_posix_next.name args;                                                    \
        int fd = fd_of(stream);                                                                    \
        if ((moved) && gptl_posix_is_offered(fd))                                                  \
            OFFER(joined, GPTL_POSIX_STDIO_##type, GPTL_CALL_##name, fd, 1);                       \
        else                                                                                       \
            gptl_posix_stream_moved(GPTL_POSIX_STDIO_##type, GPTL_CALL_##name, stream,             \
                                    (moved) ? 1 : -1, -1, 0);                                      \
        return RESULT;                                                                             \
    }

void gptl_posix_stream_called(unsigned call, FILE *f, int64_t result, int argument, int64_t value,
                              uint64_t start)
{
    int error = errno, fd = fd_of(f);
    if (!gptl_posix_is_active() || fd < 0)
        return;
    struct gptl_posix_event event = gptl_posix_event(GPTL_POSIX_STDIO, call, fd, result, start);
    if (result < 0 && feof_unlocked(f) && !ferror_unlocked(f))
        event.data = 0;
    event.arg = argument;
    event.value = value;
    if (gptl_posix_identify(&event, fd))
        gptl_posix_offer(&event, error);
    errno = error;
}

#define STREAM(name, ret, params, args, stream, argument, value)                                   \
    WRAPPER(name, ret, params)                                                                     \
    {                                                                                              \
        uint64_t start = gptl_posix_start();                                                       \
        ret RESULT = gptl_posix_next.name args;                                                    \
        gptl_posix_stream_called(GPTL_CALL_##name, stream, RESULT, argument, value, start);        \
        return RESULT;                                                                             \
    }
#include "posix/calls.def"

/* Reports the bytes that inline code stored into the buffer, which now makes space for C. */
WRAPPER(__overflow, int, (FILE * f, int c))
{
    uint64_t start = gptl_posix_start();
    int64_t pending = f->_IO_write_ptr - f->_IO_write_base;
    int result = gptl_posix_next.__overflow(f, c);
    gptl_posix_stream_moved(GPTL_POSIX_STDIO_WRITE, GPTL_CALL___overflow, f,
                            result == EOF ? -1 : pending + (c != EOF), -1, start);
    return result;
}

/* NULL selects all streams, which belong to different descriptors. */
#define FFLUSH(name)                                                                               \
    WRAPPER(name, int, (FILE * f))                                                                 \
    {                                                                                              \
        uint64_t start = gptl_posix_start();                                                       \
        int result = gptl_posix_next.name(f);                                                      \
        if (f)                                                                                     \
            gptl_posix_stream_called(GPTL_CALL_##name, f, result, 0, 0, start);                    \
        return result;                                                                             \
    }
FFLUSH(fflush)
FFLUSH(fflush_unlocked)

WRAPPER(rewind, void, (FILE * f))
{
    uint64_t start = gptl_posix_start();
    gptl_posix_next.rewind(f);
    gptl_posix_stream_called(GPTL_CALL_rewind, f, 0, SEEK_SET, 0, start);
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* Return the equivalent flags of open. */
static int flags_of(const char *mode)
{
    int flags = *mode == 'r'   ? O_RDONLY
                : *mode == 'w' ? O_WRONLY | O_CREAT | O_TRUNC
                               : O_WRONLY | O_CREAT | O_APPEND;
    for (; *mode && *mode != ','; mode++) {
        if (*mode == '+')
            flags = (flags & ~O_ACCMODE) | O_RDWR;
        else if (*mode == 'x')
            flags |= O_EXCL;
        else if (*mode == 'e')
            flags |= O_CLOEXEC;
    }
    return flags;
}

/* PATH NULL: an unnamed stream. GONE: the previously closed descriptor, or -1. */
static void stream_opened(unsigned call, FILE *f, const char *path, const char *mode, int gone,
                          uint64_t start)
{
    int error = errno, fd = fd_of(f), flags = f ? flags_of(mode) : 0;
    struct gptl_posix_event event = gptl_posix_event(GPTL_POSIX_STDIO, call, fd, f ? 0 : -1, start);
    struct gptl_posix_file *file = f || (error == ENOENT && !gptl_posix_is_sealed)
                                       ? gptl_posix_name(AT_FDCWD, path)
                                       : gptl_posix_name_refused(AT_FDCWD, path, error);
    uint32_t entry = 0;
    if (f) {
        bool new;
        struct gptl_posix_found found;
        entry = file ? gptl_posix_opened(fd, file, flags) : gptl_posix_look(fd, &found, &new);
        event.has_made = true;
        event.made = fd;
        event.made_file = (entry & GPTL_POSIX_FILE_MASK) | (uint64_t)(uint32_t)flags << 32;
    } else if (file) {
        event.files[event.nfiles++] = gptl_posix_number(file);
    }
    event.has_gone = gone >= 0;
    event.gone = event.gone_last = gone;
    event.arg = flags;
    if ((entry & GPTL_POSIX_OFFERED) || !f || gone >= 0)
        gptl_posix_offer(&event, error);
    errno = error;
}

#define FOPEN(name)                                                                                \
    WRAPPER(name, FILE *, (const char *path, const char *mode))                                    \
    {                                                                                              \
        uint64_t start = gptl_posix_start();                                                       \
        FILE *f = gptl_posix_next.name(path, mode);                                                \
        if (gptl_posix_is_active() && !gptl_posix_left_out(GPTL_POSIX_IS_OWN, fd_of(f)))           \
            stream_opened(GPTL_CALL_##name, f, path, mode, -1, start);                             \
        return f;                                                                                  \
    }
FOPEN(fopen)
FOPEN(fopen64)

#define TMPFILE(name)                                                                              \
    WRAPPER(name, FILE *, (void))                                                                  \
    {                                                                                              \
        uint64_t start = gptl_posix_start();                                                       \
        FILE *f = gptl_posix_next.name();                                                          \
        if (gptl_posix_is_active())                                                                \
            stream_opened(GPTL_CALL_##name, f, NULL, "w+", -1, start);                             \
        return f;                                                                                  \
    }
TMPFILE(tmpfile)
TMPFILE(tmpfile64)

/* Without a path, the same file gets another mode. */
#define FREOPEN(name)                                                                              \
    WRAPPER(name, FILE *, (const char *path, const char *mode, FILE *f))                           \
    {                                                                                              \
        uint64_t start = gptl_posix_start();                                                       \
        int before = fd_of(f);                                                                     \
        uint32_t entry = path ? gptl_posix_entry(before) : 0;                                      \
        FILE *result = gptl_posix_next.name(path, mode, f);                                        \
        if (path && !result)                                                                       \
            gptl_posix_take(before);                                                               \
        if (gptl_posix_is_active())                                                                \
            stream_opened(GPTL_CALL_##name, result, path, mode,                                    \
                          (entry & GPTL_POSIX_OFFERED) ? before : -1, start);                      \
        return result;                                                                             \
    }
FREOPEN(freopen)
FREOPEN(freopen64)

WRAPPER(fdopen, FILE *, (int fd, const char *mode))
{
    uint64_t start = gptl_posix_start();
    FILE *f = gptl_posix_next.fdopen(fd, mode);
    gptl_posix_status_else(GPTL_POSIX_STDIO, GPTL_CALL_fdopen, fd, f ? 0 : -1, 0,
                           f ? flags_of(mode) : 0, 0, start);
    return f;
}

/* A stream of popen is a pipe and is excluded, but its descriptor number may have an old entry. */
WRAPPER(popen, FILE *, (const char *command, const char *mode))
{
    gptl_posix_share_all();
    FILE *f = gptl_posix_next.popen(command, mode);
    if (f)
        gptl_posix_take(fd_of(f));
    return f;
}

/* fclose writes the buffer before it closes, so the descriptor leaves the table in between. */
static inline int wrap_fclose(FILE *f, unsigned call, int (*next)(FILE *))
{
    uint64_t start = gptl_posix_start();
    int fd = fd_of(f);
    uint32_t entry = gptl_posix_entry(fd);
    unsigned closes = gptl_posix_thread_streams.closes;
    int result = next(f);
    if (closes == gptl_posix_thread_streams.closes)
        gptl_posix_take(fd);
    if (entry & GPTL_POSIX_OFFERED) {
        int error = errno;
        struct gptl_posix_event event = gptl_posix_event(GPTL_POSIX_STDIO, call, fd, result, start);
        event.has_gone = true;
        event.gone = event.gone_last = fd;
        gptl_posix_offer(&event, error);
    }
    return result;
}

WRAPPER(fclose, int, (FILE * f))
{
    return wrap_fclose(f, GPTL_CALL_fclose, gptl_posix_next.fclose);
}

WRAPPER(pclose, int, (FILE * f))
{
    return wrap_fclose(f, GPTL_CALL_pclose, gptl_posix_next.pclose);
}

WRAPPER(fcloseall, int, (void))
{
    uint64_t start = gptl_posix_start();
    int result = gptl_posix_next.fcloseall();
    if (gptl_posix_is_active())
        gptl_posix_offer(&(struct gptl_posix_event){.type = GPTL_POSIX_STDIO,
                                                    .call = GPTL_CALL_fcloseall,
                                                    .fd = -1,
                                                    .data = result,
                                                    .start = start},
                         errno);
    return result;
}
