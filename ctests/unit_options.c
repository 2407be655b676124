/*
 * unit_options.c - every row of options.def through GPTLsetoption and as text; the grammar; the end
 * of the time to set options; gptl.h and the table agree.
 */
#include "config.h"

#include <limits.h>

#include "core/stderr.h"
#include "fake.h"

enum type { BOOL, INT, BYTES, CLOCK, METHOD, LAYOUT, ABI, CALLS };

static const struct row {
    int number;
    const char *key;
    enum type type;
    long long initial, least, most;
} rows[] = {
#define OPTION(id, number, key, type, initial, least, most, doc)                                   \
    {number, key, type, initial, least, most},
#define STRING_OPTION(id, key, initial, doc)
#include "core/options.def"
#undef OPTION
#undef STRING_OPTION
};

static const struct string_row {
    const char *key, *initial;
} string_rows[] = {
#define OPTION(id, number, key, type, initial, least, most, doc)
#define STRING_OPTION(id, key, initial, doc) {key, initial},
#include "core/options.def"
#undef OPTION
#undef STRING_OPTION
};

enum { NSTRINGS = sizeof string_rows / sizeof string_rows[0] };

static int setup(void **state)
{
    (void)state;
    fake_register();
    gptl_g.phase = GPTL_OFF;
    return 0;
}

/* A measurement begins and ends, so that all options are at their defaults. */
static int teardown(void **state)
{
    if (!GPTLis_initialized())
        GPTLinitialize();
    return fake_teardown(state);
}

static long long value_of(int i)
{
    return gptl_core_option((enum gptl_option_id)i);
}

static int parse(const char *text)
{
    return gptl_core_set_options(text, "test");
}

static int parse_pair(const char *key, const char *value)
{
    char text[8192];
    snprintf(text, sizeof text, "%s=%s", key, value);
    return parse(text);
}

#define CHECK_MISTAKES(text, n)                                                                    \
    do {                                                                                           \
        int check_errors = GPTLnum_errors();                                                       \
        CHECK_INT(parse(text), n);                                                                 \
        CHECK_INT(GPTLnum_errors() - check_errors, n);                                             \
    } while (0)

/* ---- The table ----------------------------------------------------------------------------- */

/* Every option in gptl.h has its row, with that number and key. */
static void test_numbers_are_those_of_the_header(void **state)
{
    (void)state;
    static const struct {
        int number;
        const char *key;
    } header[] = {
#define ROW(name) {GPTL##name, #name}
        ROW(sync_mpi),
        ROW(wall),
        ROW(cpu),
        ROW(abort_on_error),
        ROW(overhead),
        ROW(depthlimit),
        ROW(verbose),
        ROW(narrowprint),
        ROW(percent),
        ROW(persec),
        ROW(multiplex),
        ROW(dopr_preamble),
        ROW(dopr_threadsort),
        ROW(dopr_multparent),
        ROW(dopr_collision),
        ROW(print_method),
        ROW(dopr_memusage),
        ROW(tablesize),
        ROW(maxthreads),
        ROW(onlyprint_rank0),
        ROW(mem_growth),
        ROW(dopr_quotes),
    };
    CHECK_INT(GPTLprofile_ovhd, GPTLoverhead);
    static const int numbers[] = {0,  1,  2,  3,  4,  5,  6,  7,  9,  10, 11,
                                  12, 13, 14, 15, 16, 27, 50, 51, 52, 53, 54};
    size_t n = sizeof header / sizeof header[0], with_number = 0;
    CHECK_INT(n, sizeof numbers / sizeof numbers[0]);
    for (size_t k = 0; k < n; k++) {
        CHECK_INT(header[k].number, numbers[k]);
        int i = 0;
        while (i < GPTL_NOPTIONS && rows[i].number != header[k].number)
            i++;
        CHECK_THAT(i < GPTL_NOPTIONS, "option %d has no row", header[k].number);
        CHECK_STRING(rows[i].key, header[k].key);
    }
    for (int i = 0; i < GPTL_NOPTIONS; i++)
        with_number += rows[i].number >= 0;
    CHECK_INT(with_number, n);
}

