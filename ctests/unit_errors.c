/*
 * unit_errors.c - every public function of the core: that it works, and each error that gptl.h
 * names. After an error the results are unchanged and it is counted.
 */
#include "config.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/stderr.h"
#include "fake.h"

static void one_region(void)
{
    CHECK_OK(GPTLstart("a"));
    pass(1000000000);
    CHECK_OK(GPTLstop("a"));
}

/* ---- Warnings ------------------------------------------------------------------------------ */

/* Return the bytes that TIMES calls of gptl_core_warn_job write to stderr. */
static long warned(int times)
{
    char text[256];
    int before = GPTLnum_warn(), ends[2], err = dup(STDERR_FILENO);
    unsetenv("GPTL_TOLD");
    CHECK_OK(pipe(ends));
    dup2(ends[1], STDERR_FILENO);
    gptl_stderr_begin();
    for (int i = 0; i < times; i++)
        gptl_core_warn_job("job", "all of %d know", 4);
    dup2(err, STDERR_FILENO);
    gptl_stderr_begin();
    close(err);
    close(ends[1]);
    long n = read(ends[0], text, sizeof text);
    close(ends[0]);
    CHECK_INT(GPTLnum_warn(), before + times);
    return n;
}

/*
 * Of a job's processes the first one prints it; a process outside a job, or of an unknown one,
 * prints it too.
 */
static void test_warnings_of_a_job(void **state)
{
    static const char *const launcher[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID",
                                           "PMIX_RANK"};
    const long line = (long)strlen("GPTL: warning: job: all of 4 know\n");
    (void)state;
    for (int i = 0; i < 4; i++)
        unsetenv(launcher[i]);
    CHECK_INT(warned(2), line);
    for (int i = 0; i < 4; i++) {
        setenv(launcher[i], "3", 1);
        CHECK_INT(gptl_core_launched_rank(), 3);
        CHECK_INT(warned(1), 0);
        unsetenv(launcher[i]);
    }
    setenv("PMI_RANK", "0", 1);
    CHECK_INT(warned(1), line);
    setenv("PMI_RANK", "3rd", 1);
    CHECK_INT(gptl_core_launched_rank(), -1);
    CHECK_INT(warned(1), line);
    unsetenv("PMI_RANK");
}

/* ---- While it is on ------------------------------------------------------------------------ */

static void test_null_names(void **state)
{
    (void)state;
    int handle = 0, count = 7, open = 7, n = 7;
    double a = 7, b = 7;
    CHECK_ERROR(GPTLstart(NULL));
    CHECK_ERROR(GPTLstop(NULL));
    CHECK_ERROR(GPTLinit_handle(NULL, &handle));
    CHECK_ERROR(GPTLinit_handle("a", NULL));
    CHECK_ERROR(GPTLstart_handle(NULL, &handle));
    CHECK_ERROR(GPTLstart_handle("a", NULL));
    CHECK_ERROR(GPTLstop_handle(NULL, &handle));
    CHECK_ERROR(GPTLstop_handle("a", NULL));
    CHECK_ERROR(GPTLstartf(NULL, 1));
    CHECK_ERROR(GPTLstopf(NULL, 1));
    CHECK_ERROR(GPTLstartf_handle(NULL, 1, &handle));
    CHECK_ERROR(GPTLstartf_handle("a", 1, NULL));
    CHECK_ERROR(GPTLstopf_handle(NULL, 1, &handle));
    CHECK_ERROR(GPTLstopf_handle("a", 1, NULL));
    CHECK_INT(handle, 0);
    CHECK_ERROR(GPTLstartstop_val(NULL, 1));
    CHECK_ERROR(GPTLstartstop_vals(NULL, 1, 1));
    CHECK_ERROR(GPTLstartstop_valsf(NULL, 1, 1, 1));
    CHECK_ERROR(GPTLprefix_set(NULL));
    CHECK_ERROR(GPTLprefix_setf(NULL, 1));
    CHECK_ERROR(GPTLreset_timer(NULL));
    CHECK_ERROR(GPTLmark(NULL));

    one_region();
    CHECK_ERROR(GPTLquery(NULL, 0, &count, &open, &a, &a, &b, NULL, 0));
    CHECK_ERROR(GPTLquerycounters("a", 0, NULL));
    CHECK_ERROR(GPTLget_wallclock(NULL, 0, &a));
    CHECK_ERROR(GPTLget_wallclock("a", 0, NULL));
    CHECK_ERROR(GPTLget_wallclock_latest(NULL, 0, &a));
    CHECK_ERROR(GPTLget_wallclock_latest("a", 0, NULL));
    CHECK_ERROR(GPTLget_count(NULL, 0, &count));
    CHECK_ERROR(GPTLget_count("a", 0, NULL));
    CHECK_ERROR(GPTLget_threadwork(NULL, &a, &b));
    CHECK_ERROR(GPTLget_threadwork("a", NULL, &b));
    CHECK_ERROR(GPTLget_threadwork("a", &a, NULL));
    CHECK_ERROR(GPTLget_nregions(0, NULL));
    CHECK_ERROR(GPTLget_regionname(0, 0, NULL, 10));
    CHECK_ERROR(GPTLstamp(NULL, &a, &b));
    CHECK_ERROR(GPTLstamp(&a, NULL, &b));
    CHECK_ERROR(GPTLstamp(&a, &b, NULL));
    CHECK_ERROR(GPTLget_memusage(NULL));
    CHECK_ERROR(GPTLget_procsiz(NULL, NULL));
    CHECK_ERROR(GPTLprint_memusage(NULL));
    CHECK_ERROR(GPTLprint_rusage(NULL));
    CHECK_INT(count, 7);
    CHECK_INT(open, 7);
    CHECK_INT(n, 7);
    CHECK_REAL(a, 7);
    CHECK_REAL(b, 7);
    CHECK_OK(GPTLget_nregions(0, &n));
    CHECK_INT(n, 1);
}

