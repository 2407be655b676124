/*
 * unit_budget.c - a flood of names and of paths under a small budget: every call is counted
 * somewhere, folded paths are reported, and the budget holds.
 */
#include "config.h"

#include "fake.h"
#include "worker.h"

enum { FLOOD = 1000000 };

static size_t budget;

/* 4 MB, in addition to the names from earlier tests. */
static int small_budget(void **state)
{
    char option[64];
    fake_setup_implicit(state);
    budget = gptl_mem_used() + (4 << 20);
    snprintf(option, sizeof option, "memory=%zu", budget);
    CHECK_OK(gptl_core_set_options(option, "test"));
    return GPTLinitialize();
}

static void sums(struct fake_copy c, uint64_t *calls, uint64_t *ticks)
{
    *calls = *ticks = 0;
    for (int i = 0; i < c.n; i++) {
        *calls += copy_calls(&c.all[i]);
        for (uint32_t k = 1; k < c.all[i].nnodes; k++)
            if (c.all[i].nodes[k].target == k && c.all[i].nodes[k].parent == 0)
                *ticks += c.all[i].nodes[k].total;
    }
}

static void test_names(void **state)
{
    (void)state;
    int errors = GPTLnum_errors();
    char name[32];
    for (int i = 0; i < FLOOD; i++) {
        snprintf(name, sizeof name, "name %d", i);
        if (GPTLstart(name) != 0 || (pass(3), GPTLstop(name) != 0))
            CHECK_THAT(0, "%s failed", name);
        if (i % 1000 == 0)
            CHECK_BETWEEN(gptl_mem_used(), 0, budget);
    }
    CHECK_INT(GPTLnum_errors(), errors);
    struct fake_copy c = fake_copy();
    CHECK_INT(copy_calls(c.all), FLOOD);
    CHECK_BETWEEN(c.all->folded_names, FLOOD / 2, FLOOD);
    CHECK_BETWEEN(c.all->nnodes, 3000, 60000);
    const struct gptl_node_copy *other = node_at(c.all, "(other)");
    uint64_t total = 0, in_other = 0;
    for (uint32_t i = 1; i < c.all->nnodes; i++) {
        total += c.all->nodes[i].total;
        if (strcmp(c.all->nodes[i].name, "(other)") == 0)
            in_other += c.all->nodes[i].count;
    }
    CHECK(other || in_other);
    CHECK_INT(total, 3ull * FLOOD);
    fake_copy_free(c);
    CHECK_INT(check_count("name 0", 0), 1);
    CHECK_OK(GPTLstart("name 0"));
    CHECK_OK(GPTLstop("name 0"));
    CHECK_INT(check_count("name 0", 0), 2);
}

/* 100 names, three deep: a million paths. */
static void test_paths(void **state)
{
    (void)state;
    enum { NAMES = 100 };
    char names[3][NAMES][16];
    for (int level = 0; level < 3; level++)
        for (int i = 0; i < NAMES; i++)
            snprintf(names[level][i], sizeof names[level][i], "%c%d", 'a' + level, i);
    uint64_t started = 0;
    for (int i = 0; i < NAMES; i++) {
        CHECK_OK(GPTLstart(names[0][i]));
        for (int j = 0; j < NAMES; j++) {
            CHECK_OK(GPTLstart(names[1][j]));
            for (int k = 0; k < NAMES; k++) {
                if (GPTLstart(names[2][k]) != 0 || (pass(1), GPTLstop(names[2][k]) != 0))
                    CHECK_THAT(0, "path %d %d %d failed", i, j, k);
            }
            CHECK_OK(GPTLstop(names[1][j]));
            CHECK_BETWEEN(gptl_mem_used(), 0, budget);
        }
        CHECK_OK(GPTLstop(names[0][i]));
    }
    started = NAMES + NAMES * NAMES + (uint64_t)NAMES * NAMES * NAMES;
    struct fake_copy c = fake_copy();
    CHECK_INT(copy_calls(c.all), started);
    CHECK_BETWEEN(c.all->folded_paths, started / 2, started);
    CHECK_INT(c.all->folded_names, 0);
    fake_copy_free(c);
    for (int k = 0; k < NAMES; k += 11) { /* no call of a region is lost */
        CHECK_INT(check_count(names[2][k], 0), NAMES * NAMES);
        CHECK_REAL(check_seconds(names[2][k], 0), NAMES * NAMES * 1e-9);
        CHECK_INT(check_count(names[1][k], 0), NAMES);
        CHECK_REAL(check_seconds(names[1][k], 0), NAMES * NAMES * 1e-9);
    }
}