static void test_table_is_sound(void **state)
{
    (void)state;
    struct gptl_option_text a, b;
    for (int i = 0; gptl_core_option_text(i, &a); i++) {
        CHECK(strlen(a.key) > 0 && strlen(a.doc) > 0);
        CHECK_INT(strcspn(a.key, "=;\" "), strlen(a.key));
        CHECK_THAT(!a.changed, "%s is changed", a.key);
        for (int j = 0; j < i; j++) {
            CHECK(gptl_core_option_text(j, &b));
            CHECK(strcmp(a.key, b.key) != 0);
        }
    }
    for (int i = 0; i < GPTL_NOPTIONS; i++)
        CHECK(rows[i].initial >= rows[i].least && rows[i].initial <= rows[i].most);
}

/* ---- Through the API ----------------------------------------------------------------------- */

static void test_by_number(void **state)
{
    (void)state;
    for (int i = 0; i < GPTL_NOPTIONS; i++) {
        const struct row *row = &rows[i];
        if (row->number < 0)
            continue;
        CHECK_INT(value_of(i), row->initial);
        CHECK_OK(GPTLsetoption(row->number, (int)row->least));
        CHECK_INT(value_of(i), row->least);
        CHECK_OK(GPTLsetoption(row->number, (int)row->most));
        CHECK_INT(value_of(i), row->most);
        CHECK_OK(GPTLsetoption(row->number, (int)row->initial)); /* abort_on_error too */
        CHECK_ERROR(GPTLsetoption(row->number, (int)row->least - 1));
        if (row->most < INT_MAX)
            CHECK_ERROR(GPTLsetoption(row->number, (int)row->most + 1));
        CHECK_ERROR(GPTLsetoption(row->number, INT_MIN));
        CHECK_INT(value_of(i), row->initial);
    }
}

static void test_unknown_numbers(void **state)
{
    (void)state;
    static const int wrong[] = {8, 29, 49, 60, 100, 1000000, -1, INT_MAX};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CHECK_ERROR(GPTLsetoption(wrong[i], 1));
}

/* ---- As text ------------------------------------------------------------------------------- */

