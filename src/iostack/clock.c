/* clock.c - anchors; see clock.h. */
#include "config.h"

#include "iostack/clock.h"

/*
 * Create an anchor: of several attempts, use the one with the shortest time between the readings.
 */
void gptl_iostack_clock_anchor(struct gptl_iostack_anchor *anchor)
{
    uint64_t shortest = UINT64_MAX;
    for (int i = 0; i < 5; i++) {
        uint64_t before = gptl_counter_read();
        int64_t monotonic = (int64_t)gptl_systime_read(CLOCK_MONOTONIC);
        uint64_t after = gptl_counter_read();
        if (after - before >= shortest)
            continue;
        shortest = after - before;
        anchor->ticks = gptl_counter_gives_ticks() ? before + shortest / 2 : (uint64_t)monotonic;
        anchor->monotonic = monotonic;
        anchor->wall = (int64_t)gptl_systime_read(CLOCK_REALTIME) -
                       ((int64_t)gptl_systime_read(CLOCK_MONOTONIC) - monotonic);
    }
}
