/*
 * unit_no_memory.c - the N-th allocation fails, for every N: the host continues, the failed call
 * reports it, and later starts work.
 */
#include "config.h"

#include "fake.h"
#include "worker.h"

enum { MOST = 60 };

static void timed(const char *name, uint64_t nanoseconds)
{
    CHECK_OK(GPTLstart(name));
    pass(nanoseconds);
    CHECK_OK(GPTLstop(name));
}

static uint64_t calls_so_far(void)
{
    struct fake_copy c = fake_copy();
    uint64_t calls = c.n ? copy_calls(c.all) : 0;
    fake_copy_free(c);
    return calls;
}

/*
 * Memory is available again, and everything works: a new region may still be folded into another.
 */
static void check_recovered(void)
{
    gptl_mem_fail_after = -1;
    uint64_t before = calls_so_far();
    timed("recovered", 5);
    timed("recovered", 5);
    CHECK_INT(calls_so_far(), before + 2);
}

static void each_n(void (*call)(void **), void **state)
{
    for (int n = 0; n < MOST; n++) {
        fake_teardown(state);
        fake_setup_implicit(state);
        gptl_mem_fail_after = n;
        call(state);
        check_recovered();
    }
}

/* Unknown names, so that their first start needs memory. */
static const char *new_name(void)
{
    static char name[32];
    static int i;
    snprintf(name, sizeof name, "new name %d", i++);
    return name;
}

static void first_start(void **state)
{
    (void)state;
    const char *name = new_name();
    if (GPTLstart(name) == 0)
        GPTLstop(name);
}

static void test_first_start(void **state)
{
    each_n(first_start, state);
}

static void initialize(void **state)
{
    (void)state;
    GPTLinitialize();
}

static void test_initialize(void **state)
{
    each_n(initialize, state);
}

/* Many paths and names: each successful start is counted somewhere. */
static void new_paths(void **state)
{
    (void)state;
    gptl_mem_fail_after += gptl_mem_fail_after >= 0 ? 2 : 0; /* not the thread's own state */
    timed("first", 1);
    uint64_t started = 1;
    static char names[500][32];
    for (int i = 0; i < 500; i++) {
        snprintf(names[i], sizeof names[i], "%s", new_name());
        started += GPTLstart(names[i]) == 0;
    }
    uint32_t open = gptl_thread_depth(gptl_thread_own());
    struct fake_copy c = fake_copy();
    uint64_t in_nodes = 0;
    for (uint32_t i = 1; i < c.all->nnodes; i++)
        in_nodes += c.all->nodes[i].open;
    CHECK_INT(in_nodes, open);
    CHECK_INT(copy_calls(c.all), 1);
    /* Below a start that failed, starts are counted but not timed. */
    CHECK_INT(open + c.all->too_deep, started - 1);
    fake_copy_free(c);
    for (int i = 499; i >= 0; i--)
        GPTLstop(names[i]);
    CHECK_INT(gptl_thread_depth(gptl_thread_own()), 0);
}

static void test_new_paths(void **state)
{
    each_n(new_paths, state);
}

/* Each start has its stop, and none of them is a separate error. */
static void deep_recursion(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b", "c"};
    uint64_t started = 0;
    for (int i = 0; i < 3000; i++)
        started += GPTLstart(names[i % 3]) == 0;
    CHECK_BETWEEN(started, 50, 3000);
    int errors = GPTLnum_errors();
    for (int i = 2999; i >= 0; i--)
        GPTLstop(names[i % 3]);
    CHECK_INT(gptl_thread_depth(gptl_thread_own()), 0);
    if (started == 3000)
        CHECK_INT(GPTLnum_errors(), errors);
}

static void test_deep_recursion(void **state)
{
    for (int n = 2; n < MOST; n++) {
        fake_teardown(state);
        fake_setup_implicit(state);
        timed("first", 1);
        gptl_mem_fail_after = n - 2;
        deep_recursion(state);
        check_recovered();
    }
}