static void good_and_bad(int i)
{
    const struct row *row = &rows[i];
    static const char *const yes[] = {"1", "on", "ON", "yes", "true", ".true."};
    static const char *const no[] = {"0", "off", "No", "false", ".FALSE."};
    char text[64];
    switch (row->type) {
    case BOOL:
        for (size_t k = 0; k < sizeof yes / sizeof yes[0]; k++) {
            CHECK_OK(parse_pair(row->key, "off"));
            CHECK_OK(parse_pair(row->key, yes[k]));
            CHECK_INT(value_of(i), 1);
        }
        for (size_t k = 0; k < sizeof no / sizeof no[0]; k++) {
            CHECK_OK(parse_pair(row->key, "on"));
            CHECK_OK(parse_pair(row->key, no[k]));
            CHECK_INT(value_of(i), 0);
        }
        CHECK_OK(parse(row->key)); /* a key alone turns it on */
        CHECK_INT(value_of(i), 1);
        CHECK_OK(parse_pair(row->key, row->initial ? "on" : "off"));
        CHECK_INT(parse_pair(row->key, "2"), 1);
        CHECK_INT(parse_pair(row->key, "onn"), 1);
        break;
    case METHOD:
        CHECK_OK(parse_pair(row->key, "first_parent"));
        CHECK_INT(value_of(i), GPTLfirst_parent);
        CHECK_OK(parse_pair(row->key, "last_parent"));
        CHECK_INT(value_of(i), GPTLlast_parent);
        CHECK_OK(parse_pair(row->key, "full_tree"));
        CHECK_INT(value_of(i), GPTLfull_tree);
        CHECK_OK(parse_pair(row->key, "most_frequent"));
        CHECK_INT(value_of(i), GPTLmost_frequent);
        CHECK_INT(parse_pair(row->key, "half_tree"), 1);
        break;
    case LAYOUT:
        CHECK_OK(parse_pair(row->key, "gptl"));
        CHECK_INT(value_of(i), GPTL_LAYOUT_GPTL);
        CHECK_OK(parse_pair(row->key, "GPTL8"));
        CHECK_INT(value_of(i), GPTL_LAYOUT_GPTL8);
        CHECK_OK(parse_pair(row->key, "cesm"));
        CHECK_INT(value_of(i), GPTL_LAYOUT_CESM);
        CHECK_INT(parse_pair(row->key, "gptl9"), 1);
        CHECK_OK(parse_pair(row->key, "auto"));
        CHECK_INT(value_of(i), GPTL_LAYOUT_AUTO);
        break;
    case ABI:
        CHECK_OK(parse_pair(row->key, "gptl8"));
        CHECK_INT(value_of(i), 1);
        CHECK_OK(parse_pair(row->key, "cesm"));
        CHECK_INT(value_of(i), 2);
        CHECK_INT(parse_pair(row->key, "2"), 1);
        CHECK_OK(parse_pair(row->key, "auto"));
        CHECK_INT(value_of(i), 0);
        break;
    case CALLS:
        CHECK_OK(parse_pair(row->key, "off"));
        CHECK_INT(value_of(i), 0);
        CHECK_OK(parse_pair(row->key, "all"));
        CHECK_INT(value_of(i), 2);
        CHECK_INT(parse_pair(row->key, "some"), 1);
        CHECK_OK(parse_pair(row->key, "calls"));
        CHECK_INT(value_of(i), 1);
        break;
    case CLOCK:
        CHECK_OK(parse_pair(row->key, "gettimeofday"));
        CHECK_INT(value_of(i), GPTLgettimeofday);
        CHECK_OK(parse_pair(row->key, "placebo"));
        CHECK_INT(value_of(i), GPTLplacebo);
        CHECK_INT(parse_pair(row->key, "sundial"), 1);
        CHECK_INT(value_of(i), GPTLplacebo);
        CHECK_OK(parse_pair(row->key, "best"));
        break;
    default:
        snprintf(text, sizeof text, "%lld", row->least);
        CHECK_OK(parse_pair(row->key, text));
        CHECK_INT(value_of(i), row->least);
        snprintf(text, sizeof text, "%lld", row->most);
        CHECK_OK(parse_pair(row->key, text));
        CHECK_INT(value_of(i), row->most);
        snprintf(text, sizeof text, "%lld", row->least - 1);
        CHECK_INT(parse_pair(row->key, text), 1);
        snprintf(text, sizeof text, "%lld", row->most + 1);
        CHECK_INT(parse_pair(row->key, text), 1);
        CHECK_INT(parse_pair(row->key, "12x"), 1);
        CHECK_INT(parse_pair(row->key, "99999999999999999999"), 1);
        CHECK_INT(parse_pair(row->key, "-99999999999999999999"), 1);
        CHECK_INT(value_of(i), row->most);
        snprintf(text, sizeof text, "%lld", row->initial);
        CHECK_OK(parse_pair(row->key, text));
    }
    CHECK_INT(parse_pair(row->key, ""), 1);
    CHECK_INT(parse_pair(row->key, "what"), 1);
    CHECK_INT(value_of(i), row->initial);
}

static void test_by_key(void **state)
{
    (void)state;
    for (int i = 0; i < GPTL_NOPTIONS; i++)
        if (strcmp(rows[i].key, "abort_on_error") != 0)
            good_and_bad(i);
    CHECK_OK(parse("abort_on_error"));
    CHECK_INT(gptl_core_option(GPTL_OPT_ABORT_ON_ERROR), 1);
    CHECK_OK(parse("abort_on_error=off"));
}

