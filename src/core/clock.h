/* clock.h - the clocks, their check at start, and their calibration. */
#ifndef GPTL_CORE_CLOCK_H
#define GPTL_CORE_CLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "core/core.h"
#include "core/counter.h" /* the counter, which the fast path reads itself; other clocks set GPTL_GATE_CLOCK */

/* Check the clocks and use the best; called once for each measurement. */
void gptl_clock_begin(void);
/* Return the clock in use. */
const struct gptl_clock *gptl_clock_now(void);
/* Return the clock with this number, or NULL. */
const struct gptl_clock *gptl_clock_by_number(int number);
/* Return the clock with this number, or its substitute if it is a counter that cannot be trusted. */
const struct gptl_clock *gptl_clock_wanted(int number);
/* Return the clock of this name, or NULL. */
const struct gptl_clock *gptl_clock_by_name(const char *name);
/* Return the reason why CLOCK cannot be used here, or NULL; reads the clock a few hundred times. */
const char *gptl_clock_check(const struct gptl_clock *clock);
/* Use CLOCK if it is fit, and return NULL; otherwise return the reason. */
const char *gptl_clock_use(const struct gptl_clock *clock);
/* Return the i-th clock, or NULL past the last one. */
const struct gptl_clock *gptl_clock_at(int i);

/*
 * Return the seconds per tick of CLOCK, measured from its start until now, for times until now. If
 * the clock has been in use for less than 0.2 ms, wait until then: the rate is then known to 50
 * millionths, which is 0.1 us of 2 ms, and improves with time.
 */
double gptl_clock_seconds_per_tick(const struct gptl_clock *clock);
/*
 * Return the seconds per tick for values that are stored and multiplied later: accurate to 5
 * millionths; waits for 2 ms at most.
 */
double gptl_clock_lasting_seconds_per_tick(const struct gptl_clock *clock);

/*
 * At a sufficient distance from the last checkpoint, check that the counter still has the same
 * rate, to distinguish clocks that disagree for a while from a wrong rate. For the slow path.
 */
extern _Atomic uint64_t gptl_clock_checkpoint_due;
void gptl_clock_pass_checkpoint(uint64_t now);
static inline void gptl_clock_checkpoint(uint64_t now)
{
    if (now > atomic_load_explicit(&gptl_clock_checkpoint_due, memory_order_relaxed))
        gptl_clock_pass_checkpoint(now);
}

/* Switch all threads to another clock, before the counter is disabled for this thread. */
void gptl_clock_lose_counter(void);
/* Release the calibration's lock in a fork child. */
void gptl_clock_forked(void);

/* Return whether the clock is the counter, which the fast path may read. */
bool gptl_clock_is_counter(const struct gptl_clock *clock);

#endif
