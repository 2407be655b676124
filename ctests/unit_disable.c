/* unit_disable.c - GPTLdisable and GPTLenable: counted calls and times, for every thread. */
#include "config.h"

#include <pthread.h>

#include "fake.h"
#include "worker.h"

static void timed(const char *name, uint64_t nanoseconds)
{
    CHECK_OK(GPTLstart(name));
    pass(nanoseconds);
    CHECK_OK(GPTLstop(name));
}

static void test_nothing_counts_while_disabled(void **state)
{
    (void)state;
    timed("x", 1);
    CHECK_OK(GPTLdisable());
    CHECK_INT(GPTLis_initialized(), 1);
    timed("x", 2);
    timed("y", 2);
    CHECK_OK(GPTLstartstop_val("x", 1));
    CHECK_OK(GPTLdisable()); /* they do not nest */
    CHECK_OK(GPTLenable());
    timed("x", 4);
    CHECK_OK(GPTLenable());
    timed("x", 8);
    struct fake_copy c = fake_copy();
    CHECK_NODE(c.all, "x", 3, 13);
    CHECK(!node_at(c.all, "y"));
    fake_copy_free(c);
}

static void test_stopped_while_disabled(void **state)
{
    (void)state;
    CHECK_OK(GPTLstart("A"));
    CHECK_OK(GPTLstart("B"));
    pass(10);
    CHECK_OK(GPTLdisable());
    pass(100);
    CHECK_OK(GPTLstop("B"));
    pass(100);
    CHECK_OK(GPTLstop("A"));
    CHECK_OK(GPTLenable());
    pass(100);
    struct fake_copy c = fake_copy();
    CHECK_NODE(c.all, "A", 1, 10);
    CHECK_NODE(c.all, "A/B", 1, 10);
    CHECK_INT(c.all->crossed, 0);
    fake_copy_free(c);
}

static void test_open_through_disable(void **state)
{
    (void)state;
    CHECK_OK(GPTLstart("A"));
    pass(10);
    CHECK_OK(GPTLdisable());
    pass(100);
    struct fake_copy c = fake_copy();
    CHECK_INT(node_at(c.all, "A")->open_ticks, 10);
    fake_copy_free(c);
    CHECK_OK(GPTLdisable());
    pass(100);
    CHECK_OK(GPTLenable());
    pass(1);
    CHECK_OK(GPTLstart("B"));
    pass(2);
    CHECK_OK(GPTLdisable());
    pass(100);
    CHECK_OK(GPTLenable());
    pass(4);
    CHECK_OK(GPTLstop("B"));
    CHECK_OK(GPTLstop("A"));
    c = fake_copy();
    CHECK_NODE(c.all, "A", 1, 17);
    CHECK_NODE(c.all, "A/B", 1, 6);
    fake_copy_free(c);
}

static void test_started_while_disabled(void **state)
{
    (void)state;
    int handle = 0, errors = GPTLnum_errors();
    CHECK_OK(GPTLstart("A"));
    CHECK_OK(GPTLdisable());
    CHECK_OK(GPTLstart("B"));
    CHECK_OK(GPTLstart_handle("C", &handle));
    CHECK_OK(GPTLstartf("D  ", 3));
    CHECK_OK(GPTLenable());
    pass(10);
    CHECK_OK(GPTLstopf("D  ", 3));
    CHECK_OK(GPTLstop_handle("C", &handle));
    CHECK_OK(GPTLstop("B"));
    CHECK_OK(GPTLstop("A"));
    CHECK_ERROR(GPTLstop("B")); /* but a second stop is */
    CHECK_INT(GPTLnum_errors(), errors + 1);
    struct fake_copy c = fake_copy();
    CHECK_NODE(c.all, "A", 1, 10);
    CHECK_INT(c.all->nnodes, 4); /* the root, the two folding nodes, A */
    fake_copy_free(c);
}

/* Recursion, and names in one buffer. */
static void test_several_started_while_disabled(void **state)
{
    (void)state;
    char names[4][512]; /* some distance apart */
    CHECK_OK(GPTLstart("A"));
    CHECK_OK(GPTLdisable());
    for (int i = 0; i < 3; i++)
        CHECK_OK(GPTLstart("r"));
    for (int i = 0; i < 4; i++) {
        snprintf(names[i], sizeof names[i], "name%d", i);
        CHECK_OK(GPTLstart(names[i]));
    }
    CHECK_OK(GPTLenable());
    for (int i = 3; i >= 0; i--)
        CHECK_OK(GPTLstop(names[i]));
    for (int i = 0; i < 3; i++)
        CHECK_OK(GPTLstop("r"));
    CHECK_OK(GPTLstop("A"));
}

