/* unit_marks.c - GPTLmark: calls, sum, minimum and maximum of each interval. */
#include "config.h"

#include "fake.h"
#include "worker.h"

static void timed(const char *name, uint64_t nanoseconds)
{
    CHECK_OK(GPTLstart(name));
    pass(nanoseconds);
    CHECK_OK(GPTLstop(name));
}

/* Return the row of the node at PATH in interval I, or NULL. */
static const struct gptl_interval_row *row_of(const struct gptl_copy *copy, uint32_t i,
                                              const char *path)
{
    const struct gptl_node_copy *node = node_at(copy, path);
    CHECK(node);
    CHECK(i < copy->nintervals);
    for (uint32_t k = 0; k < copy->intervals[i].nrows; k++)
        if (&copy->nodes[copy->intervals[i].rows[k].node] == node)
            return &copy->intervals[i].rows[k];
    return NULL;
}

#define CHECK_ROW(copy, i, path, n, sum, least, most)                                              \
    do {                                                                                           \
        const struct gptl_interval_row *check_row = row_of(copy, i, path);                         \
        CHECK_THAT(check_row, "interval %d has no row %s", (int)(i), path);                        \
        CHECK_INT(check_row->count, n);                                                            \
        CHECK_INT(check_row->total, sum);                                                          \
        CHECK_INT(check_row->min, least);                                                          \
        CHECK_INT(check_row->max, most);                                                           \
    } while (0)

static void test_intervals(void **state)
{
    (void)state;
    CHECK_OK(GPTLstart("P"));
    timed("x", 5);
    timed("x", 3);
    timed("x", 9);
    CHECK_OK(GPTLmark("first"));
    timed("x", 7);
    timed("y", 1);
    CHECK_OK(GPTLmark("second"));
    CHECK_OK(GPTLmark("third"));
    timed("x", 2);
    CHECK_OK(GPTLstop("P"));
    struct fake_copy c = fake_copy();
    CHECK_INT(c.all->nintervals, 4);
    CHECK_STRING(c.all->intervals[0].label, "first");
    CHECK_STRING(c.all->intervals[1].label, "second");
    CHECK_STRING(c.all->intervals[2].label, "third");
    CHECK_STRING(c.all->intervals[3].label, "");
    CHECK_ROW(c.all, 0, "P/x", 3, 17, 3, 9);
    CHECK_ROW(c.all, 1, "P/x", 1, 7, 7, 7);
    CHECK_ROW(c.all, 1, "P/y", 1, 1, 1, 1);
    CHECK_INT(c.all->intervals[2].nrows, 0);
    CHECK_ROW(c.all, 3, "P/x", 1, 2, 2, 2);
    CHECK_ROW(c.all, 3, "P", 1, 27, 27, 27); /* counts in the interval in which it ends */
    CHECK(!row_of(c.all, 0, "P"));
    CHECK(!row_of(c.all, 0, "P/y"));
    for (int i = 0; i < 4; i++)
        CHECK_INT(c.all->intervals[i].marks, 1);
    /* The whole run is as without marks. */
    CHECK_NODE(c.all, "P/x", 5, 26);
    CHECK_INT(node_at(c.all, "P/x")->min, 2);
    CHECK_INT(node_at(c.all, "P/x")->max, 9);
    CHECK_INT(node_at(c.all, "P/x")->latest, 2);
    fake_copy_free(c);
    CHECK_INT(check_count("x", 0), 5);
    CHECK_REAL(check_seconds("x", 0), 26e-9);
}

static void test_recursion(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        CHECK_OK(GPTLstart("r"));
        timed("r", 4);
        pass(1);
        CHECK_OK(GPTLstop("r"));
        CHECK_OK(GPTLmark("m"));
    }
    struct fake_copy c = fake_copy();
    CHECK_ROW(c.all, 0, "r", 2, 5, 5, 5);
    CHECK_ROW(c.all, 1, "r", 2, 5, 5, 5);
    CHECK_NODE(c.all, "r", 4, 10);
    CHECK_INT(node_at(c.all, "r")->recurse, 2);
    fake_copy_free(c);
}

static void test_long_label(void **state)
{
    (void)state;
    char label[200];
    memset(label, 'l', sizeof label);
    label[sizeof label - 1] = '\0';
    timed("x", 1);
    CHECK_OK(GPTLmark(label));
    CHECK_OK(GPTLmark(""));
    struct fake_copy c = fake_copy();
    CHECK_INT(strlen(c.all->intervals[0].label), GPTL_LABEL_SIZE - 1);
    CHECK_STRING(c.all->intervals[1].label, "(empty)");
    fake_copy_free(c);
}

static void begin_with_marks(void **state, const char *option)
{
    fake_teardown(state);
    fake_setup_implicit(state);
    CHECK_OK(gptl_core_set_options(option, "test"));
    CHECK_OK(GPTLinitialize());
}

