/* unit_report_summary.c - the summary: statistics over threads, as numbers, as text, and as files. */
#include "config.h"

#include <fcntl.h>
#include <time.h>

#include "fake.h"
#include "report_fixture.h"
#include "worker.h"

#include "report/summary.h"

/* ---- Numbers ------------------------------------------------------------------------------- */

/*
 * Threads 0 to 2 spend 1, 1 and 4 s in "work", whose variance is thus 2. "solver" calls itself on
 * thread 1, and is reached by two paths there. Thread 2 starts a region first that thread 0 has not.
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

static struct gptl_summary summary_of(const struct fixture *f)
{
    struct gptl_summary summary;
    CHECK_OK(gptl_summary_make(&summary, &f->profile));
    return summary;
}

static void check_extreme(struct gptl_summary_extreme found, uint64_t wall, int rank, int thread)
{
    CHECK_INT(found.wall, wall);
    CHECK_INT(found.rank, rank);
    CHECK_INT(found.thread, thread);
}

static void numbers(void **state)
{
    (void)state;
    static const char *const names[] = {"main", "work", "two\nlines", "solver", "only here"};
    struct fixture f;
    three_threads(&f);
    struct gptl_summary summary = summary_of(&f);
    CHECK_INT(summary.processes, 1);
    CHECK_INT(summary.threads, 3);
    CHECK_INT(summary.nrows, 5);
    for (int i = 0; i < 5; i++)
        CHECK_STRING(summary.rows[i].name, names[i]);
    const struct gptl_summary_row *work = &summary.rows[1], *solver = &summary.rows[3];
    CHECK_INT(work->processes, 1);
    CHECK_INT(work->threads, 3);
    CHECK_INT(work->calls, 60);
    CHECK_INT(work->total, 6 * SECOND);
    CHECK_REAL(work->mean, 2e9);
    CHECK_REAL(work->squares, 6e18);
    check_extreme(work->max, 4 * SECOND, 0, 2);
    check_extreme(work->min, SECOND, 0, 0);
    CHECK_INT(solver->threads, 1);
    CHECK_INT(solver->calls, 8); /* with those within itself, which are in no time twice */
    CHECK_INT(solver->total, 3250 * MS);
    CHECK_REAL(solver->mean, 3.25e9);
    CHECK_REAL(solver->squares, 0);
    check_extreme(solver->max, 3250 * MS, 0, 1);
    check_extreme(solver->min, 3250 * MS, 0, 1);
    gptl_summary_free(&summary);
}

/* A million seconds, and a difference of nanoseconds: a plain sum of squares would lose it. */
static void small_differences(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 3);
    for (int t = 0; t < 3; t++)
        fixture_add(&f, t, 0, "long", 1, 1000000 * SECOND + 30 * (uint64_t)t);
    struct gptl_summary summary = summary_of(&f);
    CHECK_REAL(summary.rows[0].mean, 1e15 + 30);
    CHECK_REAL(summary.rows[0].squares, 1800);
    gptl_summary_free(&summary);
}

/* An open region counts with its time so far. One that only has a place in the tree does not. */
static void open_and_reset(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 2);
    f.profile.process.rank = 3;
    uint32_t top = fixture_add(&f, 0, 0, "open", 0, 0);
    f.nodes[0][top].open = 1;
    f.nodes[0][top].open_ticks = 2 * SECOND;
    fixture_add(&f, 1, fixture_add(&f, 1, 0, "reset", 0, 0), "inside", 1, SECOND);
    struct gptl_summary summary = summary_of(&f);
    CHECK_INT(summary.nrows, 2);
    CHECK_STRING(summary.rows[0].name, "open");
    CHECK_INT(summary.rows[0].calls, 0);
    CHECK_INT(summary.rows[0].threads, 1);
    check_extreme(summary.rows[0].max, 2 * SECOND, 3, 0);
    CHECK_STRING(summary.rows[1].name, "inside");
    check_extreme(summary.rows[1].max, SECOND, 3, 1);
    gptl_summary_free(&summary);
}

/* ---- Text ---------------------------------------------------------------------------------- */

