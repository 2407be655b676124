/* unit_report_json.c - the JSON report of constructed profiles, against golden files. */
#include "config.h"

#include "report_fixture.h"

#include "report/json.h"
#include "report/name.h"

static void check(const struct fixture *f, const char *golden)
{
    char *text = fixture_written(gptl_json_write, &f->profile);
    fixture_compare(text, golden);
    free(text);
}

static void whole_document(void **state)
{
    (void)state;
    struct fixture f;
    fixture_whole(&f);
    check(&f, "json_whole.json");
}

static void salvaged(void **state)
{
    (void)state;
    struct fixture f;
    fixture_salvaged(&f);
    check(&f, "json_salvaged.json");
}

static void functions(void **state)
{
    (void)state;
    struct fixture f;
    fixture_functions(&f);
    check(&f, "json_functions.json");
}

/* main calls work, which calls itself; on the second thread nothing was called. */
static void callers(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 2);
    uint32_t top = fixture_add(&f, 0, 0, "main", 0, 0);
    f.nodes[0][top].open = 1;
    f.nodes[0][top].open_ticks = 3 * SECOND;
    uint32_t work = fixture_add(&f, 0, top, "work", 5, 2 * SECOND);
    fixture_add_edge(&f, 0, work, work, 3);
    fixture_extra(&f, 0, work)->values[0] = 1500000;
    uint32_t odd = fixture_add(&f, 0, top, "odd \"one\"\n", 1, SECOND);
    fixture_add(&f, 0, odd, "work", 1, SECOND / 2);
    fixture_add(&f, 0, fixture_add(&f, 0, odd, "main\xff", 0, 0), "work", 1, SECOND / 4);
    fixture_add(&f, 1, 0, "reset", 0, 0);
    assert_int_equal(gptl_core_set_options("dopr_callers=on", "test"), 0);
    check(&f, "json_callers.json");
    assert_int_equal(gptl_core_set_options("dopr_callers=off", "test"), 0);
}

static void nothing_started(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 0);
    check(&f, "json_empty.json");
}

static void check_name(const char *name, const char *json)
{
    fixture_check_name(gptl_name_json, name, json);
}

static void names(void **state)
{
    (void)state;
    check_name("", "\"\"");
    check_name("a/b c", "\"a/b c\"");
    check_name("\"\\", "\"\\\"\\\\\"");
    check_name("\n\t\x01\x7f", "\"\\u000a\\u0009\\u0001\\u007f\"");
    check_name("ü ∇ 😀", "\"ü ∇ 😀\"");
    /* Invalid UTF-8: alone, truncated, overlong, a surrogate, beyond Unicode. */
    check_name("\xe4", "\"\\\\xe4\"");
    check_name("\xe2\x88", "\"\\\\xe2\\\\x88\"");
    check_name("\xc0\xaf", "\"\\\\xc0\\\\xaf\"");
    check_name("\xe0\x80\xaf", "\"\\\\xe0\\\\x80\\\\xaf\"");
    check_name("\xed\xa0\x80", "\"\\\\xed\\\\xa0\\\\x80\"");
    check_name("\xf4\x90\x80\x80", "\"\\\\xf4\\\\x90\\\\x80\\\\x80\"");
    check_name("\xf8\x88\x80\x80\x80", "\"\\\\xf8\\\\x88\\\\x80\\\\x80\\\\x80\"");
    /* A name that looks escaped differs from an escaped one. */
    check_name("\\xe4", "\"\\\\x5cxe4\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_document),  cmocka_unit_test(salvaged), cmocka_unit_test(callers),
        cmocka_unit_test(nothing_started), cmocka_unit_test(names),    cmocka_unit_test(functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
