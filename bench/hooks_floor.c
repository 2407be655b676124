/*
 * hooks_floor.c - the lower bound of a profiler's hooks: they find the function's node, one cache
 * line, and read the clock twice. The calls are the same as in hooks.c.
 */
#include "bench.h"
#include "instrumented.h"
#include "orders.h"

#include <stddef.h>
#include <stdint.h>

enum { SLOTS = 1 << 16, LINES = BENCH_FUNCTIONS + 2 };

static struct line {
    uintptr_t function;
    uint64_t count, total, max, min, unused[3];
} lines[LINES] __attribute__((aligned(64)));
static uint16_t slots[SLOTS]; /* 0: free; line 0 is unused */
static struct {
    struct line *line;
    uint64_t start;
} frame;

void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);

static inline uint64_t now(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;

    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return 0;
#endif
}

/* The first call of a function, and collisions of slots. */
static __attribute__((noinline)) struct line *find(uintptr_t function, uint32_t at)
{
    static uint16_t n;

    while (slots[at] && lines[slots[at]].function != function)
        at = (at + 1) % SLOTS;
    if (!slots[at] && n < LINES - 1) {
        slots[at] = ++n;
        lines[n].function = function;
    }
    return &lines[slots[at]];
}

void __cyg_profile_func_enter(void *function, void *site)
{
    (void)site;
    uint32_t at = (uint32_t)((uintptr_t)function * UINT64_C(0x9e3779b97f4a7c15) >> 48);
    struct line *line = &lines[slots[at]];

    __builtin_prefetch(line, 1);
    uint64_t start = now();
    if (line->function != (uintptr_t)function)
        line = find((uintptr_t)function, at);
    frame.line = line;
    frame.start = start;
}

void __cyg_profile_func_exit(void *function, void *site)
{
    (void)site;
    uint64_t ticks = now() - frame.start;
    struct line *line = frame.line;

    if (line->function != (uintptr_t)function)
        return;
    line->count++;
    line->total += ticks;
    if (ticks > line->max)
        line->max = ticks;
    if (ticks < line->min)
        line->min = ticks;
}

int main(void)
{
    struct bench_work work[3] = {
        {0},
        {.run = bench_same_order, .pairs = BENCH_FUNCTIONS},
        {.run = bench_any_order, .pairs = BENCH_FUNCTIONS},
    };

    bench_open();
    work[0] = bench_library(NULL);
    bench_compare(work, 3);
    bench_row("a line found and the clock read: same order", work[0].ns, work[1].ns, "shown");
    bench_row("the same, never the same order", work[0].ns, work[2].ns, "shown");
    bench_close();
}
