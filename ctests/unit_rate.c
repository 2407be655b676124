/*
 * unit_rate.c - the length of a tick if clocks disagree: a suspended or paused machine, clocks that
 * stop, jump, or are faked, a counter that is set back or changes its rate.
 */
#include "config.h"

#include "fake.h"

#include "core/rate.h"

/* A world in which each reading takes 20 ns of real time, and ticks last 0.5 ns. */
static struct world {
    double real;       /* nanoseconds */
    double tick;       /* nanoseconds per tick */
    double ticks;      /* of the counter */
    double monotonic;  /* minus real */
    double boottime;   /* minus real */
    double program;    /* minus real */
    bool stands_still; /* the kernel's clock */
    double still_at;
    uint64_t readings;
} world;

static void go_on(double nanoseconds)
{
    world.real += nanoseconds;
    world.ticks += nanoseconds / world.tick;
}

static uint64_t read_ticks(void)
{
    go_on(20);
    return (uint64_t)world.ticks;
}

static uint64_t read_kernel(void)
{
    go_on(20);
    world.readings++;
    return (uint64_t)(world.stands_still ? world.still_at : world.real + world.monotonic);
}

static uint64_t read_boottime(void)
{
    go_on(20);
    return (uint64_t)(world.real + world.boottime);
}

static uint64_t read_program(void)
{
    go_on(20);
    return (uint64_t)(world.real + world.program);
}

static const struct gptl_rate_source source = {read_ticks, read_kernel, read_boottime,
                                               read_program};

enum { SHORTEST = 200000 };
static struct gptl_rate rate;
static char said[640];

static int begin(void **state)
{
    (void)state;
    world = (struct world){.real = 5e12, .tick = 0.5, .ticks = 1e9};
    gptl_rate_begin(&rate, &source);
    return 0;
}

static double found(void)
{
    gptl_rate_update(&rate, &source, SHORTEST);
    gptl_rate_explain(&rate, said, sizeof said);
    return gptl_rate_nanoseconds_per_tick(&rate);
}

#define CHECK_RATE(value) CHECK_BETWEEN(found(), (value)*0.9999, (value)*1.0001)

static void test_clocks_that_agree(void **state)
{
    (void)state;
    CHECK_RATE(0.5); /* it waits */
    for (int i = 0; i < 100; i++) {
        go_on(1e8);
        gptl_rate_update(&rate, &source, 0);
    }
    CHECK_RATE(0.5);
    CHECK_STRING(said, "");
    CHECK_BETWEEN(rate.nanoseconds, 0.999e10, 1.001e10);
}

/* No checkpoint before it, and several. */
static void suspended(int checkpoints, double boottime, const char *sentence)
{
    for (int i = 0; i < checkpoints; i++) {
        go_on(3e8);
        gptl_rate_update(&rate, &source, 0);
    }
    go_on(1e8);
    go_on(2e9); /* the machine is suspended */
    world.monotonic -= 2e9;
    world.boottime += boottime - 2e9;
    world.program -= 2e9;
    go_on(1e8);
    CHECK_RATE(0.5);
    CHECK(strstr(said, sentence));
}

static void test_suspended_machine(void **state)
{
    for (int checkpoints = 0; checkpoints < 4; checkpoints++) {
        begin(state);
        suspended(checkpoints, 2e9, "the machine was suspended for 2.000 s");
        begin(state);
        suspended(checkpoints, 0, "left out 2.000 s that this clock counted");
    }
}

/* The counter stopped as well: nothing is wrong. */
static void test_counter_suspended_as_well(void **state)
{
    (void)state;
    go_on(1e8);
    world.boottime += 2e9;
    go_on(1e8);
    CHECK_RATE(0.5);
    CHECK(strstr(said, "the machine was suspended for 2.000 s"));
}

static void test_clock_that_jumps(void **state)
{
    static const double jumps[] = {1e9, -1e9, 3600e9, -3600e9};
    for (int i = 0; i < 4; i++) {
        begin(state);
        go_on(3e8);
        gptl_rate_update(&rate, &source, 0);
        go_on(1e8);
        world.monotonic += jumps[i];
        world.boottime += jumps[i];
        world.program += jumps[i];
        go_on(1e8);
        CHECK_RATE(0.5);
        CHECK(strstr(said, jumps[i] > 0 ? "jumped ahead of this clock by " : "left out "));
    }
}

static void test_program_clock_that_is_faked(void **state)
{
    (void)state;
    go_on(1e9);
    world.program -= 7e9;
    go_on(1e9);
    CHECK_RATE(0.5);
    CHECK(strstr(said, "the clock that the program reads differed by 7.000 s from the kernel's"));
}

static void test_kernel_clock_that_stands_still(void **state)
{
    (void)state;
    world.stands_still = true;
    world.still_at = world.real;
    gptl_rate_begin(&rate, &source);
    world.readings = 0;
    CHECK_REAL(found(), 0);
    CHECK(strstr(said, "stands still"));
    CHECK_BETWEEN((double)world.readings, 1, 100000); /* no endless wait */
    world.stands_still = false;
    CHECK_RATE(0.5);
    CHECK(!strstr(said, "stands still"));
}

static void test_counter_that_is_set_back(void **state)
{
    (void)state;
    go_on(1e9);
    gptl_rate_update(&rate, &source, 0);
    world.ticks = 0;
    go_on(1e8);
    CHECK_RATE(0.5);
    CHECK(strstr(said, "set back"));
}

/* A virtual machine that migrates to another host. */
static void test_rate_that_changes(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        go_on(1e9);
        gptl_rate_update(&rate, &source, 0);
    }
    world.tick = 0.4;
    go_on(2e9);
    CHECK_RATE(4e9 / (2e9 / 0.5 + 2e9 / 0.4));
    CHECK(strstr(said, "the clock's rate changed from 0.5"));
    CHECK(strstr(said, " to 0.4"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_clocks_that_agree, begin),
        cmocka_unit_test_setup(test_suspended_machine, begin),
        cmocka_unit_test_setup(test_counter_suspended_as_well, begin),
        cmocka_unit_test_setup(test_clock_that_jumps, begin),
        cmocka_unit_test_setup(test_program_clock_that_is_faked, begin),
        cmocka_unit_test_setup(test_kernel_clock_that_stands_still, begin),
        cmocka_unit_test_setup(test_counter_that_is_set_back, begin),
        cmocka_unit_test_setup(test_rate_that_changes, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
