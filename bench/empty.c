/* empty.c - libbench_empty.so, the lower bound of the cost of any library. */
#include "empty.h"

#include <stdint.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#define CLOCK() __rdtsc()
#elif defined(__aarch64__)
static inline uint64_t read_counter(void)
{
    uint64_t v;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
    return v;
}
#define CLOCK() read_counter()
#else
#include <time.h>
static inline uint64_t read_clock(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}
#define CLOCK() read_clock()
#endif

int bench_empty_start(const char *name)
{
    (void)name;
    return 0;
}

int bench_empty_stop(const char *name)
{
    (void)name;
    return 0;
}

static __thread uint64_t began __attribute__((tls_model("initial-exec")));
static __thread uint64_t lasted __attribute__((tls_model("initial-exec")));

int bench_clock_start(const char *name)
{
    (void)name;
    began = CLOCK();
    return 0;
}

int bench_clock_stop(const char *name)
{
    (void)name;
    lasted = CLOCK() - began;
    return (int)(lasted >> 63);
}