/* Names and paths at once, below folded paths, with crossed stops. */
static void test_everything(void **state)
{
    (void)state;
    uint64_t started = 0;
    char a[32], b[32];
    int errors = GPTLnum_errors();
    for (int i = 0; i < 100000; i++) {
        snprintf(a, sizeof a, "a %d", i % 5000);
        snprintf(b, sizeof b, "b %d", i);
        CHECK_OK(GPTLstart(a));
        CHECK_OK(GPTLstart(b));
        CHECK_OK(GPTLstart(a));
        CHECK_OK(GPTLstart("always"));
        CHECK_OK(GPTLstop(a));
        CHECK_OK(GPTLstop("always"));
        CHECK_OK(GPTLstop(b));
        CHECK_OK(GPTLstop(a));
        started += 4;
    }
    CHECK_INT(GPTLnum_errors(), errors);
    CHECK_INT(gptl_thread_depth(gptl_thread_own()), 0);
    struct fake_copy c = fake_copy();
    CHECK_INT(copy_calls(c.all), started);
    fake_copy_free(c);
    CHECK_INT(check_count("always", 0), 100000);
    CHECK_BETWEEN(gptl_mem_used(), 0, budget);
}

static int flood_thread(const char *prefix)
{
    char name[32];
    for (int i = 0; i < 100000; i++) {
        snprintf(name, sizeof name, "%s%d", prefix, i);
        if (GPTLstart(name) != 0 || GPTLstop(name) != 0)
            return -1;
        if (gptl_mem_used() > budget)
            return -2;
    }
    return 0;
}

static void *flood(void *prefix)
{
    return (void *)(intptr_t)flood_thread(prefix);
}

static void test_threads(void **state)
{
    (void)state;
    enum { THREADS = 8 };
    pthread_t threads[THREADS];
    char *prefixes[THREADS] = {"a", "b", "c", "d", "a", "b", "c", "d"};
    for (int i = 0; i < THREADS; i++)
        CHECK_OK(pthread_create(&threads[i], NULL, flood, prefixes[i]));
    for (int i = 0; i < THREADS; i++) {
        void *result;
        CHECK_OK(pthread_join(threads[i], &result));
        CHECK_INT((intptr_t)result, 0);
    }
    struct fake_copy c = fake_copy();
    uint64_t calls, ticks;
    sums(c, &calls, &ticks);
    CHECK_INT(calls, THREADS * 100000);
    fake_copy_free(c);
}

/* The memory of a measurement is freed when it ends, except for names. */
static void test_given_back(void **state)
{
    size_t before = 0;
    for (int round = 0; round < 4; round++) {
        char name[2][32];
        for (int i = 0; i < 10000; i++) {
            snprintf(name[0], sizeof name[0], "n%d", i % 100);
            snprintf(name[1], sizeof name[1], "n%d", i / 100);
            CHECK_OK(GPTLstart(name[0]));
            CHECK_OK(GPTLstart(name[1]));
            CHECK_OK(GPTLstop(name[1]));
            CHECK_OK(GPTLstop(name[0]));
        }
        fake_teardown(state);
        if (round == 0)
            before = gptl_mem_used();
        CHECK_INT(gptl_mem_used(), before);
        small_budget(state);
    }
}

#define BUDGET_TEST(f) cmocka_unit_test_setup_teardown(f, small_budget, fake_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        BUDGET_TEST(test_given_back), /* first, because names remain */
        BUDGET_TEST(test_paths),      BUDGET_TEST(test_everything),
        BUDGET_TEST(test_names),      BUDGET_TEST(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
