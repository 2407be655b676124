/* unit_prefix.c - prefixes: set, replaced and unset while regions are open. */
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

static void test_set_and_unset(void **state)
{
    (void)state;
    timed("x", 1);
    CHECK_OK(GPTLprefix_set("ocn:"));
    timed("x", 2);
    timed("x", 2);
    CHECK_OK(GPTLprefix_set("atm:"));
    timed("x", 4);
    CHECK_OK(GPTLprefix_unset());
    timed("x", 8);
    struct fake_copy c = fake_copy();
    CHECK_NODE(c.all, "x", 2, 9);
    CHECK_NODE(c.all, "ocn:x", 2, 4);
    CHECK_NODE(c.all, "atm:x", 1, 4);
    fake_copy_free(c);
    CHECK_INT(check_count("ocn:x", 0), 2); /* queries name regions by their full names */
}

/* A stop names the region as its start did, regardless of the current prefix. */
static void test_changes_while_open(void **state)
{
    (void)state;
    CHECK_OK(GPTLstart("plain"));
    CHECK_OK(GPTLprefix_set("1:"));
    CHECK_OK(GPTLstart("one"));
    pass(1);
    CHECK_OK(GPTLprefix_set("second:"));
    CHECK_OK(GPTLstart("two"));
    pass(2);
    CHECK_OK(GPTLprefix_unset());
    CHECK_OK(GPTLstart("none"));
    pass(4);
    CHECK_OK(GPTLstop("none"));
    CHECK_OK(GPTLstop("two"));
    CHECK_OK(GPTLprefix_set("3:"));
    CHECK_OK(GPTLstop("one"));
    CHECK_OK(GPTLstop("plain"));
    struct fake_copy c = fake_copy();
    CHECK_NODE(c.all, "plain", 1, 7);
    CHECK_NODE(c.all, "plain/1:one", 1, 7);
    CHECK_NODE(c.all, "plain/1:one/second:two", 1, 6);
    CHECK_NODE(c.all, "plain/1:one/second:two/none", 1, 4);
    CHECK_INT(c.all->crossed, 0);
    fake_copy_free(c);
    CHECK_ERROR(GPTLstop("1:one"));
}

/* A stop may also have the complete name; a region that was started by this name comes first. */
static void test_complete_names(void **state)
{
    (void)state;
    int handle = 0;
    CHECK_OK(GPTLprefix_set("Q:"));
    CHECK_OK(GPTLstart("y"));
    CHECK_OK(GPTLstart("Q:y"));
    CHECK_OK(GPTLprefix_unset());
    pass(1);
    CHECK_OK(GPTLstop("Q:y"));
    CHECK_ERROR(GPTLstop("Q:"));
    CHECK_ERROR(GPTLstop(":y"));
    CHECK_ERROR(GPTLstop("Q:Q:y"));
    pass(2);
    CHECK_OK(GPTLstop("Q:y"));
    CHECK_ERROR(GPTLstop("Q:y"));
    CHECK_OK(GPTLprefix_set("Q:"));
    CHECK_OK(GPTLstart("y"));
    pass(4);
    CHECK_OK(GPTLstop_handle("Q:y", &handle));
    struct fake_copy c = fake_copy();
    CHECK_NODE(c.all, "Q:y", 2, 7);
    CHECK_NODE(c.all, "Q:y/Q:Q:y", 1, 1);
    CHECK_INT(c.all->crossed, 0);
    fake_copy_free(c);
}

/* The same name with and without: each stop ends the innermost. */
static void test_same_name_twice(void **state)
{
    (void)state;
    CHECK_OK(GPTLstart("x"));
    pass(1);
    CHECK_OK(GPTLprefix_set("p:"));
    CHECK_OK(GPTLstart("x"));
    pass(2);
    CHECK_OK(GPTLprefix_unset());
    CHECK_OK(GPTLstop("x"));
    CHECK_OK(GPTLstop("x"));
    struct fake_copy c = fake_copy();
    CHECK_NODE(c.all, "x", 1, 3);
    CHECK_NODE(c.all, "x/p:x", 1, 2);
    fake_copy_free(c);
}

static void test_crossed(void **state)
{
    (void)state;
    CHECK_OK(GPTLprefix_set("a:"));
    CHECK_OK(GPTLstart("A"));
    pass(1);
    CHECK_OK(GPTLprefix_set("longer:"));
    CHECK_OK(GPTLstart("B"));
    pass(2);
    CHECK_OK(GPTLstop("A"));
    pass(4);
    CHECK_OK(GPTLstop("B"));
    struct fake_copy c = fake_copy();
    CHECK_NODE(c.all, "a:A", 1, 3);
    CHECK_NODE(c.all, "a:A/longer:B", 1, 6);
    CHECK_INT(c.all->ncrossings, 1);
    CHECK_STRING(c.all->crossings[0].stopped, "a:A");
    CHECK_STRING(c.all->crossings[0].inside, "longer:B");
    fake_copy_free(c);
}

