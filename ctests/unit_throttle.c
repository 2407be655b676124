/*
 * unit_throttle.c - throttled regions: counts stay exact, and the error that is given holds, whatever
 * the calls are like.
 */
#include "config.h"

#include "fake.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

enum { LIMIT = 200, EVERY = 16 };

static int setup(void **state)
{
    fake_setup_implicit(state);
    CHECK_OK(gptl_core_set_options("throttle=200;throttle.below=1000;throttle.every=16", "test"));
    return GPTLinitialize();
}

#define THROTTLE_TEST(f) cmocka_unit_test_setup_teardown(f, setup, fake_teardown)

static void timed(const char *name, uint64_t nanoseconds)
{
    CHECK_OK(GPTLstart(name));
    pass(nanoseconds);
    CHECK_OK(GPTLstop(name));
}

static const struct gptl_extra_copy *extra_at(const struct gptl_copy *copy, const char *path)
{
    const struct gptl_node_copy *node = node_at(copy, path);
    CHECK_THAT(node, "there is no node %s", path);
    return node->extra ? &copy->extras[node->extra - 1] : NULL;
}

static void check_all_timed(const struct gptl_copy *copy, const char *path)
{
    const struct gptl_extra_copy *extra = extra_at(copy, path);
    CHECK_INT(extra ? extra->timed : 0, 0);
}

/* ---- Which regions ------------------------------------------------------------------------- */

static void test_counts_are_exact(void **state)
{
    (void)state;
    for (int i = 0; i < LIMIT; i++)
        timed("x", 50);
    struct fake_copy c = fake_copy();
    CHECK_NODE(c.all, "x", LIMIT, LIMIT * 50);
    fake_copy_free(c);
    for (int i = 0; i < 100 * EVERY; i++)
        timed("x", 50);
    c = fake_copy();
    CHECK_INT(node_at(c.all, "x")->count, LIMIT + 100 * EVERY);
    CHECK_INT(node_at(c.all, "x")->recurse, 0);
    CHECK_INT(node_at(c.all, "x")->max, 50);
    CHECK_INT(node_at(c.all, "x")->min, 50);
    CHECK_INT(extra_at(c.all, "x")->timed, LIMIT + 100);
    CHECK_INT(node_at(c.all, "x")->total, (LIMIT + 100 * EVERY) * 50);
    CHECK(extra_at(c.all, "x")->error > 0);
    fake_copy_free(c);
}

static void test_long_regions_are_timed(void **state)
{
    (void)state;
    for (int i = 0; i < 5 * LIMIT; i++)
        timed("x", 1001);
    for (int i = 0; i < LIMIT; i++)
        timed("few", 1);
    struct fake_copy c = fake_copy();
    CHECK_NODE(c.all, "x", 5 * LIMIT, 5 * LIMIT * 1001);
    check_all_timed(c.all, "x");
    fake_copy_free(c);
}

/* A mean that is short only later is seen when as many calls have been made again. */
static void test_mean_becomes_short(void **state)
{
    (void)state;
    timed("x", 1000 * 1000);
    for (int i = 0; i < 10 * LIMIT; i++)
        timed("x", 1);
    struct fake_copy c = fake_copy();
    CHECK_INT(node_at(c.all, "x")->count, 10 * LIMIT + 1);
    CHECK(extra_at(c.all, "x")->timed > 4 * LIMIT);
    CHECK(extra_at(c.all, "x")->timed < 7 * LIMIT);
    CHECK_INT(node_at(c.all, "x")->max, 1000 * 1000);
    fake_copy_free(c);
}

/* ---- What is inside ------------------------------------------------------------------------- */

