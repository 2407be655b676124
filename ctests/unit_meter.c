/*
 * unit_meter.c - values that a meter reads, here from a variable: they follow recursion, crossed
 * stops, disabling, resets, threads and a lack of memory.
 */
#include "config.h"

#include <errno.h>

#include "fake.h"
#include "worker.h"

#include "core/meter.h"

/* ---- The meter ----------------------------------------------------------------------------- */

enum { MOST = 3 };

static int64_t events[MOST]; /* what happens */
static uint32_t nslots = 2, revision = 1;
static int nopened, nreads;

static uint32_t wanted(void)
{
    return revision;
}

static void plan(struct gptl_metrics *out)
{
    static struct gptl_metric metrics[MOST];
    static const char *const names[MOST] = {"A", "B", "C"};
    for (uint32_t i = 0; i < nslots; i++)
        metrics[i] = (struct gptl_metric){.shown = true,
                                          .slot = i,
                                          .name = names[i],
                                          .description = "",
                                          .unit = "",
                                          .component = "",
                                          .expression = "",
                                          .why = ""};
    *out = (struct gptl_metrics){metrics, nslots, nslots, NULL};
}

static void *open_fake(void)
{
    nopened++;
    return events;
}

static void read_fake(void *opened, int64_t *values)
{
    nreads++;
    memcpy(values, opened, nslots * sizeof *values);
}

/* Replaces read_fake, if present. */
static bool has_direct, fails;
static int nlost;

static int read_direct(int number, long long *values)
{
    CHECK_INT(number, 5);
    nreads++;
    for (uint32_t i = 0; i < nslots; i++)
        values[i] = fails ? -1000000 : events[i];
    errno = fails ? EBADF : errno;
    return fails ? -1 : 0;
}

static void lost_fake(int number, int rc)
{
    CHECK_INT(number, 5);
    CHECK_INT(rc, -1);
    CHECK_INT(errno, EBADF);
    nlost++;
}

static gptl_direct_read *direct_fake(void *opened, int *number)
{
    CHECK(opened == events);
    *number = 5;
    return has_direct ? read_direct : NULL;
}

static void close_fake(void *opened, bool exits)
{
    (void)exits;
    CHECK(opened == events);
    nopened--;
}

static void nothing(void) {}

static const struct gptl_meter fake_meter = {
    .wanted = wanted,
    .plan = plan,
    .open = open_fake,
    .read = read_fake,
    .close = close_fake,
    .direct = direct_fake,
    .lost = lost_fake,
    .forked = nothing,
    .end = nothing,
};

static int setup_implicit(void **state)
{
    nslots = 2;
    revision++;
    gptl_core_set_meter(&fake_meter);
    return fake_setup_implicit(state);
}

static int setup(void **state)
{
    setup_implicit(state);
    return GPTLinitialize();
}

static void happen(int64_t a, int64_t b)
{
    events[0] += a;
    events[1] += b;
    events[2] += 1000 * a;
}

static void check_values(const char *path, int thread, int64_t a, int64_t b)
{
    struct fake_copy c = fake_copy();
    const struct gptl_copy *copy = copy_of_thread(c, thread);
    const struct gptl_node_copy *node = node_at(copy, path);
    CHECK_THAT(node, "there is no node %s", path);
    const int64_t none[MOST] = {0};
    const int64_t *counters = node->extra ? copy->extras[node->extra - 1].counters : none;
    CHECK_INT(copy->ncounters, nslots);
    CHECK_THAT(counters[0] == a && counters[1] == b, "%s has %lld, %lld, expected %lld, %lld", path,
               (long long)counters[0], (long long)counters[1], (long long)a, (long long)b);
    fake_copy_free(c);
}

/* ---- Tests --------------------------------------------------------------------------------- */

static void test_nested(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        CHECK_OK(GPTLstart("outer"));
        happen(1, 10);
        CHECK_OK(GPTLstart("inner"));
        happen(2, 20);
        CHECK_OK(GPTLstop("inner"));
        CHECK_OK(GPTLstart("empty"));
        CHECK_OK(GPTLstop("empty"));
        happen(3, 30);
        CHECK_OK(GPTLstop("outer"));
        happen(100, 100);
    }
    check_values("outer", 0, 60, 600);
    check_values("outer/inner", 0, 20, 200);
    check_values("outer/empty", 0, 0, 0);
}

/* One reading for each, regardless of the number of values; none if a call adds nothing. */
static void test_reads(void **state)
{
    (void)state;
    CHECK_OK(GPTLstart("x"));
    CHECK_OK(GPTLstop("x"));
    nreads = 0;
    for (int i = 0; i < 5; i++) {
        CHECK_OK(GPTLstart("x"));
        CHECK_OK(GPTLstart("x"));
        CHECK_OK(GPTLstop("x"));
        CHECK_OK(GPTLstop("x"));
    }
    CHECK_INT(nreads, 10);
}