static void test_by_length(void **state)
{
    (void)state;
    CHECK_OK(GPTLprefix_setf("f:   ", 5));
    timed("x", 1);
    CHECK_OK(GPTLprefix_setf("cut\0off", 7));
    timed("x", 2);
    CHECK_OK(GPTLprefix_setf("exact", 2));
    timed("x", 4);
    CHECK_OK(GPTLprefix_setf("    ", 4));
    timed("x", 8);
    CHECK_OK(GPTLprefix_set("blank "));
    timed("x", 16);
    CHECK_OK(GPTLprefix_set(""));
    timed("x", 32);
    struct fake_copy c = fake_copy();
    CHECK_NODE(c.all, "f:x", 1, 1);
    CHECK_NODE(c.all, "cutx", 1, 2);
    CHECK_NODE(c.all, "exx", 1, 4);
    CHECK_NODE(c.all, "x", 2, 40);
    CHECK_NODE(c.all, "blank x", 1, 16);
    fake_copy_free(c);
}

static void test_other_kinds_of_start(void **state)
{
    (void)state;
    int handle = 0;
    CHECK_OK(GPTLstart_handle("h", &handle));
    CHECK_OK(GPTLstop_handle("h", &handle));
    CHECK_OK(GPTLprefix_set("p:"));
    CHECK_OK(GPTLstart_handle("h", &handle));
    CHECK_OK(GPTLstop_handle("h", &handle));
    CHECK_OK(GPTLstartf("h  ", 3));
    CHECK_OK(GPTLstop("h"));
    CHECK_OK(GPTLstartstop_val("h", 5e-9));
    CHECK_OK(GPTLstart(""));
    CHECK_OK(GPTLstop(""));
    struct fake_copy c = fake_copy();
    CHECK_NODE(c.all, "h", 1, 0);
    CHECK_NODE(c.all, "p:h", 3, 5);
    CHECK_NODE(c.all, "p:(empty)", 1, 0);
    fake_copy_free(c);
}

static void test_long(void **state)
{
    (void)state;
    static char prefix[10001], name[5001], both[15001];
    memset(prefix, 'p', 10000);
    memset(name, 'n', 5000);
    snprintf(both, sizeof both, "%s%s", prefix, name);
    CHECK_OK(GPTLprefix_set(prefix));
    timed("short", 1);
    timed(name, 2);
    CHECK_INT(check_count(both, 0), 1);
    prefix[3] = '\0';
    CHECK_OK(GPTLprefix_set(prefix));
    timed(name, 2);
    CHECK_INT(check_count(both + 9997, 0), 1);
}

static void *other_thread(void *unused)
{
    timed("x", 2);
    CHECK_OK(GPTLprefix_set("other:"));
    timed("x", 4);
    return unused;
}

/* A prefix belongs to its thread, and ends with it. */
static void test_threads(void **state)
{
    (void)state;
    CHECK_OK(GPTLprefix_set("main:"));
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        CHECK_OK(pthread_create(&thread, NULL, other_thread, NULL));
        CHECK_OK(pthread_join(thread, NULL));
    }
    timed("x", 8);
    struct fake_copy c = fake_copy();
    CHECK_INT(c.n, 2);
    CHECK_NODE(copy_of_thread(c, 0), "main:x", 1, 8);
    CHECK_NODE(copy_of_thread(c, 1), "x", 2, 4);
    CHECK_NODE(copy_of_thread(c, 1), "other:x", 2, 8);
    fake_copy_free(c);
}

static void test_set_before_first_start(void **state)
{
    (void)state;
    CHECK_OK(GPTLprefix_set("p:"));
    timed("x", 1);
    CHECK_INT(check_count("p:x", 0), 1);
}

/* Also by a thread that has measured nothing yet. */
static void test_set_while_disabled(void **state)
{
    (void)state;
    struct worker *w = worker_begin();
    CHECK_OK(GPTLdisable());
    CHECK_OK(worker_call(w, GPTLprefix_set, "p:"));
    CHECK_OK(GPTLenable());
    CHECK_OK(worker_start(w, "x"));
    CHECK_OK(worker_stop(w, "x"));
    int slot = worker_slot(w);
    worker_end(w);
    CHECK_INT(check_count("p:x", slot), 1);
}

/* A failed call changes nothing. */
static void test_no_memory_for_prefix(void **state)
{
    (void)state;
    static char prefix[10001];
    memset(prefix, 'p', 10000);
    CHECK_OK(GPTLprefix_set("old:"));
    timed("x", 1);
    gptl_mem_fail_after = 0;
    CHECK_ERROR(GPTLprefix_set(prefix));
    timed("x", 2);
    CHECK_INT(check_count("old:x", 0), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FAKE_TEST(test_set_and_unset),
        FAKE_TEST(test_changes_while_open),
        FAKE_TEST(test_complete_names),
        FAKE_TEST(test_same_name_twice),
        FAKE_TEST(test_crossed),
        FAKE_TEST(test_by_length),
        FAKE_TEST(test_other_kinds_of_start),
        FAKE_TEST(test_long),
        FAKE_TEST(test_threads),
        FAKE_IMPLICIT_TEST(test_set_before_first_start),
        FAKE_TEST(test_set_while_disabled),
        FAKE_TEST(test_no_memory_for_prefix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
