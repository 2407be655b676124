/* unit_report_callers.c - the callers of each region: on constructed trees, and on any tree. */
#include "config.h"

#include "report_fixture.h"

#include "report/callers.h"
#include "report/layout.h"

static struct gptl_style plain(void)
{
    return (struct gptl_style){.wall = true, .callers = true, .method = GPTLfirst_parent};
}

/* The section alone: from its heading to the line about the library's memory. */
static void check(const struct fixture *f, struct gptl_style style, const char *golden)
{
    char *text = fixture_text(f, style);
    char *section = strstr(text, "Callers of"), *end = strstr(text, "\nMemory used");
    assert_non_null(section);
    *end = '\0';
    fixture_compare(section, golden);
    free(text);
}

/* ---- Text ---------------------------------------------------------------------------------- */

/*
 * main and init have one caller. dot has three, and solve calls it by three paths. Two callers of
 * fill have the same time: the older one precedes the other.
 */
static void several_paths(struct fixture *f, int t)
{
    uint32_t top = fixture_add(f, t, 0, "main", 1, 10 * SECOND);
    uint32_t init = fixture_add(f, t, top, "init", 1, SECOND);
    uint32_t early = fixture_add(f, t, init, "solve", 1, 500 * MS);
    uint32_t solve = fixture_add(f, t, top, "solve", 3, 4 * SECOND);
    uint32_t check_node = fixture_add(f, t, top, "check", 2, 2 * SECOND);
    uint32_t lone = fixture_add(f, t, 0, "solve", 1, 100 * MS);
    fixture_add(f, t, early, "dot", 5, 200 * MS);
    fixture_add(f, t, solve, "dot", 30, SECOND);
    fixture_add(f, t, lone, "dot", 1, 50 * MS);
    fixture_add(f, t, check_node, "dot", 10, 1500 * MS);
    fixture_add(f, t, 0, "dot", 2, 100 * MS);
    fixture_add(f, t, init, "fill", 1, 10 * MS);
    fixture_add(f, t, check_node, "fill", 1, 10 * MS);
    fixture_add(f, t, solve, "only leads on", 0, 0);
}

static void callers_and_paths(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 1);
    several_paths(&f, 0);
    check(&f, plain(), "text_callers_paths.txt");
    struct gptl_style style = plain();
    style.wall = false;
    check(&f, style, "text_callers_no_wall.txt");
    /* The optional columns of the table of regions are not printed. */
    style = plain();
    style.percent = style.histogram = style.subtract = style.overhead = true;
    f.profile.has_overhead = true;
    check(&f, style, "text_callers_paths.txt");
}

/* main calls A and B; A calls B; B calls itself and, twice, A, which is the recursion of A. */
static void recursion(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 1);
    uint32_t top = fixture_add(&f, 0, 0, "main", 1, 10 * SECOND);
    uint32_t a = fixture_add(&f, 0, top, "A", 5, 4 * SECOND);
    uint32_t ab = fixture_add(&f, 0, a, "B", 9, 3 * SECOND);
    fixture_add_edge(&f, 0, ab, a, 2);
    fixture_add_edge(&f, 0, ab, ab, 4);
    uint32_t b = fixture_add(&f, 0, top, "B", 1, 2 * SECOND);
    uint32_t ba = fixture_add(&f, 0, b, "A", 3, SECOND);
    fixture_add_edge(&f, 0, ba, ba, 1);
    struct gptl_style style = plain();
    check(&f, style, "text_callers_recursion.txt");
    style.method = GPTLfull_tree; /* each region once, although it has several lines in the table */
    check(&f, style, "text_callers_recursion.txt");
}

/*
 * An open call is not in Called, but its time is in Wallclock, and has a mark. In second, fib was
 * called twice, and calls itself for the third time. Its calls from helper have ended.
 */
