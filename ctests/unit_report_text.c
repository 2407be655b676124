/* unit_report_text.c - the text report of constructed profiles, against golden files. */
#include "config.h"

#include <time.h>

#include "report_fixture.h"

static struct gptl_style plain(void)
{
    return (struct gptl_style){.wall = true,
                               .multparent = true,
                               .threadsort = true,
                               .collision = true,
                               .method = GPTLmost_frequent};
}

static void check(const struct fixture *f, struct gptl_style style, const char *golden)
{
    char *text = fixture_text(f, style);
    fixture_compare(text, golden);
    free(text);
}

static void published_example(void **state)
{
    (void)state;
    struct fixture f;
    fixture_omptest(&f);
    struct gptl_crossing crossing = {"A", "B", 1};
    for (int t = 0; t < 2; t++) {
        f.copies[t].crossed = 1;
        f.copies[t].ncrossings = 1;
        f.copies[t].crossings = &crossing;
    }
    struct gptl_style style = plain();
    style.preamble = true;
    check(&f, style, "text_omptest.txt");
}

/* main calls A and B; A calls B; B calls itself and, twice, A, which is the recursion of A. */
static void recursive(struct fixture *f)
{
    fixture_init(f, 1);
    uint32_t top = fixture_add(f, 0, 0, "main", 1, 10 * SECOND);
    uint32_t a = fixture_add(f, 0, top, "A", 5, 4 * SECOND);
    uint32_t ab = fixture_add(f, 0, a, "B", 9, 3 * SECOND);
    fixture_add_edge(f, 0, ab, a, 2);
    fixture_add_edge(f, 0, ab, ab, 4);
    uint32_t b = fixture_add(f, 0, top, "B", 1, 2 * SECOND);
    fixture_add(f, 0, b, "leaf", 3, 600 * MS);
    fixture_add(f, 0, ab, "leaf", 2, 100 * MS);
}

static void methods(void **state)
{
    (void)state;
    static const char *const golden[] = {NULL, "text_first_parent.txt", "text_last_parent.txt",
                                         "text_most_frequent.txt", "text_full_tree.txt"};
    struct fixture f;
    recursive(&f);
    for (int method = GPTLfirst_parent; method <= GPTLfull_tree; method++) {
        struct gptl_style style = plain();
        style.method = method;
        check(&f, style, golden[method]);
    }
}

static void fill_histogram(struct gptl_histogram *h)
{
    for (int i = 0; i < 98; i++)
        gptl_core_histogram_add(h, 10 * MS);
    for (int i = 0; i < 2; i++)
        gptl_core_histogram_add(h, 400 * MS);
}

static void all_columns(void **state)
{
    (void)state;
    struct fixture f;
    struct gptl_histogram *h = calloc(1, sizeof *h);
    fill_histogram(h);
    fixture_init(&f, 2);
    f.profile.has_overhead = true;
    for (int t = 0; t < 2; t++) {
        uint32_t top = fixture_add(&f, t, 0, "main", 1, 2 * SECOND);
        uint32_t work = fixture_add(&f, t, top, "work", 100, 1780 * MS);
        f.nodes[t][work].max = 400 * MS;
        f.nodes[t][work].min = 10 * MS;
        struct gptl_extra_copy *extra = fixture_extra(&f, t, work);
        extra->values[0] = 1500000;
        extra->values[1] = 250000;
        extra->histogram = h;
        fixture_add(&f, t, work, "tiny", 1000000, 100 * MS);
    }
    struct gptl_style style = plain();
    style.cpu = style.percent = style.histogram = style.overhead = style.subtract = true;
    style.quote = true;
    check(&f, style, "text_all_columns.txt");
    style.wall = false;
    check(&f, style, "text_no_wall.txt");
    free(h);
}

/* One region is 100 percent for all threads, even if a thread did not call it. */
static void percent_of_first(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 2);
    fixture_add(&f, 0, 0, "total", 1, 10 * SECOND);
    fixture_add(&f, 0, 0, "half", 1, 5 * SECOND);
    uint32_t work = fixture_add(&f, 1, 0, "work", 1, 1 * SECOND);
    fixture_add(&f, 1, work, "half", 1, 4 * SECOND);
    struct gptl_style style = plain();
    style.percent = true;
    check(&f, style, "text_percent.txt");
}

static void open_regions(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 1);
    uint32_t top = fixture_add(&f, 0, 0, "main", 0, 0);
    uint32_t step = fixture_add(&f, 0, top, "step", 3, 6 * SECOND);
    uint32_t solve = fixture_add(&f, 0, step, "solve", 3, 4500 * MS);
    f.nodes[0][top].open = 1;
    f.nodes[0][top].open_ticks = 8 * SECOND;
    f.nodes[0][step].open = 2;
    f.nodes[0][step].open_ticks = 1500 * MS;
    fixture_add(&f, 0, solve, "never called", 0, 0);
    f.nodes[0][solve].unstopped = 2;
    f.copies[0].unmatched = 1;
    f.copies[0].too_deep = 17;
    f.copies[0].dropped = 2;
    f.copies[0].backwards = 3;
    f.copies[0].live = true;
    check(&f, plain(), "text_open.txt");
}

