/*
 * unit_timing.c - the measurements of starts and stops: exact times, recursion, crossed and missed
 * stops.
 */
#include "config.h"

#include "fake.h"

static void test_times_of_calls(void **state)
{
    (void)state;
    static const uint64_t lengths[] = {30, 10, 20};
    for (int i = 0; i < 3; i++) {
        CHECK_OK(GPTLstart("outer"));
        pass(5);
        CHECK_OK(GPTLstart("inner"));
        pass(lengths[i]);
        CHECK_OK(GPTLstop("inner"));
        pass(2);
        CHECK_OK(GPTLstop("outer"));
        pass(1000);
    }
    struct fake_copy c = fake_copy();
    CHECK_INT(c.n, 1);
    CHECK_INT(c.all[0].thread, 0);
    CHECK_REAL(c.all[0].seconds_per_tick, 1e-9);
    CHECK_NODE(c.all, "outer", 3, 60 + 3 * 7);
    CHECK_NODE(c.all, "outer/inner", 3, 60);
    const struct gptl_node_copy *inner = node_at(c.all, "outer/inner");
    CHECK_INT(inner->max, 30);
    CHECK_INT(inner->min, 10);
    CHECK_INT(inner->latest, 20);
    CHECK_INT(inner->recurse, 0);
    CHECK_INT(inner->open, 0);
    CHECK_INT(inner->open_ticks, 0);
    fake_copy_free(c);

    double wall = 0, usr = -1, sys = -1, latest = 0;
    int count = 0, open = -1;
    long long counters[1] = {77};
    CHECK_OK(GPTLquery("inner", 0, &count, &open, &wall, &usr, &sys, counters, 1));
    CHECK_INT(count, 3);
    CHECK_INT(open, 0);
    CHECK_REAL(wall, 60e-9);
    CHECK_REAL(usr, 0);
    CHECK_REAL(sys, 0);
    CHECK_OK(GPTLget_wallclock_latest("inner", -1, &latest));
    CHECK_REAL(latest, 20e-9);
}

static void test_open_region(void **state)
{
    (void)state;
    int count = -1, open = -1;
    double wall = -1;
    CHECK_OK(GPTLstart("open"));
    pass(40);
    CHECK_OK(GPTLquery("open", 0, &count, &open, &wall, NULL, NULL, NULL, 0));
    CHECK_INT(count, 0);
    CHECK_INT(open, 1);
    CHECK_REAL(wall, 0);
    struct fake_copy c = fake_copy();
    const struct gptl_node_copy *node = node_at(c.all, "open");
    CHECK_INT(node->open, 1);
    CHECK_INT(node->open_ticks, 40);
    CHECK_INT(node->count, 0);
    CHECK(node->min == UINT64_MAX);
    fake_copy_free(c);
    CHECK_OK(GPTLstop("open"));
}

/* Wherever their nodes are: every other region stays open and contains the following calls. */
static void test_open_among_many(void **state)
{
    enum { MANY = 1000, LATER = 3 };
    char names[MANY][16];
    (void)state;
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "many%d", i);
        CHECK_OK(GPTLstart(names[i]));
        if (i % 2 == 0)
            CHECK_OK(GPTLstop(names[i]));
        pass(LATER);
    }
    struct fake_copy c = fake_copy();
    CHECK(c.all[0].nnodes > MANY);
    const struct gptl_node_copy *node = &c.all[0].nodes[c.all[0].nnodes - MANY];
    for (int i = 0; i < MANY; i++, node++) {
        CHECK_STRING(node->name, names[i]);
        CHECK_INT(node->open, i % 2);
        CHECK_INT(node->open_ticks, i % 2 ? LATER * (MANY - i) : 0);
    }
    fake_copy_free(c);
}

