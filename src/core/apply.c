/* apply.c - effects of options while the library is on: the clock, and the gate. */
#include "config.h"

#include "core/options.h"

#include <limits.h>
#include <stdatomic.h>

#include "gptl.h"

#include "core/clock.h"
#include "core/mem.h"
#include "core/meter.h"
#include "core/roll.h"
#include "core/state.h"

/* The reason why MPI_Wtime, which an option demands, is not in use. */
static const char *_Atomic no_wtime;

void gptl_core_check_clock(void)
{
    const char *why = atomic_exchange(&no_wtime, NULL);
    if (why)
        gptl_core_warn_job("", "the clock mpiwtime is not in use: %s", why);
}

static void apply_clock(void)
{
    const struct gptl_clock *clock = gptl_clock_wanted((int)gptl_core_option(GPTL_OPT_CLOCK));
    const struct gptl_clock *before = gptl_clock_now();
    atomic_store(&no_wtime, NULL);
    if (!clock || clock == before)
        return;
    const char *unfit = gptl_clock_use(clock);
    if (unfit && clock->number == GPTLmpiwtime) { /* MPI may be loaded later */
        atomic_store(&no_wtime, unfit);
        return;
    }
    if (unfit) {
        gptl_core_error_job("GPTL_OPTIONS", "the clock %s cannot be used: %s", clock->name, unfit);
        return;
    }
    gptl_roll_order_clock(clock);
    /* Convert the time at which measuring was disabled into ticks of the new clock. */
    double tick = gptl_clock_lasting_seconds_per_tick(clock);
    double ago = (double)(before->read() - gptl_g.disabled_at) *
                 (tick > 0 ? gptl_clock_lasting_seconds_per_tick(before) / tick : 0);
    atomic_store(&gptl_g.disabled_at, clock->read() - (uint64_t)ago);
}

void gptl_options_apply(void)
{
    apply_clock();
    uint32_t bits = 0;
    if (!GPTL_HAVE_COUNTER || !gptl_clock_is_counter(gptl_clock_now()))
        bits |= GPTL_GATE_CLOCK;
    if (gptl_core_option(GPTL_OPT_DEPTHLIMIT) < INT_MAX)
        bits |= GPTL_GATE_DEPTH;
    if (gptl_meter_wanted())
        bits |= GPTL_GATE_METER;
    gptl_mem_prefault(bits & GPTL_GATE_METER);
    if (gptl_core_option(GPTL_OPT_HISTOGRAM))
        bits |= GPTL_GATE_HISTOGRAM;
    if (gptl_core_option(GPTL_OPT_MEMUSAGE))
        bits |= GPTL_GATE_MEMUSAGE;
    if (gptl_g.follower)
        bits |= GPTL_GATE_FOLLOWED;
    if (gptl_core_option(GPTL_OPT_THROTTLE))
        gptl_roll_order_watch();
    gptl_state_gate(bits, GPTL_GATE_SHARED & ~(uint32_t)GPTL_GATE_DISABLED & ~bits);
}
