/* unit_noise.c - the test of gptl diff, in cases with an exactly known result. */
#include "config.h"

#include "fake.h"

#include "noise_models.h"

static int test_figures(const double *values, size_t n, int na, int nb, double floor, bool apart,
                        double *p)
{
    struct noise_figures figures = {values, n, na, nb, floor, apart};
    return noise_test(&figures, p);
}

static void test_how_many_runs_can_tell(void **state)
{
    (void)state;
    assert_false(noise_can_tell(1, 1));
    assert_false(noise_can_tell(3, 3));
    assert_false(noise_can_tell(2, 100));
    assert_false(noise_can_tell(100, 2));
    assert_true(noise_can_tell(3, 4));
    assert_true(noise_can_tell(4, 4));
    assert_true(noise_can_tell(8, 3));
    assert_true(noise_can_tell(1000, 1000));

    double values[2 * 6] = {1, 1, 1, 2, 2, 2, 5, 6, 7, 8, 9, 10}, p[2] = {-1, -1};
    assert_int_equal(test_figures(values, 2, 3, 3, 1e-6, false, p), 0);
    assert_true(p[0] == 1 && p[1] == 1);
    assert_int_equal(test_figures(values, 0, 3, 4, 1e-6, false, p), 0);
}

/*
 * With one figure, the significance of a split is the difference of its sets' means: it can be
 * counted by hand.
 */
static void test_chance_of_one_figure_is_exact(void **state)
{
    enum { A = 4, B = 4, N = A + B };
    (void)state;
    model_random = 22;
    for (int trial = 0; trial < 200; trial++) {
        double values[N] = {0}, p, sums[1 << N], observed = 0;
        int larger = 0, all = 0;
        for (int r = 0; r < N; r++) {
            /* All have near neighbors, so none is excluded. */
            int at = (int)(model_uniform() * (r + 1));
            values[r] = values[at];
            values[at] = exp(0.01 * (r + 0.3 * model_uniform()));
        }
        for (int set = 0; set < 1 << N; set++) {
            sums[set] = 0;
            for (int r = 0; r < N; r++)
                sums[set] += set >> r & 1 ? log(values[r]) : -log(values[r]);
        }
        observed = fabs(sums[(1 << A) - 1]);
        for (int set = 0; set < 1 << N; set++)
            if (__builtin_popcount((unsigned)set) == A) {
                all++;
                larger += fabs(sums[set]) >= observed * (1 - 1e-9);
            }
        assert_int_equal(test_figures(values, 1, A, B, 1e-300, false, &p), 0);
        CHECK_BETWEEN(p, (double)larger / all - 1e-9, (double)larger / all + 1e-9);
    }
}

static void test_equal_times_never_differ(void **state)
{
    double values[3 * 10], p[3];
    (void)state;
    for (int r = 0; r < 10; r++) {
        values[r] = 1.5;
        values[10 + r] = 0;
        values[20 + r] = 1e9;
    }
    assert_int_equal(test_figures(values, 3, 5, 5, 1e-6, false, p), 0);
    assert_true(p[0] == 1 && p[1] == 1 && p[2] == 1);

    /* Without any noise the least difference is significant. */
    for (int r = 5; r < 10; r++)
        values[r] = 1.501;
    assert_int_equal(test_figures(values, 3, 5, 5, 1e-6, false, p), 0);
    CHECK_BETWEEN(p[0], 1.0 / 126 - 1e-9, 1.0 / 126 + 1e-9);
    assert_true(p[1] == 1 && p[2] == 1);
}

/* One run of each set has an outlier, which makes the faster program's mean the longer one. */
static void test_outliers_hide_no_change(void **state)
{
    enum { N = 10 };
    double values[2 * N], p[2];
    (void)state;
    model_random = 23;
    for (int r = 0; r < N; r++) {
        values[r] = (r < 5 ? 1 : 1.1) * (1 + 0.01 * model_uniform());
        values[N + r] = 1 + 0.01 * model_uniform();
    }
    values[1] *= 3;
    values[8] *= 2;
    values[N + 9] *= 3;
    assert_int_equal(test_figures(values, 2, 5, 5, 1e-6, false, p), 0);
    CHECK_BETWEEN(p[0], 0, NOISE_ALPHA);
    CHECK_BETWEEN(p[1], NOISE_ALPHA * 1.01, 1);
}

/*
 * The result does not depend on the order of figures or of the runs of a set, or on which set is A.
 */