/* Each interval's sum is its mark's number, so that joined ones show their members. */
static void check_joined(int most, int marks)
{
    for (int i = 1; i <= marks; i++) {
        char label[16];
        timed("x", (uint64_t)i);
        if (i % 3 == 0)
            timed("sometimes", 1);
        snprintf(label, sizeof label, "%d", i);
        CHECK_OK(GPTLmark(label));
    }
    timed("x", 5);
    struct fake_copy c = fake_copy();
    const struct gptl_copy *copy = c.all;
    CHECK_BETWEEN(copy->nintervals, most / 2 + 1, most + 1);
    uint64_t mark = 0, sometimes = 0;
    for (uint32_t k = 0; k + 1 < copy->nintervals; k++) {
        uint64_t first = mark + 1, last = mark + copy->intervals[k].marks;
        CHECK_INT(strtol(copy->intervals[k].label, NULL, 10), last);
        CHECK_ROW(copy, k, "x", last - first + 1, (first + last) * (last - first + 1) / 2, first,
                  last);
        const struct gptl_interval_row *row = marks >= 3 ? row_of(copy, k, "sometimes") : NULL;
        sometimes += row ? row->count : 0;
        mark = last;
    }
    CHECK_INT(mark, marks);
    CHECK_INT(sometimes, marks / 3);
    CHECK_ROW(copy, copy->nintervals - 1, "x", 1, 5, 5, 5);
    CHECK_NODE(copy, "x", marks + 1, (uint64_t)marks * ((uint64_t)marks + 1) / 2 + 5);
    fake_copy_free(c);
}

static void test_joined(void **state)
{
    static const int most[] = {2, 3, 4, 5, 64};
    static const int marks[] = {1, 2, 3, 4, 5, 7, 8, 9, 16, 100, 1000};
    for (size_t i = 0; i < sizeof most / sizeof most[0]; i++)
        for (size_t k = 0; k < sizeof marks / sizeof marks[0]; k++) {
            char option[32];
            snprintf(option, sizeof option, "marks=%d", most[i]);
            begin_with_marks(state, option);
            check_joined(most[i] < marks[k] ? most[i] : marks[k], marks[k]);
        }
}

static void test_memory_is_bounded(void **state)
{
    begin_with_marks(state, "marks=8");
    size_t before = 0;
    for (int i = 0; i < 10000; i++) {
        timed("x", 1);
        timed("y", 1);
        CHECK_OK(GPTLmark("m"));
        if (i == 100)
            before = gptl_mem_used();
    }
    CHECK_BETWEEN(gptl_mem_used(), 0, before + 8 * 4096);
}

/* ---- Threads ------------------------------------------------------------------------------- */

static void worker_timed(struct worker *w, const char *name, uint64_t nanoseconds)
{
    CHECK_OK(worker_start(w, name));
    pass(nanoseconds);
    CHECK_OK(worker_stop(w, name));
}

/* The activity of an idle thread before the mark is in the interval of that mark. */
static void test_idle_thread(void **state)
{
    (void)state;
    struct worker *w = worker_begin();
    worker_timed(w, "x", 5);
    int slot = worker_slot(w);
    CHECK_OK(GPTLmark("1"));
    CHECK_OK(GPTLmark("2"));
    CHECK_OK(GPTLmark("3"));
    struct fake_copy c = fake_copy();
    CHECK_ROW(copy_of_thread(c, slot), 0, "x", 1, 5, 5, 5);
    for (uint32_t i = 1; i < 4; i++)
        CHECK_INT(copy_of_thread(c, slot)->intervals[i].nrows, 0);
    fake_copy_free(c);
    worker_timed(w, "x", 7);
    c = fake_copy();
    CHECK_ROW(copy_of_thread(c, slot), 0, "x", 1, 5, 5, 5);
    CHECK(!row_of(copy_of_thread(c, slot), 1, "x"));
    CHECK(!row_of(copy_of_thread(c, slot), 2, "x"));
    CHECK_ROW(copy_of_thread(c, slot), 3, "x", 1, 7, 7, 7);
    fake_copy_free(c);
    worker_end(w);
    CHECK_OK(GPTLmark("4"));
    c = fake_copy();
    CHECK_ROW(copy_of_thread(c, slot), 3, "x", 1, 7, 7, 7);
    CHECK_INT(copy_of_thread(c, slot)->intervals[4].nrows, 0);
    fake_copy_free(c);
}