/* One region by two paths: sums, and a region is listed once. */
static void test_two_paths(void **state)
{
    (void)state;
    const char *parents[] = {"p", "q"};
    for (int i = 0; i < 2; i++) {
        CHECK_OK(GPTLstart(parents[i]));
        CHECK_OK(GPTLstart("x"));
        pass(10 + (unsigned)i);
        CHECK_OK(GPTLstop("x"));
        CHECK_OK(GPTLstop(parents[i]));
    }
    CHECK_INT(check_count("x", 0), 2);
    CHECK_REAL(check_seconds("x", 0), 21e-9);
    int n = 0;
    CHECK_OK(GPTLget_nregions(0, &n));
    CHECK_INT(n, 3);
    char name[3][8];
    for (int i = 0; i < 3; i++)
        CHECK_OK(GPTLget_regionname(0, i, name[i], sizeof name[i]));
    CHECK_STRING(name[0], "p");
    CHECK_STRING(name[1], "x");
    CHECK_STRING(name[2], "q");
    struct fake_copy c = fake_copy();
    CHECK_NODE(c.all, "p/x", 1, 10);
    CHECK_NODE(c.all, "q/x", 1, 11);
    fake_copy_free(c);
}

/* ---- Recursion ----------------------------------------------------------------------------- */

static void recurse(int depth)
{
    CHECK_OK(GPTLstart("r"));
    pass(1);
    if (depth > 1)
        recurse(depth - 1);
    pass(1);
    CHECK_OK(GPTLstop("r"));
}

static void test_direct_recursion(void **state)
{
    (void)state;
    recurse(5);
    recurse(3);
    struct fake_copy c = fake_copy();
    CHECK_NODE(c.all, "r", 8, 16);
    const struct gptl_node_copy *node = node_at(c.all, "r");
    CHECK_INT(node->recurse, 6);
    CHECK_INT(node->max, 10);
    CHECK_INT(node->min, 6);
    CHECK_INT(node->latest, 6);
    CHECK(!node_at(c.all, "r/r"));
    fake_copy_free(c);
}

static void test_mutual_recursion(void **state)
{
    (void)state;
    const char *names[] = {"A", "B", "A", "B"};
    for (int i = 0; i < 4; i++) {
        CHECK_OK(GPTLstart(names[i]));
        pass(10);
    }
    for (int i = 3; i >= 0; i--) {
        CHECK_OK(GPTLstop(names[i]));
        pass(10);
    }
    struct fake_copy c = fake_copy();
    CHECK_NODE(c.all, "A", 2, 70);
    CHECK_NODE(c.all, "A/B", 2, 50);
    CHECK_INT(node_at(c.all, "A")->recurse, 1);
    CHECK_INT(node_at(c.all, "A/B")->recurse, 1);
    CHECK_INT(node_at(c.all, "A")->max, 70);
    uint32_t edges = 0;
    for (uint32_t i = 1; i < c.all->nnodes; i++) {
        const struct gptl_node_copy *edge = &c.all->nodes[i];
        if (edge->target == i)
            continue;
        edges++;
        CHECK_STRING(edge->name, "A");
        CHECK_INT(edge->count, 1);
        CHECK_STRING(c.all->nodes[edge->parent].name, "B");
        CHECK(&c.all->nodes[edge->target] == node_at(c.all, "A"));
    }
    CHECK_INT(edges, 1);
    fake_copy_free(c);
}

/* ---- Stops in the wrong order -------------------------------------------------------------- */

static uint64_t crossings(const struct gptl_copy *copy, const char *stopped, const char *inside)
{
    for (uint32_t i = 0; i < copy->ncrossings; i++)
        if (strcmp(copy->crossings[i].stopped, stopped) == 0 &&
            strcmp(copy->crossings[i].inside, inside) == 0)
            return copy->crossings[i].times;
    return 0;
}

static void test_crossed_stops(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        CHECK_OK(GPTLstart("A"));
        pass(10);
        CHECK_OK(GPTLstart("B"));
        pass(20);
        CHECK_OK(GPTLstop("A"));
        pass(40);
        CHECK_OK(GPTLstart("C"));
        pass(5);
        CHECK_OK(GPTLstop("C"));
        CHECK_OK(GPTLstop("B"));
    }
    struct fake_copy c = fake_copy();
    CHECK_NODE(c.all, "A", 2, 60);
    CHECK_NODE(c.all, "A/B", 2, 130);
    CHECK_NODE(c.all, "A/B/C", 2, 10);
    CHECK_INT(c.all->crossed, 2);
    CHECK_INT(c.all->ncrossings, 1);
    CHECK_INT(crossings(c.all, "A", "B"), 2);
    CHECK_INT(c.all->unmatched, 0);
    fake_copy_free(c);
}

