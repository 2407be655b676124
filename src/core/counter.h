/*
 * counter.h - the processor's time-stamp counter, and its substitute in the libraries with a fixed
 * clock (I/O, probes): nanoseconds where the counter is unfit, or the kernel's clock in ticks of
 * the same length after the process has disabled the counter.
 */
#ifndef GPTL_CORE_COUNTER_H
#define GPTL_CORE_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#define GPTL_HAVE_COUNTER 1
static inline uint64_t gptl_counter(void)
{
    return __rdtsc();
}
#elif defined(__aarch64__)
#define GPTL_HAVE_COUNTER 1
static inline uint64_t gptl_counter(void)
{
    uint64_t v;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
    return v;
}
#else
#define GPTL_HAVE_COUNTER 0
static inline uint64_t gptl_counter(void)
{
    return 0;
}
#endif

/* Whether the counter is fit and may be read. */
extern bool gptl_counter_is_fit;

/* Check the counter; called before the first reading. */
void gptl_counter_setup(void);

/* Return ticks where the counter is not read. */
__attribute__((cold)) uint64_t gptl_counter_substitute(void);

/* Return ticks of the counter, or nanoseconds if gptl_counter_gives_ticks is false. */
static inline __attribute__((always_inline)) uint64_t gptl_counter_read(void)
{
    if (GPTL_HAVE_COUNTER && __builtin_expect(gptl_counter_is_fit, 1))
        return gptl_counter();
    return gptl_counter_substitute();
}

/* Return whether readings are ticks; constant during the process. */
bool gptl_counter_gives_ticks(void);

/* Prepare for the process disabling the counter: wait until the rate is known, at most 2 ms. */
void gptl_counter_lose(void);

/* Return whether the process disabled it: then each reading of a clock is a system call. */
bool gptl_counter_is_lost(void);

#endif
