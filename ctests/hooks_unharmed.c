/*
 * State that hooks preserve: errno, the floating-point environment, also with traps enabled, the
 * registers of return values. Hooks also work on an unaligned stack, with invalid addresses, with
 * entries and exits without a counterpart, and for code that was generated at run time.
 */
#include "hooks.h"

#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <sys/mman.h>

static void leaf(void)
{
    __asm__ volatile("");
}

/* Each round begins with new addresses, so that the hooks take all their paths. */
static uintptr_t fresh;

PLAIN static void hook_pair(void)
{
    fresh++;
    __cyg_profile_func_enter((void *)fresh, NULL);
    leaf();
    __cyg_profile_func_exit((void *)fresh, NULL);
}

PLAIN static void check_errno(void)
{
    for (int i = 0; i < 300; i++) {
        errno = 1000 + i;
        hook_pair();
        CHECK_INT(errno, 1000 + i);
    }
}

PLAIN static void check_floating(void)
{
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (int i = 0; i < 100; i++) {
        fenv_t before, after;
        feclearexcept(FE_ALL_EXCEPT);
        fesetround(modes[i % 4]);
        feraiseexcept(i % 3 ? FE_INEXACT : FE_DIVBYZERO);
        fegetenv(&before);
        hook_pair();
        fegetenv(&after);
        CHECK_INT(memcmp(&before, &after, sizeof before), 0);
        CHECK_INT(fegetround(), modes[i % 4]);
        CHECK_INT(fetestexcept(FE_ALL_EXCEPT), i % 3 ? FE_INEXACT : FE_DIVBYZERO);
    }
    fesetround(FE_TONEAREST);
    feclearexcept(FE_ALL_EXCEPT);
    for (int i = 0; i < 100; i++) {
        if (feenableexcept(FE_ALL_EXCEPT) < 0)
            break; /* processors without traps exist, for example many of Arm's */
        /* Now a floating-point operation of the library would end this program. */
        hook_pair();
        CHECK_INT(fegetexcept(), FE_ALL_EXCEPT);
        fedisableexcept(FE_ALL_EXCEPT);
    }
#if defined(__x86_64__)
    unsigned short single = 0x007f, control; /* x87: 24 bits of precision */
    __asm__ volatile("fldcw %0" : : "m"(single));
    hook_pair();
    __asm__ volatile("fnstcw %0" : "=m"(control));
    CHECK_INT(control, single);
    __asm__ volatile("fninit");
#endif
}

static double returns_double(double x)
{
    return x * 2;
}

static _Complex double returns_complex(double x)
{
    return x + 1;
}

struct large {
    long a[8];
};

static struct large returns_struct(long x)
{
    struct large l = {{x, x, x, x, x, x, x, x}};
    return l;
}

static long many(long a, long b, long c, long d, long e, long f, long g, double h, float i)
{
    return a + b + c + d + e + f + g + (long)h + (long)i;
}

static void check_results(void)
{
    for (int i = 0; i < 100; i++) {
        CHECK(returns_double(i) == 2.0 * i);
        CHECK(__real__ returns_complex(i) == i + 1.0);
        CHECK_INT(returns_struct(i).a[7], i);
        CHECK_INT(many(1, 2, 3, 4, 5, 6, 7, 8, 9), 45);
    }
    CHECK_INT(hooks_count(many), 100);
}

#if defined(__x86_64__)
/* Call CALLED with its two arguments, on a stack that is misaligned by SHIFT bytes. */
PLAIN static void call_shifted(void (*called)(void *, void *), void *function, long shift)
{
    __asm__ volatile("mov %%rsp, %%rbx\n"
                     "sub $256, %%rsp\n"
                     "and $-16, %%rsp\n"
                     "sub %2, %%rsp\n"
                     "xor %%esi, %%esi\n"
                     "call *%1\n"
                     "mov %%rbx, %%rsp\n"
                     : "+D"(function)
                     : "r"(called), "r"(shift)
                     : "rbx", "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc",
                       "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7");
}

