/* host.c - holds the host's signals back while what is changed must be changed as a whole. */
#include "config.h"

#include "core/host.h"

#include <pthread.h>
#include <stddef.h>

#include "core/core.h"

sigset_t gptl_core_hold_signals(void)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    sigset_t held, before;
    sigfillset(&held);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&held, own[i]);
    pthread_sigmask(SIG_SETMASK, &held, &before);
    return before;
}

void gptl_core_release_signals(sigset_t before)
{
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
