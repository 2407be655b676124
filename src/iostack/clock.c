/* clock.c - whether the processor's counter can be used, and what it says at a moment. */
#include "config.h"

#include "iostack/clock.h"

#include <string.h>

#include "posix/raw.h"

bool gptl_iostack_counter;

uint64_t gptl_iostack_other_ticks(void)
{
    return (uint64_t)gptl_iostack_nanoseconds(CLOCK_MONOTONIC);
}

/* The kernel takes a counter that it has seen drift or stop off this list; libgptl_io asks the same. */
void gptl_iostack_clock_setup(void)
{
#if defined(__x86_64__)
    char list[256];
    int fd = gptl_raw_open("/sys/devices/system/clocksource/clocksource0/available_clocksource",
                           O_RDONLY, 0);
    if (fd < 0)
        return;
    ssize_t n = gptl_raw_read(fd, list, sizeof list - 1);
    gptl_raw_close(fd);
    list[n > 0 ? n : 0] = '\0';
    gptl_iostack_counter = strstr(list, "tsc") != NULL;
#elif defined(__aarch64__)
    gptl_iostack_counter = true;
#endif
}

/* Of several tries the one in which the clocks were read nearest to each other. */
void gptl_iostack_clock_anchor(struct gptl_iostack_anchor *anchor)
{
    uint64_t shortest = UINT64_MAX;
    for (int i = 0; i < 5; i++) {
        uint64_t before = gptl_iostack_ticks();
        int64_t monotonic = gptl_iostack_nanoseconds(CLOCK_MONOTONIC);
        uint64_t after = gptl_iostack_ticks();
        if (after - before >= shortest)
            continue;
        shortest = after - before;
        anchor->ticks = gptl_iostack_counter ? before + shortest / 2 : (uint64_t)monotonic;
        anchor->monotonic = monotonic;
        anchor->wall = gptl_iostack_nanoseconds(CLOCK_REALTIME) -
                       (gptl_iostack_nanoseconds(CLOCK_MONOTONIC) - monotonic);
    }
}
