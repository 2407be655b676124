/* counter.c - fitness of the time-stamp counter, and the clock that continues it; see counter.h. */
#include "config.h"

#include "core/counter.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "core/descriptor.h"
#include "core/kernel.h"
#include "core/systime.h"

bool gptl_counter_is_fit;

static bool gives_ticks;
static struct gptl_moment first, last;
static double ticks_per_nanosecond;

/* The kernel removes a counter from its list after the counter drifted or stopped. */
static bool is_listed(void)
{
#if defined(__aarch64__)
    return true;
#else
    char list[256];
    int fd = gptl_descriptor_open(
        "/sys/devices/system/clocksource/clocksource0/available_clocksource", O_RDONLY, 0);
    long n = fd < 0 ? -1 : gptl_kernel_call(SYS_read, fd, list, sizeof list - 1);
    if (fd >= 0)
        gptl_kernel_call(SYS_close, fd);
    list[n > 0 ? n : 0] = '\0';
    return strstr(list, "tsc") != NULL;
#endif
}

void gptl_counter_setup(void)
{
    gptl_systime_setup();
    gives_ticks = GPTL_HAVE_COUNTER && !gptl_systime_is_restricted() && is_listed();
    gptl_counter_is_fit = gives_ticks;
    if (gives_ticks)
        first = gptl_systime_moment();
}

bool gptl_counter_gives_ticks(void)
{
    return gives_ticks;
}

bool gptl_counter_is_lost(void)
{
    return gptl_systime_is_restricted();
}

void gptl_counter_lose(void)
{
    enum { SHORTEST = 2000000 }; /* nanoseconds, sufficient for an error of some millionths */
    if (gptl_counter_is_fit) {
        do
            last = gptl_systime_moment();
        while (last.nanoseconds - first.nanoseconds < SHORTEST);
        ticks_per_nanosecond =
            (double)(last.ticks - first.ticks) / (double)(last.nanoseconds - first.nanoseconds);
    }
    gptl_systime_restrict();
    atomic_thread_fence(memory_order_release);
    gptl_counter_is_fit = false;
}

uint64_t gptl_counter_substitute(void)
{
    uint64_t now = gptl_systime_read(CLOCK_MONOTONIC);
    if (!gives_ticks)
        return now;
    /*
     * Another thread may have read the clock just before the base was taken, hence the signed
     * difference.
     */
    int64_t passed = (int64_t)(now - last.nanoseconds);
    return last.ticks + (uint64_t)(int64_t)((double)passed * ticks_per_nanosecond);
}
