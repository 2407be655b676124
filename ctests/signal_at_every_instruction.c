/*
 * A signal handler that starts and stops a region after every single instruction of the library: at
 * no moment does it disturb the region that the program starts or stops.
 *
 * The processor's trap flag makes each instruction end with SIGTRAP.
 */
#include <signal.h>

#include "check.h"

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

static volatile sig_atomic_t trapped, failed;
static const char *const in_handler[] = {"in handler", "second in handler", "third"};

static void handler(int signal_number)
{
    (void)signal_number;
    const char *name = in_handler[trapped++ % 3]; /* not always the most recent one */
    failed += GPTLstart(name) != 0;
    failed += GPTLstop(name) != 0;
}

/* Not in the red zone, where the compiler may keep data. */
static inline void trap(int on)
{
    if (on)
        __asm__ volatile("sub $128, %%rsp\n pushfq\n orq $0x100, (%%rsp)\n popfq\n add $128, %%rsp"
                         :
                         :
                         : "memory", "cc");
    else
        __asm__ volatile(
            "sub $128, %%rsp\n pushfq\n andq $~0x100, (%%rsp)\n popfq\n add $128, %%rsp"
            :
            :
            : "memory", "cc");
}

/* Each of these with all else unchanged before and after. */
#define TRAPPED(call)                                                                              \
    do {                                                                                           \
        trap(1);                                                                                   \
        int trapped_rc = call;                                                                     \
        trap(0);                                                                                   \
        CHECK_THAT(trapped_rc == 0, "%s is %d, expected 0", #call, trapped_rc);                    \
        CHECK_THAT(!failed, "%d calls in the handler failed during %s", (int)failed, #call);       \
    } while (0)

static void pairs(int n)
{
    static int handle;
    int open = 0;
    char buffer[32];
    for (int i = 0; i < n; i++) {
        TRAPPED(GPTLstart("literal"));
        snprintf(buffer, sizeof buffer, "buffer %d", i % 3);
        TRAPPED(GPTLstart(buffer));
        TRAPPED(GPTLstart("literal")); /* recursion */
        TRAPPED(GPTLstop("literal"));
        TRAPPED(GPTLstop(buffer));
        TRAPPED(GPTLstart_handle("handle", &handle));
        TRAPPED(GPTLstop_handle("handle", &handle));
        TRAPPED(GPTLstartf("padded   ", 9));
        TRAPPED(GPTLstopf("padded   ", 9));
        TRAPPED(GPTLstop("literal"));
        TRAPPED(GPTLstart("A")); /* crossed */
        TRAPPED(GPTLstart("B"));
        TRAPPED(GPTLstop("A"));
        TRAPPED(GPTLstop("B"));
        TRAPPED(GPTLstartstop_val("val", 1));
        CHECK_OK(GPTLquery("literal", -1, NULL, &open, NULL, NULL, NULL, NULL, 0));
        CHECK_INT(open, 0);
    }
    CHECK_INT(check_count("literal", -1), 2 * n);
    CHECK_INT(check_count("buffer 0", -1), (n + 2) / 3);
    CHECK_INT(check_count("handle", -1), n);
    CHECK_INT(check_count("padded", -1), n);
    CHECK_INT(check_count("A", -1), n);
    CHECK_INT(check_count("B", -1), n);
    CHECK_INT(check_count("val", -1), n);
}

static void rest(void)
{
    TRAPPED(GPTLprefix_set("p:"));
    TRAPPED(GPTLstart("x"));
    TRAPPED(GPTLprefix_unset());
    TRAPPED(GPTLstop("x"));
    CHECK_INT(check_count("p:x", -1), 1);
    TRAPPED(GPTLmark("m"));
    TRAPPED(GPTLdisable());
    TRAPPED(GPTLstart("x"));
    TRAPPED(GPTLenable());
    TRAPPED(GPTLstop("x"));
    TRAPPED(GPTLreset_timer("literal"));
    int count = -1;
    TRAPPED(GPTLget_count("literal", -1, &count));
    CHECK_INT(count, 0);
    TRAPPED(GPTLreset());
    CHECK_INT(check_count("handle", -1), 0);
    char name[16];
    for (int i = 0; i < 230; i++) { /* the tables grow while the last ones are created */
        snprintf(name, sizeof name, "new %d", i);
        if (i < 180) {
            CHECK_OK(GPTLstart(name));
            CHECK_OK(GPTLstop(name));
        } else {
            TRAPPED(GPTLstart(name));
            TRAPPED(GPTLstop(name));
        }
        CHECK_INT(check_count(name, -1), 1);
    }
    for (int i = 0; i < 70; i++)
        TRAPPED(GPTLstart("deep")); /* the stack grows */
    for (int i = 0; i < 70; i++)
        TRAPPED(GPTLstop("deep"));
    CHECK_INT(check_count("deep", -1), 70);
}

int main(void)
{
    if (getenv("VALGRIND") || (getenv("LD_PRELOAD") && strstr(getenv("LD_PRELOAD"), "vgpreload"))) {
        printf("SKIPPED: valgrind does not know the trap flag\n");
        return 77;
    }
    struct sigaction action = {.sa_handler = handler};
    CHECK_OK(sigaction(SIGTRAP, &action, NULL));
    trap(1);
    trap(0);
    if (!trapped) {
        printf("SKIPPED: the trap flag does nothing here\n");
        return 77;
    }
    static const int clocks[] = {GPTLnanotime, GPTLclockgettime};
    for (int i = 0; i < 2; i++) {
        if (GPTLsetutr(clocks[i]) != 0)
            continue;
        CHECK_OK(GPTLinitialize());
        pairs(4);
        if (i == 0)
            rest();
        CHECK_INT(GPTLnum_errors(), 0);
        CHECK_OK(GPTLfinalize());
    }
    return 0;
}

#else

int main(void)
{
    printf("SKIPPED: the trap flag is x86-64's, and sanitizers do not like it\n");
    return 77;
}

#endif
