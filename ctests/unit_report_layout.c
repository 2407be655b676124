/* unit_report_layout.c - parents of regions; the printed structure is always a tree. */
#include "config.h"

#include "report_fixture.h"

#include "report/layout.h"

static uint32_t slot_of(const struct gptl_view *view, const char *name)
{
    for (uint32_t s = 1; s <= view->nregions; s++)
        if (strcmp(gptl_view_name(view, s), name) == 0)
            return s;
    fail_msg("no region %s", name);
    return 0;
}

/* Return the name of the region under which NAME is printed. */
static const char *printed_under(const struct gptl_copy *copy, int method, const char *name)
{
    struct gptl_view view;
    struct gptl_layout layout;
    assert_int_equal(gptl_view_make(&view, copy, false), 0);
    assert_int_equal(gptl_layout_make(&layout, &view, method), 0);
    const char *parent = gptl_view_name(&view, layout.parent[slot_of(&view, name)]);
    gptl_layout_free(&layout);
    gptl_view_free(&view);
    return parent;
}

static void three_parents(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 1);
    fixture_add(&f, 0, fixture_add(&f, 0, 0, "p", 1, 1), "x", 2, 1);
    fixture_add(&f, 0, fixture_add(&f, 0, 0, "q", 1, 1), "x", 7, 1);
    fixture_add(&f, 0, fixture_add(&f, 0, 0, "r", 1, 1), "x", 7, 1);
    fixture_add(&f, 0, 0, "x", 3, 1);
    assert_string_equal(printed_under(f.copies, GPTLfirst_parent, "x"), "p");
    assert_string_equal(printed_under(f.copies, GPTLmost_frequent, "x"), "q");
    assert_string_equal(printed_under(f.copies, GPTLlast_parent, "x"), "(top level)");
}

/* The calls over a back edge belong to its parent, not to its target. */
static void back_edges_have_parents(void **state)
{
    (void)state;
    struct fixture f;
    struct gptl_view view;
    struct gptl_parents parents;
    fixture_init(&f, 1);
    uint32_t a = fixture_add(&f, 0, 0, "a", 10, 1);
    uint32_t b = fixture_add(&f, 0, a, "b", 9, 1);
    fixture_add_edge(&f, 0, b, a, 8);
    fixture_add_edge(&f, 0, a, a, 1);
    assert_int_equal(gptl_view_make(&view, f.copies, false), 0);
    assert_int_equal(gptl_parents_new(&parents, &view), 0);
    gptl_parents_find(&parents, &view, slot_of(&view, "a"));
    assert_int_equal(parents.n, 2); /* itself is none */
    assert_int_equal(parents.slot[0], 0);
    assert_int_equal(gptl_parents_calls(&parents, 0), 1);
    assert_int_equal(parents.slot[1], slot_of(&view, "b"));
    assert_int_equal(gptl_parents_calls(&parents, 1), 8);
    gptl_parents_free(&parents);
    gptl_view_free(&view);
}

/* a under the root calls b 9 times, b calls a 8 times: most frequent parents form a cycle. */
static void cycle_is_opened_at_the_oldest(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 1);
    uint32_t a = fixture_add(&f, 0, 0, "a", 9, 1);
    uint32_t b = fixture_add(&f, 0, a, "b", 9, 1);
    fixture_add_edge(&f, 0, b, a, 8);
    assert_string_equal(printed_under(f.copies, GPTLmost_frequent, "a"), "(top level)");
    assert_string_equal(printed_under(f.copies, GPTLmost_frequent, "b"), "a");
    assert_string_equal(printed_under(f.copies, GPTLlast_parent, "a"), "(top level)");
}

static void never_called_is_left_out(void **state)
{
    (void)state;
    struct fixture f;
    struct gptl_view view;
    fixture_init(&f, 1);
    fixture_add(&f, 0, 0, "(other)", 0, 0);
    uint32_t fold = fixture_add(&f, 0, 0, "(paths beyond the memory budget)", 0, 0);
    fixture_add(&f, 0, fold, "x", 1, 1);
    uint32_t open = fixture_add(&f, 0, 0, "open", 0, 0);
    f.nodes[0][open].open = 1;
    assert_int_equal(gptl_view_make(&view, f.copies, false), 0);
    assert_int_equal(view.nregions, 3);
    assert_false(gptl_view_is_node(&view, 1));
    assert_true(gptl_view_is_node(&view, fold));
    assert_true(gptl_view_is_node(&view, open));
    gptl_view_free(&view);
}

/* ---- Any tree ------------------------------------------------------------------------------ */

