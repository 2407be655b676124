/*
 * throttle.h - for unit tests: a measurement that throttles regions with more than LIMIT calls, and
 * calls of known duration.
 */
#ifndef CTESTS_THROTTLE_H
#define CTESTS_THROTTLE_H

#include "fake.h"

enum { LIMIT = 200, EVERY = 16 };

static inline int setup(void **state)
{
    fake_setup_implicit(state);
    CHECK_OK(gptl_core_set_options("throttle=200;throttle.below=1000;throttle.every=16", "test"));
    return GPTLinitialize();
}

#define THROTTLE_TEST(f) cmocka_unit_test_setup_teardown(f, setup, fake_teardown)

static inline void timed(const char *name, uint64_t nanoseconds)
{
    CHECK_OK(GPTLstart(name));
    pass(nanoseconds);
    CHECK_OK(GPTLstop(name));
}

static inline const struct gptl_extra_copy *extra_at(const struct gptl_copy *copy, const char *path)
{
    const struct gptl_node_copy *node = node_at(copy, path);
    CHECK_THAT(node, "there is no node %s", path);
    return node->extra ? &copy->extras[node->extra - 1] : NULL;
}

#endif