static void test_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        long long value;
    } good[] = {{"memory=1048576", 1 << 20}, {"memory=1024K", 1 << 20}, {"memory=1024k", 1 << 20},
                {"memory=4M", 4 << 20},      {"memory=3g", 3LL << 30},  {"memory=2G", 2LL << 30},
                {"memory=65536G", 1LL << 46}};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        CHECK_OK(parse(good[i].text));
        CHECK_INT(gptl_core_option(GPTL_OPT_BUDGET), good[i].value);
    }
    static const char *const bad[] = {
        "memory=1023K", "memory=4MB",    "memory=4T",
        "memory=4 M",   "memory=65537G", "memory=-4M",
        "memory=M",     "memory=1.5G",   "memory=9223372036854775807G"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECK_MISTAKES(bad[i], 1);
    CHECK_INT(gptl_core_option(GPTL_OPT_BUDGET), 1LL << 46);
}

static const char *string_of(const char *key)
{
    for (int i = 0; i < NSTRINGS; i++)
        if (strcmp(string_rows[i].key, key) == 0)
            return gptl_core_string((enum gptl_string_id)i);
    return NULL;
}

static void test_strings(void **state)
{
    (void)state;
    for (int i = 0; i < NSTRINGS; i++)
        CHECK_STRING(gptl_core_string((enum gptl_string_id)i), string_rows[i].initial);
    CHECK_OK(parse("output=text,json;output.path=/tmp/{rank}.{pid}"));
    CHECK_STRING(string_of("output"), "text,json");
    CHECK_STRING(string_of("output.path"), "/tmp/{rank}.{pid}");
    CHECK_OK(parse("output.path=\"a;b=c\""));
    CHECK_STRING(string_of("output.path"), "a;b=c");
    CHECK_OK(parse("output.path=\" a b \"")); /* blanks in quotes count */
    CHECK_STRING(string_of("output.path"), " a b ");
    CHECK_OK(parse("output.path=a=b"));
    CHECK_STRING(string_of("output.path"), "a=b");
}

static void test_grammar(void **state)
{
    (void)state;
    CHECK_MISTAKES("", 0);
    CHECK_MISTAKES(" ; ;; ", 0);
    CHECK_MISTAKES("percent", 0);
    CHECK_INT(gptl_core_option(GPTL_OPT_PERCENT), 1);
    CHECK_MISTAKES("  percent =  off ; cpu=on;dopr_quotes ;", 0);
    CHECK_INT(gptl_core_option(GPTL_OPT_PERCENT), 0);
    CHECK_INT(gptl_core_option(GPTL_OPT_CPU), 1);
    CHECK_INT(gptl_core_option(GPTL_OPT_DOPR_QUOTES), 1);
    CHECK_MISTAKES("cpu=\"off\";dopr_quotes=off", 0);
    CHECK_INT(gptl_core_option(GPTL_OPT_CPU), 0);
    CHECK_MISTAKES("\tcpu\t=\ton\n", 0);
    CHECK_INT(gptl_core_option(GPTL_OPT_CPU), 1);
    /* A mistake does not prevent the reading of the others. */
    CHECK_MISTAKES("nonsense=1;percent=on;=on;depthlimit=0;cpu=off", 3);
    CHECK_INT(gptl_core_option(GPTL_OPT_PERCENT), 1);
    CHECK_INT(gptl_core_option(GPTL_OPT_CPU), 0);
    CHECK_MISTAKES("depthlimit", 1); /* alone it prints nothing */
    CHECK_MISTAKES("Percent=off", 1);
    CHECK_MISTAKES("output.path=\"never closed;cpu=on", 1);
    CHECK_INT(gptl_core_option(GPTL_OPT_CPU), 0);
    CHECK_MISTAKES("percent=on;percent=off", 0); /* the last one wins */
    CHECK_INT(gptl_core_option(GPTL_OPT_PERCENT), 0);
}

static void test_very_long(void **state)
{
    (void)state;
    static char text[100000];
    memset(text, 'k', sizeof text - 1);
    CHECK_MISTAKES(text, 1);
    memcpy(text, "output.path=", 12);
    parse(text); /* cut or refused, but nothing breaks */
    CHECK(strlen(string_of("output.path")) < 4096);
}

