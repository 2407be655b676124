/*
 * confine.h - a process that restricts its system calls with a filter: from then on the libraries
 * make no system calls, because an unexpected one ends the process.
 */
#ifndef GPTL_POSIX_CONFINE_H
#define GPTL_POSIX_CONFINE_H

#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/*
 * Return true if this process started with a filter that `gptl run` itself does not have. The
 * allowed calls are then unknown, and nothing is measured.
 */
bool gptl_posix_began_confined(char **environment);

/* Return true if system call N (prctl or seccomp) with A, B and FILTER installs a filter. */
static inline bool gptl_posix_sets_filter(long n, unsigned long a, unsigned long b,
                                          unsigned long filter)
{
    return n == SYS_prctl ? a == PR_SET_SECCOMP && b == SECCOMP_MODE_FILTER && filter
                          : a == SECCOMP_SET_MODE_FILTER && filter;
}

/* Return true if the call enables strict mode. SECCOMP_SET_MODE_STRICT takes no arguments. */
static inline bool gptl_posix_sets_strict(long n, unsigned long a, unsigned long b,
                                          unsigned long filter)
{
    return n == SYS_prctl ? a == PR_SET_SECCOMP && b == SECCOMP_MODE_STRICT
                          : a == SECCOMP_SET_MODE_STRICT && filter == 0 && b == 0;
}

/* Return true if system call N with A and B disables the time-stamp counter. */
static inline bool gptl_posix_disables_counter(long n, unsigned long a, unsigned long b)
{
    return n == SYS_prctl && a == PR_SET_TSC && b == PR_TSC_SIGSEGV;
}

/*
 * Return true if system call N with A and B creates a process as fork does: with separate memory,
 * on this stack.
 */
static inline bool gptl_posix_forks(long n, unsigned long a, unsigned long b)
{
#ifdef SYS_fork
    if (n == SYS_fork)
        return true;
#endif
    return n == SYS_clone && !(a & CLONE_VM) && b == 0;
}

#endif