static void test_three_crossed(void **state)
{
    (void)state;
    CHECK_OK(GPTLstart("A"));
    pass(1);
    CHECK_OK(GPTLstart("B"));
    pass(2);
    CHECK_OK(GPTLstart("C"));
    pass(4);
    CHECK_OK(GPTLstop("A"));
    pass(8);
    CHECK_OK(GPTLstop("B"));
    pass(16);
    CHECK_OK(GPTLstop("C"));
    struct fake_copy c = fake_copy();
    CHECK_NODE(c.all, "A", 1, 7);
    CHECK_NODE(c.all, "A/B", 1, 14);
    CHECK_NODE(c.all, "A/B/C", 1, 28);
    CHECK_INT(c.all->crossed, 2);
    CHECK_INT(crossings(c.all, "A", "C"), 1);
    CHECK_INT(crossings(c.all, "B", "C"), 1);
    fake_copy_free(c);
}

/*
 * The innermost frame of A ends first; A is timed once, from its outermost start to its last stop.
 */
static void test_crossed_stop_of_recursive_region(void **state)
{
    (void)state;
    CHECK_OK(GPTLstart("A"));
    pass(1);
    CHECK_OK(GPTLstart("A"));
    pass(2);
    CHECK_OK(GPTLstart("B"));
    pass(4);
    CHECK_OK(GPTLstop("A"));
    pass(8);
    CHECK_OK(GPTLstop("A"));
    pass(16);
    CHECK_OK(GPTLstop("B"));
    struct fake_copy c = fake_copy();
    CHECK_NODE(c.all, "A", 2, 15);
    CHECK_INT(node_at(c.all, "A")->recurse, 1);
    CHECK_NODE(c.all, "A/B", 1, 28);
    CHECK_INT(c.all->crossed, 2);
    CHECK_INT(crossings(c.all, "A", "B"), 2);
    fake_copy_free(c);
}

/* More pairs than there is room for: all are counted, the first ones named. */
static void test_many_crossings(void **state)
{
    (void)state;
    char name[2][16];
    for (int i = 0; i < 3 * GPTL_NCROSSINGS; i++) {
        snprintf(name[0], sizeof name[0], "out%d", i);
        snprintf(name[1], sizeof name[1], "in%d", i);
        CHECK_OK(GPTLstart(name[0]));
        CHECK_OK(GPTLstart(name[1]));
        CHECK_OK(GPTLstop(name[0]));
        CHECK_OK(GPTLstop(name[1]));
    }
    struct fake_copy c = fake_copy();
    CHECK_INT(c.all->crossed, 3 * GPTL_NCROSSINGS);
    CHECK_INT(c.all->ncrossings, GPTL_NCROSSINGS);
    fake_copy_free(c);
}

/* B is never stopped: A's stop is a crossed one, and B stays open. */
static void test_missed_stop(void **state)
{
    (void)state;
    CHECK_OK(GPTLstart("A"));
    pass(10);
    CHECK_OK(GPTLstart("B"));
    pass(20);
    CHECK_OK(GPTLstop("A"));
    pass(3);
    struct fake_copy c = fake_copy();
    CHECK_NODE(c.all, "A", 1, 30);
    CHECK_NODE(c.all, "A/B", 0, 0);
    CHECK_INT(node_at(c.all, "A/B")->open, 1);
    CHECK_INT(node_at(c.all, "A/B")->open_ticks, 23);
    CHECK_INT(c.all->crossed, 1);
    fake_copy_free(c);
}

/* Started again, B ends first, with the time up to A's stop; later regions are timed as usual. */
static void test_started_after_missed_stop(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        CHECK_OK(GPTLstart("A"));
        pass(10);
        CHECK_OK(GPTLstart("B"));
        pass(20);
        CHECK_OK(GPTLstop("A"));
        pass(5);
        CHECK_OK(GPTLstart("B"));
        pass(40);
        CHECK_OK(GPTLstop("B"));
    }
    struct fake_copy c = fake_copy();
    CHECK_NODE(c.all, "A", 3, 90);
    CHECK_NODE(c.all, "A/B", 3, 60);
    CHECK_INT(node_at(c.all, "A/B")->max, 20);
    CHECK_INT(node_at(c.all, "A/B")->unstopped, 3);
    CHECK_NODE(c.all, "B", 3, 120);
    fake_copy_free(c);
}

