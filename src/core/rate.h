/*
 * rate.h - how long a tick of a clock is, by CLOCK_MONOTONIC. A clock and the kernel's may disagree:
 * a suspended machine, a virtual one that was paused or migrated, a clock that was set. So the run is
 * divided into stretches, and those count in which the rate is what it is elsewhere.
 */
#ifndef GPTL_CORE_RATE_H
#define GPTL_CORE_RATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where readings come from; in nanoseconds, but for TICKS. */
struct gptl_rate_source {
    uint64_t (*ticks)(void);
    uint64_t (*monotonic)(void); /* the kernel's */
    uint64_t (*boottime)(void); /* the kernel's, with the time that the machine was suspended for */
    uint64_t (*program)(void);  /* the clock that the program reads, which may be another one */
};

struct gptl_rate_moment {
    uint64_t ticks, monotonic, boottime, program;
    uint64_t width; /* nanoseconds that the readings may lie apart */
};

/* What passed between two moments; nanoseconds, but for TICKS. */
struct gptl_rate_stretch {
    double ticks, nanoseconds, boottime, program;
    double width, error; /* in nanoseconds, and relative */
};

struct gptl_rate {
    struct gptl_rate_moment first, last;
    struct gptl_rate_stretch pending; /* the first one, which nothing has confirmed yet */
    double ticks, nanoseconds;        /* of the stretches that count */
    /* What did not agree, in nanoseconds. */
    double suspended;   /* by the kernel's own account */
    double left_out;    /* passed by the clock, but not by the kernel's: paused, or frozen */
    double skipped;     /* the other way round */
    double program_off; /* the program's clock against the kernel's, added up without signs */
    double old_rate;    /* before the last change, in nanoseconds per tick; 0: there was none … */
    double new_rate;    /* … and after it */
    double changed;     /* when that was noticed, in nanoseconds since the first moment */
    bool set_back;      /* the clock itself */
    bool is_frozen;     /* the kernel's clock stands still */
};

void gptl_rate_begin(struct gptl_rate *rate, const struct gptl_rate_source *source);

/*
 * Takes the time since the last moment into account, if there is enough. SHORTEST is not 0: the rate is
 * wanted now. Waits until as many nanoseconds have passed since the first moment, or readings have
 * shown that none pass; and for another 0.2 ms where nothing else tells which rate is right.
 */
void gptl_rate_update(struct gptl_rate *rate, const struct gptl_rate_source *source,
                      uint64_t shortest);

/* 0: not known. */
double gptl_rate_nanoseconds_per_tick(const struct gptl_rate *rate);

/* What was corrected, as sentences; "" if nothing was. */
void gptl_rate_explain(const struct gptl_rate *rate, char *text, size_t size);

#endif
