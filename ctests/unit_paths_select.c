/* unit_paths_select.c - selected call paths: the largest, those below a region, sums of regions. */
#include "config.h"

#include "paths_fixture.h"

#include "postproc/paths/region_sums.h"

/* ---- Regions -------------------------------------------------------------------------------- */

/* The library folds recursion; these nodes resemble nodes of names beyond its budget. */
static void nested_paths_of_a_region_count_once(void **state)
{
    (void)state;
    struct fixture f;
    struct region_sums sums;
    fixture_init(&f, 2);
    uint32_t other = fixture_add(&f, 0, 0, "(other)", 1, 100);
    uint32_t a = fixture_add(&f, 0, other, "a", 1, 80);
    fixture_add(&f, 0, a, "(other)", 1, 60);
    fixture_add(&f, 0, 0, "b", 1, 7);
    fixture_add(&f, 1, fixture_add(&f, 1, 0, "b", 1, 9), "(other)", 1, 8);
    struct paths paths = made(&f, 1);
    assert_int_equal(region_sums_make(&sums, &paths), 0);
    const struct region_sum *sum = &sums.sums[paths.paths[at(&paths, "(other)")].region];
    assert_int_equal(sum->figures.total, 108);
    assert_int_equal(sum->figures.self, 20 + 60 + 8);
    assert_int_equal(sum->figures.calls, 3);
    assert_int_equal(sum->spread.nlanes, 2);
    assert_int_equal(sum->spread.most, 100);
    assert_int_equal(sum->spread.least, 8);
    sum = &sums.sums[paths.paths[at(&paths, "b")].region];
    assert_int_equal(sum->figures.total, 16);
    assert_true(spread_imbalance(&sum->spread) > 0.1249 && spread_imbalance(&sum->spread) < 0.1251);
    region_sums_free(&sums);
    paths_free(&paths);
}

/* ---- Selections ---------------------------------------------------------------------------- */

static void fixture_wide(struct fixture *f)
{
    fixture_init(f, 2);
    uint32_t top = fixture_add(f, 0, 0, "top", 1, 1000);
    uint32_t big = fixture_add(f, 0, top, "big", 1, 600);
    uint32_t small = fixture_add(f, 0, top, "small", 1, 90);
    fixture_add(f, 0, small, "leaf", 1, 50);
    fixture_add(f, 0, top, "tiny", 1, 10);
    uint32_t inner = fixture_add(f, 0, big, "inner", 1, 500);
    fixture_add_edge(f, 0, inner, big, 1);
    fixture_add_edge(f, 0, small, top, 1);
    fixture_add(f, 0, big, "alone", 1, 1);
    fixture_add(f, 1, fixture_add(f, 1, 0, "small", 1, 70), "leaf", 2, 60);
}

static void others_are_joined(void **state)
{
    (void)state;
    struct fixture f;
    fixture_wide(&f);
    struct paths paths = made(&f, 1);
    uint64_t total = paths.paths[0].figures.total;
    assert_int_equal(paths_keep(&paths, 3), 0);
    check_sane(&paths);
    assert_int_equal(paths.paths[0].figures.total, total);
    const struct figures *rest = figures_at(&paths, "top/(3 more)");
    assert_int_equal(rest->total, 100);
    assert_int_equal(rest->self, 100);
    assert_int_equal(rest->calls, 2);
    assert_true(paths.paths[at(&paths, "top/(3 more)")].rest);
    assert_int_equal(figures_at(&paths, "(2 more)")->total, 70);
    assert_int_not_equal(at(&paths, "top/big/inner"), 0);
    assert_int_not_equal(at(&paths, "top/big/alone"), 0); /* line for line */
    assert_int_equal(paths.nedges, 2);
    assert_int_equal(paths_keep(&paths, 1), 0); /* again: the names remain */
    check_sane(&paths);
    assert_int_equal(paths.paths[0].figures.total, total);
    assert_int_not_equal(at(&paths, "top/(4 more)"), 0);
    paths_free(&paths);
}

static void largest_of_any_weight(void **state)
{
    (void)state;
    struct fixture f;
    fixture_wide(&f);
    struct paths paths = made(&f, 1);
    double weight[16] = {0};
    weight[at(&paths, "top/small/leaf")] = 2;
    assert_int_equal(paths_keep_largest(&paths, 1, weight), 0);
    check_sane(&paths);
    assert_int_not_equal(at(&paths, "top/small/leaf"), 0);
    assert_int_equal(figures_at(&paths, "top/(4 more)")->total, 610);
    paths_free(&paths);
}

static void subtrees_are_joined(void **state)
{
    (void)state;
    struct fixture f;
    fixture_wide(&f);
    struct paths paths = made(&f, 1);
    assert_int_equal(paths_under(&paths, "nowhere"), 0);
    assert_int_equal(paths_under(&paths, "small"), 1);
    check_sane(&paths);
    assert_int_equal(paths.npaths, 3);
    assert_int_equal(figures_at(&paths, "small")->total, 160);
    assert_int_equal(figures_at(&paths, "small")->self, 50);
    assert_int_equal(figures_at(&paths, "small/leaf")->calls, 3);
    assert_int_equal(paths.paths[0].figures.total, 160);
    assert_int_equal(paths.nedges, 0);
    paths_free(&paths);
    paths = made(&f, 1);
    assert_int_equal(paths_under(&paths, "?i[gn]*"), 1);
    check_sane(&paths);
    assert_int_equal(at(&paths, "inner"), 0); /* big contains it */
    assert_int_not_equal(at(&paths, "big/inner"), 0);
    assert_int_not_equal(at(&paths, "tiny"), 0);
    assert_int_equal(paths.nedges, 1);
    paths_free(&paths);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_paths_of_a_region_count_once),
        cmocka_unit_test(others_are_joined),
        cmocka_unit_test(largest_of_any_weight),
        cmocka_unit_test(subtrees_are_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
