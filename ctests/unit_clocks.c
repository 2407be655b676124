/*
 * unit_clocks.c - selecting clocks, changing them during a measurement, and clocks that go
 * backwards.
 */
#include "config.h"

#include <time.h>

#include "fake.h"
#include "worker.h"

static int sane_setup(void **state)
{
    (void)state;
    gptl_g.phase = GPTL_OFF;
    return 0;
}

/* Spin until SECONDS of CLOCK_MONOTONIC have passed; return the actual time. */
static double spin(double seconds)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    double passed;
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
        passed = (double)(now.tv_sec - begin.tv_sec) + (double)(now.tv_nsec - begin.tv_nsec) * 1e-9;
    } while (passed < seconds);
    return passed;
}

static bool has_counter(void)
{
    const struct gptl_clock *clock = gptl_clock_by_number(GPTLnanotime);
    return clock && !(clock->unfit && clock->unfit());
}

static void test_numbers(void **state)
{
    (void)state;
    CHECK_OK(GPTLsetutr(GPTLnanotime));
    CHECK_OK(GPTLsetutr(GPTLclockgettime));
    CHECK_OK(GPTLsetutr(GPTLgettimeofday));
    CHECK_INT(GPTLsetutr(GPTLpapitime), GPTL_PAPIlibraryinit());
    CHECK_OK(GPTLsetutr(GPTLplacebo));
    static const int wrong[] = {GPTLread_real_time, GPTLmpiwtime, 0, -1, 8, 99, INT32_MAX};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CHECK_ERROR(GPTLsetutr(wrong[i]));
    CHECK_OK(GPTLinitialize());
    CHECK_STRING(gptl_clock_now()->name, "placebo"); /* the last valid one */
    CHECK_ERROR(GPTLsetutr(GPTLplacebo));
}

/* Real time: with each clock a region that takes 20 ms takes 20 ms. */
static void test_seconds(void **state)
{
    static const int numbers[] = {GPTLnanotime, GPTLclockgettime, GPTLgettimeofday};
    for (int i = 0; i < 3; i++) {
        if (numbers[i] == GPTLnanotime && !has_counter())
            continue;
        CHECK_OK(GPTLsetutr(numbers[i]));
        CHECK_OK(GPTLinitialize());
        CHECK_INT(gptl_clock_now()->number, numbers[i]);
        CHECK_OK(GPTLstart("x"));
        double passed = spin(0.02);
        CHECK_OK(GPTLstop("x"));
        /* A preempted test may see more in the region than in the loop, never less. */
        CHECK_BETWEEN(check_seconds("x", -1), passed * 0.98, passed * 1.02 + 0.05);
        struct gptl_clock_finding finding;
        gptl_core_clock_finding(&finding);
        CHECK_STRING(finding.name, gptl_clock_now()->name);
        CHECK(finding.monotonic);
        CHECK_BETWEEN(finding.cost, 1e-10, 1e-4);
        CHECK_BETWEEN(finding.resolution, 1e-11, 1e-3);
        CHECK_BETWEEN(finding.seconds_per_tick, 1e-11, 1.1e-6);
        fake_teardown(state);
    }
}

static void test_placebo(void **state)
{
    (void)state;
    CHECK_OK(GPTLsetutr(GPTLplacebo));
    CHECK_OK(GPTLinitialize());
    for (int i = 0; i < 10; i++) {
        CHECK_OK(GPTLstart("x"));
        CHECK_OK(GPTLstop("x"));
    }
    CHECK_OK(GPTLstartstop_val("v", 1.5));
    CHECK_INT(check_count("x", -1), 10);
    CHECK_REAL(check_seconds("x", -1), 0);
    CHECK_REAL(check_seconds("v", -1), 1.5);
}

static void test_default_is_best(void **state)
{
    (void)state;
    CHECK_OK(GPTLinitialize());
    CHECK_INT(gptl_clock_now()->number, has_counter() ? GPTLnanotime : GPTLclockgettime);
    struct gptl_clock_finding finding;
    gptl_core_clock_finding(&finding);
    CHECK_INT(strlen(finding.rejected) > 0, !has_counter());
}