static void test_queries(void **state)
{
    (void)state;
    one_region();
    int count = 7, open = 7, n = 7;
    double wall = 7, usr = 7, sys = 7;
    long long counters[2] = {7, 7};
    CHECK_OK(GPTLquery("a", 0, &count, &open, &wall, &usr, &sys, counters, 2));
    CHECK_INT(count, 1);
    CHECK_INT(open, 0);
    CHECK_REAL(wall, 1);
    CHECK_OK(GPTLquery("a", 0, NULL, NULL, NULL, NULL, NULL, NULL, 0));
    CHECK_OK(GPTLquerycounters("a", 0, counters));
    CHECK_OK(GPTLget_wallclock("a", 0, &wall));
    CHECK_REAL(wall, 1);
    CHECK_OK(GPTLget_wallclock_latest("a", 0, &wall));
    CHECK_REAL(wall, 1);
    CHECK_OK(GPTLget_count("a", -1, &count));
    CHECK_INT(count, 1);
    double most = 7, imbalance = 7;
    CHECK_OK(GPTLget_threadwork("a", &most, &imbalance));
    CHECK_REAL(most, 1);
    CHECK_REAL(imbalance, 0);
    CHECK_OK(GPTLget_nregions(0, &n));
    CHECK_INT(n, 1);
}

/* No such region, no such thread. */
static void test_query_errors(void **state)
{
    (void)state;
    one_region();
    static const struct {
        const char *name;
        int thread;
    } wrong[] = {{"b", 0}, {"b", -1}, {"A", 0}, {"a ", 0}, {"", 0}, {"a", 1}, {"a", INT_MAX}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const char *name = wrong[i].name;
        int t = wrong[i].thread, count = 7, open = 7;
        double wall = 7, usr = 7, sys = 7;
        long long counters[1] = {7};
        CHECK_ERROR(GPTLquery(name, t, &count, &open, &wall, &usr, &sys, counters, 1));
        CHECK_ERROR(GPTLquerycounters(name, t, counters));
        CHECK_ERROR(GPTLget_wallclock(name, t, &wall));
        CHECK_ERROR(GPTLget_wallclock_latest(name, t, &wall));
        CHECK_ERROR(GPTLget_count(name, t, &count));
        if (strcmp(name, "a") != 0)
            CHECK_ERROR(GPTLget_threadwork(name, &wall, &usr));
        CHECK_INT(count, 7);
        CHECK_INT(open, 7);
        CHECK_REAL(wall, 7);
        CHECK_REAL(usr, 7);
        CHECK_REAL(sys, 7);
        CHECK_INT(counters[0], 7);
    }
    int n = 7;
    CHECK_ERROR(GPTLget_nregions(1, &n));
    CHECK_INT(n, 7);
}

