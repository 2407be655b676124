/*
 * confine.c - handles processes of `gptl run` that restrict their system calls by a filter
 * (seccomp). An unexpected system call would terminate the process, so all of the libraries that
 * are loaded make none from then on.
 */
#include "config.h"

#include "run/confine.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>

#include "core/fork.h"
#include "posix/confine.h"
#include "posix/raw.h"

/* libgptl, if the process contains it. */
extern void gptl_core_confine(int begins) __attribute__((weak));
#pragma weak gptl_core_fork

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

/*
 * Enter confined mode before call N if it installs a filter; the call may still fail. Return
 * whether the mode changed.
 */
static bool make_ready(long n, unsigned long a, unsigned long b, unsigned long filter)
{
    if (atomic_load(&is_confined) ||
        (!gptl_posix_sets_filter(n, a, b, filter) && !gptl_posix_sets_strict(n, a, b, filter)))
        return false;
    confine(true);
    return true;
}

/* ---- Next definitions ------------------------------------------------------------------------ */

static void *_Atomic next_prctl, *_Atomic next_syscall;

static void *next_of(void *_Atomic *place, const char *name)
{
    void *found = atomic_load_explicit(place, memory_order_relaxed);
    if (!found)
        atomic_store(place, found = dlsym(RTLD_NEXT, name));
    return found;
}

/* Resolve both functions now: the dynamic linker may make system calls that a filter forbids. */
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

/* Fork with the raw system call NEXT, for which libc calls no fork handlers. */
static __attribute__((noinline, cold)) long fork_by(long (*next)(long, unsigned long, unsigned long,
                                                                 unsigned long, unsigned long,
                                                                 unsigned long, unsigned long),
                                                    long n, unsigned long a, unsigned long c,
                                                    unsigned long d, unsigned long e)
{
    if (gptl_core_fork)
        gptl_core_fork(GPTL_FORK_BEGINS);
    long result = next(n, a, 0, c, d, e, 0);
    int error = errno;
    if (gptl_core_fork)
        gptl_core_fork(result == 0 ? GPTL_FORK_IN_CHILD : GPTL_FORK_IN_PARENT);
    errno = error;
    return result;
}

/*
 * Declared with all possible arguments, so that it forwards the call by a jump and uses no stack.
 */
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
    if (__builtin_expect(gptl_posix_disables_counter(n, a, b),
                         0)) /* so that all libraries see it */
        return gptl_run_prctl((int)a, b, c, d, e);
    if (__builtin_expect((n == SYS_seccomp || n == SYS_prctl) && make_ready(n, a, b, c), 0)) {
        long result = next(n, a, b, c, d, e, f);
        if (result != 0)
            confine(false);
        return result;
    }
    if (__builtin_expect(gptl_posix_forks(n, a, b), 0))
        return fork_by(next, n, a, c, d, e);
    return next(n, a, b, c, d, e, f);
}
