/*
 * unit_work.c - the library's own work is charged to no region: not the report that a region
 * writes, not nested work, and none of it twice if measurement is disabled or reset during it.
 */
#include "config.h"

#include "fake.h"

/* A clock that advances with each reading: so every reading takes time. */
enum { STEPPING_CLOCK = 102, STEP = 1000 };

static uint64_t read_stepping(void)
{
    return fake_ticks += STEP;
}

static const struct gptl_clock stepping_clock = {
    STEPPING_CLOCK, "stepping", "a variable that moves on", read_stepping, 1e9, NULL};

static int setup_stepping(void **state)
{
    (void)state;
    gptl_g.phase = GPTL_OFF;
    if (!gptl_clock_by_number(STEPPING_CLOCK))
        CHECK_OK(gptl_core_add_clock(&stepping_clock));
    CHECK_OK(GPTLsetutr(STEPPING_CLOCK));
    return GPTLinitialize();
}

#define STEPPING_TEST(f) cmocka_unit_test_setup_teardown(f, setup_stepping, fake_teardown)

static void check_own_work(uint64_t nanoseconds)
{
    struct fake_copy c = fake_copy();
    CHECK_INT(copy_of_thread(c, 0)->own_work, nanoseconds);
    fake_copy_free(c);
}

/* ---- Reports ------------------------------------------------------------------------------- */

/*
 * The readings of starts and stops, and those at the begin and end of the report, are a step each.
 */
static void no_region_has_a_report(void **state)
{
    (void)state;
    GPTLstart("outer");
    GPTLstart("inner");
    uint64_t before = fake_ticks;
    CHECK_OK(GPTLpr_file("unit_work.report"));
    uint64_t passed = fake_ticks - before;
    GPTLstop("inner");
    GPTLstop("outer");
    CHECK_THAT(passed > 100 * STEP, "the report took %llu ns", (unsigned long long)passed);
    struct fake_copy c = fake_copy();
    const struct gptl_copy *copy = copy_of_thread(c, 0);
    CHECK_NODE(copy, "outer/inner", 1, 2 * STEP);
    CHECK_NODE(copy, "outer", 1, 4 * STEP);
    CHECK_INT(copy->own_work, passed - STEP);
    fake_copy_free(c);
    unlink("unit_work.report");
}

static void marks_and_resets_are_no_regions(void **state)
{
    (void)state;
    GPTLstart("region");
    uint64_t before = fake_ticks;
    CHECK_OK(GPTLmark("here"));
    uint64_t passed = fake_ticks - before;
    GPTLstop("region");
    struct fake_copy c = fake_copy();
    CHECK_NODE(copy_of_thread(c, 0), "region", 1, 2 * STEP);
    CHECK_INT(copy_of_thread(c, 0)->own_work, passed - STEP);
    fake_copy_free(c);
}

/* ---- Options ------------------------------------------------------------------------------- */

enum { LATE_CLOCK = 103 };

static const char *check_late(void)
{
    pass(5000000);
    return NULL;
}

static const struct gptl_clock late_clock = {LATE_CLOCK,     "late", "one that takes long to check",
                                             fake_read_slow, 1e6,    check_late};

static void no_region_has_a_change_of_the_clock(void **state)
{
    (void)state;
    if (!gptl_clock_by_number(LATE_CLOCK))
        CHECK_OK(gptl_core_add_clock(&late_clock));
    GPTLstart("region");
    pass(1000000);
    uint64_t before = fake_ticks;
    CHECK_OK(GPTLsetutr(LATE_CLOCK));
    uint64_t passed = fake_ticks - before;
    CHECK_THAT(passed >= 5000000, "the check took %llu ns", (unsigned long long)passed);
    pass(2000000);
    GPTLstop("region");
    struct fake_copy c = fake_copy();
    CHECK_NODE(copy_of_thread(c, 0), "region", 1, 3000);
    CHECK_INT(copy_of_thread(c, 0)->own_work, passed / 1000);
    fake_copy_free(c);
}