/* A call without a reading at its start or stop counts nothing; the others count. */
static void test_direct(void **state)
{
    (void)state;
    has_direct = true;
    CHECK_OK(GPTLinitialize());
    has_direct = false;
    nlost = 0;
    for (int i = 0; i < 8; i++) {
        nreads = 0;
        errno = ERANGE;
        fails = i == 3;
        CHECK_OK(GPTLstart("x"));
        happen(1, 10);
        fails = i == 5;
        CHECK_OK(GPTLstart("x"));
        CHECK_OK(GPTLstop("x"));
        CHECK_OK(GPTLstop("x"));
        CHECK_INT(nreads, i == 3 ? 1 : 2);
        CHECK_INT(errno, ERANGE);
    }
    CHECK_INT(nlost, 2);
    CHECK_OK(GPTLstart("a"));
    happen(1, 10);
    CHECK_OK(GPTLstart("b"));
    happen(1, 10);
    CHECK_OK(GPTLstop("a"));
    happen(1, 10);
    CHECK_OK(GPTLstop("b"));
    fails = false;
    check_values("x", 0, 6, 60);
    check_values("a", 0, 2, 20);
    check_values("a/b", 0, 2, 20);
}

static void test_recursion(void **state)
{
    (void)state;
    static const char *const way[] = {"a", "b", "a", "b"};
    for (int i = 0; i < 4; i++) {
        CHECK_OK(GPTLstart(way[i]));
        happen(1, 0);
    }
    for (int i = 4; i-- > 0;) {
        happen(0, 1);
        CHECK_OK(GPTLstop(way[i]));
    }
    check_values("a", 0, 4, 4);
    check_values("a/b", 0, 3, 3);
}

static void test_crossed(void **state)
{
    (void)state;
    CHECK_OK(GPTLstart("a"));
    happen(1, 0);
    CHECK_OK(GPTLstart("b"));
    happen(10, 0);
    CHECK_OK(GPTLstop("a"));
    happen(100, 0);
    CHECK_OK(GPTLstop("b"));
    check_values("a", 0, 11, 0);
    check_values("a/b", 0, 110, 0);
}

/*
 * Its stop seems to be missing, so it ends with the crossed stop; when its stop arrives, it gets
 * the rest.
 */
static void test_missed_and_late(void **state)
{
    (void)state;
    CHECK_OK(GPTLstart("around"));
    pass(1);
    CHECK_OK(GPTLstart("a"));
    pass(1);
    CHECK_OK(GPTLstart("b"));
    happen(1, 0);
    CHECK_OK(GPTLstop("a"));
    happen(10, 0);
    CHECK_OK(GPTLstop("around"));
    check_values("around", 0, 11, 0);
    check_values("around/a", 0, 1, 0);
    check_values("around/a/b", 0, 1, 0);
    happen(100, 0);
    CHECK_OK(GPTLstop("b"));
    check_values("around/a/b", 0, 111, 0);
}

static void test_disabled(void **state)
{
    (void)state;
    CHECK_OK(GPTLstart("open"));
    happen(1, 0);
    CHECK_OK(GPTLdisable());
    happen(10, 0);
    CHECK_OK(GPTLstart("not"));
    happen(10, 0);
    CHECK_OK(GPTLstop("not"));
    CHECK_OK(GPTLenable());
    happen(2, 0);
    CHECK_OK(GPTLstart("then"));
    happen(3, 0);
    CHECK_OK(GPTLstop("then"));
    CHECK_OK(GPTLstop("open"));
    CHECK_OK(GPTLstart("stopped"));
    happen(4, 0);
    CHECK_OK(GPTLdisable());
    happen(10, 0);
    CHECK_OK(GPTLstop("stopped"));
    CHECK_OK(GPTLenable());
    check_values("open", 0, 6, 0);
    check_values("open/then", 0, 3, 0);
    check_values("stopped", 0, 4, 0);
}

static void test_own_work(void **state)
{
    (void)state;
    struct gptl_work outer, inner;
    CHECK_OK(GPTLstart("a"));
    happen(1, 0);
    gptl_core_work_begin(&outer);
    happen(10, 0);
    gptl_core_work_begin(&inner);
    happen(10, 0);
    gptl_core_work_end(&inner);
    gptl_core_work_end(&outer);
    happen(2, 0);
    CHECK_OK(GPTLdisable());
    gptl_core_work_begin(&outer);
    happen(10, 0);
    gptl_core_work_end(&outer);
    CHECK_OK(GPTLenable());
    happen(4, 0);
    CHECK_OK(GPTLstop("a"));
    check_values("a", 0, 7, 0);
}

