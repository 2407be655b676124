/* host.c - blocks the host's signals during indivisible changes. */
#include "config.h"

#include "core/host.h"

#include <stddef.h>
#include <string.h>

#include "core/core.h"
#include "core/kernel.h"

sigset_t gptl_core_hold_signals(void)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    sigset_t held, before;
    memset(&held, 0xff, sizeof held); /* including the signals by which libc cancels a thread */
    sigemptyset(&before);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&held, own[i]);
    gptl_kernel_set_mask(&held, &before);
    return before;
}

void gptl_core_release_signals(sigset_t before)
{
    gptl_kernel_set_mask(&before, NULL);
}