/* A printed value is accepted as a value. */
static void test_values_round_trip(void **state)
{
    (void)state;
    struct gptl_option_text option;
    CHECK_OK(parse("percent=on;depthlimit=7;print_method=full_tree;memory=4M;utr=placebo;marks=9"));
    for (int pass_number = 0; pass_number < 2; pass_number++) {
        for (int i = 0; gptl_core_option_text(i, &option); i++) {
            long long before = i < GPTL_NOPTIONS ? value_of(i) : 0;
            int rc = parse_pair(option.key, option.value);
            CHECK_THAT(rc == 0, "%s=%s is not understood", option.key, option.value);
            CHECK_INT(i < GPTL_NOPTIONS ? value_of(i) : 0, before);
        }
        CHECK_OK(GPTLinitialize());
        fake_teardown(state); /* defaults */
    }
}

static void test_unknown_key_names_the_nearest(void **state)
{
    (void)state;
    static const char *const typos[][2] = {{"depthlimt", "depthlimit"},
                                           {"precent", "percent"},
                                           {"histgram", "histogram"},
                                           {"output.pth", "output.path"},
                                           {"printmethod", "print_method"},
                                           {"mark", "marks"},
                                           {"Cpu", "cpu"}};
    for (size_t i = 0; i < sizeof typos / sizeof typos[0]; i++) {
        int ends[2], saved = dup(2);
        char text[2048], expected[128];
        CHECK_OK(pipe(ends));
        dup2(ends[1], 2);
        gptl_stderr_begin();
        int mistakes = parse_pair(typos[i][0], "on");
        dup2(saved, 2);
        gptl_stderr_begin();
        close(saved);
        close(ends[1]);
        ssize_t n = read(ends[0], text, sizeof text - 1);
        close(ends[0]);
        text[n > 0 ? n : 0] = '\0';
        CHECK_INT(mistakes, 1);
        snprintf(expected, sizeof expected, "did you mean \"%s\"?", typos[i][1]);
        CHECK_THAT(strstr(text, expected), "\"%s\" does not say %s", text, expected);
    }
}

/* ---- The window ---------------------------------------------------------------------------- */

static void test_window(void **state)
{
    (void)state;
    CHECK_OK(GPTLsetoption(GPTLpercent, 1));
    CHECK_OK(GPTLstart("x")); /* implicit: options can still be set */
    CHECK_OK(GPTLsetoption(GPTLverbose, 0));
    CHECK_OK(GPTLstop("x"));
    CHECK_OK(GPTLinitialize());
    CHECK_INT(check_count("x", -1), 1); /* adopted */
    CHECK_ERROR(GPTLsetoption(GPTLpercent, 0));
    CHECK_OK(GPTLinitialize());
    CHECK_OK(GPTLfinalize());
    CHECK_ERROR(GPTLsetoption(GPTLpercent, 0)); /* one more nesting level */
    CHECK_INT(gptl_core_option(GPTL_OPT_PERCENT), 1);
    gptl_core_reported();
    CHECK_OK(GPTLfinalize());
    CHECK_INT(gptl_core_option(GPTL_OPT_PERCENT), 0); /* forgotten */
    CHECK_OK(GPTLsetoption(GPTLpercent, 1));
}

/* Options that change the work of a start take effect at once. */
static void test_option_after_implicit_start(void **state)
{
    (void)state;
    fake_setup_implicit(state);
    CHECK_OK(GPTLstart("1"));
    CHECK_OK(GPTLstart("2"));
    CHECK_OK(GPTLsetoption(GPTLdepthlimit, 2));
    CHECK_OK(GPTLstart("3"));
    CHECK_OK(GPTLstop("3"));
    CHECK_OK(GPTLsetoption(GPTLdepthlimit, 10));
    CHECK_OK(GPTLstart("3"));
    CHECK_OK(GPTLstop("3"));
    CHECK_OK(GPTLstop("2"));
    CHECK_OK(GPTLstop("1"));
    struct fake_copy c = fake_copy();
    CHECK_NODE(c.all, "1/2/3", 1, 0);
    CHECK_INT(c.all->too_deep, 1);
    fake_copy_free(c);
}

