/*
 * unit_cache.c - the fast path finds all nodes for which it has room, and recognizes times beyond
 * 32 bits.
 */
#include "config.h"

#include "fake.h"

#include <stdio.h>

#include "core/lookup.h"
#include "core/thread.h"

/* Names at the distances of functions: of small ones, or of any. */
enum { NNAMES = 5000, SMALL = 48, ANYHOW = 160 };
static char text[NNAMES * ANYHOW];
static char *names[NNAMES];

static int setup_counter(void **state)
{
    (void)state;
    gptl_g.phase = GPTL_OFF;
    return GPTLinitialize();
}

static uint32_t any(uint32_t below)
{
    static uint64_t x = 1;
    x = x * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((x >> 33) * below >> 31);
}

/* Return how many of 100,000 starts in random order are not found in the cache. */
static int misses(void)
{
    struct gptl_thread *t = gptl_tls;
    struct gptl_node *root = t->top->node;
    int n = 0;
    for (int i = 0; i < NNAMES; i++)
        snprintf(names[i], 16, "name %d", i);
    for (int i = 0; i < 100000; i++) {
        const char *name = names[any(NNAMES)];
        n += i >= 50000 && !gptl_lookup_cached(t, root, name, GPTL_NUL_ENDED, NULL);
        CHECK_OK(GPTLstart(name));
        CHECK_OK(GPTLstop(name));
    }
    return 2 * n;
}

static void test_names_at_equal_distances(void **state)
{
    (void)state;
    for (int i = 0; i < NNAMES; i++)
        names[i] = text + (size_t)i * SMALL;
    CHECK(misses() < 1000);
}

static void test_names_at_any_distances(void **state)
{
    (void)state;
    char *at = text;
    for (int i = 0; i < NNAMES; i++, at += 16 * (1 + any(ANYHOW / 16)))
        names[i] = at;
    CHECK(misses() < 5000);
}

/* Return the slots in a line that hold the node. */
static int held(struct gptl_thread *t, struct gptl_node *parent, const char *name)
{
    uint64_t *slot = gptl_cache_slot(t, gptl_cache_hash(parent, (uintptr_t)name));
    struct gptl_node *node = gptl_lookup_cached(t, parent, name, GPTL_NUL_ENDED, NULL);
    int n = 0;
    for (int i = 0; node && i < GPTL_CACHE_LINE; i++)
        n += gptl_cache_node(*gptl_cache_near(slot, i)) == node;
    return n;
}

static void test_no_node_is_held_twice(void **state)
{
    (void)state;
    struct gptl_thread *t = gptl_tls;
    for (int i = 0; i < NNAMES; i++)
        names[i] = text + (size_t)i * SMALL;
    misses();
    for (int i = 0; i < NNAMES; i++)
        CHECK(held(t, t->top->node, names[i]) <= 1);
}

/* Make one call that began TICKS ago. */
static void call_of(const char *name, uint64_t ticks)
{
    struct gptl_thread *t = gptl_tls;
    CHECK_OK(GPTLstart(name));
    t->top->start -= ticks;
    CHECK_OK(GPTLstop(name));
}

/* Each by the fast path or the slow one. */
static void test_long_calls(void **state)
{
    (void)state;
    static const uint64_t limit = UINT32_MAX, more = 1 << 27; /* longer than a call itself takes */
    const uint64_t around[] = {limit - more, limit + more, 10 * limit, 3 * limit, 1000, 5 * limit};
    const char *name = "long";
    struct gptl_node_copy before = {.min = UINT64_MAX};
    uint64_t calls = 0;
    for (size_t i = 0; i < sizeof around / sizeof around[0]; i++) {
        if (around[i] > gptl_counter()) /* the machine has not been up for so long */
            continue;
        call_of(name, around[i]);
        struct fake_copy c = fake_copy();
        const struct gptl_node_copy *node = node_at(c.all, name);
        CHECK_INT(node->count, ++calls);
        CHECK(node->latest >= around[i] && node->latest < around[i] + more);
        CHECK(node->total - before.total == node->latest);
        CHECK(node->max == (before.max > node->latest ? before.max : node->latest));
        CHECK(node->min == (before.min < node->latest ? before.min : node->latest));
        before = *node;
        fake_copy_free(c);
    }
}

/* At the limit itself: the stored value differs from the mark of a longer time. */
static void test_times_around_limit(void **state)
{
    (void)state;
    struct gptl_node node = {.known = 0};
    for (uint64_t ticks = (uint64_t)UINT32_MAX - 3; ticks < (uint64_t)UINT32_MAX + 3; ticks++) {
        gptl_node_set_max(&node, ticks);
        gptl_node_set_min(&node, ticks);
        gptl_node_set_latest(&node, ticks);
        CHECK(gptl_node_max(&node) == ticks);
        CHECK(gptl_node_min(&node) == ticks);
        CHECK(gptl_node_latest(&node) == ticks);
        /* A call on the fast path is no longer than this, and is not mistaken for long. */
        CHECK(node.max < GPTL_LONG);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_names_at_equal_distances, setup_counter,
                                        fake_teardown),
        cmocka_unit_test_setup_teardown(test_names_at_any_distances, setup_counter, fake_teardown),
        cmocka_unit_test_setup_teardown(test_no_node_is_held_twice, setup_counter, fake_teardown),
        cmocka_unit_test_setup_teardown(test_long_calls, setup_counter, fake_teardown),
        cmocka_unit_test(test_times_around_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
