/*
 * unit_expression.c - derived events: the events that they read, their values, and the messages
 * about mistakes.
 */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "counters/expression.h"

static const char *const names[] = {"A",         "B",           "PAPI_TOT_INS", "perf::PAGE-FAULTS",
                                    "odd +name", "sde:::X::Y=1"};
static const int64_t values[] = {6, 0, 100, 7, 11, 13};

static long find(void *arg, const char *name, size_t length, char *why, size_t whysize)
{
    (void)arg;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
            return (long)i;
    snprintf(why, whysize, "no %.*s", (int)length, name);
    return -1;
}

static void is(const char *text, double expected)
{
    struct gptl_expression e;
    char why[512] = "";
    if (!gptl_expression_read(&e, text, NULL, find, NULL, why, sizeof why))
        fail_msg("%s: %s", text, why);
    double value = gptl_expression_value(&e, values, 2.5);
    if (value != expected && !(isnan(value) && isnan(expected)))
        fail_msg("%s is %.17g, expected %.17g", text, value, expected);
}

static void wrong(const char *text, const char *column, const char *what)
{
    struct gptl_expression e;
    char why[512] = "";
    if (gptl_expression_read(&e, text, NULL, find, NULL, why, sizeof why))
        fail_msg("%s is taken", text);
    if (strncmp(why, column, strlen(column)) != 0 || !strstr(why, what))
        fail_msg("%s: says %s", text, why);
}

static void test_values(void **state)
{
    (void)state;
    is("A", 6);
    is("1+2*3", 7);
    is("(1+2)*3", 9);
    is("10-4-3", 3);
    is("16/4/2", 2);
    is("-A+10", 4);
    is("--A", 6);
    is("2*-A", -12);
    is("A/wall", 2.4);
    is(" A / ( wall * 2 ) ", 1.2);
    is("1.5e3", 1500);
    is("2e-1", 0.2);
    is(".25", 0.25);
    is("100/8e9", 100 / 8e9);
    is("0.1", 0.1);
}

static void test_names(void **state)
{
    (void)state;
    is("perf::PAGE-FAULTS", 7);
    is("perf::PAGE-FAULTS - 1", 6);
    is("PAPI_TOT_INS-A", 94);
    is("PAPI_TOT_INS-1", 99);
    is("perf::PAGE-FAULTS/A", 7.0 / 6);
    is("sde:::X::Y=1*2", 26);
    is("'odd +name'*2", 22);
}

static void test_nothing_to_divide_by(void **state)
{
    (void)state;
    is("A/B", NAN);
    is("B/B", NAN);
    is("A/B*0", NAN);
    is("B/A", 0);
    is("1e300*1e300*1e300", NAN);
}

static void test_mistakes(void **state)
{
    (void)state;
    wrong("", "column 1 ", "missing");
    wrong("1+", "column 3 ", "missing");
    wrong("1 2", "column 3 ", "operator");
    wrong("A B", "column 3 ", "operator");
    wrong("(A", "column 3 ", ")");
    wrong("A)", "column 2 ", "operator");
    wrong("A+*B", "column 3 ", "should stand");
    wrong("A/none", "column 3 ", "no none");
    wrong("perf::PAGE-FAULTS-A", "column 1 ", "no perf::PAGE-FAULTS-A");
    wrong("'A", "column 1 ", "not closed");
    wrong("''", "column 2 ", "no name");
    wrong(".", "column 1 ", "number");
    wrong("1e999", "column 1 ", "number");
    wrong("A,B", "column 2 ", "operator");
}

/* As deep and as long as any text: refused, without a stack overflow. */
static void test_sizes(void **state)
{
    (void)state;
    static char text[100001];
    memset(text, '(', 100000);
    wrong(text, "column ", "too deep");
    memset(text, '-', 100000);
    wrong(text, "column ", "too deep");
    for (int i = 0; i < 100000; i++)
        text[i] = i % 2 ? '+' : '1';
    wrong(text, "column ", "too long");
}

static void test_up_to_comma(void **state)
{
    (void)state;
    struct gptl_expression e;
    char why[512];
    const char *text = "A/2 , next", *end = NULL;
    assert_true(gptl_expression_read(&e, text, &end, find, NULL, why, sizeof why));
    assert_ptr_equal(end, text + 4);
    assert_true(gptl_expression_value(&e, values, 0) == 3);
    assert_false(gptl_expression_read(&e, "A/,B", &end, find, NULL, why, sizeof why));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),   cmocka_unit_test(test_names),
        cmocka_unit_test(test_mistakes), cmocka_unit_test(test_nothing_to_divide_by),
        cmocka_unit_test(test_sizes),    cmocka_unit_test(test_up_to_comma),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