static void new_thread(void **state)
{
    (void)state;
    long n = gptl_mem_fail_after;
    gptl_mem_fail_after = -1;
    timed("main", 1);
    gptl_mem_fail_after = n;
    struct worker *w = worker_begin();
    int rc = worker_start(w, "w");
    if (rc == 0)
        CHECK_OK(worker_stop(w, "w"));
    gptl_mem_fail_after = -1;
    CHECK_OK(worker_start(w, "later"));
    CHECK_OK(worker_stop(w, "later"));
    CHECK_INT(check_count("later", worker_slot(w)), 1);
    worker_end(w);
}

static void test_new_thread(void **state)
{
    each_n(new_thread, state);
}

/* A mark that found no memory is an error or lacks rows; totals are right in any case. */
static void marks(void **state)
{
    (void)state;
    long n = gptl_mem_fail_after;
    gptl_mem_fail_after = -1;
    char name[32];
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "x%d", i);
        timed(name, 7);
    }
    gptl_mem_fail_after = n;
    uint64_t calls = 100;
    for (int i = 0; i < 130; i++) {
        timed("x1", 7);
        timed("x2", 7);
        calls += 2;
        int errors = GPTLnum_errors(), warnings = GPTLnum_warn();
        if (GPTLmark("m") != 0)
            CHECK_INT(GPTLnum_errors(), errors + 1);
        else
            CHECK(GPTLnum_errors() == errors && GPTLnum_warn() <= warnings + 1);
    }
    struct fake_copy c = fake_copy();
    CHECK_INT(copy_calls(c.all), calls);
    CHECK_NODE(c.all, "x1", 131, 131 * 7);
    CHECK_INT(node_at(c.all, "x1")->max, 7);
    CHECK_INT(node_at(c.all, "x1")->min, 7);
    fake_copy_free(c);
}

static void test_marks(void **state)
{
    each_n(marks, state);
}

static void test_reset_timer(void **state)
{
    (void)state;
    struct worker *w = worker_begin();
    for (int n = 0; n < 4; n++) {
        timed("x", 1);
        CHECK_OK(worker_start(w, "x"));
        CHECK_OK(worker_stop(w, "x"));
        gptl_mem_fail_after = n;
        int errors = GPTLnum_errors();
        int rc = GPTLreset_timer("x");
        gptl_mem_fail_after = -1;
        CHECK_INT(rc, GPTLnum_errors() == errors ? 0 : -1);
        CHECK_OK(GPTLreset_timer("x"));
        CHECK_INT(check_count("x", 0), 0);
        CHECK_INT(check_count("x", worker_slot(w)), 0);
    }
    worker_end(w);
}

/* A name that found no memory at its first start, and finds some at its second. */
static void test_name_is_found_later(void **state)
{
    (void)state;
    timed("other", 1);
    char big[1 << 20]; /* does not fit into the space that the names have left */
    memset(big, 'b', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    gptl_mem_fail_after = 0;
    CHECK_OK(GPTLstart(big));
    gptl_mem_fail_after = -1;
    struct fake_copy c = fake_copy();
    CHECK(c.all->folded_names > 0);
    fake_copy_free(c);
    CHECK_OK(GPTLstart(big));
    CHECK_OK(GPTLstop(big));
    CHECK_OK(GPTLstop(big));
}

static void histograms_and_cpu(void **state)
{
    (void)state;
    long n = gptl_mem_fail_after;
    gptl_mem_fail_after = -1;
    CHECK_OK(gptl_core_set_options("histogram=on;cpu=on", "test"));
    timed("first", 1);
    gptl_mem_fail_after = n;
    for (int i = 0; i < 20; i++) {
        char name[16];
        snprintf(name, sizeof name, "h%d", i);
        timed(name, 3);
    }
    CHECK_INT(check_count("h19", 0), 1);
}

static void test_histograms_and_cpu(void **state)
{
    each_n(histograms_and_cpu, state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FAKE_TEST(test_first_start),        FAKE_TEST(test_initialize),
        FAKE_TEST(test_new_paths),          FAKE_TEST(test_deep_recursion),
        FAKE_TEST(test_new_thread),         FAKE_TEST(test_marks),
        FAKE_TEST(test_reset_timer),        FAKE_TEST(test_name_is_found_later),
        FAKE_TEST(test_histograms_and_cpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