static void test_region_names(void **state)
{
    (void)state;
    CHECK_OK(GPTLstart("0123456789"));
    char name[16] = "untouched";
    CHECK_OK(GPTLget_regionname(0, 0, name, 11));
    CHECK_STRING(name, "0123456789");
    strcpy(name, "untouched");
    CHECK_ERROR(GPTLget_regionname(0, 0, name, 10));
    CHECK_STRING(name, "012345678");
    CHECK_ERROR(GPTLget_regionname(0, 0, name, 1));
    CHECK_STRING(name, "");
    strcpy(name, "untouched");
    CHECK_ERROR(GPTLget_regionname(0, 0, name, 0));
    CHECK_ERROR(GPTLget_regionname(0, 0, name, -1));
    CHECK_ERROR(GPTLget_regionname(0, 1, name, 16));
    CHECK_ERROR(GPTLget_regionname(0, -1, name, 16));
    CHECK_ERROR(GPTLget_regionname(0, INT_MIN, name, 16));
    CHECK_ERROR(GPTLget_regionname(1, 0, name, 16));
    CHECK_STRING(name, "untouched");
    CHECK_OK(GPTLstop("0123456789"));
}

static void test_given_times(void **state)
{
    (void)state;
    CHECK_ERROR(GPTLstartstop_val("v", -1e-9));
    CHECK_ERROR(GPTLstartstop_val("v", (double)NAN));
    CHECK_ERROR(GPTLstartstop_val("v", (double)INFINITY));
    CHECK_ERROR(GPTLstartstop_val("v", -(double)INFINITY));
    CHECK_ERROR(GPTLstartstop_vals("v", -1, 1));
    CHECK_ERROR(GPTLstartstop_vals("v", 1, 0));
    CHECK_ERROR(GPTLstartstop_vals("v", 1, -1));
    CHECK_ERROR(GPTLstartstop_vals("v", 1, INT_MIN));
    CHECK_ERROR(GPTLstartstop_valsf("v", 1, (double)NAN, 1));
    CHECK_ERROR(GPTLstartstop_valsf("v", 1, 1, 0));
    CHECK_ERROR(GPTLstartstop_valsf("v", -1, 1, 1));
    CHECK_ERROR(GPTLstartstop_valsf("v", INT_MIN, 1, 1));
    int n = -1;
    CHECK_OK(GPTLget_nregions(-1, &n));
    CHECK_INT(n, 0);
    CHECK_OK(GPTLstartstop_val("v", 0));
    CHECK_ERROR(GPTLstartstop_val("v", 1e300));
    /* The sum overflows, regardless of its parts; the previous value stays. */
    CHECK_OK(GPTLstartstop_val("v", 1e9));
    CHECK_OK(GPTLstartstop_vals("v", 1e9, 1000));
    CHECK_ERROR(GPTLstartstop_val("v", 1e9));
    CHECK_OK(GPTLmark("mark"));
    CHECK_ERROR(GPTLstartstop_val("v", 1e9));
    double wall;
    CHECK_OK(GPTLget_wallclock("v", -1, &wall));
    CHECK_REAL(wall, 2e9);
}

static void test_lengths(void **state)
{
    (void)state;
    int handle = 0;
    CHECK_ERROR(GPTLstartf("never", -1));
    CHECK_ERROR(GPTLstopf("never", -1));
    CHECK_ERROR(GPTLstartf("never", INT_MIN));
    CHECK_ERROR(GPTLstartf_handle("never", -1, &handle));
    CHECK_ERROR(GPTLstopf_handle("never", -1, &handle));
    CHECK_INT(handle, 0);
    CHECK_ERROR(GPTLprefix_setf("p", -1));
    int n = -1;
    CHECK_OK(GPTLget_nregions(-1, &n));
    CHECK_INT(n, 0);
}

static void test_options_after_initialize(void **state)
{
    (void)state;
    CHECK_ERROR(GPTLsetoption(GPTLcpu, 1));
    CHECK_INT(gptl_core_option(GPTL_OPT_CPU), 0);
    CHECK_ERROR(GPTLsetutr(GPTLclockgettime));
    CHECK_STRING(gptl_clock_now()->name, "fake");
}

static void test_reset_of_unknown_region(void **state)
{
    (void)state;
    CHECK_ERROR(GPTLreset_timer("no such region"));
    one_region();
    CHECK_ERROR(GPTLreset_timer("no such region"));
    CHECK_OK(GPTLreset_timer("a"));
    CHECK_INT(check_count("a", 0), 0);
    CHECK_OK(GPTLreset());
}

/* Names live as long as the process; regions do not. */
static void test_reset_of_region_of_an_earlier_measurement(void **state)
{
    one_region();
    fake_teardown(state);
    fake_setup(state);
    CHECK_ERROR(GPTLreset_timer("a"));
}

