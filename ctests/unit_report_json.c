/* unit_report_json.c - the JSON report of profiles built by hand, against golden files. */
#include "config.h"

#include "report_fixture.h"

#include "report/json.h"
#include "report/name.h"

static char *written(const struct gptl_profile *profile)
{
    char path[] = "json.XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    struct gptl_out *out = gptl_out_new(fd);
    assert_int_equal(gptl_json_write(out, profile), 0);
    assert_int_equal(gptl_out_flush(out), 0);
    free(out);
    close(fd);
    char *text = fixture_read(path);
    unlink(path);
    return text;
}

/* What depends on the machine and on the list of options is cut. */
static void check(const struct fixture *f, const char *golden)
{
    char *text = written(&f->profile);
    text = fixture_replace(text, "\"host\":\"", "\",\"pid\"", "HOST");
    if (!f->profile.salvaged) {
        text = fixture_replace(text, "\"command\":[", "],\n\"started\"", "\"PROGRAM\"");
        text = fixture_replace(text, "\"options\":{", "},\n\"overhead\"", "\"KEY\":\"VALUE\"");
    }
    fixture_compare(text, golden);
    free(text);
}

static void whole_document(void **state)
{
    (void)state;
    struct fixture f;
    struct gptl_histogram *h = calloc(1, sizeof *h);
    struct gptl_crossing crossing = {"work", "odd \"one\"\n", 2};
    struct gptl_interval_row row = {2, 1, SECOND, SECOND, SECOND};
    struct gptl_interval spans[] = {{"a", 2, 1, &row}, {"", 1, 0, NULL}};
    fixture_init(&f, 2);
    f.profile.has_overhead = true;
    uint32_t top = fixture_add(&f, 0, 0, "main", 0, 0);
    f.nodes[0][top].open = 1;
    f.nodes[0][top].open_ticks = 3 * SECOND + 1;
    uint32_t work = fixture_add(&f, 0, top, "work", 3, 2500 * MS);
    f.nodes[0][work].max = 2 * SECOND;
    f.nodes[0][work].min = 1;
    struct gptl_extra_copy *extra = fixture_extra(&f, 0, work);
    extra->values[0] = 1500000;
    extra->values[1] = 1;
    extra->histogram = h;
    gptl_core_histogram_add(h, 1);
    gptl_core_histogram_add(h, SECOND / 2);
    gptl_core_histogram_add(h, 2 * SECOND);
    fixture_add_edge(&f, 0, work, work, 1);
    fixture_add(&f, 0, work, "odd \"one\"\n", 1, 7);
    fixture_add(&f, 0, top, "never called", 0, 0);
    f.copies[0].crossed = 2;
    f.copies[0].ncrossings = 1;
    f.copies[0].crossings = &crossing;
    f.copies[0].live = true;
    f.copies[0].nintervals = 2;
    f.copies[0].intervals = spans;
    uint32_t other = fixture_add(&f, 1, 0, "work", 1, 3);
    f.nodes[1][other].unstopped = 1;
    f.copies[1].seconds_per_tick = 0x1p-30; /* 0.93 ns */
    check(&f, "json_whole.json");
    free(h);
}

static void salvaged(void **state)
{
    (void)state;
    struct fixture f;
    fixture_omptest(&f);
    f.profile.salvaged = "/tmp/gptl.4711";
    check(&f, "json_salvaged.json");
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
    char path[] = "name.XXXXXX";
    int fd = mkstemp(path);
    struct gptl_out *out = gptl_out_new(fd);
    gptl_name_json(out, name);
    assert_int_equal(gptl_out_flush(out), 0);
    char *text = fixture_read(path);
    assert_string_equal(text, json);
    free(text);
    free(out);
    close(fd);
    unlink(path);
}

static void names(void **state)
{
    (void)state;
    check_name("", "\"\"");
    check_name("a/b c", "\"a/b c\"");
    check_name("\"\\", "\"\\\"\\\\\"");
    check_name("\n\t\x01\x7f", "\"\\u000a\\u0009\\u0001\\u007f\"");
    check_name("ü ∇ 😀", "\"ü ∇ 😀\"");
    /* No UTF-8: alone, cut, overlong, a surrogate, beyond Unicode. */
    check_name("\xe4", "\"\\\\xe4\"");
    check_name("\xe2\x88", "\"\\\\xe2\\\\x88\"");
    check_name("\xc0\xaf", "\"\\\\xc0\\\\xaf\"");
    check_name("\xe0\x80\xaf", "\"\\\\xe0\\\\x80\\\\xaf\"");
    check_name("\xed\xa0\x80", "\"\\\\xed\\\\xa0\\\\x80\"");
    check_name("\xf4\x90\x80\x80", "\"\\\\xf4\\\\x90\\\\x80\\\\x80\"");
    check_name("\xf8\x88\x80\x80\x80", "\"\\\\xf8\\\\x88\\\\x80\\\\x80\\\\x80\"");
    /* A name that looks escaped can be told from one that is. */
    check_name("\\xe4", "\"\\\\x5cxe4\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_document),
        cmocka_unit_test(salvaged),
        cmocka_unit_test(nothing_started),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