/* ---- What comes in between ------------------------------------------------------------------ */

static void work_within_work_counts_once(void **state)
{
    (void)state;
    struct gptl_work outer, inner;
    GPTLstart("region");
    pass(1);
    gptl_core_work_begin(&outer);
    pass(10);
    gptl_core_work_begin(&inner);
    pass(100);
    gptl_core_work_end(&inner);
    pass(1000);
    gptl_core_work_end(&outer);
    pass(10000);
    GPTLstop("region");
    struct fake_copy c = fake_copy();
    CHECK_NODE(copy_of_thread(c, 0), "region", 1, 10001);
    CHECK_INT(copy_of_thread(c, 0)->own_work, 1110);
    fake_copy_free(c);
}

static void regions_within_work_keep_their_time(void **state)
{
    (void)state;
    struct gptl_work work;
    GPTLstart("region");
    gptl_core_work_begin(&work);
    pass(10);
    GPTLstart("handler");
    pass(100);
    GPTLstop("handler");
    gptl_core_work_end(&work);
    GPTLstop("region");
    struct fake_copy c = fake_copy();
    CHECK_NODE(copy_of_thread(c, 0), "region/handler", 1, 100);
    CHECK_NODE(copy_of_thread(c, 0), "region", 1, 0);
    fake_copy_free(c);
}

static void disabled_time_is_left_out_once(void **state)
{
    (void)state;
    struct gptl_work work;
    GPTLstart("region");
    pass(1);
    gptl_core_work_begin(&work);
    pass(10);
    GPTLdisable();
    pass(100);
    GPTLenable();
    pass(1000);
    gptl_core_work_end(&work);
    pass(10000);
    GPTLdisable();
    pass(5);
    gptl_core_work_begin(&work);
    pass(50);
    GPTLenable();
    pass(500);
    gptl_core_work_end(&work);
    GPTLstop("region");
    struct fake_copy c = fake_copy();
    CHECK_NODE(copy_of_thread(c, 0), "region", 1, 10001);
    CHECK_INT(copy_of_thread(c, 0)->own_work, 1510);
    fake_copy_free(c);
}

static void a_reset_meanwhile_starts_regions_at_the_end(void **state)
{
    (void)state;
    struct gptl_work work;
    GPTLstart("region");
    pass(1);
    gptl_core_work_begin(&work);
    pass(10);
    CHECK_OK(GPTLreset());
    pass(100);
    gptl_core_work_end(&work);
    pass(1000);
    GPTLstop("region");
    struct fake_copy c = fake_copy();
    CHECK_NODE(copy_of_thread(c, 0), "region", 1, 1000);
    fake_copy_free(c);
}

static void a_finished_measurement_is_left_alone(void **state)
{
    (void)state;
    struct gptl_work work;
    GPTLstart("region");
    gptl_core_work_begin(&work);
    gptl_core_reported();
    CHECK_OK(GPTLfinalize());
    CHECK_OK(GPTLsetutr(FAKE_CLOCK));
    CHECK_OK(GPTLinitialize());
    GPTLstart("next");
    pass(10);
    gptl_core_work_end(&work);
    GPTLstop("next");
    struct fake_copy c = fake_copy();
    CHECK_NODE(copy_of_thread(c, 0), "next", 1, 10);
    fake_copy_free(c);
    check_own_work(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STEPPING_TEST(no_region_has_a_report),
        STEPPING_TEST(marks_and_resets_are_no_regions),
        cmocka_unit_test_setup_teardown(no_region_has_a_change_of_the_clock, fake_setup_implicit,
                                        fake_teardown),
        FAKE_TEST(work_within_work_counts_once),
        FAKE_TEST(regions_within_work_keep_their_time),
        FAKE_TEST(disabled_time_is_left_out_once),
        FAKE_TEST(a_reset_meanwhile_starts_regions_at_the_end),
        FAKE_TEST(a_finished_measurement_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
