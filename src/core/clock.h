/* clock.h - the clocks, their check at start, and their calibration. */
#ifndef GPTL_CORE_CLOCK_H
#define GPTL_CORE_CLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "core/core.h"
#include "core/counter.h" /* which the short path reads itself; other clocks set GPTL_GATE_CLOCK */

/* Checks the clocks and starts with the best. Once for each measurement. */
void gptl_clock_begin(void);
/* The clock in use. */
const struct gptl_clock *gptl_clock_now(void);
/* The clock with this number, or NULL. */
const struct gptl_clock *gptl_clock_by_number(int number);
/* The same, but for a counter that cannot be trusted what does for it. */
const struct gptl_clock *gptl_clock_wanted(int number);
/* The clock of this name, or NULL. */
const struct gptl_clock *gptl_clock_by_name(const char *name);
/* Why CLOCK cannot be used here, or NULL; reads it a few hundred times. */
const char *gptl_clock_check(const struct gptl_clock *clock);
/* Takes CLOCK into use if it is fit. Returns why it is not, or NULL. */
const char *gptl_clock_use(const struct gptl_clock *clock);
/* The i-th clock, or NULL past the last one. */
const struct gptl_clock *gptl_clock_at(int i);

/*
 * Seconds per tick of CLOCK, from its start until now, for times that were measured until now. Where less
 * than 0.2 ms have passed since the clock came into use, waits until they have: it is known to
 * 50 millionths then, which is 0.1 us of 2 ms, and ever better.
 */
double gptl_clock_seconds_per_tick(const struct gptl_clock *clock);
/* For what is kept and multiplied later: known to 5 millionths at least; waits for 2 ms at most. */
double gptl_clock_lasting_seconds_per_tick(const struct gptl_clock *clock);

/*
 * Where NOW is so much later than the last time: sees whether the counter still has the rate that it had, so
 * that clocks which disagree for a while are told apart from a rate that is wrong. For the slow path.
 */
extern _Atomic uint64_t gptl_clock_checkpoint_due;
void gptl_clock_pass_checkpoint(uint64_t now);
static inline void gptl_clock_checkpoint(uint64_t now)
{
    if (now > atomic_load_explicit(&gptl_clock_checkpoint_due, memory_order_relaxed))
        gptl_clock_pass_checkpoint(now);
}

/* The counter is about to be disabled for this thread: all threads go on with another clock. */
void gptl_clock_lose_counter(void);
/* In a child of fork. */
void gptl_clock_forked(void);

/* Whether the short path may read this clock. */
bool gptl_clock_is_counter(const struct gptl_clock *clock);

#endif
