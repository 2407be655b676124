/*
 * wrap_format.c - the wrappers of variadic calls for streams, which hand their list on to those that
 * take one.
 */
#include "config.h"

#include <stdarg.h>

#include "posix/next.h"
#include "posix/offer.h"
#include "posix/stream.h"
#include "posix/streams.h"

/* PARAMS end in a format, ARGS are those of the function that takes a list. */
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

/* ---- To a descriptor ------------------------------------------------------------------------- */

/* Some versions of libc make a stream for that, which tells of what it writes. */
static void printed(unsigned call, int fd, int result, unsigned writes, uint64_t start)
{
    bool by_stream = writes != gptl_posix_thread_streams.writes;
    gptl_posix_moved(by_stream ? GPTL_POSIX_STDIO_WRITE : GPTL_POSIX_WRITE, call, fd, result,
                     result, start);
}

WRAPPER(vdprintf, int, (int fd, const char *format, va_list list))
{
    uint64_t start = gptl_posix_start();
    unsigned writes = gptl_posix_thread_streams.writes;
    int result = gptl_posix_next.vdprintf(fd, format, list);
    printed(GPTL_CALL_vdprintf, fd, result, writes, start);
    return result;
}

WRAPPER(__vdprintf_chk, int, (int fd, int flag, const char *format, va_list list))
{
    uint64_t start = gptl_posix_start();
    unsigned writes = gptl_posix_thread_streams.writes;
    int result = gptl_posix_next.__vdprintf_chk(fd, flag, format, list);
    printed(GPTL_CALL___vdprintf_chk, fd, result, writes, start);
    return result;
}

#define DPRINTF(name, params, next, args)                                                          \
    __attribute__((visibility("default"))) int gptl_wrap_##name params __asm__(#name);             \
    int gptl_wrap_##name params                                                                    \
    {                                                                                              \
        uint64_t start = gptl_posix_start();                                                       \
        unsigned writes = gptl_posix_thread_streams.writes;                                        \
        va_list list;                                                                              \
        va_start(list, format);                                                                    \
        int result = gptl_posix_next.next args;                                                    \
        va_end(list);                                                                              \
        printed(GPTL_CALL_##name, fd, result, writes, start);                                      \
        return result;                                                                             \
    }
DPRINTF(dprintf, (int fd, const char *format, ...), vdprintf, (fd, format, list))
DPRINTF(__dprintf_chk, (int fd, int flag, const char *format, ...), __vdprintf_chk,
        (fd, flag, format, list))