static void test_buffer_started_while_disabled(void **state)
{
    (void)state;
    char name[16];
    CHECK_OK(GPTLstart("A"));
    CHECK_OK(GPTLdisable());
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "name%d", i);
        CHECK_OK(GPTLstart(name));
    }
    CHECK_OK(GPTLenable());
    for (int i = 2; i >= 0; i--) {
        snprintf(name, sizeof name, "name%d", i);
        CHECK_OK(GPTLstop(name));
    }
    CHECK_OK(GPTLstop("A"));
}

/* The open A continues; the stop belongs to the A that was started while disabled. */
static void test_open_region_started_again_while_disabled(void **state)
{
    (void)state;
    CHECK_OK(GPTLstart("A"));
    pass(1);
    CHECK_OK(GPTLdisable());
    CHECK_OK(GPTLstart("A"));
    CHECK_OK(GPTLstop("A"));
    CHECK_OK(GPTLstart("A"));
    CHECK_OK(GPTLenable());
    pass(2);
    CHECK_OK(GPTLstop("A"));
    pass(4);
    CHECK_OK(GPTLstop("A"));
    struct fake_copy c = fake_copy();
    CHECK_NODE(c.all, "A", 1, 7);
    fake_copy_free(c);
}

/* A new thread: its starts while disabled are known as well. */
static void test_first_start_of_thread_while_disabled(void **state)
{
    (void)state;
    CHECK_OK(GPTLdisable());
    struct worker *worker = worker_begin();
    CHECK_OK(worker_start(worker, "x"));
    CHECK_OK(GPTLenable());
    CHECK_OK(worker_stop(worker, "x"));
    worker_end(worker);
}

/* ---- Other threads ------------------------------------------------------------------------- */

static void test_other_threads(void **state)
{
    (void)state;
    struct worker *idle = worker_begin(), *stops = worker_begin(), *starts = worker_begin();
    CHECK_OK(worker_start(idle, "idle"));
    CHECK_OK(worker_start(stops, "stops"));
    CHECK_OK(worker_start(starts, "outer"));
    pass(10);
    CHECK_OK(GPTLdisable());
    pass(100);
    CHECK_OK(worker_stop(stops, "stops"));
    CHECK_OK(worker_start(starts, "dropped"));
    pass(100);
    CHECK_OK(worker_stop(starts, "dropped"));
    CHECK_OK(GPTLenable());
    pass(5);
    CHECK_OK(GPTLdisable());
    pass(100);
    CHECK_OK(GPTLenable());
    CHECK_OK(worker_start(starts, "inner"));
    pass(1);
    CHECK_OK(worker_stop(idle, "idle"));
    CHECK_OK(worker_stop(starts, "inner"));
    CHECK_OK(worker_stop(starts, "outer"));
    CHECK_REAL(check_seconds("idle", worker_slot(idle)), 16e-9);
    CHECK_REAL(check_seconds("stops", worker_slot(stops)), 10e-9);
    CHECK_REAL(check_seconds("outer", worker_slot(starts)), 16e-9);
    CHECK_REAL(check_seconds("inner", worker_slot(starts)), 1e-9);
    worker_end(idle);
    worker_end(stops);
    worker_end(starts);
}

/* An exiting thread's open region counts up to the disable. */
static void test_exit_while_disabled(void **state)
{
    (void)state;
    struct worker *worker = worker_begin();
    CHECK_OK(worker_start(worker, "open"));
    int slot = worker_slot(worker);
    pass(10);
    CHECK_OK(GPTLdisable());
    pass(100);
    worker_end(worker);
    CHECK_OK(GPTLenable());
    struct fake_copy c = fake_copy();
    CHECK_NODE(copy_of_thread(c, slot), "open", 1, 10);
    CHECK_INT(node_at(copy_of_thread(c, slot), "open")->unstopped, 1);
    fake_copy_free(c);
}

static void test_reset_while_disabled(void **state)
{
    (void)state;
    struct worker *worker = worker_begin();
    CHECK_OK(worker_start(worker, "w"));
    CHECK_OK(GPTLstart("A"));
    pass(10);
    CHECK_OK(GPTLdisable());
    pass(100);
    CHECK_OK(GPTLreset());
    pass(100);
    CHECK_OK(GPTLenable());
    pass(3);
    CHECK_OK(GPTLstop("A"));
    CHECK_OK(worker_stop(worker, "w"));
    CHECK_REAL(check_seconds("A", 0), 3e-9);
    CHECK_REAL(check_seconds("w", worker_slot(worker)), 3e-9);
    worker_end(worker);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FAKE_TEST(test_nothing_counts_while_disabled),
        FAKE_TEST(test_stopped_while_disabled),
        FAKE_TEST(test_open_through_disable),
        FAKE_TEST(test_started_while_disabled),
        FAKE_TEST(test_several_started_while_disabled),
        FAKE_TEST(test_buffer_started_while_disabled),
        FAKE_TEST(test_open_region_started_again_while_disabled),
        FAKE_TEST(test_first_start_of_thread_while_disabled),
        FAKE_TEST(test_other_threads),
        FAKE_TEST(test_exit_while_disabled),
        FAKE_TEST(test_reset_while_disabled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