/* A region that is open while CPU stats are switched off and on has only its own CPU time. */
static void test_cpu_switched_while_open(void **state)
{
    (void)state;
    CHECK_OK(GPTLstart("b"));
    CHECK_OK(GPTLstop("b"));
    CHECK_OK(GPTLsetoption(GPTLcpu, 1));
    CHECK_OK(GPTLstart("a"));
    CHECK_OK(GPTLstop("a"));
    CHECK_OK(GPTLsetoption(GPTLcpu, 0));
    double wall, usr[2], sys[2], used = 0;
    CHECK_OK(GPTLstamp(&wall, &usr[0], &sys[0]));
    do { /* 30 ms of CPU time between the regions */
        CHECK_OK(GPTLstamp(&wall, &usr[1], &sys[1]));
        used = usr[1] + sys[1] - usr[0] - sys[0];
    } while (used < 0.03);
    CHECK_OK(GPTLstart("b"));
    CHECK_OK(GPTLsetoption(GPTLcpu, 1));
    CHECK_OK(GPTLstop("b"));
    CHECK_OK(GPTLquery("b", -1, NULL, NULL, NULL, &usr[0], &sys[0], NULL, 0));
    CHECK_BETWEEN(usr[0] + sys[0], 0, 0.02);
}

static void test_environment_wins(void **state)
{
    /* The environment is read when options return to their defaults. */
    setenv("GPTL_OPTIONS", "percent=on;depthlimit=3;utr=clockgettime;output.path=\"a b\"", 1);
    CHECK_OK(GPTLinitialize());
    fake_teardown(state);
    CHECK_OK(GPTLsetoption(GPTLpercent, 0));
    CHECK_OK(GPTLsetoption(GPTLdepthlimit, 9));
    CHECK_OK(GPTLsetutr(GPTLgettimeofday));
    CHECK_OK(GPTLsetoption(GPTLcpu, 1)); /* no other message mentions it */
    CHECK_OK(GPTLinitialize());
    CHECK_INT(gptl_core_option(GPTL_OPT_PERCENT), 1);
    CHECK_INT(gptl_core_option(GPTL_OPT_DEPTHLIMIT), 3);
    CHECK_INT(gptl_core_option(GPTL_OPT_CPU), 1);
    CHECK_STRING(gptl_clock_now()->name, "clockgettime");
    CHECK_STRING(string_of("output.path"), "a b");
    unsetenv("GPTL_OPTIONS");
    fake_teardown(state);
    CHECK_INT(gptl_core_option(GPTL_OPT_PERCENT), 0);
    CHECK_OK(GPTLsetoption(GPTLdepthlimit, 9));
    CHECK_INT(gptl_core_option(GPTL_OPT_DEPTHLIMIT), 9);
}

/* A mistake in the environment is one mistake, even if the library restarts several times. */
static void test_mistake_in_environment_is_told_once(void **state)
{
    setenv("GPTL_OPTIONS", "no_such_option=1", 1);
    int errors = GPTLnum_errors();
    for (int i = 0; i < 5; i++) {
        CHECK_OK(GPTLinitialize());
        fake_teardown(state);
    }
    unsetenv("GPTL_OPTIONS");
    CHECK_INT(GPTLnum_errors() - errors, 1);
}

int main(void)
{
    unsetenv("GPTL_OPTIONS");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unknown_key_names_the_nearest), /* first, while errors are printed */
        cmocka_unit_test(test_numbers_are_those_of_the_header),
        cmocka_unit_test(test_table_is_sound),
        cmocka_unit_test_setup_teardown(test_by_number, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unknown_numbers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_by_key, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bytes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_strings, setup, teardown),
        cmocka_unit_test_setup_teardown(test_grammar, setup, teardown),
        cmocka_unit_test_setup_teardown(test_very_long, setup, teardown),
        cmocka_unit_test_setup_teardown(test_values_round_trip, setup, teardown),
        cmocka_unit_test_setup_teardown(test_window, setup, teardown),
        cmocka_unit_test_setup_teardown(test_option_after_implicit_start, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cpu_switched_while_open, setup, teardown),
        cmocka_unit_test_setup_teardown(test_environment_wins, setup, teardown),
        cmocka_unit_test_setup_teardown(test_mistake_in_environment_is_told_once, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
