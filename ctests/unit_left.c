/* unit_left.c - the state after a signal handler that jumps away from inside the library. */
#include "config.h"

#include "fake.h"

#include "core/busy.h"
#include "core/slow.h"

static void function(void) {}

/* Hooks that are called with the stack at one place, or DOWN bytes lower. */
static struct gptl_call at(uintptr_t down)
{
    static char stack[1 << 16];
    return (struct gptl_call){(uintptr_t)stack + sizeof stack - down, 0};
}

static const char *name(void)
{
    return (const char *)function;
}

static void call(uintptr_t down)
{
    gptl_slow_enter(name(), at(down));
    gptl_slow_exit(name(), at(down));
}

struct sum {
    uint64_t count, total;
};

/* Of all calls. */
static struct sum sum(void)
{
    struct fake_copy c = fake_copy();
    const struct gptl_copy *copy = copy_of_thread(c, 0);
    struct sum s = {0, 0};
    for (uint32_t i = 1; i < copy->nnodes; i++) {
        s.count += copy->nodes[i].count;
        s.total += copy->nodes[i].total;
    }
    fake_copy_free(c);
    return s;
}

/* So that the call in progress is unknown. */
static void leave_inside(void)
{
    gptl_busy_set(gptl_tls, 1, NULL);
    gptl_tls->busy_call = (struct gptl_call){.stack = UINTPTR_MAX};
}

/* No handler calls functions one after another that often. */
static void test_calls_in_a_row(void **state)
{
    (void)state;
    call(0);
    CHECK_INT(sum().count, 1);
    leave_inside();
    for (int i = 0; i < GPTL_LONGEST_ROW; i++)
        call(0);
    CHECK_INT(sum().count, 1);
    call(0);
    CHECK_INT(sum().count, 2);
}

/* A second one has left a dropped call: later events are not inside it. */
static void test_calls_after_one_that_was_dropped(void **state)
{
    (void)state;
    call(0);
    leave_inside();
    gptl_slow_enter(name(), at(1000));
    for (int i = 0; i < GPTL_LONGEST_ROW; i++)
        call(0);
    CHECK_INT(sum().count, 2);
    CHECK_INT(gptl_tls->busy, 0);
}

/* A handler may do much within one call. */
static void test_calls_within_one_that_is_dropped(void **state)
{
    (void)state;
    call(0);
    leave_inside();
    gptl_slow_enter(name(), at(0));
    for (int i = 0; i < 2 * GPTL_LONGEST_ROW; i++)
        call(1000);
    CHECK_INT(sum().count, 1);
    CHECK_INT(gptl_tls->busy, 1);
    gptl_slow_exit(name(), at(0));
    gptl_busy_set(gptl_tls, 0, NULL);
}

/* It prevented the outermost call from getting its time, and left it. */
static void test_outermost_call_without_time(void **state)
{
    (void)state;
    gptl_slow_enter(name(), at(1000));
    gptl_tls->top->start = 0;
    pass(10);
    call(0);
    CHECK_INT(sum().count, 2);
    CHECK_INT(sum().total, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FAKE_TEST(test_calls_in_a_row),
        FAKE_TEST(test_calls_after_one_that_was_dropped),
        FAKE_TEST(test_calls_within_one_that_is_dropped),
        FAKE_TEST(test_outermost_call_without_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