static void test_tree_stays(void **state)
{
    (void)state;
    for (int i = 0; i < 20 * LIMIT; i++) {
        CHECK_OK(GPTLstart("outer"));
        if (i % 4 == 0)
            timed("rare", 2000);
        timed("often", 5);
        CHECK_OK(GPTLstop("outer"));
    }
    struct fake_copy c = fake_copy();
    CHECK_INT(node_at(c.all, "outer")->count, 20 * LIMIT);
    CHECK_NODE(c.all, "outer/rare", 5 * LIMIT, 5 * LIMIT * 2000);
    CHECK_INT(node_at(c.all, "outer/often")->count, 20 * LIMIT);
    CHECK(extra_at(c.all, "outer")->timed < 5 * LIMIT);
    check_all_timed(c.all, "outer/rare");
    CHECK_INT(c.all->crossed + c.all->unmatched, 0);
    fake_copy_free(c);
}

static void recurse(int depth)
{
    CHECK_OK(GPTLstart("r"));
    pass(1);
    if (depth > 0)
        recurse(depth - 1);
    CHECK_OK(GPTLstop("r"));
}

static void test_recursion(void **state)
{
    (void)state;
    for (int i = 0; i < 10 * LIMIT; i++)
        recurse(9);
    struct fake_copy c = fake_copy();
    CHECK_INT(node_at(c.all, "r")->count, 100 * LIMIT);
    CHECK_INT(node_at(c.all, "r")->recurse, 90 * LIMIT);
    CHECK_INT(node_at(c.all, "r")->max, 10);
    CHECK(llabs((long long)node_at(c.all, "r")->total - 100 * LIMIT) <=
          (long long)extra_at(c.all, "r")->error);
    fake_copy_free(c);
}

static void test_crossed_stops(void **state)
{
    (void)state;
    for (int i = 0; i < 10 * LIMIT; i++) {
        CHECK_OK(GPTLstart("a"));
        CHECK_OK(GPTLstart("b"));
        pass(1);
        CHECK_OK(GPTLstop("a"));
        CHECK_OK(GPTLstop("b"));
    }
    struct fake_copy c = fake_copy();
    CHECK_INT(node_at(c.all, "a")->count, 10 * LIMIT);
    CHECK_INT(node_at(c.all, "a/b")->count, 10 * LIMIT);
    CHECK_INT(c.all->unmatched, 0);
    CHECK_INT(node_at(c.all, "a/b")->unstopped, 0);
    fake_copy_free(c);
    CHECK_ERROR(GPTLstop("a"));
}

/* ---- Other features ------------------------------------------------------------------------- */

static void test_reset(void **state)
{
    (void)state;
    for (int i = 0; i < 3 * LIMIT; i++)
        timed("x", 50);
    CHECK_OK(GPTLreset());
    for (int i = 0; i < LIMIT; i++)
        timed("x", 70);
    struct fake_copy c = fake_copy();
    CHECK_NODE(c.all, "x", LIMIT, LIMIT * 70);
    check_all_timed(c.all, "x");
    fake_copy_free(c);
    CHECK_OK(GPTLreset_timer("x"));
    for (int i = 0; i < 3 * LIMIT; i++)
        timed("x", 50);
    c = fake_copy();
    CHECK_INT(node_at(c.all, "x")->count, 3 * LIMIT);
    CHECK(extra_at(c.all, "x")->timed < 2 * LIMIT);
    fake_copy_free(c);
}

/* Marks do not begin it anew, and time while disabled is nobody's. */
static void test_marks_and_disable(void **state)
{
    (void)state;
    for (int i = 0; i < 20 * LIMIT; i++) {
        timed("x", 50);
        if (i % 100 == 0) {
            CHECK_OK(GPTLmark("step"));
            CHECK_OK(GPTLdisable());
            pass(1000 * 1000);
            CHECK_OK(GPTLenable());
        }
    }
    struct fake_copy c = fake_copy();
    const struct gptl_extra_copy *extra = extra_at(c.all, "x");
    long long total = (long long)node_at(c.all, "x")->total;
    CHECK_INT(node_at(c.all, "x")->count, 20 * LIMIT);
    CHECK(extra->timed < 3 * LIMIT);
    CHECK(llabs(total - 20 * LIMIT * 50) <= (long long)extra->error);
    CHECK(extra->error < 20 * LIMIT * 50);
    fake_copy_free(c);
}