static void open_calls(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 1);
    uint32_t top = fixture_add(&f, 0, 0, "main", 0, 0);
    uint32_t first = fixture_add(&f, 0, top, "first", 2, SECOND);
    uint32_t fib = fixture_add(&f, 0, first, "fib", 21, SECOND);
    fixture_add_edge(&f, 0, fib, fib, 20);
    uint32_t second = fixture_add(&f, 0, top, "second", 0, 0);
    fib = fixture_add(&f, 0, second, "fib", 7, 500 * MS);
    fixture_add_edge(&f, 0, fixture_add(&f, 0, fib, "helper", 2, 0), fib, 2);
    fixture_add_edge(&f, 0, fib, fib, 7);
    f.nodes[0][top].open = f.nodes[0][second].open = 1;
    f.nodes[0][fib].open = 4;
    f.nodes[0][top].open_ticks = 3 * SECOND;
    f.nodes[0][second].open_ticks = 2 * SECOND;
    f.nodes[0][fib].open_ticks = 1500 * MS;
    check(&f, plain(), "text_callers_open.txt");
}

static void cpu_time(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 1);
    uint32_t top = fixture_add(&f, 0, 0, "main", 1, 2 * SECOND);
    uint32_t one = fixture_add(&f, 0, top, "one", 1, SECOND);
    uint32_t leaf = fixture_add(&f, 0, one, "leaf", 4, SECOND);
    fixture_extra(&f, 0, leaf)->values[0] = 700000;
    uint32_t two = fixture_add(&f, 0, top, "two", 1, SECOND);
    leaf = fixture_add(&f, 0, two, "leaf", 2, 500 * MS);
    fixture_add_edge(&f, 0, leaf, leaf, 1);
    struct gptl_extra_copy *extra = fixture_extra(&f, 0, leaf);
    extra->values[0] = 200000;
    extra->values[1] = 50000;
    struct gptl_style style = plain();
    style.cpu = true;
    check(&f, style, "text_callers_cpu.txt");
}

/* Paths are cut if they are too wide, but never before their first step. */
static void odd_names(void **state)
{
    (void)state;
    struct fixture f;
    static char lengthy[91];
    memset(lengthy, 'x', 90);
    fixture_init(&f, 1);
    static const char *const names[] = {"say \"hi\"", "two\nlines", "latin1 \xe4", "∇·u"};
    for (int i = 0; i < 4; i++) {
        uint32_t at = fixture_add(&f, 0, 0, names[i], 1, SECOND);
        for (int k = 0; k < (i == 3 ? 9 : 0); k++) {
            static char steps[9][12];
            snprintf(steps[k], sizeof steps[k], "step %d", k);
            at = fixture_add(&f, 0, at, steps[k], 1, SECOND);
        }
        if (i == 2)
            at = fixture_add(&f, 0, at, lengthy, 1, SECOND);
        at = fixture_add(&f, 0, at, "outer", 1, SECOND);
        fixture_add(&f, 0, at, "leaf", 1, SECOND);
    }
    struct gptl_style style = plain();
    check(&f, style, "text_callers_names.txt");
    style.quote = true;
    check(&f, style, "text_callers_names_quoted.txt");
}

/* One thread after the other, and no section for one without calls. */
static void threads(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 3);
    fixture_add(&f, 0, fixture_add(&f, 0, 0, "main", 1, SECOND), "work", 2, SECOND);
    fixture_add(&f, 1, 0, "reset", 0, 0);
    fixture_add(&f, 2, 0, "work", 7, 2 * SECOND);
    struct gptl_style style = plain();
    char *text = fixture_text(&f, style);
    assert_non_null(strstr(text, "for thread 0:"));
    assert_null(strstr(text, "for thread 1:\nRows are"));
    assert_non_null(strstr(text, "for thread 2:\nRows are"));
    free(text);
    style.callers = false;
    text = fixture_text(&f, style);
    assert_null(strstr(text, "Callers of"));
    free(text);
}

/* ---- Numbers ------------------------------------------------------------------------------- */

/* Open calls, and edges that are newer than their node, as in the copy of a live thread. */
static void disturb(struct fixture *f)
{
    for (uint32_t i = 1; i < FIXTURE_NODES; i++) {
        struct gptl_node_copy *node = &f->nodes[0][i];
        if (node->target != i || fixture_random(3))
            continue;
        node->open = fixture_random(6);
        node->open_ticks = node->open ? fixture_random(100) : 0;
        node->count = fixture_random(2) ? node->count : fixture_random(30);
        node->recurse = fixture_random(2) ? node->recurse : fixture_random(30);
        if (fixture_random(3) == 0) {
            node->count = node->recurse = node->total = node->max = 0;
            node->min = UINT64_MAX;
            node->open_ticks = 0;
        }
    }
}

