/*
 * wrap_format.c - the wrappers of variadic stream calls, which pass their list to the variants with
 * a va_list.
 */
#include "config.h"

#include <stdarg.h>

#include "posix/next.h"
#include "posix/follow.h"
#include "posix/offer.h"
#include "posix/stream.h"

/* PARAMS end with a format; ARGS are the arguments of the variant with a va_list. */
#define PRINTS(name, params, format, next, args, stream)                                           \
    __attribute__((visibility("default"))) int gptl_wrap_##name params __asm__(#name);             \
    int gptl_wrap_##name params                                                                    \
    {                                                                                              \
        uint64_t start = gptl_posix_start();                                                       \
        va_list list;                                                                              \
        va_start(list, format);                                                                    \
        int result = gptl_posix_next.next args;                                                    \
        va_end(list);                                                                              \
        gptl_posix_stream_moved(GPTL_POSIX_STDIO_WRITE, GPTL_CALL_##name, stream, result, -1,      \
                                start);                                                            \
        return result;                                                                             \
    }
PRINTS(printf, (const char *format, ...), format, vprintf, (format, list), stdout)
PRINTS(fprintf, (FILE * f, const char *format, ...), format, vfprintf, (f, format, list), f)
PRINTS(__printf_chk, (int flag, const char *format, ...), format, __vprintf_chk,
       (flag, format, list), stdout)
PRINTS(__fprintf_chk, (FILE * f, int flag, const char *format, ...), format, __vfprintf_chk,
       (f, flag, format, list), f)
PRINTS(wprintf, (const wchar_t *format, ...), format, vwprintf, (format, list), stdout)
PRINTS(fwprintf, (FILE * f, const wchar_t *format, ...), format, vfwprintf, (f, format, list), f)
PRINTS(__wprintf_chk, (int flag, const wchar_t *format, ...), format, __vwprintf_chk,
       (flag, format, list), stdout)
PRINTS(__fwprintf_chk, (FILE * f, int flag, const wchar_t *format, ...), format, __vfwprintf_chk,
       (f, flag, format, list), f)

#define SCANS(name, params, format, next, args, stream)                                            \
    __attribute__((visibility("default"))) int gptl_wrap_##name params __asm__(#name);             \
    int gptl_wrap_##name params                                                                    \
    {                                                                                              \
        uint64_t start = gptl_posix_start();                                                       \
        va_list list;                                                                              \
        va_start(list, format);                                                                    \
        int result = gptl_posix_next.next args;                                                    \
        va_end(list);                                                                              \
        gptl_posix_stream_called(GPTL_CALL_##name, stream, result, 0, 0, start);                   \
        return result;                                                                             \
    }
SCANS(scanf, (const char *format, ...), format, vscanf, (format, list), stdin)
SCANS(fscanf, (FILE * f, const char *format, ...), format, vfscanf, (f, format, list), f)
SCANS(__isoc99_scanf, (const char *format, ...), format, __isoc99_vscanf, (format, list), stdin)
SCANS(__isoc99_fscanf, (FILE * f, const char *format, ...), format, __isoc99_vfscanf,
      (f, format, list), f)
SCANS(__isoc23_scanf, (const char *format, ...), format, __isoc23_vscanf, (format, list), stdin)
SCANS(__isoc23_fscanf, (FILE * f, const char *format, ...), format, __isoc23_vfscanf,
      (f, format, list), f)
SCANS(wscanf, (const wchar_t *format, ...), format, vfwscanf, (stdin, format, list), stdin)
SCANS(fwscanf, (FILE * f, const wchar_t *format, ...), format, vfwscanf, (f, format, list), f)
SCANS(__isoc99_wscanf, (const wchar_t *format, ...), format, __isoc99_vfwscanf,
      (stdin, format, list), stdin)
SCANS(__isoc99_fwscanf, (FILE * f, const wchar_t *format, ...), format, __isoc99_vfwscanf,
      (f, format, list), f)
SCANS(__isoc23_wscanf, (const wchar_t *format, ...), format, __isoc23_vfwscanf,
      (stdin, format, list), stdin)
SCANS(__isoc23_fwscanf, (FILE * f, const wchar_t *format, ...), format, __isoc23_vfwscanf,
      (f, format, list), f)

/* ---- Output to a descriptor ------------------------------------------------------------------ */

/* Some versions of libc use a temporary stream, whose writes streams.c reports. */
struct printing {
    uint64_t start;
    unsigned writes;
    struct gptl_posix_following f;
};

static struct printing begin(int fd)
{
    struct printing p = {.writes = gptl_posix_thread_streams.writes};
    if (gptl_posix_is_others(fd))
        gptl_posix_follow(&p.f, fd);
    p.start = gptl_posix_start();
    return p;
}

static void printed(const struct printing *p, unsigned call, int fd, int result)
{
    struct gptl_posix_following none = {.is_new = p->f.is_new, .found = p->f.found};
    if (p->writes != gptl_posix_thread_streams.writes)
        gptl_posix_moved_followed(&none, GPTL_POSIX_STDIO_WRITE, call, fd, result, result,
                                  p->start);
    else
        gptl_posix_moved_followed(&p->f, GPTL_POSIX_WRITE, call, fd, result, result, p->start);
}

WRAPPER(vdprintf, int, (int fd, const char *format, va_list list))
{
    struct printing p = begin(fd);
    int result = gptl_posix_next.vdprintf(fd, format, list);
    printed(&p, GPTL_CALL_vdprintf, fd, result);
    return result;
}

WRAPPER(__vdprintf_chk, int, (int fd, int flag, const char *format, va_list list))
{
    struct printing p = begin(fd);
    int result = gptl_posix_next.__vdprintf_chk(fd, flag, format, list);
    printed(&p, GPTL_CALL___vdprintf_chk, fd, result);
    return result;
}

#define DPRINTF(name, params, next, args)                                                          \
    __attribute__((visibility("default"))) int gptl_wrap_##name params __asm__(#name);             \
    int gptl_wrap_##name params                                                                    \
    {                                                                                              \
        struct printing p = begin(fd);                                                             \
        va_list list;                                                                              \
        va_start(list, format);                                                                    \
        int result = gptl_posix_next.next args;                                                    \
        va_end(list);                                                                              \
        printed(&p, GPTL_CALL_##name, fd, result);                                                 \
        return result;                                                                             \
    }
DPRINTF(dprintf, (int fd, const char *format, ...), vdprintf, (fd, format, list))
DPRINTF(__dprintf_chk, (int fd, int flag, const char *format, ...), __vdprintf_chk,
        (fd, flag, format, list))