/* A thread that starts later lacks rows in the earlier intervals. */
static void test_late_thread(void **state)
{
    (void)state;
    timed("x", 1);
    CHECK_OK(GPTLmark("1"));
    struct worker *w = worker_begin();
    worker_timed(w, "x", 5);
    CHECK_OK(GPTLmark("2"));
    struct fake_copy c = fake_copy();
    const struct gptl_copy *copy = copy_of_thread(c, worker_slot(w));
    CHECK_INT(copy->nintervals, 3);
    CHECK(!row_of(copy, 0, "x"));
    CHECK_ROW(copy, 1, "x", 1, 5, 5, 5);
    fake_copy_free(c);
    worker_end(w);
}

static void test_joined_while_idle(void **state)
{
    begin_with_marks(state, "marks=4");
    struct worker *w = worker_begin();
    uint64_t calls = 0;
    for (int i = 0; i < 100; i++) {
        if (i % 7 == 0) {
            worker_timed(w, "x", 1);
            calls++;
        }
        timed("x", 1);
        CHECK_OK(GPTLmark("m"));
    }
    struct fake_copy c = fake_copy();
    const struct gptl_copy *copy = copy_of_thread(c, worker_slot(w));
    uint64_t sum = 0;
    for (uint32_t i = 0; i < copy->nintervals; i++)
        for (uint32_t k = 0; k < copy->intervals[i].nrows; k++)
            sum += copy->intervals[i].rows[k].count;
    CHECK_INT(sum, calls);
    CHECK_INT(node_at(copy, "x")->count, calls);
    fake_copy_free(c);
    worker_end(w);
}

/* ---- Resets -------------------------------------------------------------------------------- */

static void test_reset_drops_intervals(void **state)
{
    (void)state;
    struct worker *w = worker_begin();
    worker_timed(w, "x", 5);
    timed("x", 1);
    CHECK_OK(GPTLmark("1"));
    worker_timed(w, "x", 6);
    timed("x", 2);
    CHECK_OK(GPTLmark("2"));
    CHECK_OK(GPTLreset());
    struct fake_copy c = fake_copy();
    for (int i = 0; i < c.n; i++)
        CHECK_INT(c.all[i].nintervals, 0);
    fake_copy_free(c);
    CHECK_OK(GPTLmark("after"));
    c = fake_copy();
    for (int i = 0; i < c.n; i++)
        for (uint32_t k = 0; k < c.all[i].nintervals; k++)
            CHECK_INT(c.all[i].intervals[k].nrows, 0);
    fake_copy_free(c);
    timed("x", 4);
    worker_timed(w, "x", 8);
    CHECK_OK(GPTLmark("and more"));
    c = fake_copy();
    CHECK_INT(c.all[0].nintervals, 3);
    CHECK_ROW(copy_of_thread(c, 0), 1, "x", 1, 4, 4, 4);
    CHECK_ROW(copy_of_thread(c, worker_slot(w)), 1, "x", 1, 8, 8, 8);
    CHECK_NODE(copy_of_thread(c, worker_slot(w)), "x", 1, 8);
    fake_copy_free(c);
    worker_end(w);
}

/* For a thread that is idle throughout: mark and reset of one region in either order. */
static void test_reset_of_one_region(void **state)
{
    (void)state;
    struct worker *w = worker_begin();
    worker_timed(w, "x", 5);
    worker_timed(w, "y", 6);
    CHECK_OK(GPTLreset_timer("x"));
    CHECK_OK(GPTLmark("1"));
    CHECK_OK(GPTLreset_timer("y"));
    for (int i = 0; i < 2; i++) {
        struct fake_copy c = fake_copy();
        const struct gptl_copy *copy = copy_of_thread(c, worker_slot(w));
        CHECK(!row_of(copy, 0, "x"));
        CHECK_ROW(copy, 0, "y", 1, 6, 6, 6);
        CHECK_INT(node_at(copy, "x")->count, 0);
        CHECK_INT(node_at(copy, "y")->count, 0);
        fake_copy_free(c);
        worker_timed(w, "z", 1); /* executes the orders */
    }
    worker_end(w);
}

static void test_finalize_drops_intervals(void **state)
{
    timed("x", 1);
    CHECK_OK(GPTLmark("1"));
    fake_teardown(state);
    fake_setup(state);
    timed("x", 2);
    struct fake_copy c = fake_copy();
    CHECK_INT(c.all->nintervals, 0);
    CHECK_NODE(c.all, "x", 1, 2);
    fake_copy_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FAKE_TEST(test_intervals),
        FAKE_TEST(test_recursion),
        FAKE_TEST(test_long_label),
        FAKE_TEST(test_joined),
        FAKE_TEST(test_memory_is_bounded),
        FAKE_TEST(test_idle_thread),
        FAKE_TEST(test_late_thread),
        FAKE_TEST(test_joined_while_idle),
        FAKE_TEST(test_reset_drops_intervals),
        FAKE_TEST(test_reset_of_one_region),
        FAKE_TEST(test_finalize_drops_intervals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