static char *text_of(const struct fixture *f, struct gptl_style style)
{
    int fd = open("text", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    struct gptl_out *out = gptl_out_new(fd);
    CHECK_OK(gptl_summary_write(out, &f->profile, &style));
    CHECK_OK(gptl_out_flush(out));
    free(out);
    close(fd);
    char *text = fixture_read("text");
    unlink("text");
    return text;
}

static void check_text(const struct fixture *f, struct gptl_style style, const char *golden)
{
    char *text = text_of(f, style);
    fixture_compare(text, golden);
    free(text);
}

static void texts(void **state)
{
    (void)state;
    struct fixture f;
    struct gptl_style style = {.wall = true, .cpu = true, .preamble = true};
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

/* Numbers wider than their heads, of a process that is not the first. */
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

/* ---- Files --------------------------------------------------------------------------------- */

static const char table[] =
    "\n"
    "name  processes  threads  calls  walltotal   mean  std_dev  wallmax  (proc thrd)  wallmin  "
    "(proc thrd)  imbalance\n"
    "main          1        1      1      5.000  5.000    0.000    5.000  (   0    0)    5.000  "
    "(   0    0)       0.00\n"
    "work          1        2      3      4.000  2.000    1.000    3.000  (   0    1)    1.000  "
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
    CHECK_OK(gptl_report_summary("GPTLpr_summary", "s"));
    CHECK_OK(gptl_report_summary("GPTLpr_summary", "s"));
    check_table("s", 1);
    CHECK_OK(gptl_core_set_options("append=on", "test"));
    CHECK_OK(gptl_report_summary("GPTLpr_summary", "s"));
    CHECK_OK(gptl_report_summary("GPTLpr_summary", "s"));
    check_table("s", 3);
    unlink("s");
}

static void tokens(void **state)
{
    (void)state;
    char path[64];
    measure();
    CHECK_OK(gptl_report_summary("GPTLpr_summary", "s.{rank}.{pid}"));
    snprintf(path, sizeof path, "s.0.%ld", (long)getpid());
    check_table(path, 1);
    unlink(path);
}

/* As for other reports: none, or this one, which has one format only. */
static void formats(void **state)
{
    (void)state;
    measure();
    CHECK_OK(gptl_core_set_options("output=none", "test"));
    CHECK_OK(gptl_report_summary("GPTLpr_summary", "s"));
    CHECK_INT(access("s", F_OK), -1);
    CHECK_OK(gptl_core_set_options("output=json", "test"));
    CHECK_OK(gptl_report_summary("GPTLpr_summary", "s"));
    CHECK_INT(access("s.json", F_OK), -1);
    check_table("s", 1);
    unlink("s");
}

static void errors(void **state)
{
    char path[5000];
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    measure();
    CHECK_ERROR(gptl_report_summary("GPTLpr_summary", NULL));
    CHECK_ERROR(gptl_report_summary("GPTLpr_summary", ""));
    CHECK_ERROR(gptl_report_summary("GPTLpr_summary", path));
    CHECK_ERROR(gptl_report_summary("GPTLpr_summary", "missing/s"));
    CHECK_ERROR(gptl_report_summary("GPTLpr_summary", "."));
    fake_teardown(state);
    CHECK_ERROR(gptl_report_summary("GPTLpr_summary", "s"));
    CHECK_INT(access("s", F_OK), -1);
}

/* One that was asked for: none comes at the end, unless it failed. */
static void no_other_report(void **state)
{
    gptl_g.reported = false;
    measure();
    CHECK_OK(gptl_report_summary("GPTLpr_summary", "s"));
    CHECK_OK(GPTLfinalize());
    CHECK_INT(access("timing.0", F_OK), -1);
    unlink("s");
    fake_setup(state);
    gptl_g.reported = false;
    measure();
    CHECK_ERROR(gptl_report_summary("GPTLpr_summary", "missing/s"));
    CHECK_OK(GPTLfinalize());
    CHECK_OK(access("timing.0", F_OK));
    unlink("timing.0");
}

int main(void)
{
    setenv("TZ", "UTC0", 1);
    tzset();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(small_differences),
        cmocka_unit_test(open_and_reset),
        cmocka_unit_test(texts),
        cmocka_unit_test(wide),
        FAKE_TEST(written_and_appended),
        FAKE_TEST(tokens),
        FAKE_TEST(formats),
        FAKE_TEST(errors),
        FAKE_TEST(no_other_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
