/*
 * fake.h - for unit tests: a clock that is a variable, a measurement per test, and the nodes of a
 * copy by their path.
 */
#ifndef CTESTS_FAKE_H
#define CTESTS_FAKE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* A failed check ends its test; in another thread, it ends the program. */
static inline void fake_failed(void)
{
    if (gettid() != getpid())
        _Exit(1);
    fail();
}
#define CHECK_FAILED() fake_failed()
#include "check.h"
#include "core/clock.h"
#include "core/core.h"
#include "core/mem.h"
#include "core/options.h"
#include "core/state.h"
#include "core/thread.h"

enum { FAKE_CLOCK = 100, FAKE_SLOW_CLOCK = 101 };

/* Nanoseconds, and the same moment in microseconds. */
static _Atomic uint64_t fake_ticks = 1000000000;

static inline uint64_t fake_read(void)
{
    return fake_ticks;
}

static inline uint64_t fake_read_slow(void)
{
    return fake_ticks / 1000;
}

static const struct gptl_clock fake_clock = {FAKE_CLOCK, "fake", "a variable",
                                             fake_read,  1e9,    NULL};
static const struct gptl_clock fake_slow_clock = {FAKE_SLOW_CLOCK, "fake_slow", "a variable / 1000",
                                                  fake_read_slow,  1e6,         NULL};

static inline void fake_register(void)
{
    if (gptl_clock_by_number(FAKE_CLOCK))
        return;
    CHECK_OK(gptl_core_add_clock(&fake_clock));
    CHECK_OK(gptl_core_add_clock(&fake_slow_clock));
}

/* Options can still be set: the measurement begins with the first start, as in a new process. */
static inline int fake_setup_implicit(void **state)
{
    (void)state;
    gptl_g.phase = GPTL_OFF;
    fake_register();
    CHECK_OK(GPTLsetutr(FAKE_CLOCK));
    return 0;
}

static inline int fake_setup(void **state)
{
    fake_setup_implicit(state);
    return GPTLinitialize();
}

static inline int fake_teardown(void **state)
{
    (void)state;
    gptl_mem_fail_after = -1;
    gptl_core_reported(); /* no automatic report */
    while (GPTLis_initialized())
        GPTLfinalize();
    return 0;
}

#define FAKE_TEST(f) cmocka_unit_test_setup_teardown(f, fake_setup, fake_teardown)
#define FAKE_IMPLICIT_TEST(f) cmocka_unit_test_setup_teardown(f, fake_setup_implicit, fake_teardown)

static inline void pass(uint64_t nanoseconds)
{
    fake_ticks += nanoseconds;
}

/* ---- Copies -------------------------------------------------------------------------------- */

struct fake_copy {
    struct gptl_copy *all;
    int n;
};

static inline struct fake_copy fake_copy(void)
{
    struct fake_copy c;
    CHECK_OK(gptl_core_copy(&c.all, &c.n));
    return c;
}

static inline void fake_copy_free(struct fake_copy c)
{
    gptl_core_copy_free(c.all, c.n);
}

static inline const struct gptl_copy *copy_of_thread(struct fake_copy c, int thread)
{
    for (int i = 0; i < c.n; i++)
        if (c.all[i].thread == thread)
            return &c.all[i];
    CHECK_THAT(0, "there is no copy of thread %d", thread);
    return NULL;
}

/* Return the node reached by PATH, names separated by '/', or NULL. */
static inline const struct gptl_node_copy *node_at(const struct gptl_copy *copy, const char *path)
{
    uint32_t parent = 0;
    while (*path) {
        size_t length = strcspn(path, "/");
        uint32_t i = 1;
        for (; i < copy->nnodes; i++)
            if (copy->nodes[i].parent == parent && copy->nodes[i].target == i &&
                strncmp(copy->nodes[i].name, path, length) == 0 &&
                copy->nodes[i].name[length] == '\0')
                break;
        if (i == copy->nnodes)
            return NULL;
        parent = i;
        path += length + (path[length] == '/');
    }
    return &copy->nodes[parent];
}

#define CHECK_NODE(copy, path, n, nanoseconds)                                                     \
    do {                                                                                           \
        const struct gptl_node_copy *check_node = node_at(copy, path);                             \
        CHECK_THAT(check_node, "there is no node %s", path);                                       \
        CHECK_INT(check_node->count, n);                                                           \
        CHECK_INT(check_node->total, nanoseconds);                                                 \
    } while (0)

/* Return the calls of all nodes except edges, whose calls are in their targets. */
static inline uint64_t copy_calls(const struct gptl_copy *copy)
{
    uint64_t calls = 0;
    for (uint32_t i = 1; i < copy->nnodes; i++)
        if (copy->nodes[i].target == i)
            calls += copy->nodes[i].count;
    return calls;
}

#endif
