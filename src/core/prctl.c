/*
 * prctl.c - interposes libc's prctl: after a program disables the time-stamp counter (PR_SET_TSC),
 * the next start of a region or a probe would terminate it. Each library contains this file, as
 * each has a clock; static libraries share it.
 */
#include "config.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/counter.h"

/* Weak, since a program linked with -static may contain libc's prctl as well. */
int prctl(int option, ...) __attribute__((weak, visibility("default")));
extern void *dlsym(void *handle, const char *name) __attribute__((weak));

/* NULL if not linked into this library or program. */
void gptl_clock_lose_counter(void) __attribute__((weak, visibility("hidden")));
void gptl_counter_lose(void) __attribute__((weak, visibility("hidden")));

int prctl(int option, ...)
{
    unsigned long argument[4];
    va_list list;
    va_start(list, option);
    for (int i = 0; i < 4; i++) /* the kernel reads the arguments that the option requires */
        argument[i] = va_arg(list, unsigned long);
    va_end(list);
#ifdef PR_SET_TSC
    if (option == PR_SET_TSC && argument[0] == PR_TSC_SIGSEGV) {
        if (gptl_clock_lose_counter)
            gptl_clock_lose_counter();
        if (gptl_counter_lose)
            gptl_counter_lose();
    }
#endif
    static int (*_Atomic next)(int, ...);
    if (!next && dlsym) {
        int (*found)(int, ...);
        *(void **)&found = dlsym(RTLD_NEXT, "prctl");
        next = found;
    }
    if (next)
        return next(option, argument[0], argument[1], argument[2], argument[3]);
    return (int)syscall(SYS_prctl, option, argument[0], argument[1], argument[2], argument[3]);
}