static void test_order_does_not_matter(void **state)
{
    enum { A = 5, B = 7, N = A + B, FIGURES = 1500 }; /* more than one block */
    double *values = malloc(2 * FIGURES * N * sizeof *values), *p = malloc(2 * FIGURES * sizeof *p);
    double *other = values + FIGURES * N, *other_p = p + FIGURES;
    (void)state;
    model_random = 24;
    model_make(MODEL_OUTLIERS, values, FIGURES, A, B, FIGURES - 1, 1.2);
    for (int f = 0; f < FIGURES; f++)
        for (int r = 0; r < N; r++)
            other[(FIGURES - 1 - f) * N + (N - 1 - r)] = values[f * N + r];
    assert_int_equal(test_figures(values, FIGURES, A, B, 1e-6, false, p), 0);
    assert_int_equal(test_figures(other, FIGURES, B, A, 1e-6, false, other_p), 0);
    int found = 0;
    for (int f = 0; f < FIGURES; f++) {
        CHECK_BETWEEN(other_p[FIGURES - 1 - f], p[f] - 1e-9, p[f] + 1e-9);
        found += p[f] <= NOISE_ALPHA;
    }
    CHECK_BETWEEN(p[FIGURES - 1], 0, NOISE_ALPHA);
    assert_int_equal(found, 1);
    free(values);
    free(p);
}

/* A significant difference does not hide a less significant one. */
static void test_several_changes_are_found(void **state)
{
    enum { N = 12, FIGURES = 40, CHANGED = 10 };
    double values[FIGURES * N], p[FIGURES];
    (void)state;
    model_random = 25;
    model_make(MODEL_NORMAL_1, values, FIGURES, 6, 6, -1, 1);
    for (int f = 0; f < CHANGED; f++)
        for (int r = 6; r < N; r++)
            values[f * N + r] *= f == 0 ? 50 : f % 2 ? 1.1 : 0.9;
    assert_int_equal(test_figures(values, FIGURES, 6, 6, 1e-6, false, p), 0);
    for (int f = 0; f < FIGURES; f++)
        assert_int_equal(p[f] <= NOISE_ALPHA, f < CHANGED);
}

/* A path that is in no run of A, or in some runs of both. */
static void test_times_of_nothing(void **state)
{
    double values[3 * 10], p[3];
    (void)state;
    model_random = 26;
    for (int r = 0; r < 10; r++) {
        values[r] = r < 5 ? 0 : 1 + 0.01 * model_uniform();
        values[10 + r] = r % 2 ? 0 : 1 + 0.01 * model_uniform();
        values[20 + r] = 1 + 0.01 * model_uniform();
    }
    assert_int_equal(test_figures(values, 3, 5, 5, 1e-4, false, p), 0);
    CHECK_BETWEEN(p[0], 0, NOISE_ALPHA);
    CHECK_BETWEEN(p[1], 0.1, 1);
}

/* All runs of A were before those of B, and each run is slower than the previous one. */
static void test_drift_is_no_change(void **state)
{
    enum { N = 12, FIGURES = 20 };
    double values[FIGURES * N], p[FIGURES];
    (void)state;
    model_random = 28;
    model_make(MODEL_NORMAL_1, values, FIGURES, 6, 6, 3, 1.5);
    for (int f = 0; f < FIGURES; f++)
        for (int r = 0; r < N; r++)
            values[f * N + r] *= 1 + 0.02 * r;
    assert_int_equal(test_figures(values, FIGURES, 6, 6, 1e-6, false, p), 0);
    for (int f = 0; f < FIGURES; f++)
        CHECK_BETWEEN(p[f], 0, NOISE_ALPHA);
    assert_int_equal(test_figures(values, FIGURES, 6, 6, 1e-6, true, p), 0);
    for (int f = 0; f < FIGURES; f++)
        if (f == 3)
            CHECK_BETWEEN(p[f], 0, NOISE_ALPHA);
        else
            assert_true(p[f] == 1);
}

static void test_hundred_runs(void **state)
{
    enum { N = 200, FIGURES = 3 };
    double *values = malloc(FIGURES * N * sizeof *values), p[FIGURES];
    (void)state;
    model_random = 27;
    model_make(MODEL_HEAVY, values, FIGURES, N / 2, N / 2, 1, 1.03);
    assert_int_equal(test_figures(values, FIGURES, N / 2, N / 2, 1e-6, false, p), 0);
    CHECK_BETWEEN(p[0], NOISE_ALPHA * 1.01, 1);
    CHECK_BETWEEN(p[1], 0, 0.001);
    CHECK_BETWEEN(p[2], NOISE_ALPHA * 1.01, 1);
    free(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_how_many_runs_can_tell),
        cmocka_unit_test(test_chance_of_one_figure_is_exact),
        cmocka_unit_test(test_equal_times_never_differ),
        cmocka_unit_test(test_outliers_hide_no_change),
        cmocka_unit_test(test_order_does_not_matter),
        cmocka_unit_test(test_several_changes_are_found),
        cmocka_unit_test(test_times_of_nothing),
        cmocka_unit_test(test_drift_is_no_change),
        cmocka_unit_test(test_hundred_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
