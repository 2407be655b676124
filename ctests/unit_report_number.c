/* unit_report_number.c - numbers as text: against printf, and at the edges. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "report/number.h"

static void check_uint(uint64_t value)
{
    char ours[GPTL_NUMBER_SIZE + 1], theirs[GPTL_NUMBER_SIZE];
    ours[gptl_number_uint(ours, value)] = '\0';
    snprintf(theirs, sizeof theirs, "%" PRIu64, value);
    assert_string_equal(ours, theirs);
    assert_int_equal(gptl_number_digits(value), strlen(theirs));
}

static void integers(void **state)
{
    (void)state;
    for (uint64_t power = 1;; power *= 10) {
        check_uint(power - 1);
        check_uint(power);
        check_uint(power + 1);
        if (power > UINT64_MAX / 10)
            break;
    }
    check_uint(UINT64_MAX);
}

static void check_seconds(uint64_t ns, int decimals, const char *expected)
{
    char text[GPTL_NUMBER_SIZE + 1];
    text[gptl_number_seconds(text, ns, decimals)] = '\0';
    assert_string_equal(text, expected);
}

static void seconds(void **state)
{
    (void)state;
    check_seconds(0, 3, "0.000");
    check_seconds(1, 9, "0.000000001");
    check_seconds(499999, 3, "0.000");
    check_seconds(500000, 3, "0.001");
    check_seconds(999499999, 3, "0.999");
    check_seconds(999500000, 3, "1.000");
    check_seconds(1234567890123, 6, "1234.567890");
    check_seconds(1500000000, 0, "2");
    check_seconds(UINT64_MAX, 9, "18446744073.709551615");
    check_seconds(UINT64_MAX, 3, "18446744073.710");
}

static void check_exact(uint64_t ns, const char *expected)
{
    char text[GPTL_NUMBER_SIZE + 1];
    text[gptl_number_exact_seconds(text, ns)] = '\0';
    assert_string_equal(text, expected);
}

static void exact_seconds(void **state)
{
    (void)state;
    check_exact(0, "0");
    check_exact(10, "0.00000001");
    check_exact(1000000000, "1");
    check_exact(100000000000, "100");
    check_exact(1200000001, "1.200000001");
}

static void ticks(void **state)
{
    (void)state;
    static const struct {
        double seconds_per_tick;
        uint64_t ticks, ns;
    } cases[] = {
        {1e-9, 123456789, 123456789},
        {1e-9, UINT64_MAX - 1, UINT64_MAX - 1},
        {1e-6, 3, 3000},
        {1, 2, 2000000000},
        {1, UINT64_MAX / 2, UINT64_MAX - 1}, /* does not fit */
        {1e-9 / 3, 1, 0},
        {1e-9 / 3, 2, 1},
        {1e-9 / 3, 3000000000, 1000000000},
        {1e-9 / 4, (UINT64_C(1) << 62) + 4, (UINT64_C(1) << 60) + 1}, /* no bit is lost */
        {0, 5, 0},                                                    /* the placebo clock */
        {-1, 5, 0},
        {NAN, 5, 0},
        {INFINITY, 5, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gptl_scale scale = gptl_number_scale(cases[i].seconds_per_tick);
        assert_int_equal(gptl_number_ns(scale, cases[i].ticks), cases[i].ns);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers),
        cmocka_unit_test(seconds),
        cmocka_unit_test(exact_seconds),
        cmocka_unit_test(ticks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
