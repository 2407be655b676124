/*
 * kernel.h - system calls without libc: a program may define a `syscall` function, libgptl_io
 * interposes libc's functions, and some of those functions are cancellation points. The calls set
 * errno as libc does.
 */
#ifndef GPTL_CORE_KERNEL_H
#define GPTL_CORE_KERNEL_H

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline long gptl_kernel_six(long n, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__) && !defined(__ILP32__)
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = n;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc 0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
    long result = x0;
#else
    return syscall(n, a, b, c, d, e, f);
#endif
    if ((unsigned long)result > -4096ul) {
        errno = (int)-result;
        return -1;
    }
    return result;
}
#define GPTL_KERNEL_SEVEN(n, a, b, c, d, e, f, ...)                                                \
    gptl_kernel_six((long)(n), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define gptl_kernel_call(...) GPTL_KERNEL_SEVEN(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)

/*
 * Set the signal mask through the kernel, including the signals that libc reserves for cancellation
 * and hides.
 */
static inline void gptl_kernel_set_mask(const sigset_t *mask, sigset_t *before)
{
    gptl_kernel_call(SYS_rt_sigprocmask, SIG_SETMASK, mask, before, sizeof(uint64_t));
}

#endif
