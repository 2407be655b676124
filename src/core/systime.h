/*
 * systime.h - the kernel's clocks, read without the C library: libraries that fake the time
 * (libfaketime) interpose clock_gettime, and where the time-stamp counter is disabled,
 * clock_gettime terminates the process.
 */
#ifndef GPTL_CORE_SYSTIME_H
#define GPTL_CORE_SYSTIME_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/*
 * Find the vDSO, if it may be used. Before that, and without a vDSO, each reading is a system call.
 */
void gptl_systime_setup(void);

/* Return nanoseconds of CLOCK. */
uint64_t gptl_systime_read(clockid_t clock);

/* A moment by the time-stamp counter and by CLOCK_MONOTONIC. */
struct gptl_moment {
    uint64_t ticks, nanoseconds;
};

/*
 * Read both clocks. The result is the best of a few pairs: a preemption between two readings would shift
 * all times that are derived from the pair.
 */
struct gptl_moment gptl_systime_moment(void);

/* Return whether a thread may not read the time-stamp counter (prctl PR_SET_TSC). */
bool gptl_systime_is_restricted(void);

/* Stop reading the counter and using the vDSO, which reads it as well. */
void gptl_systime_restrict(void);

#endif
