/*
 * unit_random_recursion.c - 20 functions that call each other at random, 200,000 calls: the tree
 * stays within the budget, and each region has its true calls and time.
 */
#include "config.h"

#include "fake.h"

enum { FUNCTIONS = 20, CALLS = 200000, DEEPEST = 60 };

static struct {
    uint64_t calls, recurse, ticks, begin;
    int open;
} expected[FUNCTIONS];

static char names[FUNCTIONS][16];
static int calls_left;

static unsigned random_below(unsigned n)
{
    static uint32_t x = 2463534242u;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return x % n;
}

static void function(int depth)
{
    unsigned f = random_below(FUNCTIONS);
    calls_left--;
    expected[f].calls++;
    if (expected[f].open++)
        expected[f].recurse++;
    else
        expected[f].begin = fake_ticks;
    CHECK_OK(GPTLstart(names[f]));
    pass(1 + random_below(5));
    while (depth < DEEPEST && calls_left > 0 && random_below(100) < 52)
        function(depth + 1);
    pass(1);
    CHECK_OK(GPTLstop(names[f]));
    if (--expected[f].open == 0)
        expected[f].ticks += fake_ticks - expected[f].begin;
}

/*
 * A region that is open at one node may be started at another, where a path continues from an
 * ancestor; so a recursion of a region need not be one of a node. Calls are the same in any case,
 * and no node is timed for longer than its region was open.
 */
static void compare(void)
{
    struct fake_copy c = fake_copy();
    uint64_t recurse = 0, recurse_expected = 0;
    CHECK_INT(copy_calls(c.all), CALLS);
    for (int f = 0; f < FUNCTIONS; f++) {
        CHECK_INT(check_count(names[f], 0), expected[f].calls);
        recurse_expected += expected[f].recurse;
    }
    for (uint32_t i = 1; i < c.all->nnodes; i++) {
        const struct gptl_node_copy *node = &c.all->nodes[i];
        if (node->target != i)
            continue;
        recurse += node->recurse;
        CHECK_INT(node->open, 0);
        for (int f = 0; f < FUNCTIONS; f++)
            if (strcmp(node->name, names[f]) == 0)
                CHECK(node->total <= expected[f].ticks);
    }
    CHECK_BETWEEN(recurse, 1, recurse_expected);
    fake_copy_free(c);
}

static void run(void)
{
    memset(expected, 0, sizeof expected);
    for (calls_left = CALLS; calls_left > 0;)
        function(0);
    compare();
}

static void test_default_budget(void **state)
{
    (void)state;
    run();
    CHECK_BETWEEN(gptl_mem_used(), 0, 256 << 20);
}

static void test_small_budget(void **state)
{
    fake_teardown(state);
    fake_setup_implicit(state);
    CHECK_OK(gptl_core_set_options("memory=2M", "test"));
    CHECK_OK(GPTLinitialize());
    run();
    CHECK_BETWEEN(gptl_mem_used(), 0, 2 << 20);
}

int main(void)
{
    for (int f = 0; f < FUNCTIONS; f++)
        snprintf(names[f], sizeof names[f], "function%d", f);
    const struct CMUnitTest tests[] = {
        FAKE_TEST(test_default_budget),
        FAKE_TEST(test_small_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