static void test_reset(void **state)
{
    (void)state;
    CHECK_OK(GPTLstart("a"));
    happen(1, 0);
    CHECK_OK(GPTLstart("b"));
    happen(10, 0);
    CHECK_OK(GPTLreset_timer("a"));
    happen(100, 0);
    CHECK_OK(GPTLstop("b"));
    CHECK_OK(GPTLstop("a"));
    check_values("a", 0, 100, 0);
    check_values("a/b", 0, 110, 0);
    CHECK_OK(GPTLstart("a"));
    happen(1, 0);
    CHECK_OK(GPTLreset());
    happen(5, 0);
    CHECK_OK(GPTLstop("a"));
    check_values("a", 0, 5, 0);
    check_values("a/b", 0, 0, 0);
}

static void test_marks(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        CHECK_OK(GPTLstart("a"));
        happen(1, 2);
        CHECK_OK(GPTLmark("m"));
        CHECK_OK(GPTLstop("a"));
    }
    check_values("a", 0, 3, 6);
}

static void test_given(void **state)
{
    (void)state;
    happen(7, 7);
    CHECK_OK(GPTLstartstop_val("given", 1));
    check_values("given", 0, 0, 0);
}

/* With CPU time both are right, and stay in their places. */
static void test_cpu_as_well(void **state)
{
    (void)state;
    CHECK_OK(GPTLsetoption(GPTLcpu, 1));
    CHECK_OK(GPTLstart("a"));
    happen(3, 4);
    CHECK_OK(GPTLstop("a"));
    check_values("a", 0, 3, 4);
}

/* Open regions do not count; earlier counts remain. */
static void test_more_asked_for_later(void **state)
{
    (void)state;
    CHECK_OK(GPTLstart("a"));
    happen(1, 1);
    CHECK_OK(GPTLstart("b"));
    happen(1, 1);
    CHECK_OK(GPTLstop("b"));
    nslots = 3;
    revision++;
    CHECK_OK(GPTLsetoption(GPTLpercent, 1));
    CHECK_OK(GPTLstart("b"));
    happen(5, 6);
    CHECK_OK(GPTLstop("b"));
    CHECK_OK(GPTLstop("a"));
    check_values("a", 0, 0, 0);
    check_values("a/b", 0, 6, 7);
    struct fake_copy c = fake_copy();
    const struct gptl_copy *copy = copy_of_thread(c, 0);
    CHECK_INT(copy->extras[node_at(copy, "a/b")->extra - 1].counters[2], 5000);
    fake_copy_free(c);
}

static void *in_thread(void *argument)
{
    CHECK_OK(GPTLstart("thread"));
    happen(*(int *)argument, 0);
    CHECK_OK(GPTLstop("thread"));
    return NULL;
}

static void test_threads_close(void **state)
{
    (void)state;
    int before = nopened, one = 1;
    for (int i = 0; i < 100; i++) {
        pthread_t thread;
        CHECK_OK(pthread_create(&thread, NULL, in_thread, &one));
        CHECK_OK(pthread_join(thread, NULL));
        CHECK_INT(nopened, before);
    }
    check_values("thread", 1, 100, 0);
}

static void test_queries(void **state)
{
    (void)state;
    long long counters[3] = {7, 7, 7};
    CHECK_OK(GPTLstart("a"));
    happen(1, 2);
    CHECK_OK(GPTLstop("a"));
    CHECK_OK(GPTLquery("a", 0, NULL, NULL, NULL, NULL, NULL, counters, 1));
    CHECK(counters[0] == 1 && counters[1] == 7);
    CHECK_OK(GPTLquerycounters("a", 0, counters));
    CHECK(counters[0] == 1 && counters[1] == 2 && counters[2] == 7);
}

/* The N-th allocation fails: a start may fail then, and later ones count. */
static void test_no_memory(void **state)
{
    for (int n = 0; n < 40; n++) {
        fake_teardown(state);
        setup_implicit(state);
        gptl_mem_fail_after = n;
        if (GPTLstart("outer") == 0)
            GPTLstop("outer");
        for (int i = 0; i < 100; i++)
            if (GPTLstart("deep") == 0 && i > 90)
                GPTLstop("deep");
        gptl_mem_fail_after = -1;
        CHECK_OK(GPTLstart("recovered"));
        happen(1, 1);
        CHECK_OK(GPTLstop("recovered"));
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, fake_teardown)
#define IMPLICIT_TEST(f) cmocka_unit_test_setup_teardown(f, setup_implicit, fake_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_nested),
        TEST(test_reads),
        IMPLICIT_TEST(test_direct),
        TEST(test_recursion),
        TEST(test_crossed),
        TEST(test_missed_and_late),
        TEST(test_disabled),
        TEST(test_own_work),
        TEST(test_reset),
        TEST(test_marks),
        TEST(test_given),
        IMPLICIT_TEST(test_cpu_as_well),
        IMPLICIT_TEST(test_more_asked_for_later),
        TEST(test_threads_close),
        TEST(test_queries),
        IMPLICIT_TEST(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
