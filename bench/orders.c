/*
 * orders.c - calls of all instrumented functions: a round calls each function once, or makes the
 * same number of calls.
 */
#include "orders.h"

#include <stdbool.h>
#include <stdint.h>

#include "instrumented.h"

static uint64_t state = 1;

/* Below LIMIT. */
static uint32_t chance(uint32_t limit)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) * limit >> 31);
}

static const uint16_t *shuffled(void)
{
    static uint16_t order[BENCH_FUNCTIONS];
    static bool made;

    if (made)
        return order;
    for (uint16_t i = 0; i < BENCH_FUNCTIONS; i++)
        order[i] = i;
    for (uint32_t i = BENCH_FUNCTIONS - 1; i > 0; i--) {
        uint32_t j = chance(i + 1);
        uint16_t kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
    made = true;
    return order;
}

void bench_same_order(void *arg, long rounds)
{
    const uint16_t *order = shuffled();

    (void)arg;
    while (rounds-- > 0)
        for (int i = 0; i < BENCH_FUNCTIONS; i++)
            bench_instrumented[order[i]]();
}

void bench_any_order(void *arg, long rounds)
{
    (void)arg;
    while (rounds-- > 0)
        for (int i = 0; i < BENCH_FUNCTIONS; i++)
            bench_instrumented[chance(BENCH_FUNCTIONS)]();
}
