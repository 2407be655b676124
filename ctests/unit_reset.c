/* unit_reset.c - GPTLreset and GPTLreset_timer: everything begins at zero, the tree stays. */
#include "config.h"

#include "fake.h"
#include "worker.h"

static void timed(const char *name, uint64_t nanoseconds)
{
    CHECK_OK(GPTLstart(name));
    pass(nanoseconds);
    CHECK_OK(GPTLstop(name));
}

static void check_zero(const struct gptl_node_copy *node)
{
    CHECK(node);
    CHECK_INT(node->count, 0);
    CHECK_INT(node->total, 0);
    CHECK_INT(node->recurse, 0);
    CHECK_INT(node->max, 0);
    CHECK_INT(node->latest, 0);
    CHECK_INT(node->unstopped, 0);
    CHECK(node->min == UINT64_MAX);
}

static void test_reset(void **state)
{
    (void)state;
    CHECK_OK(GPTLstart("P"));
    timed("x", 10);
    CHECK_OK(GPTLstart("P"));
    CHECK_OK(GPTLstop("P"));
    CHECK_OK(GPTLstop("P"));
    CHECK_ERROR(GPTLstop("P"));
    CHECK_OK(GPTLstart("A"));
    CHECK_OK(GPTLstart("B"));
    CHECK_OK(GPTLstop("A"));
    CHECK_OK(GPTLstop("B"));
    CHECK_OK(GPTLreset());
    struct fake_copy c = fake_copy();
    check_zero(node_at(c.all, "P"));
    check_zero(node_at(c.all, "P/x"));
    CHECK_INT(c.all->crossed, 0);
    CHECK_INT(c.all->ncrossings, 0);
    CHECK_INT(c.all->unmatched, 0);
    fake_copy_free(c);
    CHECK_INT(check_count("x", 0), 0);
    CHECK_REAL(check_seconds("x", 0), 0);
    double latest = 1;
    CHECK_OK(GPTLget_wallclock_latest("x", 0, &latest));
    CHECK_REAL(latest, 0);
    CHECK_OK(GPTLstart("P"));
    timed("x", 3);
    CHECK_OK(GPTLstop("P"));
    c = fake_copy();
    CHECK_NODE(c.all, "P/x", 1, 3);
    CHECK_INT(node_at(c.all, "P/x")->min, 3);
    CHECK_INT(node_at(c.all, "P/x")->max, 3);
    fake_copy_free(c);
}

static void test_open_regions(void **state)
{
    (void)state;
    CHECK_OK(GPTLstart("A"));
    pass(10);
    CHECK_OK(GPTLstart("B"));
    CHECK_OK(GPTLstart("A"));
    pass(10);
    CHECK_OK(GPTLreset());
    pass(2);
    struct fake_copy c = fake_copy();
    CHECK_INT(node_at(c.all, "A")->open, 2);
    CHECK_INT(node_at(c.all, "A")->open_ticks, 2);
    fake_copy_free(c);
    CHECK_OK(GPTLstop("A"));
    pass(4);
    CHECK_OK(GPTLstop("B"));
    pass(8);
    CHECK_OK(GPTLstop("A"));
    c = fake_copy();
    CHECK_NODE(c.all, "A", 2, 14);
    CHECK_NODE(c.all, "A/B", 1, 6);
    fake_copy_free(c);
}

static void test_one_region(void **state)
{
    (void)state;
    CHECK_OK(GPTLstart("P"));
    timed("x", 10);
    CHECK_OK(GPTLstart("Q"));
    timed("x", 20);
    timed("y", 30);
    CHECK_OK(GPTLstart("x"));
    pass(40);
    CHECK_OK(GPTLreset_timer("x")); /* by all its paths */
    pass(1);
    CHECK_OK(GPTLstop("x"));
    CHECK_OK(GPTLstop("Q"));
    CHECK_OK(GPTLstop("P"));
    struct fake_copy c = fake_copy();
    check_zero(node_at(c.all, "P/x"));
    CHECK_NODE(c.all, "P/Q/x", 1, 1);
    CHECK_NODE(c.all, "P/Q/y", 1, 30);
    CHECK_NODE(c.all, "P/Q", 1, 91);
    CHECK_NODE(c.all, "P", 1, 101);
    fake_copy_free(c);
}