PLAIN static void check_alignment(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return; /* their code in the fast path assumes the usual alignment */
#endif
    for (long i = 0; i < 300; i++) {
        fresh++;
        call_shifted(__cyg_profile_func_enter, (void *)fresh, i % 16);
        call_shifted(__cyg_profile_func_exit, (void *)fresh, i % 16);
        CHECK_INT(hooks_count_at(fresh, -1), 1);
    }
}

/* Functions of a program that generates code: their memory belongs to no module. */
PLAIN static void check_made_code(void)
{
    unsigned char *code =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(code != MAP_FAILED);
    unsigned char *p = code;
    void *hooks[2] = {(void *)__cyg_profile_func_enter, (void *)__cyg_profile_func_exit};
    *p++ = 0x53; /* push %rbx: aligns the stack */
    for (int i = 0; i < 2; i++) {
        void *self = code;
        memcpy(p, "\x48\xbf", 2); /* movabs $self, %rdi */
        memcpy(p + 2, &self, 8);
        memcpy(p + 10, "\x31\xf6\x48\xb8", 4); /* xor %esi, %esi; movabs $hook, %rax */
        memcpy(p + 14, &hooks[i], 8);
        memcpy(p + 22, "\xff\xd0", 2); /* call *%rax */
        p += 24;
    }
    memcpy(p, "\x5b\xc3", 2);
    char name[64];
    int count = 0;
    for (int i = 0; i < 10; i++)
        ((void (*)(void))(uintptr_t)code)();
    snprintf(name, sizeof name, "_+0x%llx", (unsigned long long)(uintptr_t)code);
    CHECK_OK(GPTLget_count(name, -1, &count));
    CHECK_INT(count, 10);
    munmap(code, 4096);
}
#else
PLAIN static void check_alignment(void) {}
PLAIN static void check_made_code(void) {}
#endif

PLAIN static void check_absurd(void)
{
    static const uintptr_t absurd[] = {0,
                                       1,
                                       2,
                                       7,
                                       4096,
                                       UINTPTR_MAX,
                                       UINTPTR_MAX - 1,
                                       (uintptr_t)1 << 47,
                                       (uintptr_t)1 << 63,
                                       0x0001000000000001};
    int leaves = hooks_count(leaf), n = sizeof absurd / sizeof *absurd;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < n; i++)
            __cyg_profile_func_exit((void *)absurd[i], NULL);
        for (int i = 0; i < n; i++) {
            __cyg_profile_func_enter((void *)absurd[i], (void *)absurd[n - 1 - i]);
            leaf();
        }
        for (int i = n - 1; i >= 0; i--)
            __cyg_profile_func_exit((void *)absurd[i], NULL);
        for (int i = 0; i < n; i++)
            __cyg_profile_func_exit((void *)absurd[i], NULL);
    }
    CHECK_INT(hooks_count(leaf), leaves + 3 * n);
}

/* Exits without an entry change nothing; entries without an exit end with the enclosing call. */
static void around(int n)
{
    for (int i = 0; i < n; i++) {
        __cyg_profile_func_enter((void *)(fresh + (uintptr_t)(i % 7)), NULL);
        __cyg_profile_func_exit((void *)(fresh + 1000 + (uintptr_t)(i % 7)), NULL);
        leaf();
    }
}

PLAIN static void check_unmatched(void)
{
    int leaves = hooks_count(leaf);
    for (int i = 0; i < 20; i++)
        around(50);
    CHECK_INT(hooks_count(around), 20);
    CHECK_INT(hooks_count(leaf), leaves + 1000);
}

PLAIN static void *in_thread(void *unused)
{
    errno = 77;
    leaf();
    CHECK_INT(errno, 77);
    CHECK_INT(hooks_count(leaf), 1);
    feenableexcept(FE_ALL_EXCEPT);
    hook_pair();
    fedisableexcept(FE_ALL_EXCEPT);
    return unused;
}

int main(void)
{
    pthread_t thread;
    CHECK_OK(GPTLinitialize());
    fresh = (uintptr_t)hooks_name;
    leaf();
    check_errno();
    check_floating();
    check_results();
    check_alignment();
    check_made_code();
    check_absurd();
    check_unmatched();
    CHECK_OK(pthread_create(&thread, NULL, in_thread, NULL));
    CHECK_OK(pthread_join(thread, NULL));
    CHECK_INT(GPTLnum_errors(), 0);
    return 0;
}