/* The option may be set when regions exist; the clock may change when they are throttled. */
static void test_set_late(void **state)
{
    (void)state;
    timed("x", 2000);
    CHECK_OK(gptl_core_set_option("test", "throttle", "200"));
    for (int i = 0; i < 10 * LIMIT; i++)
        timed("x", 2000);
    CHECK_OK(gptl_core_set_option("test", "throttle.below", "5000"));
    for (int i = 0; i < 10 * LIMIT; i++)
        timed("x", 2000);
    CHECK_OK(GPTLsetutr(FAKE_SLOW_CLOCK));
    for (int i = 0; i < 10 * LIMIT; i++)
        timed("x", 2000);
    struct fake_copy c = fake_copy();
    const struct gptl_extra_copy *extra = extra_at(c.all, "x");
    CHECK_INT(node_at(c.all, "x")->count, 30 * LIMIT + 1);
    CHECK(extra->timed > 11 * LIMIT && extra->timed < 15 * LIMIT);
    CHECK(fabs((double)node_at(c.all, "x")->total - 60.0 * LIMIT - 2) <= (double)extra->error);
    fake_copy_free(c);
}

/* Also while none of its blocks is measured, as it is watched anew after a change. */
static void test_error_in_ticks_of_each_clock(void **state)
{
    (void)state;
    CHECK_OK(gptl_core_set_option("test", "throttle", "200"));
    for (int i = 0; i < 20 * LIMIT; i++)
        timed("x", 50);
    struct fake_copy c = fake_copy();
    double error = (double)extra_at(c.all, "x")->error;
    CHECK(error > 10000);
    fake_copy_free(c);
    CHECK_OK(GPTLsetutr(FAKE_SLOW_CLOCK));
    timed("x", 50);
    c = fake_copy();
    CHECK(fabs((double)extra_at(c.all, "x")->error - error / 1000) <= 2);
    fake_copy_free(c);
    CHECK_OK(GPTLsetutr(FAKE_CLOCK));
    timed("x", 50);
    c = fake_copy();
    CHECK(fabs((double)extra_at(c.all, "x")->error - error) <= 2000);
    fake_copy_free(c);
}

static void test_given_times(void **state)
{
    (void)state;
    for (int i = 0; i < 10 * LIMIT; i++)
        timed("x", 1);
    struct fake_copy c = fake_copy();
    uint64_t before = node_at(c.all, "x")->total;
    fake_copy_free(c);
    CHECK_OK(GPTLstartstop_val("x", 2.0));
    c = fake_copy();
    CHECK_INT(node_at(c.all, "x")->count, 10 * LIMIT + 1);
    CHECK_INT(node_at(c.all, "x")->total, before + 2000000000);
    fake_copy_free(c);
}

/* ---- The error ------------------------------------------------------------------------------- */

static uint64_t seed = 1;

/* Between 0 and 1, neither included. */
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

/* A page fault, a write to disk: hardly ever the one that is timed. */
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
        THROTTLE_TEST(test_counts_are_exact),
        THROTTLE_TEST(test_long_regions_are_timed),
        THROTTLE_TEST(test_mean_becomes_short),
        THROTTLE_TEST(test_tree_stays),
        THROTTLE_TEST(test_recursion),
        THROTTLE_TEST(test_crossed_stops),
        THROTTLE_TEST(test_reset),
        THROTTLE_TEST(test_marks_and_disable),
        FAKE_IMPLICIT_TEST(test_set_late),
        FAKE_IMPLICIT_TEST(test_error_in_ticks_of_each_clock),
        THROTTLE_TEST(test_given_times),
        THROTTLE_TEST(test_error_constant),
        THROTTLE_TEST(test_error_exponential),
        THROTTLE_TEST(test_error_lognormal),
        THROTTLE_TEST(test_error_pareto),
        THROTTLE_TEST(test_error_rarely_long),
        THROTTLE_TEST(test_error_once_long),
        THROTTLE_TEST(test_error_periodic),
        THROTTLE_TEST(test_error_slower_later),
        THROTTLE_TEST(test_error_in_bursts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
