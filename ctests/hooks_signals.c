/*
 * Instrumented signal handlers after every single instruction of a call of an instrumented
 * function: the program's own calls are counted exactly, and the handler's are all counted or
 * reported as skipped. Also handlers that jump away from there, on their own stack or not, at the
 * first event of a thread and the first call of a function: all later events are counted exactly,
 * and no thread waits forever.
 */
#include "hooks.h"

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <ucontext.h>

static __thread volatile long steps, jump_at;
static __thread sigjmp_buf away;
static void (*volatile in_trap)(void);

static void inner(void)
{
    __asm__ volatile("");
}

static void outer(void)
{
    inner();
    inner();
}

static __attribute__((noinline)) void large(void)
{
    volatile char room[6000];
    room[0] = room[5999] = 0;
    inner();
}

static void handled_inside(void)
{
    __asm__ volatile("");
}

static void handled(void)
{
    handled_inside();
}

/* Not in the red zone, where the compiler may keep data. */
#define TRAP(change)                                                                               \
    __asm__ volatile("sub $128, %%rsp\n pushfq\n" change "\n popfq\n add $128, %%rsp"              \
                     :                                                                             \
                     :                                                                             \
                     : "memory", "cc")
#define TRAP_ON TRAP("orq $0x100, (%%rsp)")
#define TRAP_OFF TRAP("andq $~0x100, (%%rsp)")

/* A blocked signal could not have arrived there. */
PLAIN static void handler(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    const ucontext_t *interrupted = context;
    steps++;
    if (in_trap)
        in_trap();
    if (jump_at && steps >= jump_at && !sigismember(&interrupted->uc_sigmask, SIGUSR1)) {
        jump_at = 0;
        siglongjmp(away, 1);
    }
}

PLAIN static void handle(int number, bool own_stack)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    if (own_stack)
        action.sa_flags |= SA_ONSTACK;
    CHECK_OK(sigaction(number, &action, NULL));
}

/* Functions that are called only once: consecutive addresses in this program. */
static uintptr_t fresh;

PLAIN static void call_again(void)
{
    __cyg_profile_func_enter((void *)fresh, NULL);
    __cyg_profile_func_exit((void *)fresh, NULL);
}

/* Another one; the last address stays, and has been called before. */
PLAIN static bool next_fresh(void)
{
    extern char etext;
    uintptr_t next = fresh + (fresh % 2 ? 2 : 1); /* no function begins there */
    if (next < (uintptr_t)&etext)
        fresh = next;
    return fresh + 2 < (uintptr_t)&etext;
}

PLAIN static void call_fresh(void)
{
    next_fresh();
    call_again();
}

/* From a deep stack position, where the library would detect a handler that has interrupted it. */
PLAIN static void call_again_deep(void)
{
    volatile char room[6000];
    room[0] = room[5999] = 0;
    call_again();
}

PLAIN static void call_known(void)
{
    outer();
}

/* ---- A handler that returns ---------------------------------------------------------------- */

PLAIN static void returning(bool own_stack)
{
    int outers = hooks_count(outer), inners = hooks_count(inner);
    int handlers = hooks_count(handled) + hooks_count(handled_inside);
    long skipped = hooks_reported("while the library was at work");
    handle(SIGTRAP, own_stack);
    in_trap = handled;
    steps = 0;
    for (int i = 0; i < 20; i++) {
        TRAP_ON;
        outer();
        call_fresh();
        TRAP_OFF;
        CHECK_INT(hooks_count_at(fresh, -1), 1);
    }
    in_trap = NULL;
    CHECK(steps > 1000);
    CHECK_INT(hooks_count(outer), outers + 20);
    CHECK_INT(hooks_count(inner), inners + 40);
    skipped = hooks_reported("while the library was at work") - skipped;
    /* While the library is active, which reads every clock except the counter there. */
    long unused;
    bool counter = hooks_lines("passed over: nanotime", &unused) == 0;
    CHECK(skipped < (counter ? steps : 2 * steps));
    handlers = hooks_count(handled) + hooks_count(handled_inside) - handlers;
    CHECK_INT(handlers + skipped, 2 * steps);
}

/* ---- Handlers that jump away --------------------------------------------------------------- */

/* False when the call has ended. */
PLAIN static bool jumped(void (*call)(void), long at)
{
    steps = 0;
    jump_at = at;
    if (sigsetjmp(away, 1) == 0) {
        TRAP_ON;
        call();
        TRAP_OFF;
        jump_at = 0;
        return false;
    }
    return true;
}

/* Abandoned calls have ended when this returns. */
static bool item(void (*call)(void), long at)
{
    return jumped(call, at);
}

static atomic_bool done;
static atomic_long others;

