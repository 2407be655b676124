/*
 * systime.h - the kernel's clocks, read past the C library: libraries that fake the time (libfaketime)
 * stand before clock_gettime, and where the time-stamp counter is disabled, it ends the process.
 */
#ifndef GPTL_CORE_SYSTIME_H
#define GPTL_CORE_SYSTIME_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Finds the vDSO, if it may be used. Until then, and without it, each reading is a system call. */
void gptl_systime_setup(void);

/* Nanoseconds of CLOCK. */
uint64_t gptl_systime_read(clockid_t clock);

/* Whether a thread may not read the time-stamp counter (prctl PR_SET_TSC). */
bool gptl_systime_is_restricted(void);

/* From now on the counter is not read, nor is the vDSO, which reads it as well. */
void gptl_systime_restrict(void);

#endif
