/* suite.c - a program of the prediction suite: runs one kernel at one size, in regions. */
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <gptl.h>

enum { HUGE_PAGE = 2 << 20, PAGE = 4096, LINE = 64, OFFSET_LINES = 17, CLOCK_CYCLES = 100000 };

void suite_stop(const char *why)
{
    fprintf(stderr, "suite: %s\n", why);
    exit(1);
}

void *suite_memory(size_t bytes)
{
    static size_t nblocks;
    const char *pages = getenv("SUITE_PAGES");
    size_t size = (bytes + PAGE + 2 * HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    char *base = aligned_alloc(HUGE_PAGE, size);
    if (!base)
        suite_stop("there is not enough memory");
    if (pages && strcmp(pages, "huge") == 0 && madvise(base, size, MADV_HUGEPAGE))
        suite_stop("the system gives no huge pages");
    return base + nblocks++ * OFFSET_LINES * LINE % PAGE;
}

uint64_t suite_random(void)
{
    static uint64_t state = 0x9e3779b97f4a7c15;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static const struct kernel *find_kernel(const char *name)
{
    for (const struct kernel *kernel = suite_kernels; kernel->name; kernel++)
        if (strcmp(kernel->name, name) == 0)
            return kernel;
    suite_stop("there is no such kernel");
}

static void call(const struct kernel *kernel, const char *region, long sweeps)
{
    GPTLstart(region);
    while (sweeps-- > 0)
        kernel->sweep();
    GPTLstop(region);
}

/*
 * Dependent additions take a cycle each: this measures the clock frequency, which may change at any
 * time.
 */
static void read_clock(void)
{
    enum { TIMES = 5, AT_ONCE = 10 };
    for (int i = 0; i < TIMES; i++) {
        uint64_t sum = 1;
        GPTLstart("clock");
        for (int n = 0; n < CLOCK_CYCLES; n += AT_ONCE)
            for (int k = 0; k < AT_ONCE; k++)
                __asm__ volatile("add %0, %0" : "+r"(sum));
        GPTLstop("clock");
    }
}

int main(int argc, char **argv)
{
    if (argc != 5)
        suite_stop("KERNEL BYTES SWEEPS CALLS are needed");
    const struct kernel *kernel = find_kernel(argv[1]);
    size_t bytes = strtoull(argv[2], NULL, 10);
    long sweeps = atol(argv[3]), calls = atol(argv[4]);

    GPTLstart("prepare");
    kernel->prepare(bytes);
    GPTLstop("prepare");
    read_clock();
    call(kernel, "warm", sweeps > 1 ? 2 : 1);
    while (calls-- > 0)
        call(kernel, kernel->name, sweeps);
    read_clock();
    return 0;
}
