/*
 * floor.c - the lower bounds of a timing library: two raw reads of its clock, and a plain pair.
 *
 * Every function here is one loop around one pair, so that floor and figure have the same shape.
 */
#include "bench.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include <gptl.h>

static int64_t read_timespec(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t read_timeval(void)
{
    struct timeval t;

    gettimeofday(&t, NULL);
    return (int64_t)t.tv_sec * 1000000 + t.tv_usec;
}

static inline int64_t read_counter(void)
{
#if defined(__x86_64__)
    return (int64_t)__builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    int64_t ticks;

    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return read_timespec();
#endif
}

/* The empty asm uses each difference, or the compiler could drop the reads or the loop. */
#define FLOOR_LOOP(name, read)                                                                     \
    static void name(void *arg, long rounds)                                                       \
    {                                                                                              \
        (void)arg;                                                                                 \
        while (rounds-- > 0) {                                                                     \
            int64_t start = read();                                                                \
            int64_t stop = read();                                                                 \
                                                                                                   \
            __asm__ volatile("" : : "r"(stop - start) : "memory");                                 \
        }                                                                                          \
    }

FLOOR_LOOP(floor_counter, read_counter)
FLOOR_LOOP(floor_timespec, read_timespec)
FLOOR_LOOP(floor_timeval, read_timeval)

static const struct {
    const char *name;
    int utr;
    bench_run *floor;
} clocks[] = {
    {"tsc", GPTLnanotime, floor_counter},
    {"clock_gettime", GPTLclockgettime, floor_timespec},
    {"gettimeofday", GPTLgettimeofday, floor_timeval},
};

struct bench_work bench_library(const char *clock)
{
    struct bench_work work = {NULL, NULL, 1, 0, 0};
    size_t i;

    for (i = 0; i < sizeof clocks / sizeof clocks[0]; i++) {
        if (clock && strcmp(clock, clocks[i].name) != 0)
            continue;
        if (GPTLsetutr(clocks[i].utr) == 0) {
            work.run = clocks[i].floor;
            break;
        }
        fprintf(stderr, "bench: the library refuses the clock %s\n", clocks[i].name);
    }
    if (!work.run)
        bench_stop(1, "no clock");
    if (GPTLinitialize())
        bench_stop(1, "GPTLinitialize failed");
    return work;
}

void bench_run_pair(void *arg, long rounds)
{
    (void)arg;
    while (rounds-- > 0) {
        GPTLstart("pair");
        GPTLstop("pair");
    }
}
