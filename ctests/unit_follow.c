/*
 * unit_follow.c - a callback gets the position of a thread before each start and stop, on each path
 * that these take.
 */
#include "config.h"

#include "fake.h"

#include <stdio.h>
#include <string.h>

#include "gptl.h"

static char told[512];

static void follow(const void *node)
{
    size_t used = strlen(told);
    snprintf(told + used, sizeof told - used, "%s ",
             node == GPTL_FOLLOWED_WORK ? "(work)"
             : node                     ? gptl_core_node_name(node)
                                        : "-");
}

static int setup(void **state)
{
    told[0] = '\0';
    return fake_setup_implicit(state);
}

static int teardown(void **state)
{
    gptl_core_follow(NULL);
    return fake_teardown(state);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

/* Two regions, the inner one twice; first and later visits give the same. */
static void run(void)
{
    int handle = 0;
    for (int i = 0; i < 2; i++) {
        GPTLstart("outer");
        GPTLstart_handle("inner", &handle);
        GPTLstop_handle("inner", &handle);
        GPTLstart_handle("inner", &handle);
        GPTLstop_handle("inner", &handle);
        GPTLstop("outer");
    }
}

static const char expected[] = "- outer inner outer inner outer - outer inner outer inner outer ";

static void is_told_before_each_start_and_stop(void **state)
{
    (void)state;
    gptl_core_follow(follow);
    run();
    CHECK_STRING(told, expected);
}

/* With these options some events take the slow path. */
static void is_told_with_other_features(void **state)
{
    (void)state;
    CHECK_OK(GPTLsetoption(GPTLcpu, 1));
    CHECK_OK(GPTLsetoption(GPTLdopr_memusage, 1));
    gptl_core_follow(follow);
    run();
    CHECK_STRING(told, expected);
}

static void is_told_of_the_librarys_work(void **state)
{
    (void)state;
    struct gptl_work work;
    gptl_core_follow(follow);
    GPTLstart("outer");
    gptl_core_work_begin(&work);
    gptl_core_work_end(&work);
    GPTLstop("outer");
    CHECK_STRING(told, "- outer (work) outer ");
}

static void is_told_of_stops_out_of_order(void **state)
{
    (void)state;
    gptl_core_follow(follow);
    GPTLstart("a");
    GPTLstart("b");
    GPTLstop("a");
    GPTLstop("b");
    CHECK_STRING(told, "- a b b ");
}

static void is_told_nothing_afterwards(void **state)
{
    (void)state;
    gptl_core_follow(follow);
    run();
    gptl_core_follow(NULL);
    told[0] = '\0';
    run();
    CHECK_STRING(told, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(is_told_before_each_start_and_stop), TEST(is_told_with_other_features),
        TEST(is_told_of_the_librarys_work),       TEST(is_told_of_stops_out_of_order),
        TEST(is_told_nothing_afterwards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