/* All calls and times of a region belong to one of its callers, each path once, in order. */
static void check_sums(const struct gptl_callers *callers, const struct gptl_view *view,
                       uint32_t slot)
{
    struct gptl_figures all = GPTL_NO_FIGURES, sum;
    uint64_t count = 0, recurse = 0, open = 0, ticks = 0, wall = 0;
    uint32_t npaths = 0;
    bool seen[FIXTURE_NODES] = {false};
    gptl_figures_add_region(&all, NULL, view, slot);
    for (uint32_t i = 0; i < callers->n; i++) {
        const struct gptl_caller *caller = &callers->caller[i];
        if (i > 0)
            assert_true(caller->ticks <= caller[-1].ticks);
        gptl_callers_sum(callers, view, caller->first, caller->n, &sum);
        assert_true(sum.count <= all.count && sum.recurse <= all.recurse);
        count += sum.count;
        recurse += sum.recurse;
        open += sum.open;
        wall += sum.wall;
        ticks += caller->ticks;
        for (uint32_t k = caller->first; k < caller->first + caller->n; k++, npaths++) {
            uint32_t row = callers->rows[k];
            assert_false(seen[row]);
            seen[row] = true;
            assert_int_equal(view->slot[row], slot);
            assert_int_equal(view->slot[view->copy->nodes[row].parent], caller->slot);
        }
    }
    assert_int_equal(npaths, callers->npaths);
    assert_int_equal(count, all.count);
    assert_int_equal(recurse, all.recurse);
    assert_int_equal(open, all.open);
    assert_int_equal(wall, all.wall); /* a tick is a nanosecond */
    assert_int_equal(ticks, all.wall);
    gptl_callers_sum(callers, view, 0, callers->npaths, &sum);
    assert_int_equal(sum.count, all.count);
    assert_int_equal(sum.wall, all.wall);
    assert_int_equal(sum.max, all.max);
    assert_int_equal(sum.min, all.min);
}

/* With all calls ended, other callers have the calls of the section on parents. */
static void check_parents(const struct gptl_callers *callers, const struct gptl_view *view,
                          uint32_t slot, struct gptl_parents *parents)
{
    gptl_parents_find(parents, view, slot);
    for (uint32_t i = 0; i < parents->n; i++) {
        uint64_t calls = 0;
        for (uint32_t k = 0; k < callers->n; k++) {
            const struct gptl_caller *caller = &callers->caller[k];
            struct gptl_figures sum;
            gptl_callers_sum(callers, view, caller->first, caller->n, &sum);
            if (caller->slot == parents->slot[i])
                calls = sum.count;
        }
        assert_int_equal(calls, gptl_parents_calls(parents, i));
    }
}

static void sums_are_right(void **state)
{
    (void)state;
    for (int round = 0; round < 2000; round++) {
        struct fixture f;
        struct gptl_view view;
        struct gptl_callers callers;
        struct gptl_parents parents;
        fixture_random_tree(&f, 2 + fixture_random(18));
        if (round % 2)
            disturb(&f);
        assert_int_equal(gptl_view_make(&view, f.copies, false), 0);
        assert_int_equal(gptl_callers_new(&callers, &view), 0);
        assert_int_equal(gptl_parents_new(&parents, &view), 0);
        for (uint32_t slot = 1; slot <= view.nregions; slot++) {
            gptl_callers_find(&callers, &view, slot);
            check_sums(&callers, &view, slot);
            if (round % 2 == 0)
                check_parents(&callers, &view, slot, &parents);
        }
        gptl_parents_free(&parents);
        gptl_callers_free(&callers);
        gptl_view_free(&view);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callers_and_paths), cmocka_unit_test(recursion),
        cmocka_unit_test(open_calls),        cmocka_unit_test(cpu_time),
        cmocka_unit_test(odd_names),         cmocka_unit_test(threads),
        cmocka_unit_test(sums_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
