/* unit_ranks_text.c - the summary as text, as JSON and as files, of one process and of several. */
#include "config.h"

#include <fcntl.h>
#include <time.h>

#include "fake.h"
#include "ranks_fixture.h"
#include "worker.h"

#include "ranks/print.h"
#include "report/output.h"

/* ---- Text ---------------------------------------------------------------------------------- */

/*
 * Threads 0 to 2 spend 1, 1 and 4 s in "work", whose variance is thus 2. "solver" calls itself on
 * thread 1, and is reached by two paths there. Thread 2 first starts a region that thread 0 lacks.
 */
static void three_threads(struct fixture *f)
{
    fixture_init(f, 3);
    uint32_t top = fixture_add(f, 0, 0, "main", 1, 5 * SECOND);
    fixture_add(f, 0, top, "work", 10, SECOND);
    fixture_add(f, 0, top, "two\nlines", 2, 500 * MS);
    uint32_t solver = fixture_add(f, 1, 0, "solver", 7, 3 * SECOND);
    fixture_add_edge(f, 1, solver, solver, 4);
    uint32_t work = fixture_add(f, 1, 0, "work", 20, SECOND);
    fixture_add(f, 1, work, "solver", 1, 250 * MS);
    fixture_add(f, 2, 0, "only here", 1, 0);
    fixture_add(f, 2, 0, "work", 30, 4 * SECOND);
}

static char *written(const struct gptl_ranks_tree *tree, const struct gptl_profile *profile,
                     struct gptl_style style, gptl_output_writer *writer)
{
    struct gptl_ranks_result result;
    int fd = open("text", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    struct gptl_out *out = gptl_out_new(fd);
    CHECK_OK(gptl_ranks_result_make(&result, profile, tree));
    result.style = style;
    CHECK_OK(writer(out, &result));
    gptl_ranks_result_free(&result);
    CHECK_OK(gptl_out_flush(out));
    free(out);
    close(fd);
    char *text = fixture_read("text");
    unlink("text");
    return text;
}

static void check_written(const struct gptl_ranks_tree *tree, const struct gptl_profile *profile,
                          struct gptl_style style, gptl_output_writer *writer, const char *golden)
{
    char *text = written(tree, profile, style, writer);
    fixture_compare(text, golden);
    free(text);
}

static void check_text(const struct fixture *f, struct gptl_style style, const char *golden)
{
    struct gptl_ranks_tree tree;
    int rank = f->profile.process.rank >= 0 ? f->profile.process.rank : 0;
    CHECK_OK(gptl_ranks_make(&tree, &f->profile, rank));
    check_written(&tree, &f->profile, style, gptl_ranks_text, golden);
    gptl_ranks_tree_free(&tree);
}

static void texts(void **state)
{
    (void)state;
    struct fixture f;
    struct gptl_style style = {.wall = true, .preamble = true};
    three_threads(&f);
    f.copies[1].live = f.copies[2].live = true;
    f.copies[0].folded_names = 2;
    check_text(&f, style, "summary_threads.txt");
    style.wall = false;
    style.quote = true;
    check_text(&f, style, "summary_no_wall.txt");
    style.preamble = false;
    fixture_init(&f, 0);
    check_text(&f, style, "summary_empty.txt");
}

/* Numbers wider than their headings, of a process that is not the first. */
static void wide(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 2);
    f.profile.process.rank = 123456;
    f.copies[1].thread = 4095;
    for (int t = 0; t < 2; t++)
        fixture_add(&f, t, 0, "x", UINT64_C(10000000000), 20000 * SECOND + (uint64_t)t * MS);
    fixture_add(&f, 0, 0, "short", 1, 7);
    check_text(&f, (struct gptl_style){.wall = true}, "summary_wide.txt");
}

/* A line is not longer than a name and its numbers, at any depth. */
static void deep(void **state)
{
    (void)state;
    struct fixture f;
    uint32_t at = 0;
    static char names[55][8];
    fixture_init(&f, 1);
    for (int i = 0; i < 55; i++) {
        snprintf(names[i], sizeof names[i], "f%02d", i);
        at = fixture_add(&f, 0, at, names[i], 1, 100 * MS - (uint64_t)i * MS);
    }
    check_text(&f, (struct gptl_style){.wall = true}, "summary_deep.txt");
}

/*
 * Three ranks, one of which has a second thread and one of which measured nothing. Their counters
 * are the same except for one more on rank 2; CPU time is among them.
 */
