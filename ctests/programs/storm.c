/*
 * storm.c - a timer's signal ten thousand times per second, whose handler starts and stops regions,
 * also while the program does. Prints the calls of both.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/time.h>

#include <gptl.h>

enum { ENOUGH = 3000 };

static atomic_int handled;

static void handler(int sig)
{
    (void)sig;
    GPTLstart("handler");
    GPTLstop("handler");
    atomic_fetch_add(&handled, 1);
}

int main(void)
{
    struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    int n = 0;
    GPTLinitialize();
    if (sigaction(SIGALRM, &action, NULL) || setitimer(ITIMER_REAL, &often, NULL))
        return 1;
    for (; atomic_load(&handled) < ENOUGH; n++) {
        GPTLstart("outer");
        GPTLstart("inner");
        GPTLstop("inner");
        GPTLstop("outer");
    }
    if (setitimer(ITIMER_REAL, &never, NULL))
        return 1;
    printf("%d %d %d\n", n, n, atomic_load(&handled));
    return GPTLnum_errors() > 0;
}