static void test_memory_and_stamps(void **state)
{
    (void)state;
    float total = -1, resident = -1, used = -1;
    CHECK_OK(GPTLget_memusage(&used));
    CHECK_OK(GPTLget_procsiz(&total, &resident));
    CHECK_BETWEEN(used, 0.5, 1 << 14);
    CHECK_BETWEEN(resident, (double)used / 2, (double)used * 2);
    CHECK(total >= resident);
    total = -1;
    CHECK_ERROR(GPTLget_procsiz(&total, NULL));
    CHECK_ERROR(GPTLget_procsiz(NULL, &total));
    CHECK_REAL((double)total, -1);
    CHECK_OK(GPTLprint_memusage("here"));
    CHECK_OK(GPTLprint_rusage("there"));
    CHECK_INT(GPTLis_initialized(), 1);
}

/* ---- When it is not on --------------------------------------------------------------------- */

static void check_off(void)
{
    CHECK_INT(GPTLis_initialized(), 0);
    int count = 7, n = 7;
    double a = 7, b = 7;
    long long counters[1] = {7};
    char name[8] = "x";
    CHECK_ERROR(GPTLfinalize());
    CHECK_ERROR(GPTLreset());
    CHECK_ERROR(GPTLreset_timer("a"));
    CHECK_ERROR(GPTLmark("a"));
    CHECK_ERROR(GPTLquery("a", 0, &count, &n, &a, &a, &b, counters, 1));
    CHECK_ERROR(GPTLquerycounters("a", 0, counters));
    CHECK_ERROR(GPTLget_wallclock("a", 0, &a));
    CHECK_ERROR(GPTLget_wallclock_latest("a", 0, &a));
    CHECK_ERROR(GPTLget_count("a", 0, &count));
    CHECK_ERROR(GPTLget_threadwork("a", &a, &b));
    CHECK_ERROR(GPTLget_nregions(0, &n));
    CHECK_ERROR(GPTLget_regionname(0, 0, name, 8));
    CHECK_INT(count, 7);
    CHECK_INT(n, 7);
    CHECK_REAL(a, 7);
    CHECK_REAL(b, 7);
    CHECK_STRING(name, "x");
    CHECK_INT(GPTLis_initialized(), 0);
}

static void test_not_initialized(void **state)
{
    (void)state;
    check_off();
}

static void test_finalized(void **state)
{
    fake_setup(state);
    one_region();
    fake_teardown(state);
    check_off();
}

static void test_stamp_when_off(void **state)
{
    (void)state;
    double wall = -1, usr = -1, sys = -1;
    CHECK_OK(GPTLstamp(&wall, &usr, &sys));
    CHECK(wall > 0 && usr >= 0 && sys >= 0);
}

/* They turn the library on, so that a program can begin with measurement disabled. */
static void test_disable_when_not_initialized(void **state)
{
    (void)state;
    CHECK_OK(GPTLdisable());
    CHECK_INT(GPTLis_initialized(), 1);
    CHECK_OK(GPTLstart("not measured"));
    CHECK_OK(GPTLstop("not measured"));
    CHECK_OK(GPTLenable());
    CHECK_INT(check_count("not measured", -1), -1);
}

/* The names of the functions, where unit_errors checks that a message names the right one. */
static void test_message(void **state)
{
    (void)state;
    int pipe_ends[2], saved = dup(2);
    char text[4096];
    CHECK_OK(pipe(pipe_ends));
    dup2(pipe_ends[1], 2);
    gptl_stderr_begin();
    int rc = gptl_core_error("GPTLthis", "a \"%s\" %d", "thing", 5);
    dup2(saved, 2);
    gptl_stderr_begin();
    close(pipe_ends[1]);
    close(saved);
    ssize_t n = read(pipe_ends[0], text, sizeof text - 1);
    close(pipe_ends[0]);
    CHECK_INT(rc, -1);
    text[n > 0 ? n : 0] = '\0';
    CHECK_STRING(text, "GPTL: GPTLthis: a \"thing\" 5\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_message), /* first: only a limited number of messages is printed */
        cmocka_unit_test(test_warnings_of_a_job),
        cmocka_unit_test(test_not_initialized),
        cmocka_unit_test(test_stamp_when_off),
        cmocka_unit_test_teardown(test_disable_when_not_initialized, fake_teardown),
        FAKE_TEST(test_null_names),
        FAKE_TEST(test_queries),
        FAKE_TEST(test_query_errors),
        FAKE_TEST(test_region_names),
        FAKE_TEST(test_given_times),
        FAKE_TEST(test_lengths),
        FAKE_TEST(test_options_after_initialize),
        FAKE_TEST(test_reset_of_unknown_region),
        FAKE_TEST(test_reset_of_region_of_an_earlier_measurement),
        FAKE_TEST(test_memory_and_stamps),
        cmocka_unit_test(test_finalized),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