static void several(void **state)
{
    (void)state;
    static struct gptl_metric metrics[3] = {
        {.kind = GPTL_METRIC_COUNTED, .name = "PAPI_TOT_INS", .slot = 0, .shown = true},
        {.kind = GPTL_METRIC_COUNTED, .name = "PAPI_TOT_CYC", .slot = 1, .shown = true},
        {.kind = GPTL_METRIC_DERIVED,
         .name = "IPC",
         .expression = "PAPI_TOT_INS / PAPI_TOT_CYC",
         .shown = true},
    };
    static int64_t counted[3][2] = {{100, 50}, {300, 50}, {200, 400}};
    static struct fixture f[4];
    struct gptl_ranks_tree trees[4], all = {0};
    CHECK_OK(gptl_core_set_options("cpu=on", "test"));
    for (int r = 0; r < 4; r++) {
        fixture_init(&f[r], r == 2 ? 2 : r == 3 ? 0 : 1);
        f[r].profile.process.rank = r;
        for (int k = 0; k < 3; k++)
            for (const char **text = &metrics[k].name; text <= &metrics[k].why; text++)
                *text = *text ? *text : "";
        f[r].profile.metrics = (struct gptl_metrics){.metric = metrics, .n = 3, .nslots = 2};
        CHECK_OK(gptl_report_prepare_metrics(&f[r].profile));
        for (int t = 0; t < f[r].profile.ncopies; t++) {
            uint32_t top = 0;
            f[r].copies[t].ncounters = 2;
            if (t == 0)
                top = fixture_add(&f[r], t, 0, "main", 1, 8 * SECOND);
            uint32_t work = fixture_add(&f[r], t, top, "work", 10, (uint64_t)(1 + r) * SECOND);
            struct gptl_extra_copy *extra = fixture_extra(&f[r], t, work);
            extra->counters = counted[r];
            extra->values[0] = 1500000;
            extra->values[1] = 500;
        }
        if (r == 1)
            fixture_add(&f[r], 0, 0, "only on \"1\"", 1, 30 * MS);
        CHECK_OK(gptl_ranks_make(&trees[r], &f[r].profile, r));
    }
    for (int r = 0; r < 4; r++) {
        struct gptl_ranks_tree merged;
        if (r == 0) {
            all = trees[0];
            continue;
        }
        CHECK_OK(gptl_ranks_merge(&merged, &all, &trees[r]));
        gptl_ranks_tree_free(&all);
        gptl_ranks_tree_free(&trees[r]);
        all = merged;
    }
    struct gptl_style style = {.wall = true, .preamble = true, .narrow = true};
    check_written(&all, &f[0].profile, style, gptl_ranks_text, "summary_ranks.txt");
    check_written(&all, &f[0].profile, style, gptl_ranks_json, "summary_ranks.json");
    gptl_ranks_tree_free(&all);
    for (int r = 0; r < 4; r++) {
        f[r].profile.copies = NULL;
        f[r].profile.ncopies = 0;
        gptl_report_free(&f[r].profile);
    }
    CHECK_OK(gptl_core_set_options("cpu=off", "test"));
}

/* ---- Files --------------------------------------------------------------------------------- */

static const char table[] = "\n"
                            "name  processes  threads  calls  walltotal      mean   std_dev   "
                            "wallmax  (proc thrd)   wallmin  "
                            "(proc thrd)  imbalance\n"
                            "main          1        1      1   5.000000  5.000000  0.000000  "
                            "5.000000  (   0    0)  5.000000  "
                            "(   0    0)       0.00\n"
                            "work          1        2      3   4.000000  2.000000  1.000000  "
                            "3.000000  (   0    1)  1.000000  "
                            "(   0    0)      50.00\n";

static void work(struct worker *w, uint64_t nanoseconds)
{
    CHECK_OK(w ? worker_start(w, "work") : GPTLstart("work"));
    pass(nanoseconds);
    CHECK_OK(w ? worker_stop(w, "work") : GPTLstop("work"));
}

/* 5 s of "main", within them 1 s of "work" here, and 3 s on another thread. */
static void measure(void)
{
    struct worker *w = worker_begin();
    CHECK_OK(GPTLstart("main"));
    work(NULL, SECOND);
    work(w, 2 * SECOND);
    work(w, SECOND);
    pass(SECOND);
    CHECK_OK(GPTLstop("main"));
    worker_end(w);
}

static void check_table(const char *path, int times)
{
    char *text = fixture_read(path);
    CHECK_THAT(text, "there is no %s", path);
    for (const char *at = text; (at = strstr(at, table)); at++)
        times--;
    CHECK_THAT(times == 0, "%d tables more or less in %s:\n%s", -times, path, text);
    free(text);
}

static void written_and_appended(void **state)
{
    (void)state;
    measure();
    CHECK_OK(gptl_ranks_summary("GPTLpr_summary", NULL, "s"));
    CHECK_INT(access("s.json", F_OK), -1);
    CHECK_OK(gptl_core_set_options("output=text,json", "test"));
    CHECK_OK(gptl_ranks_summary("GPTLpr_summary", NULL, "s"));
    check_table("s", 1);
    CHECK_OK(gptl_core_set_options("append=on", "test"));
    CHECK_OK(gptl_ranks_summary("GPTLpr_summary", NULL, "s"));
    CHECK_OK(gptl_ranks_summary("GPTLpr_summary", NULL, "s"));
    check_table("s", 3);
    unlink("s");
    CHECK_OK(unlink("s.json")); /* two documents in one file are not JSON */
    CHECK_OK(unlink("s.2.json"));
    CHECK_OK(unlink("s.3.json"));
}

