/*
 * confine.c - a process of `gptl run` that lets a filter restrict its system calls (seccomp): one that the
 * filter does not expect ends it, so the libraries make none from then on, whichever of them are loaded.
 */
#include "config.h"

#include "run/confine.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdatomic.h>

#include "posix/confine.h"
#include "posix/raw.h"

/* libgptl, where it is in the process. */
extern void gptl_core_confine(int begins) __attribute__((weak));

static atomic_bool is_confined;

bool gptl_run_is_confined(void)
{
    return atomic_load(&is_confined);
}

static void confine(bool begins)
{
    atomic_store(&is_confined, begins);
    if (gptl_core_confine)
        gptl_core_confine(begins);
}

/* Returns whether it became confined for the call N, which may be refused. */
static bool make_ready(long n, unsigned long a, unsigned long b, unsigned long filter)
{
    if (atomic_load(&is_confined) ||
        (!gptl_posix_sets_filter(n, a, b, filter) && !gptl_posix_sets_strict(n, a, b, filter)))
        return false;
    confine(true);
    return true;
}

/* ---- The functions that come after ours ------------------------------------------------------ */

static void *_Atomic next_prctl, *_Atomic next_syscall;

static void *next_of(void *_Atomic *place, const char *name)
{
    void *found = atomic_load_explicit(place, memory_order_relaxed);
    if (!found)
        atomic_store(place, found = dlsym(RTLD_NEXT, name));
    return found;
}

/* The linker may make system calls, which a filter may not expect. */
void gptl_run_confine_begin(void)
{
    next_of(&next_prctl, "prctl");
    next_of(&next_syscall, "syscall");
}

__attribute__((visibility("default"))) int gptl_run_prctl(int option, ...) __asm__("prctl");
int gptl_run_prctl(int option, ...)
{
    unsigned long word[4];
    va_list list;
    va_start(list, option);
    for (int i = 0; i < 4; i++)
        word[i] = va_arg(list, unsigned long);
    va_end(list);
    int (*next)(int, ...);
    *(void **)&next = next_of(&next_prctl, "prctl");
    bool ready = make_ready(SYS_prctl, (unsigned long)option, word[0], word[1]);
    int result = next(option, word[0], word[1], word[2], word[3]);
    if (ready && result != 0)
        confine(false);
    return result;
}

/* Declared with all the words that it may have: so it goes on by a jump, and takes no stack. */
__attribute__((visibility("default"))) long gptl_run_syscall(long n, unsigned long a,
                                                             unsigned long b, unsigned long c,
                                                             unsigned long d, unsigned long e,
                                                             unsigned long f) __asm__("syscall");
long gptl_run_syscall(long n, unsigned long a, unsigned long b, unsigned long c, unsigned long d,
                      unsigned long e, unsigned long f)
{
    long (*next)(long, unsigned long, unsigned long, unsigned long, unsigned long, unsigned long,
                 unsigned long);
    *(void **)&next = next_of(&next_syscall, "syscall");
    if (__builtin_expect((n == SYS_seccomp || n == SYS_prctl) && make_ready(n, a, b, c), 0)) {
        long result = next(n, a, b, c, d, e, f);
        if (result != 0)
            confine(false);
        return result;
    }
    return next(n, a, b, c, d, e, f);
}