/* ---- Another clock while regions are open -------------------------------------------------- */

static void test_change_converts(void **state)
{
    (void)state;
    CHECK_OK(GPTLstart("closed")); /* in nanoseconds */
    pass(3000000);
    CHECK_OK(GPTLstop("closed"));
    CHECK_OK(GPTLstart("open"));
    pass(4000000);
    CHECK_OK(GPTLsetutr(FAKE_SLOW_CLOCK)); /* from now on in microseconds */
    CHECK_REAL(check_seconds("closed", 0), 3e-3);
    pass(1000000);
    CHECK_OK(GPTLstop("open"));
    CHECK_OK(GPTLstart("closed"));
    pass(2000000);
    CHECK_OK(GPTLstop("closed"));
    CHECK_REAL(check_seconds("closed", 0), 5e-3);
    CHECK_REAL(check_seconds("open", 0), 5e-3);
    struct fake_copy c = fake_copy();
    CHECK_REAL(c.all->seconds_per_tick, 1e-6);
    CHECK_NODE(c.all, "closed", 2, 5000);
    CHECK_INT(node_at(c.all, "closed")->max, 3000);
    CHECK_INT(node_at(c.all, "closed")->min, 2000);
    fake_copy_free(c);
    CHECK_OK(GPTLsetutr(FAKE_CLOCK));
    c = fake_copy();
    CHECK_NODE(c.all, "closed", 2, 5000000);
    CHECK_INT(node_at(c.all, "closed")->latest, 2000000);
    fake_copy_free(c);
    CHECK_OK(GPTLinitialize()); /* adopts what runs */
    CHECK_REAL(check_seconds("open", 0), 5e-3);
    CHECK_ERROR(GPTLsetutr(FAKE_SLOW_CLOCK));
}

static void test_change_with_idle_thread(void **state)
{
    (void)state;
    struct worker *w = worker_begin();
    CHECK_OK(GPTLstart("main"));
    CHECK_OK(worker_start(w, "open"));
    pass(4000000);
    CHECK_OK(GPTLsetutr(FAKE_SLOW_CLOCK));
    pass(1000000);
    CHECK_OK(worker_stop(w, "open"));
    CHECK_REAL(check_seconds("open", worker_slot(w)), 5e-3);
    CHECK_OK(GPTLstop("main"));
    CHECK_REAL(check_seconds("main", 0), 5e-3);
    worker_end(w);
}

/* A thread that has yet to convert: disabling and enabling is in its ticks as well. */
static void test_change_and_disable_with_idle_thread(void **state)
{
    (void)state;
    struct worker *w = worker_begin();
    CHECK_OK(worker_start(w, "open"));
    pass(4000000);
    CHECK_OK(GPTLsetutr(FAKE_SLOW_CLOCK));
    CHECK_OK(GPTLdisable());
    pass(100000000);
    CHECK_OK(GPTLenable());
    pass(1000000);
    CHECK_OK(worker_stop(w, "open"));
    CHECK_REAL(check_seconds("open", worker_slot(w)), 5e-3);
    worker_end(w);
}

static void test_change_while_disabled(void **state)
{
    (void)state;
    CHECK_OK(GPTLstart("goes on"));
    CHECK_OK(GPTLstart("ends"));
    pass(4000000);
    CHECK_OK(GPTLdisable());
    pass(7000000);
    CHECK_OK(GPTLsetutr(FAKE_SLOW_CLOCK));
    pass(7000000);
    CHECK_OK(GPTLstop("ends"));
    CHECK_OK(GPTLenable());
    pass(1000000);
    CHECK_OK(GPTLstop("goes on"));
    CHECK_REAL(check_seconds("ends", 0), 4e-3);
    CHECK_REAL(check_seconds("goes on", 0), 5e-3);
}