static void tokens(void **state)
{
    (void)state;
    char path[64];
    measure();
    CHECK_OK(gptl_ranks_summary("GPTLpr_summary", NULL, "s.{rank}.{pid}"));
    snprintf(path, sizeof path, "s.0.%ld", (long)getpid());
    check_table(path, 1);
    unlink(path);
}

/* The table always has the name that the program gives; the option adds JSON. */
static void formats(void **state)
{
    (void)state;
    measure();
    CHECK_OK(gptl_core_set_options("output=none", "test"));
    CHECK_OK(gptl_ranks_summary("GPTLpr_summary", NULL, "s"));
    CHECK_INT(access("s.json", F_OK), -1);
    check_table("s", 1);
    CHECK_OK(unlink("s"));
    CHECK_OK(gptl_core_set_options("output=json", "test"));
    CHECK_OK(gptl_ranks_summary("GPTLpr_summary", NULL, "s"));
    CHECK_OK(unlink("s.json"));
    check_table("s", 1);
    unlink("s");
}

/* The option's text for one process, and for jobs of 2, 64 and 65 ranks. */
static void whose(void **state)
{
    (void)state;
    enum { T = GPTL_FORMAT_TEXT, J = GPTL_FORMAT_JSON, X = GPTL_FORMAT_XML, R = GPTL_FORMAT_RANKS };
    static const struct {
        const char *option;
        unsigned process, two, few, many;
    } rows[] = {
        {"auto", T, 0, 0, T | J},
        {"auto,json", T | J, 0, 0, T | J},
        {"text", T, 0, 0, 0},
        {"json,xml", J | X, 0, 0, 0},
        {"none", 0, 0, 0, 0},
        {"merged", T, T | J, T | J, T | J},
        {"merged,json", J, J, J, J},
        {"xml,merged", X, T | J, T | J, T | J},
        {"ranks", T, T | J | R, T | J | R, T | J | R},
        {"ranks,text", T, T | R, T | R, T | R},
        {"auto,ranks", T, T | R, T | R, T | J | R},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char option[64];
        snprintf(option, sizeof option, "output=%s", rows[i].option);
        CHECK_OK(gptl_core_set_options(option, "test"));
        CHECK_INT(gptl_output_formats("test"), rows[i].process);
        CHECK_INT(gptl_output_merged_formats("test", 2), rows[i].two);
        CHECK_INT(gptl_output_merged_formats("test", 64), rows[i].few);
        CHECK_INT(gptl_output_merged_formats("test", 65), rows[i].many);
    }
}

static void errors(void **state)
{
    char path[5000];
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    measure();
    CHECK_ERROR(gptl_ranks_summary("GPTLpr_summary", NULL, NULL));
    CHECK_ERROR(gptl_ranks_summary("GPTLpr_summary", NULL, ""));
    CHECK_ERROR(gptl_ranks_summary("GPTLpr_summary", NULL, path));
    CHECK_ERROR(gptl_ranks_summary("GPTLpr_summary", NULL, "missing/s"));
    CHECK_ERROR(gptl_ranks_summary("GPTLpr_summary", NULL, "."));
    fake_teardown(state);
    CHECK_ERROR(gptl_ranks_summary("GPTLpr_summary", NULL, "s"));
    CHECK_INT(access("s", F_OK), -1);
}

/*
 * After a requested one no report is written at the end, unless it failed and the options request
 * one.
 */
static void no_other_report(void **state)
{
    gptl_g.reported = false;
    measure();
    CHECK_OK(gptl_ranks_summary("GPTLpr_summary", NULL, "s"));
    CHECK_OK(GPTLfinalize());
    CHECK_INT(access("timing.0", F_OK), -1);
    unlink("s");
    fake_setup(state);
    gptl_g.reported = false;
    measure();
    CHECK_OK(gptl_core_set_options("output=text", "test"));
    CHECK_ERROR(gptl_ranks_summary("GPTLpr_summary", NULL, "missing/s"));
    CHECK_OK(GPTLfinalize());
    CHECK_OK(access("timing.0", F_OK));
    unlink("timing.0");
}

int main(void)
{
    setenv("TZ", "UTC0", 1);
    tzset();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts),
        cmocka_unit_test(wide),
        cmocka_unit_test(deep),
        FAKE_TEST(several),
        FAKE_TEST(written_and_appended),
        FAKE_TEST(tokens),
        FAKE_TEST(formats),
        FAKE_TEST(whose),
        FAKE_TEST(errors),
        FAKE_TEST(no_other_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