static void test_stop_without_start(void **state)
{
    (void)state;
    CHECK_ERROR(GPTLstop("A")); /* an unknown name */
    CHECK_OK(GPTLstart("A"));
    pass(10);
    CHECK_OK(GPTLstop("A"));
    CHECK_ERROR(GPTLstop("A")); /* one stop too many */
    CHECK_OK(GPTLstart("A"));
    pass(10);
    CHECK_ERROR(GPTLstop("B"));
    CHECK_OK(GPTLstop("A"));
    struct fake_copy c = fake_copy();
    CHECK_NODE(c.all, "A", 2, 20);
    CHECK_INT(c.all->unmatched, 3);
    CHECK_INT(c.all->crossed, 0);
    fake_copy_free(c);
}

/* ---- Given times --------------------------------------------------------------------------- */

static void test_given_times(void **state)
{
    (void)state;
    CHECK_OK(GPTLstart("P"));
    CHECK_OK(GPTLstartstop_val("v", 2.5));
    CHECK_OK(GPTLstartstop_vals("v", 1.5, 3));
    CHECK_OK(GPTLstartstop_valsf("v   ", 4, 0, 1));
    pass(10);
    CHECK_OK(GPTLstop("P"));
    struct fake_copy c = fake_copy();
    CHECK_NODE(c.all, "P/v", 5, 4000000000);
    CHECK_INT(node_at(c.all, "P/v")->max, 2500000000);
    CHECK_INT(node_at(c.all, "P/v")->min, 0);
    CHECK_INT(node_at(c.all, "P/v")->latest, 0);
    CHECK_NODE(c.all, "P", 1, 10);
    fake_copy_free(c);
    CHECK_ERROR(GPTLstop("v"));
}

/* Under the region itself: one more call. Its time is already in the open call. */
static void test_given_time_of_open_region(void **state)
{
    (void)state;
    CHECK_OK(GPTLstart("v"));
    pass(10);
    CHECK_OK(GPTLstartstop_val("v", 4e-9));
    CHECK_OK(GPTLstop("v"));
    CHECK_INT(check_count("v", 0), 2);
    struct fake_copy c = fake_copy();
    CHECK_INT(node_at(c.all, "v")->recurse, 1);
    CHECK_NODE(c.all, "v", 2, 10);
    fake_copy_free(c);
}

static void test_counts_saturate(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        CHECK_OK(GPTLstartstop_vals("many", 1, INT32_MAX));
    CHECK_INT(check_count("many", 0), INT32_MAX);
    int count = 0;
    CHECK_OK(GPTLquery("many", 0, &count, NULL, NULL, NULL, NULL, NULL, 0));
    CHECK_INT(count, INT32_MAX);
    struct fake_copy c = fake_copy();
    CHECK_NODE(c.all, "many", 3 * (long long)INT32_MAX, 3000000000);
    fake_copy_free(c);
}

/* ---- Depth limit --------------------------------------------------------------------------- */

static void begin_with_depth_limit(void **state, int limit)
{
    fake_teardown(state);
    fake_setup_implicit(state);
    CHECK_OK(GPTLsetoption(GPTLdepthlimit, limit));
    CHECK_OK(GPTLinitialize());
}

static void test_depth_limit(void **state)
{
    begin_with_depth_limit(state, 2);
    const char *names[] = {"1", "2", "3", "4"};
    for (int i = 0; i < 4; i++) {
        CHECK_OK(GPTLstart(names[i]));
        pass(10);
    }
    for (int i = 3; i >= 0; i--)
        CHECK_OK(GPTLstop(names[i]));
    CHECK_ERROR(GPTLstop("4"));
    struct fake_copy c = fake_copy();
    CHECK_NODE(c.all, "1", 1, 40);
    CHECK_NODE(c.all, "1/2", 1, 30);
    CHECK(!node_at(c.all, "1/2/3"));
    CHECK_INT(c.all->too_deep, 2);
    fake_copy_free(c);
}

