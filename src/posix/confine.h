/*
 * confine.h - a process that lets a filter restrict its system calls: from then on the libraries make none,
 * since one that the filter does not expect ends the process.
 */
#ifndef GPTL_POSIX_CONFINE_H
#define GPTL_POSIX_CONFINE_H

#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/*
 * Whether this process began with a filter that `gptl run` does not have itself: which calls it allows is not
 * known, and nothing is measured.
 */
bool gptl_posix_began_confined(char **environment);

/* Whether the system call N, prctl or seccomp, with A and B, sets a filter. */
static inline bool gptl_posix_sets_filter(long n, unsigned long a, unsigned long b,
                                          unsigned long filter)
{
    return n == SYS_prctl ? a == PR_SET_SECCOMP && b == SECCOMP_MODE_FILTER && filter
                          : a == SECCOMP_SET_MODE_FILTER && filter;
}

/* The same for strict mode. SECCOMP_SET_MODE_STRICT takes no words. */
static inline bool gptl_posix_sets_strict(long n, unsigned long a, unsigned long b,
                                          unsigned long filter)
{
    return n == SYS_prctl ? a == PR_SET_SECCOMP && b == SECCOMP_MODE_STRICT
                          : a == SECCOMP_SET_MODE_STRICT && filter == 0 && b == 0;
}

/* Whether the system call N with A and B disables the time-stamp counter. */
static inline bool gptl_posix_disables_counter(long n, unsigned long a, unsigned long b)
{
    return n == SYS_prctl && a == PR_SET_TSC && b == PR_TSC_SIGSEGV;
}

/* Whether the system call N with A and B makes a process as fork does: with memory of its own, and this stack. */
static inline bool gptl_posix_forks(long n, unsigned long a, unsigned long b)
{
#ifdef SYS_fork
    if (n == SYS_fork)
        return true;
#endif
    return n == SYS_clone && !(a & CLONE_VM) && b == 0;
}

#endif
