/*
 * clock.h - ticks: the processor's counter if the kernel considers it reliable, else nanoseconds.
 */
#ifndef GPTL_IOSTACK_CLOCK_H
#define GPTL_IOSTACK_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "iostack/format.h"

/* True: use the processor's counter. Set before the first reading. */
extern bool gptl_iostack_counter;

static inline int64_t gptl_iostack_nanoseconds(clockid_t clock)
{
    struct timespec t = {0, 0};
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Return the time in nanoseconds, for machines without a usable counter. */
__attribute__((cold)) uint64_t gptl_iostack_other_ticks(void);

static inline uint64_t gptl_iostack_ticks(void)
{
#if defined(__x86_64__)
    if (__builtin_expect(gptl_iostack_counter, 1))
        return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t v;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
    return v;
#endif
    return gptl_iostack_other_ticks();
}

void gptl_iostack_clock_setup(void);
void gptl_iostack_clock_anchor(struct gptl_iostack_anchor *anchor);

#endif