/* A missing stop beyond the limit does not end the measurement of all later calls. */
static void test_missed_beyond_depth_limit(void **state)
{
    begin_with_depth_limit(state, 1);
    for (int i = 0; i < 3; i++) {
        CHECK_OK(GPTLstart("a"));
        CHECK_OK(GPTLstart("b")); /* skipped, and never stopped */
        pass(10);
        CHECK_OK(GPTLstop("a"));
    }
    CHECK_OK(GPTLstop("b")); /* one comes late */
    CHECK_OK(GPTLstart("a"));
    CHECK_OK(GPTLstart("a")); /* skipped: its stop comes first */
    CHECK_OK(GPTLstart("b"));
    CHECK_OK(GPTLstart("c"));
    pass(10);
    CHECK_OK(GPTLstop("b")); /* crossed among skipped ones */
    CHECK_OK(GPTLstop("c"));
    CHECK_OK(GPTLstop("a"));
    pass(5);
    CHECK_ERROR(GPTLstop("never started"));
    CHECK_OK(GPTLstop("a"));
    CHECK_ERROR(GPTLstop("a"));
    struct fake_copy c = fake_copy();
    CHECK(!node_at(c.all, "a/b") && !node_at(c.all, "b"));
    CHECK_NODE(c.all, "a", 4, 45);
    CHECK_INT(c.all->too_deep, 6);
    fake_copy_free(c);
}

/* Many levels beyond it: the innermost are only counted. */
static void test_far_beyond_depth_limit(void **state)
{
    begin_with_depth_limit(state, 1);
    for (int round = 0; round < 2; round++) {
        char name[16];
        CHECK_OK(GPTLstart("a"));
        for (int i = 0; i < 1000; i++) {
            snprintf(name, sizeof name, "level %d", i);
            CHECK_OK(GPTLstart(name));
        }
        for (int i = 999; i >= round; i--) {
            snprintf(name, sizeof name, "level %d", i);
            CHECK_OK(GPTLstop(name));
        }
        CHECK_OK(GPTLstop("a"));
    }
    CHECK_OK(GPTLstart("b"));
    CHECK_OK(GPTLstop("b"));
    CHECK_INT(check_count("a", -1), 2);
    CHECK_INT(check_count("b", -1), 1);
}

/* ---- The short path, which only the counter takes ------------------------------------------- */

static int setup_counter(void **state)
{
    (void)state;
    gptl_g.phase = GPTL_OFF;
    return GPTLinitialize();
}

static void test_counts_of_short_path(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        CHECK_OK(GPTLstart("A"));
        CHECK_OK(GPTLstart("B"));
        CHECK_OK(GPTLstart("A"));
        CHECK_OK(GPTLstart("B"));
        CHECK_OK(GPTLstart("B"));
        CHECK_OK(GPTLstop("B"));
        CHECK_OK(GPTLstop("B"));
        CHECK_OK(GPTLstop("A"));
        CHECK_OK(GPTLstop("B"));
        CHECK_OK(GPTLstop("A"));
    }
    struct fake_copy c = fake_copy();
    const struct gptl_node_copy *a = node_at(c.all, "A"), *b = node_at(c.all, "A/B");
    CHECK_INT(a->count, 20);
    CHECK_INT(a->recurse, 10);
    CHECK_INT(b->count, 30);
    CHECK_INT(b->recurse, 20);
    CHECK_INT(a->open, 0);
    CHECK_INT(b->open, 0);
    CHECK(a->total >= b->total && b->total > 0);
    CHECK(a->min <= a->max && a->max <= a->total && 10 * a->min <= a->total);
    CHECK(a->latest >= a->min && a->latest <= a->max);
    fake_copy_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FAKE_TEST(test_times_of_calls),
        FAKE_TEST(test_open_region),
        FAKE_TEST(test_open_among_many),
        FAKE_TEST(test_two_paths),
        FAKE_TEST(test_direct_recursion),
        FAKE_TEST(test_mutual_recursion),
        FAKE_TEST(test_crossed_stops),
        FAKE_TEST(test_three_crossed),
        FAKE_TEST(test_crossed_stop_of_recursive_region),
        FAKE_TEST(test_many_crossings),
        FAKE_TEST(test_missed_stop),
        FAKE_TEST(test_started_after_missed_stop),
        FAKE_TEST(test_stop_without_start),
        FAKE_TEST(test_given_times),
        FAKE_TEST(test_given_time_of_open_region),
        FAKE_TEST(test_counts_saturate),
        FAKE_TEST(test_depth_limit),
        FAKE_TEST(test_missed_beyond_depth_limit),
        FAKE_TEST(test_far_beyond_depth_limit),
        cmocka_unit_test_setup_teardown(test_counts_of_short_path, setup_counter, fake_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