static void salvaged_and_folded(void **state)
{
    (void)state;
    struct fixture f;
    fixture_salvaged(&f);
    f.copies[0].folded_paths = 1200;
    f.copies[1].folded_names = 1;
    f.profile.process.errors = 1;
    f.profile.process.warnings = 2;
    struct gptl_style style = plain();
    check(&f, style, "text_salvaged.txt");
}

/* Odd names: control characters, invalid UTF-8, quotes, and one too long for the table. */
static void names(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 1);
    char *lengthy = malloc(301);
    memset(lengthy, 'x', 300);
    lengthy[300] = '\0';
    uint32_t top = fixture_add(&f, 0, 0, "two\nlines", 1, 2 * SECOND);
    fixture_add(&f, 0, top, "Lösung ∇·u", 1, SECOND);
    fixture_add(&f, 0, top, "latin1 \xe4", 1, SECOND);
    fixture_add(&f, 0, top, "say \"hi\" \\x", 1, SECOND);
    fixture_add(&f, 0, top, lengthy, 1, SECOND);
    fixture_add(&f, 0, top, "(empty)", 1, SECOND);
    struct gptl_style style = plain();
    check(&f, style, "text_names.txt");
    style.quote = true;
    check(&f, style, "text_names_quoted.txt");
    free(lengthy);
}

static void deep(void **state)
{
    (void)state;
    struct fixture f;
    static char names_of[60][8];
    fixture_init(&f, 1);
    uint32_t at = 0;
    for (int i = 0; i < 55; i++) {
        snprintf(names_of[i], sizeof names_of[i], "f%d", i + 1);
        at = fixture_add(&f, 0, at, names_of[i], 1, SECOND);
    }
    check(&f, plain(), "text_deep.txt");
}

static void intervals(void **state)
{
    (void)state;
    struct fixture f;
    fixture_omptest(&f);
    struct gptl_interval_row first[] = {{2, 1, SECOND, SECOND, SECOND}, {3, 2, SECOND, 1, 0}};
    struct gptl_interval_row last[] = {{1, 1, 2 * SECOND, 2 * SECOND, 2 * SECOND}};
    struct gptl_interval spans[2][3] = {
        {{"step 1", 1, 2, first}, {"step 4", 3, 0, NULL}, {"", 1, 1, last}},
        {{"step 1", 1, 1, first}, {"step 4", 3, 1, last}, {"", 1, 0, NULL}}};
    for (int t = 0; t < 2; t++) {
        f.copies[t].nintervals = 3;
        f.copies[t].intervals = spans[t];
    }
    struct gptl_style style = plain();
    style.threadsort = style.collision = false;
    check(&f, style, "text_intervals.txt");
}

static void nothing_started(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 0);
    check(&f, plain(), "text_empty.txt");
    fixture_init(&f, 1);
    fixture_add(&f, 0, 0, "reset", 0, 0);
    check(&f, plain(), "text_reset.txt");
}

/* 6 or 9 decimals, as the smallest time requires; fewer if the longest is very long. */
static void decimals(void **state)
{
    (void)state;
    static const struct {
        uint64_t small, large;
        const char *shown;
    } rows[] = {{SECOND, SECOND, " 1.000000  1.000000  1.000000\n"},
                {500, SECOND, " 1.000000  1.000000  1.000000\n"},
                {499, SECOND, " 1.000000000  1.000000000  1.000000000\n"},
                {1, 1000 * SECOND, " 1000.000000  1000.000000  1000.000000\n"},
                {1, 1000000 * SECOND, " 1000000.000  1000000.000  1000000.000\n"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fixture f;
        fixture_init(&f, 1);
        fixture_add(&f, 0, fixture_add(&f, 0, 0, "main", 1, rows[i].large), "small", 1,
                    rows[i].small);
        char *text = fixture_text(&f, plain());
        if (!strstr(text, rows[i].shown))
            fail_msg("not %s in:\n%s", rows[i].shown, text);
        free(text);
    }
}

int main(void)
{
    setenv("TZ", "UTC0", 1);
    tzset();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_example),
        cmocka_unit_test(methods),
        cmocka_unit_test(all_columns),
        cmocka_unit_test(percent_of_first),
        cmocka_unit_test(open_regions),
        cmocka_unit_test(salvaged_and_folded),
        cmocka_unit_test(names),
        cmocka_unit_test(deep),
        cmocka_unit_test(intervals),
        cmocka_unit_test(nothing_started),
        cmocka_unit_test(decimals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
