/*
 * unit_throttle_error.c - the stated error of a throttled region holds in 95 of 100 trials, for any
 * distribution of its calls.
 */
#include "config.h"

#include "throttle.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

static uint64_t seed = 1;

/* Between 0 and 1, exclusive. */
static double chance(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return ((double)(seed >> 12) + 0.5) / (double)(UINT64_C(1) << 52);
}

static double normal(void)
{
    return sqrt(-2 * log(chance())) * cos(2 * 3.14159265358979 * chance());
}

static double constant(int i)
{
    (void)i;
    return 100;
}

static double exponential(int i)
{
    (void)i;
    return -100 * log(chance());
}

static double lognormal(int i)
{
    (void)i;
    return 5 * exp(2.2 * normal());
}

static double pareto(int i)
{
    (void)i;
    return 20 * pow(chance(), -1 / 1.1);
}

/* A page fault, a write to disk: rarely the timed call. */
static double rarely_long(int i)
{
    (void)i;
    return chance() < 1 / 5000.0 ? 1e7 : 50;
}

static double once_long(int i)
{
    return i == 7777 ? 1e9 : 50;
}

static double periodic(int i)
{
    return i % EVERY == 3 ? 9000 : 20;
}

static double slower_later(int i)
{
    return i < 10000 ? 50 : 3000;
}

static double in_bursts(int i)
{
    static bool slow;
    if (chance() < 0.01)
        slow = !slow;
    (void)i;
    return slow ? -900 * log(chance()) : 30;
}

enum { TRIALS = 200, CALLS = 20000 };

static void check_error(double (*ticks)(int), double widest)
{
    int held = 0;
    double relative = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        double truth = 0;
        for (int i = 0; i < LIMIT; i++, truth += 50)
            timed("x", 50);
        for (int i = 0; i < CALLS; i++) {
            uint64_t length = (uint64_t)ticks(i);
            truth += (double)length;
            timed("x", length);
            pass(20);
        }
        struct fake_copy c = fake_copy();
        const struct gptl_node_copy *node = node_at(c.all, "x");
        const struct gptl_extra_copy *extra = extra_at(c.all, "x");
        CHECK_INT(node->count, LIMIT + CALLS);
        CHECK(extra->timed < LIMIT + CALLS / EVERY + 2);
        held += fabs((double)node->total - truth) <= (double)extra->error;
        relative += (double)extra->error / truth / TRIALS;
        fake_copy_free(c);
        CHECK_OK(GPTLreset());
    }
    printf("held in %d of %d trials, %.1f %% wide\n", held, TRIALS, 100 * relative);
    CHECK(held >= TRIALS * 95 / 100);
    CHECK(relative <= widest);
}

#define ERROR_TEST(name, widest)                                                                   \
    static void test_error_##name(void **state)                                                    \
    {                                                                                              \
        (void)state;                                                                               \
        check_error(name, widest);                                                                 \
    }
ERROR_TEST(constant, 0.25)
ERROR_TEST(exponential, 0.5)
ERROR_TEST(lognormal, 0.95)
ERROR_TEST(pareto, 1)
ERROR_TEST(rarely_long, 1.1)
ERROR_TEST(once_long, 1.1)
ERROR_TEST(periodic, 0.55)
ERROR_TEST(slower_later, 0.5)
ERROR_TEST(in_bursts, 0.85)

int main(void)
{
    const struct CMUnitTest tests[] = {
        THROTTLE_TEST(test_error_constant),    THROTTLE_TEST(test_error_exponential),
        THROTTLE_TEST(test_error_lognormal),   THROTTLE_TEST(test_error_pareto),
        THROTTLE_TEST(test_error_rarely_long), THROTTLE_TEST(test_error_once_long),
        THROTTLE_TEST(test_error_periodic),    THROTTLE_TEST(test_error_slower_later),
        THROTTLE_TEST(test_error_in_bursts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
