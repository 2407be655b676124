/* clock.c - whether the processor's counter can be used, and what it says at a moment. */
#include "config.h"

#include "iostack/clock.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

bool gptl_iostack_counter;

void gptl_iostack_clock_setup(void)
{
#if defined(__x86_64__)
    static const char file[] = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    char name[8] = "";
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t n = read(fd, name, sizeof name);
    close(fd);
    gptl_iostack_counter = n >= 4 && memcmp(name, "tsc\n", 4) == 0;
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
