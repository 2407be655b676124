/*
 * A signal handler starts and stops regions, some with new names, at a high rate, while the program
 * does too: nothing crashes or hangs, the program's own counts are exact, and the handler's counts
 * equal its calls that were not dropped.
 */
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <time.h>

#include "check.h"

static _Atomic long handled, failed;
static char new_names[4000][16];

static void handler(int signal_number)
{
    (void)signal_number;
    long n = handled++;
    const char *name = n % 4 == 0 ? new_names[n / 4 % 4000] : "in handler";
    failed += GPTLstart("handler") != 0;
    failed += GPTLstart(name) != 0;
    failed += GPTLstop(name) != 0;
    failed += GPTLstop("handler") != 0;
}

static void recurse(int depth)
{
    CHECK_OK(GPTLstart("recursive"));
    if (depth)
        recurse(depth - 1);
    CHECK_OK(GPTLstop("recursive"));
}

int main(void)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
    char name[32];
    for (int i = 0; i < 4000; i++)
        snprintf(new_names[i], sizeof new_names[i], "signal %d", i);
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    sigaction(SIGPROF, &action, NULL);
    CHECK_OK(setitimer(ITIMER_PROF, &often, NULL)); /* the first start may be the handler's */
    time_t end = time(NULL) + 2; /* longer on a busy machine: the timer counts CPU time */
    int rounds = 0, names = 0;
    while (time(NULL) < end || handled <= 100) {
        for (int i = 0; i < 1000; i++) {
            CHECK_OK(GPTLstart("outer"));
            CHECK_OK(GPTLstart("inner"));
            CHECK_OK(GPTLstop("inner"));
            CHECK_OK(GPTLstop("outer"));
        }
        for (int i = 0; i < 10; i++) {
            snprintf(name, sizeof name, "new %d", names++ % 5000);
            CHECK_OK(GPTLstart(name));
            CHECK_OK(GPTLstop(name));
        }
        CHECK_OK(GPTLstart("A")); /* crossed */
        CHECK_OK(GPTLstart("B"));
        CHECK_OK(GPTLstop("A"));
        CHECK_OK(GPTLstop("B"));
        recurse(100);
        rounds++;
    }
    CHECK_OK(setitimer(ITIMER_PROF, &never, NULL));
    CHECK_INT(failed, 0);
    CHECK(handled > 100);
    CHECK_INT(check_count("outer", -1), 1000 * rounds);
    CHECK_INT(check_count("inner", -1), 1000 * rounds);
    CHECK_INT(check_count("recursive", -1), 101 * rounds);
    CHECK_INT(check_count("A", -1), rounds);
    CHECK_INT(check_count("B", -1), rounds);
    CHECK_BETWEEN(check_count("handler", -1), 1, handled);
    CHECK_INT(GPTLnum_errors(), 0);
    CHECK_OK(GPTLfinalize());
    return 0;
}