/* Another thread that takes the lock repeatedly. */
PLAIN static void *other(void *unused)
{
    char name[32];
    for (long n = 0; !done; n++) {
        snprintf(name, sizeof name, "other %ld", n % 2000);
        CHECK_OK(GPTLstart(name));
        CHECK_OK(GPTLstop(name));
        others++;
        usleep(20);
    }
    return unused;
}

/* All regions, or the calls of the last address when there are no more. */
static bool is_new;

PLAIN static int count_fresh_again(void)
{
    int n = 0;
    if (!is_new)
        return hooks_count_at(fresh, -1);
    CHECK_OK(GPTLget_nregions(-1, &n));
    return n;
}

PLAIN static int count_fresh(void)
{
    is_new = next_fresh();
    return count_fresh_again();
}

PLAIN static void check_after_jump(long at)
{
    int before = count_fresh(), after = before;
    for (int i = 0; i <= 100 && after == before; i++) {
        for (int j = 0; j < 1000 && (i > 0 || j < 10); j++)
            call_again_deep(); /* its large frame may temporarily hide the jump out of the library */
        after = count_fresh_again();
    }
    CHECK_THAT(after > before, "after a jump from instruction %ld: no call", at);
    int outers = hooks_count(outer), inners = hooks_count(inner), larges = hooks_count(large);
    outer();
    large();
    call_known();
    outers = hooks_count(outer) - outers;
    inners = hooks_count(inner) - inners;
    larges = hooks_count(large) - larges;
    CHECK_THAT(outers == 2 && inners == 5 && larges == 1,
               "after a jump from instruction %ld: %d, %d, %d calls instead of 2, 5, 1", at, outers,
               inners, larges);
}

PLAIN static void jumping(void (*call)(void), bool own_stack, long stride)
{
    long at = 1;
    handle(SIGTRAP, own_stack);
    for (; item(call, at); at += stride)
        check_after_jump(at);
    check_after_jump(at);
    CHECK(at > 100);
}

/* The thread's first event is in the call; abandoned calls are detected at some later event. */
PLAIN static void *first_event(void *at)
{
    bool left = jumped(call_known, *(long *)at);
    jumped(call_known, 0);
    item(large, 0);
    check_after_jump(*(long *)at);
    *(long *)at = left ? *(long *)at + 61 : 0;
    return NULL;
}

PLAIN static void jumping_at_first_event(void)
{
    for (long at = 1; at;) {
        pthread_t thread;
        CHECK_OK(pthread_create(&thread, NULL, first_event, &at));
        CHECK_OK(pthread_join(thread, NULL));
    }
}

/* Until a timer's handler jumps away. */
static void work(void)
{
    static volatile long n;
    if (sigsetjmp(away, 1) == 0) {
        jump_at = 1;
        for (;;) {
            outer();
            large();
            if (++n % 64 == 0)
                call_fresh();
        }
    }
}

PLAIN static void jumping_by_timer(void)
{
    struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
    handle(SIGALRM, false);
    CHECK_OK(setitimer(ITIMER_REAL, &often, NULL));
    time_t end = time(NULL) + 1;
    for (long jumps = 0; time(NULL) < end || jumps < 100; jumps++) {
        work();
        check_after_jump(0);
    }
    CHECK_OK(setitimer(ITIMER_REAL, &never, NULL));
}

static void all(void)
{
    stack_t stack = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
    CHECK_OK(sigaltstack(&stack, NULL));
    fresh = (uintptr_t)hooks_count_at;
    while (next_fresh())
        ;
    call_again(); /* a jump must not abandon its first call: it is queried afterwards */
    fresh = (uintptr_t)hooks_count_at;
    for (int i = 0; i < 2; i++) {
        outer();
        large();
        handled();
    }
    returning(false);
    returning(true);

    pthread_t thread;
    CHECK_OK(pthread_create(&thread, NULL, other, NULL));
    jumping(call_known, false, 3);
    jumping(call_known, true, 17);
    jumping(call_fresh, false, 107);
    jumping(call_fresh, true, 127);
    jumping_at_first_event();
    jumping_by_timer();
    long before = others;
    while (others == before)
        usleep(100);
    done = true;
    CHECK_OK(pthread_join(thread, NULL));
    CHECK_INT(GPTLnum_errors(), 0);
}

PLAIN int main(void)
{
    if (getenv("VALGRIND") || (getenv("LD_PRELOAD") && strstr(getenv("LD_PRELOAD"), "vgpreload"))) {
        printf("SKIPPED: valgrind does not know the trap flag\n");
        return 77;
    }
    handle(SIGTRAP, false);
    TRAP_ON;
    TRAP_OFF;
    if (!steps) {
        printf("SKIPPED: the trap flag does nothing here\n");
        return 77;
    }
    CHECK_OK(GPTLinitialize());
    all();
    CHECK_OK(GPTLfinalize());
    return 0;
}

#else

PLAIN int main(void)
{
    printf("SKIPPED: the trap flag is x86-64's, and sanitizers do not like it\n");
    return 77;
}

#endif
