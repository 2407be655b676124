/*
 * next.h - the functions that the wrappers stand in front of, and the numbers of the calls; both from
 * calls.def.
 */
#ifndef GPTL_POSIX_NEXT_H
#define GPTL_POSIX_NEXT_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* config.h has it */
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

/* Macros, where the compiler optimizes. */
#undef fread_unlocked
#undef fwrite_unlocked

/* A path that is relative to nothing: what a symbolic link says. */
enum { GPTL_POSIX_TEXT = -0x7ffffff };

enum gptl_posix_call {
    GPTL_CALL_NONE,
#define CALL(name, ret, params, args) GPTL_CALL_##name,
#define VARIADIC(name) GPTL_CALL_##name,
#include "posix/calls.def"
    GPTL_NCALLS
};

/* They are never NULL. Before setup they find themselves; where libc has none, they fail. */
extern struct gptl_posix_next {
#define CALL(name, ret, params, args) ret(*name) params;
#include "posix/calls.def"
} gptl_posix_next;

/* The wrapper of NAME: not declared by its name, as headers do that in ways of their own. */
#define WRAPPER(name, ret, params)                                                                 \
    __attribute__((visibility("default"))) ret gptl_wrap_##name params __asm__(#name);             \
    ret gptl_wrap_##name params

/* The next vfork, also before setup. It must not be called by a function, which it would return to twice. */
void *gptl_posix_next_vfork(void);
/* The next function of this name; never NULL. */
void *gptl_posix_find(const char *name);
/* Finds all functions. */
void gptl_posix_find_next(void);

#endif
