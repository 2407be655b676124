/*
 * loads.c - loads that increment counters: a little of each activity that processors and kernels
 * count.
 */
#include "config.h"

#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "postproc/avail/avail.h"

/* Makes the compiler compute VALUE although it is not stored. */
#define USE(value) __asm__ volatile("" : "+r"(value) : : "memory")

static void instructions(void)
{
    uint64_t x = 1;
    for (int i = 0; i < 50000; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        USE(x);
    }
}

/* Execute unpredictable branches, half of them taken. */
static __attribute__((noinline)) void branches(void)
{
    uint64_t x = 1, taken = 0;
    for (int i = 0; i < 20000; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        if (x >> 63)
            USE(taken);
        else
            taken++;
    }
    USE(taken);
}

static void floating(void)
{
    volatile double d = 1.5;
    volatile float f = 1.5f;
    double a[64];
    for (int i = 0; i < 64; i++)
        a[i] = d * i;
    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < 64; i++)
            a[i] = a[i] * 0.5 + d;
        d = a[round % 64] / (1 + d);
        f = (f * 0.5f + 1.25f) / 1.125f;
    }
    __asm__ volatile("" : : "r"(a) : "memory");
}

enum { LINE = 64, MEMORY = 8 << 20, FLUSHED = 2000 };

/* Return memory that is allocated once, so that later loads find its pages present. */
static char *memory(void)
{
    static char *bytes;
    if (!bytes && (bytes = malloc(MEMORY)))
        for (size_t i = 0; i < MEMORY; i += LINE)
            bytes[i] = 1;
    return bytes;
}

/* Load and store at addresses that defeat the prefetcher, in more pages than a TLB has entries. */
static void touches(void)
{
    char *bytes = memory();
    uint64_t x = 1;
    for (int i = 0; bytes && i < 20000; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        bytes[(x >> 33) % (MEMORY / LINE) * LINE]++;
    }
    __asm__ volatile("" : : : "memory");
}

/* Evict the line at AT from all caches, regardless of their size. */
static void flush(const void *at)
{
#if defined(__x86_64__)
    __builtin_ia32_clflush(at);
#elif defined(__aarch64__)
    __asm__ volatile("dc civac, %0" : : "r"(at) : "memory");
#else
    (void)at;
#endif
}

static void misses(void)
{
    char *bytes = memory();
    for (size_t i = 0; bytes && i < FLUSHED; i++)
        flush(bytes + i * LINE);
    /* The code of branches(), at least its first two lines. */
    for (size_t i = 0; i < 2; i++)
        flush((const char *)(uintptr_t)branches + i * LINE);
    __sync_synchronize();
    for (size_t i = 0; bytes && i < FLUSHED; i++)
        bytes[i * 7 % FLUSHED * LINE]++;
    branches();
}

static void faults(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = 64 * page;
    char *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return;
    for (size_t i = 0; i < size; i += page)
        pages[i] = 1;
    __asm__ volatile("" : : : "memory");
    munmap(pages, size);
}

static void switches(void)
{
    for (int i = 0; i < 3; i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
}

/* Migrate to other processors of the affinity mask, then restore the mask. */
static void migrations(void)
{
    cpu_set_t all;
    if (sched_getaffinity(0, sizeof all, &all) != 0)
        return;
    int moved = 0;
    for (int i = 0; i < CPU_SETSIZE && moved < 2; i++) {
        cpu_set_t one;
        if (!CPU_ISSET(i, &all))
            continue;
        CPU_ZERO(&one);
        CPU_SET(i, &one);
        moved += sched_setaffinity(0, sizeof one, &one) == 0;
    }
    sched_setaffinity(0, sizeof all, &all);
}

static void files(void)
{
    char bytes[4096];
    int from = open("/dev/zero", O_RDONLY | O_CLOEXEC),
        to = open("/dev/null", O_WRONLY | O_CLOEXEC);
    for (int i = 0; from >= 0 && to >= 0 && i < 4; i++)
        if (read(from, bytes, sizeof bytes) < 0 || write(to, bytes, sizeof bytes) < 0)
            break;
    if (from >= 0)
        close(from);
    if (to >= 0)
        close(to);
}

/* Run for 20 ms: energy counters are updated about once per millisecond. */
static void waiting(void)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        instructions();
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < 20);
}

const struct avail_load *avail_load(size_t i)
{
    static const struct avail_load all[] = {
        {"instructions", instructions, false},
        {"branches", branches, false},
        {"floating-point operations", floating, false},
        {"loads and stores", touches, false},
        {"cache misses", misses, false},
        {"page faults", faults, false},
        {"context switches", switches, false},
        {"migrations", migrations, false},
        {"reads and writes", files, false},
        {"20 ms of work", waiting, true},
    };
    return i < sizeof all / sizeof *all ? &all[i] : NULL;
}
