/*
 * unit_amounts.c - bytes moved by wrapped calls: exact by path, including callees, for any caller,
 * and none while nothing is measured.
 */
#include "config.h"

#include "fake.h"

#include <pthread.h>

#include "gptl.h"

#define ROW(Kind, Shown, Slot, Name, Expression)                                                   \
    {                                                                                              \
        .kind = (Kind), .shown = (Shown), .slot = (Slot), .name = (Name), .description = "",       \
        .unit = GPTL_AMOUNT_UNIT, .component = "", .expression = (Expression), .why = ""           \
    }

static struct gptl_metric rows[] = {
    ROW(GPTL_METRIC_COUNTED, true, GPTL_SENT, "SENT", ""),
    ROW(GPTL_METRIC_COUNTED, true, GPTL_RECEIVED, "RECEIVED", ""),
    ROW(GPTL_METRIC_COUNTED, false, GPTL_NAMOUNTS, "CALLS", ""),
    ROW(GPTL_METRIC_DERIVED, true, 0, "AVERAGE", "(SENT + RECEIVED) / CALLS"),
};
static const struct gptl_metrics amounts = {rows, 4, GPTL_NAMOUNTS + 1, NULL};

static int setup(void **state)
{
    gptl_core_set_amounts(&amounts);
    return fake_setup(state);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, fake_teardown)

/* As a wrapper does. */
static void *call(const char *name, int64_t sent, int64_t received)
{
    void *node = gptl_core_begin(name, GPTL_KIND_MPI);
    pass(10);
    if (node) {
        gptl_core_end(name, GPTL_KIND_MPI);
        gptl_core_add(node, GPTL_SENT, sent);
        gptl_core_add(node, GPTL_RECEIVED, received);
    }
    return node;
}

static void check_amounts(const char *path, int thread, int64_t sent, int64_t received,
                          int64_t calls)
{
    struct fake_copy c = fake_copy();
    const struct gptl_copy *copy = copy_of_thread(c, thread);
    const struct gptl_node_copy *node = node_at(copy, path);
    CHECK_THAT(node, "there is no node %s", path);
    CHECK_INT(copy->ncounters, GPTL_NAMOUNTS + 1);
    const int64_t none[GPTL_NAMOUNTS + 1] = {0};
    const int64_t *is = node->extra ? copy->extras[node->extra - 1].counters : none;
    CHECK_THAT(is[0] == sent && is[1] == received && is[2] == calls,
               "%s has %lld, %lld, %lld, expected %lld, %lld, %lld", path, (long long)is[0],
               (long long)is[1], (long long)is[2], (long long)sent, (long long)received,
               (long long)calls);
    fake_copy_free(c);
}

static void test_below(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        CHECK_OK(GPTLstart("solve"));
        CHECK_OK(GPTLstart("halo"));
        CHECK(call("put", 100, 0));
        CHECK(call("take", 0, 7));
        CHECK_OK(GPTLstop("halo"));
        CHECK_OK(GPTLstart("quiet"));
        CHECK_OK(GPTLstop("quiet"));
        CHECK(call("wait", 0, 0));
        CHECK_OK(GPTLstop("solve"));
        CHECK(call("put", 1, 1));
    }
    check_amounts("solve/halo/put", 0, 300, 0, 3);
    check_amounts("solve/halo/take", 0, 0, 21, 3);
    check_amounts("solve/halo", 0, 300, 21, 6);
    check_amounts("solve/wait", 0, 0, 0, 3);
    check_amounts("solve", 0, 300, 21, 9);
    check_amounts("solve/quiet", 0, 0, 0, 0);
    check_amounts("put", 0, 3, 3, 3);
}

static void test_queries(void **state)
{
    (void)state;
    CHECK_OK(GPTLstart("solve"));
    call("put", 1000, 24);
    call("put", 0, 0);
    CHECK_OK(GPTLstop("solve"));
    call("put", 1, 0);
    const char *const names[] = {"solve", "put"};
    const double expected[][4] = {{1000, 24, 2, 512}, {1001, 24, 3, 1025.0 / 3}};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 4; k++) {
            double value = -1;
            CHECK_OK(GPTLget_eventvalue(names[i], rows[k].name, 0, &value));
            CHECK_THAT(value == expected[i][k], "%s of %s is %g", rows[k].name, names[i], value);
        }
}

static void test_disabled(void **state)
{
    (void)state;
    call("put", 1, 0);
    CHECK_OK(GPTLdisable());
    CHECK(!call("put", 10, 0));
    CHECK(!call("other", 10, 0));
    CHECK_OK(GPTLstart("solve")); /* and a start ignored while disabled has its own stop */
    CHECK(!call("put", 10, 0));
    CHECK_OK(GPTLstop("solve"));
    CHECK_OK(GPTLenable());
    call("put", 1, 0);
    CHECK_INT(GPTLnum_errors(), 0);
    check_amounts("put", 0, 2, 0, 2);
    CHECK_OK(GPTLfinalize());
    CHECK(!call("put", 1, 0));
    CHECK_OK(GPTLinitialize());
}

static void test_too_deep(void **state)
{
    (void)state;
    CHECK_OK(gptl_core_set_options("depthlimit=1", "this test"));
    CHECK_OK(GPTLinitialize());
    CHECK_OK(GPTLstart("solve"));
    CHECK(!call("put", 1, 0));
    CHECK_OK(GPTLstop("solve"));
    CHECK(call("put", 1, 0));
    CHECK_INT(GPTLnum_errors(), 0);
    check_amounts("solve", 0, 0, 0, 0);
    check_amounts("put", 0, 1, 0, 1);
    CHECK_OK(gptl_core_set_options("depthlimit=99999", "this test"));
}

static void test_reset(void **state)
{
    (void)state;
    void *node = call("put", 5, 5);
    gptl_core_add_later(node, GPTL_RECEIVED, 100);
    check_amounts("put", 0, 5, 105, 1);
    CHECK_OK(GPTLreset());
    check_amounts("put", 0, 0, 0, 0);
    call("put", 1, 2);
    gptl_core_add_later(node, GPTL_RECEIVED, 4);
    check_amounts("put", 0, 1, 6, 1);
}

/* ---- Threads ------------------------------------------------------------------------------- */

static void *posted;

static void *complete(void *unused)
{
    for (int i = 0; i < 100000; i++)
        gptl_core_add_later(posted, GPTL_RECEIVED, 3);
    return unused;
}

static void test_completed_elsewhere(void **state)
{
    (void)state;
    posted = call("post", 0, 0);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        CHECK_OK(pthread_create(&threads[i], NULL, complete, NULL));
    for (int i = 0; i < 100000; i++)
        gptl_core_add(posted, GPTL_RECEIVED, 1);
    for (int i = 0; i < 2; i++)
        CHECK_OK(pthread_join(threads[i], NULL));
    check_amounts("post", 0, 0, 700000, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_below),    TEST(test_queries), TEST(test_disabled),
        TEST(test_too_deep), TEST(test_reset),   TEST(test_completed_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
