/*
 * rate.h - duration of a clock's tick, measured by CLOCK_MONOTONIC. A clock and the kernel's clock
 * may disagree: a suspended machine, a paused or migrated virtual machine, a clock that was set. So
 * the run is divided into stretches, and the stretches with the common rate count.
 */
#ifndef GPTL_CORE_RATE_H
#define GPTL_CORE_RATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sources of readings; in nanoseconds, except TICKS. */
struct gptl_rate_source {
    uint64_t (*ticks)(void);
    uint64_t (*monotonic)(void); /* the kernel's CLOCK_MONOTONIC */
    uint64_t (*boottime)(void);  /* the kernel's CLOCK_BOOTTIME, which includes suspension */
    uint64_t (*program)(void);   /* the clock as the program reads it, possibly faked */
};

struct gptl_rate_moment {
    uint64_t ticks, monotonic, boottime, program;
    uint64_t width; /* nanoseconds between the first and the last of the readings */
};

/* Time between two moments; in nanoseconds, except TICKS. */
struct gptl_rate_stretch {
    double ticks, nanoseconds, boottime, program;
    double width, error; /* width of both readings in nanoseconds, and relative to the stretch */
};

struct gptl_rate {
    struct gptl_rate_moment first, last;
    struct gptl_rate_stretch pending; /* the first stretch, while unconfirmed by another one */
    double ticks, nanoseconds;        /* sums over the stretches that count */
    /* Disagreements, in nanoseconds. */
    double suspended; /* suspension according to the kernel */
    /* counted by the clock, but not by the kernel's: a paused machine or frozen clock */
    double left_out;
    double skipped; /* counted by the kernel's clock only */
    /* sum of absolute differences between the program's clock and the kernel's */
    double program_off;
    double old_rate; /* nanoseconds per tick before the last change; 0: no change */
    double new_rate; /* nanoseconds per tick after the last change */
    double changed;  /* nanoseconds from the first moment to the detection of the change */
    bool set_back;   /* the clock itself was set back */
    bool is_frozen;  /* the kernel's clock does not advance */
};

void gptl_rate_begin(struct gptl_rate *rate, const struct gptl_rate_source *source);

/*
 * Account for the time since the last moment, if there is enough. A nonzero SHORTEST means that the
 * rate is needed now: wait until SHORTEST nanoseconds have passed since the first moment, or
 * readings show that the clock does not advance; and wait another 0.2 ms where no other evidence
 * decides between two rates.
 */
void gptl_rate_update(struct gptl_rate *rate, const struct gptl_rate_source *source,
                      uint64_t shortest);

/* Return the rate in nanoseconds per tick; 0: unknown. */
double gptl_rate_nanoseconds_per_tick(const struct gptl_rate *rate);

/* Describe the corrections in sentences; "" if there were none. */
void gptl_rate_explain(const struct gptl_rate *rate, char *text, size_t size);

#endif
