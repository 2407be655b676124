/* deadline.c - ends a measurement on time or at a signal. */
#include "config.h"

#include "postproc/maps/deadline.h"

#include <signal.h>
#include <stddef.h>

#include "postproc/maps/measure.h"

static volatile sig_atomic_t caught;
static double began, allowed;

static void catch_signal(int signal)
{
    caught = signal;
}

void deadline_begin(double seconds)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = catch_signal}, before;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        /* Ignored signals stay ignored: SIGHUP by nohup, SIGINT by shells for background jobs. */
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    began = measure_now();
    allowed = seconds;
}

double deadline_left(void)
{
    double left = began + allowed - measure_now();
    return caught || left < 0 ? 0 : left;
}

double deadline_passed(void)
{
    return measure_now() - began;
}

int deadline_signal(void)
{
    return caught;
}

void deadline_raise(void)
{
    if (!caught)
        return;
    signal(caught, SIG_DFL);
    raise(caught);
}