static void test_change_converts_intervals(void **state)
{
    (void)state;
    CHECK_OK(GPTLstart("x"));
    pass(3000000);
    CHECK_OK(GPTLstop("x"));
    CHECK_OK(GPTLmark("first"));
    CHECK_OK(GPTLsetutr(FAKE_SLOW_CLOCK));
    struct fake_copy c = fake_copy();
    CHECK_NODE(c.all, "x", 1, 3000);
    CHECK_INT(c.all->intervals[0].nrows, 1);
    CHECK_INT(c.all->intervals[0].rows[0].total, 3000);
    CHECK_INT(c.all->intervals[0].rows[0].max, 3000);
    fake_copy_free(c);
}

static void test_change_converts_histogram(void **state)
{
    (void)state;
    CHECK_OK(gptl_core_set_options("histogram=on", "test"));
    CHECK_OK(GPTLstart("x"));
    pass(3000000);
    CHECK_OK(GPTLstop("x"));
    CHECK_OK(GPTLsetutr(FAKE_SLOW_CLOCK));
    struct fake_copy c = fake_copy();
    const struct gptl_node_copy *node = node_at(c.all, "x");
    CHECK_INT(node->extra, 1);
    double median = gptl_core_histogram_quantile(c.all->extras[0].histogram, 0.5);
    CHECK_BETWEEN(median, 3000 * 0.97, 3000 * 1.03);
    fake_copy_free(c);
}

/* ---- Clocks that go wrong ------------------------------------------------------------------ */

static void test_backwards(void **state)
{
    (void)state;
    CHECK_OK(GPTLstart("P"));
    pass(100);
    CHECK_OK(GPTLstart("x"));
    fake_ticks -= 50;
    CHECK_OK(GPTLstop("x"));
    CHECK_OK(GPTLstart("x"));
    pass(7);
    CHECK_OK(GPTLstop("x"));
    CHECK_OK(GPTLstop("P"));
    struct fake_copy c = fake_copy();
    CHECK_NODE(c.all, "P/x", 2, 7);
    CHECK_INT(node_at(c.all, "P/x")->max, 7);
    CHECK_INT(node_at(c.all, "P/x")->min, 0);
    CHECK_NODE(c.all, "P", 1, 57);
    CHECK_INT(c.all->backwards, 1);
    fake_copy_free(c);
    CHECK_OK(GPTLstart("open"));
    fake_ticks -= 50;
    c = fake_copy();
    CHECK_INT(node_at(c.all, "open")->open_ticks, 0);
    fake_copy_free(c);
}

static int readings_left; /* until another process runs for 76 ms; each reading takes 10 ns */

static uint64_t read_preempted(void)
{
    return fake_ticks += --readings_left == 0 ? 76000000 : 10;
}

/* One measurement of the overhead that was interrupted changes neither the estimate nor its error. */
static void test_overhead_of_preempted(void **state)
{
    (void)state;
    static const struct gptl_clock preempted = {112, "preempted", "", read_preempted, 1e9, NULL};
    struct gptl_overhead cost;
    CHECK_OK(gptl_core_add_clock(&preempted));
    CHECK_OK(GPTLsetutr(112));
    CHECK_OK(GPTLstart("x"));
    uint64_t before = fake_ticks;
    readings_left = 1000;
    CHECK_OK(gptl_core_overhead(&cost));
    CHECK_THAT(fake_ticks - before > 76000000, "the interruption was not during the measurement");
    CHECK_THAT(cost.self >= 10e-9 && cost.self < 11e-9, "self %g", cost.self);
    CHECK_THAT(cost.parent >= 10e-9 && cost.parent < 11e-9, "parent %g", cost.parent);
    CHECK_THAT(cost.self_spread < 1e-9, "spread of self %g", cost.self_spread);
    CHECK_THAT(cost.parent_spread < 1e-9, "spread of parent %g", cost.parent_spread);
    CHECK_OK(GPTLstop("x"));
}

static uint64_t read_descending(void)
{
    static uint64_t ticks = 1000000;
    return ticks--;
}

static const char *always_unfit(void)
{
    return "because";
}