/* An idle thread applies nothing until its next event, and shows zero all the same. */
static void test_idle_thread(void **state)
{
    (void)state;
    struct worker *w = worker_begin();
    CHECK_OK(worker_start(w, "closed"));
    CHECK_OK(worker_start(w, "x"));
    pass(10);
    CHECK_OK(worker_stop(w, "x"));
    CHECK_OK(worker_stop(w, "closed"));
    CHECK_OK(worker_start(w, "open"));
    pass(20);
    int slot = worker_slot(w), count = -1, open = -1;
    double wall = -1;
    CHECK_OK(GPTLreset());
    pass(2);
    CHECK_INT(check_count("x", slot), 0);
    CHECK_REAL(check_seconds("closed", slot), 0);
    CHECK_OK(GPTLquery("open", slot, &count, &open, &wall, NULL, NULL, NULL, 0));
    CHECK_INT(count, 0);
    CHECK_INT(open, 1);
    CHECK_REAL(wall, 0);
    struct fake_copy c = fake_copy();
    check_zero(node_at(copy_of_thread(c, slot), "closed/x"));
    CHECK_INT(node_at(copy_of_thread(c, slot), "open")->open_ticks, 2);
    fake_copy_free(c);
    CHECK_OK(worker_stop(w, "open"));
    CHECK_REAL(check_seconds("open", slot), 2e-9);
    CHECK_INT(check_count("x", slot), 0);
    worker_end(w);
}

static void test_one_region_of_idle_thread(void **state)
{
    (void)state;
    struct worker *w = worker_begin();
    CHECK_OK(worker_start(w, "x"));
    pass(10);
    CHECK_OK(worker_stop(w, "x"));
    CHECK_OK(worker_start(w, "y"));
    CHECK_OK(worker_start(w, "x"));
    pass(10);
    int slot = worker_slot(w);
    CHECK_OK(GPTLreset_timer("x"));
    pass(1);
    CHECK_OK(GPTLreset_timer("x"));
    pass(2);
    CHECK_INT(check_count("x", slot), 0);
    struct fake_copy c = fake_copy();
    CHECK_INT(node_at(copy_of_thread(c, slot), "y/x")->open_ticks, 2);
    CHECK_INT(node_at(copy_of_thread(c, slot), "y")->open_ticks, 13);
    fake_copy_free(c);
    CHECK_OK(worker_stop(w, "x"));
    CHECK_OK(worker_stop(w, "y"));
    CHECK_REAL(check_seconds("x", slot), 2e-9);
    CHECK_REAL(check_seconds("y", slot), 13e-9);
    worker_end(w);
}

/* Requests that accumulate for an idle thread: the latest counts. */
static void test_orders_pile_up(void **state)
{
    (void)state;
    struct worker *w = worker_begin();
    CHECK_OK(worker_start(w, "x"));
    CHECK_OK(worker_start(w, "y"));
    int slot = worker_slot(w);
    pass(100);
    CHECK_OK(GPTLreset_timer("x"));
    pass(100);
    CHECK_OK(GPTLreset());
    pass(10);
    CHECK_OK(GPTLdisable());
    pass(100);
    CHECK_OK(GPTLenable());
    pass(1);
    CHECK_OK(GPTLreset_timer("y"));
    pass(2);
    CHECK_OK(worker_stop(w, "y"));
    CHECK_OK(worker_stop(w, "x"));
    CHECK_REAL(check_seconds("x", slot), 13e-9);
    CHECK_REAL(check_seconds("y", slot), 2e-9);
    worker_end(w);
}

static void test_exited_thread(void **state)
{
    (void)state;
    struct worker *w = worker_begin();
    CHECK_OK(worker_start(w, "x"));
    int slot = worker_slot(w);
    pass(10);
    worker_end(w);
    CHECK_INT(check_count("x", slot), 1);
    CHECK_OK(GPTLreset_timer("x"));
    CHECK_INT(check_count("x", slot), 0);
    struct fake_copy c = fake_copy();
    check_zero(node_at(copy_of_thread(c, slot), "x"));
    fake_copy_free(c);
}

/* A report covers the time since then, and states its length. */
static void test_measurement_begins_anew(void **state)
{
    (void)state;
    struct gptl_process before, after;
    do
        gptl_core_process(&before);
    while (before.elapsed < 0.002);
    CHECK_OK(GPTLreset());
    gptl_core_process(&after);
    CHECK(after.started > before.started + 0.001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FAKE_TEST(test_reset),          FAKE_TEST(test_open_regions),
        FAKE_TEST(test_one_region),     FAKE_TEST(test_idle_thread),
        FAKE_TEST(test_orders_pile_up), FAKE_TEST(test_one_region_of_idle_thread),
        FAKE_TEST(test_exited_thread),  FAKE_TEST(test_measurement_begins_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