/* The documented rule: open cycles one by one, each at its oldest region. */
static void open_cycles_slowly(uint32_t *parent, const struct gptl_view *view)
{
    for (uint32_t s = 1; s <= view->nregions; s++) {
        uint32_t at = s;
        for (uint32_t steps = 0; at && steps <= view->nregions; steps++)
            at = parent[at];
        if (!at)
            continue;
        uint32_t oldest = at; /* on the cycle now */
        for (uint32_t x = parent[at]; x != at; x = parent[x])
            oldest = x < oldest ? x : oldest;
        parent[oldest] = view->slot[view->copy->nodes[view->first[oldest]].parent];
        s = 0;
    }
}

static void choose_slowly(uint32_t *parent, const struct gptl_view *view, int method)
{
    struct gptl_parents parents;
    assert_int_equal(gptl_parents_new(&parents, view), 0);
    for (uint32_t s = 1; s <= view->nregions; s++) {
        gptl_parents_find(&parents, view, s);
        assert_true(parents.n > 0);
        uint32_t best = method == GPTLlast_parent ? parents.n - 1 : 0;
        for (uint32_t i = 0; i < parents.n && method == GPTLmost_frequent; i++)
            if (gptl_parents_calls(&parents, i) > gptl_parents_calls(&parents, best))
                best = i;
        parent[s] = parents.slot[best];
    }
    gptl_parents_free(&parents);
    open_cycles_slowly(parent, view);
}

/* Every region once, below the right parent; with the full tree every node. */
static void check_walk(const struct gptl_view *view, const struct gptl_layout *layout,
                       const uint32_t *expected)
{
    uint32_t item = 0, level = 0, visited = 0, last[FIXTURE_NODES + 1] = {0};
    for (gptl_layout_next(layout, &item, &level); item; gptl_layout_next(layout, &item, &level)) {
        visited++;
        assert_int_equal(layout->parent[item], expected[item]);
        assert_int_equal(last[level - 1], expected[item]);
        last[level] = item;
        if (layout->sibling[item])
            assert_true(layout->sibling[item] > item); /* in the order of creation */
    }
    assert_int_equal(level, 0);
    uint32_t all = view->nregions;
    if (layout->full) {
        all = 0;
        for (uint32_t i = 1; i < view->copy->nnodes; i++)
            all += gptl_view_is_node(view, i);
    }
    assert_int_equal(visited, all);
}

static void always_a_tree(void **state)
{
    (void)state;
    for (int round = 0; round < 2000; round++) {
        struct fixture f;
        struct gptl_view view;
        struct gptl_layout layout;
        uint32_t expected[FIXTURE_NODES + 1] = {0};
        fixture_random_tree(&f, 2 + fixture_random(18));
        assert_int_equal(gptl_view_make(&view, f.copies, false), 0);
        for (int method = GPTLfirst_parent; method <= GPTLfull_tree; method++) {
            assert_int_equal(gptl_layout_make(&layout, &view, method), 0);
            if (method == GPTLfull_tree)
                for (uint32_t i = 1; i < FIXTURE_NODES; i++)
                    expected[i] = f.nodes[0][i].parent;
            else
                choose_slowly(expected, &view, method);
            check_walk(&view, &layout, expected);
            gptl_layout_free(&layout);
        }
        gptl_view_free(&view);
    }
}

/* Calls inside a node's time: of its subtree, and over the edges that leave the subtree. */
static void calls_inside(void **state)
{
    (void)state;
    struct fixture f;
    struct gptl_view view;
    fixture_init(&f, 1);
    uint32_t top = fixture_add(&f, 0, 0, "top", 1, 1);
    uint32_t a = fixture_add(&f, 0, top, "a", 10, 1);
    uint32_t b = fixture_add(&f, 0, a, "b", 7, 1);
    uint32_t c = fixture_add(&f, 0, b, "c", 5, 1);
    fixture_add_edge(&f, 0, c, a, 4);
    assert_int_equal(gptl_view_make(&view, f.copies, true), 0);
    assert_int_equal(view.inside[c], 4);
    assert_int_equal(view.inside[b], 9);
    assert_int_equal(view.inside[a], 12); /* its own 4 are its recursive calls */
    assert_int_equal(view.inside[top], 22);
    gptl_view_free(&view);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_parents),
        cmocka_unit_test(back_edges_have_parents),
        cmocka_unit_test(cycle_is_opened_at_the_oldest),
        cmocka_unit_test(never_called_is_left_out),
        cmocka_unit_test(always_a_tree),
        cmocka_unit_test(calls_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
