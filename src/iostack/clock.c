/* clock.c - tests whether the processor's counter is usable, and creates anchors. */
#include "config.h"

#include "iostack/clock.h"

#include "posix/raw.h"

bool gptl_iostack_counter;

uint64_t gptl_iostack_other_ticks(void)
{
    return (uint64_t)gptl_iostack_nanoseconds(CLOCK_MONOTONIC);
}

void gptl_iostack_clock_setup(void)
{
    gptl_iostack_counter = gptl_raw_counter_is_fit();
}

/*
 * Create an anchor: of several attempts, use the one with the shortest time between the readings.
 */
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
