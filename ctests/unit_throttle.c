/*
 * unit_throttle.c - throttled regions: counts stay exact, and the tree is the same as without
 * throttling.
 */
#include "config.h"

#include "throttle.h"

#include <stdio.h>

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

/* A mean that becomes short later is detected after the same number of further calls. */
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

/* Marks do not restart it, and time while disabled is not attributed. */
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

/* Also while none of its blocks is measured, because it is watched again after a change. */
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
