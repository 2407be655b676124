/*
 * prctl.c - before libc's prctl: a program that disables the time-stamp counter (PR_SET_TSC) would be
 * ended by the next start of a region.
 */
#include "config.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/options.h"
#include "core/state.h"

/* Weak, as a program linked with -static may have that of libc as well. */
int prctl(int option, ...) __attribute__((weak, visibility("default")));
extern void *dlsym(void *handle, const char *name) __attribute__((weak));

/* The disabled thread is converted here and now, others when they come. */
static void change_clock(void)
{
    gptl_clock_lose_counter();
    gptl_lock();
    if (gptl_is_on())
        gptl_options_apply();
    gptl_unlock();
}

int prctl(int option, ...)
{
    unsigned long argument[4];
    va_list list;
    va_start(list, option);
    for (int i = 0; i < 4; i++) /* the kernel looks at those that the option has */
        argument[i] = va_arg(list, unsigned long);
    va_end(list);
#ifdef PR_SET_TSC
    if (option == PR_SET_TSC && argument[0] == PR_TSC_SIGSEGV)
        change_clock();
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