/* A clock that fails its check is refused, and the current one stays. */
static void test_refused(void **state)
{
    (void)state;
    static const struct gptl_clock descending = {110, "descending", "", read_descending, 1e9, NULL};
    static const struct gptl_clock unfit = {111, "unfit", "", read_descending, 1e9, always_unfit};
    CHECK_OK(gptl_core_add_clock(&descending));
    CHECK_OK(gptl_core_add_clock(&unfit));
    CHECK_OK(GPTLstart("x"));
    CHECK_ERROR(GPTLsetutr(111));
    CHECK_STRING(gptl_clock_now()->name, "fake");
    CHECK_ERROR(GPTLsetutr(110));
    CHECK_STRING(gptl_clock_now()->name, "fake");
    CHECK_OK(GPTLstop("x"));
}

/*
 * If the counter is untrustworthy, the next clock replaces it, for any request. From here on there
 * is no other.
 */
static void test_counter_unfit(void **state)
{
    (void)state;
    static const struct gptl_clock unfit = {GPTLnanotime,    "nanotime", "",
                                            read_descending, 1e9,        always_unfit};
    int errors = GPTLnum_errors();
    CHECK_OK(gptl_core_add_clock(&unfit));
    CHECK_OK(GPTLsetoption(GPTLabort_on_error, 1));
    CHECK_OK(GPTLstart("x"));
    CHECK_OK(GPTLsetutr(GPTLgettimeofday));
    CHECK_OK(GPTLsetutr(GPTLnanotime));
    CHECK_STRING(gptl_clock_now()->name, "clockgettime");
    CHECK_OK(GPTLsetutr(GPTLgettimeofday));
    CHECK_OK(gptl_core_set_options("utr=nanotime", "test"));
    CHECK_STRING(gptl_clock_now()->name, "clockgettime");
    CHECK_OK(GPTLstop("x"));
    CHECK_INT(GPTLnum_errors(), errors);
}

static void test_stamp(void **state)
{
    (void)state;
    double wall[2], usr[2], sys[2];
    CHECK_OK(GPTLstamp(&wall[0], &usr[0], &sys[0]));
    double passed = spin(0.03);
    CHECK_OK(GPTLstamp(&wall[1], &usr[1], &sys[1]));
    CHECK_BETWEEN(wall[1] - wall[0], passed * 0.98, passed * 1.02 + 0.05);
    CHECK_BETWEEN(usr[1] + sys[1] - usr[0] - sys[0], 0, wall[1] - wall[0] + 0.02);
    CHECK(usr[1] + sys[1] > usr[0] + sys[0]);
}

static uint64_t monotonic(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/*
 * Nanoseconds equal CLOCK_MONOTONIC. The tolerance is 0.5 % of the test's duration: on a busy machine,
 * valgrind reads the two clocks that determine the rate up to 100 us apart.
 */
static void check_nanoseconds(void)
{
    enum { TOLERANCE = 1000000 };
    uint64_t before = monotonic(), now = gptl_core_nanoseconds(), after = monotonic();
    CHECK(now + TOLERANCE >= before);
    CHECK(now <= after + TOLERANCE);
}

/* Before the counter's rate is known, when it becomes known, and from it. */
static void test_nanoseconds(void **state)
{
    (void)state;
    check_nanoseconds();
    CHECK_OK(GPTLinitialize());
    for (int i = 0; i < 20; i++) {
        check_nanoseconds();
        spin(0.01);
    }
    CHECK_OK(GPTLfinalize());
    check_nanoseconds();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_numbers, sane_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_seconds, sane_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_placebo, sane_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_default_is_best, sane_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_stamp, sane_setup, fake_teardown),
        cmocka_unit_test_setup_teardown(test_nanoseconds, sane_setup, fake_teardown),
        FAKE_IMPLICIT_TEST(test_change_converts),
        FAKE_IMPLICIT_TEST(test_change_with_idle_thread),
        FAKE_IMPLICIT_TEST(test_change_and_disable_with_idle_thread),
        FAKE_IMPLICIT_TEST(test_change_while_disabled),
        FAKE_IMPLICIT_TEST(test_change_converts_intervals),
        FAKE_IMPLICIT_TEST(test_change_converts_histogram),
        FAKE_TEST(test_backwards),
        FAKE_IMPLICIT_TEST(test_overhead_of_preempted),
        FAKE_IMPLICIT_TEST(test_refused),
        FAKE_IMPLICIT_TEST(test_counter_unfit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
