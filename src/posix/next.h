/*
 * next.h - the next definitions of the wrapped functions, and the numbers of the calls; both from
 * calls.def.
 */
#ifndef GPTL_POSIX_NEXT_H
#define GPTL_POSIX_NEXT_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* config.h defines it */
#endif

#include <aio.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <termios.h>
#include <time.h>
#include <utime.h>
#include <wchar.h>

/* Macros in optimized builds. */
#undef fread_unlocked
#undef fwrite_unlocked

/*
 * Directory argument for a path that is not relative to any directory, like a symbolic link's
 * content.
 */
enum { GPTL_POSIX_TEXT = -0x7ffffff };

enum gptl_posix_call {
    GPTL_CALL_NONE,
#define CALL(name, ret, params, args) GPTL_CALL_##name,
#define VARIADIC(name) GPTL_CALL_##name,
#include "posix/calls.def"
    GPTL_NCALLS
};

/*
 * Never NULL. Before setup, each pointer finds its function on the first call; if libc lacks the
 * function, the call fails.
 */
extern struct gptl_posix_next {
#define CALL(name, ret, params, args) ret(*name) params;
#include "posix/calls.def"
} gptl_posix_next;

/*
 * Define the wrapper of NAME. It has another C name, because headers declare NAME in various ways.
 */
#define WRAPPER(name, ret, params)                                                                 \
    __attribute__((visibility("default"))) ret gptl_wrap_##name params __asm__(#name);             \
    ret gptl_wrap_##name params

/*
 * Return the next vfork, also before setup. The caller must jump to it: vfork returns twice, so a
 * calling function would return twice too.
 */
void *gptl_posix_next_vfork(void);
/* Return the next function named NAME; never NULL. */
void *gptl_posix_find(const char *name);
/* Find all functions. */
void gptl_posix_find_next(void);

#endif
