/*
 * unit_ranks_tree.c - the contents of the tree of a rank, and of two: numbers, paths, functions,
 * counters.
 */
#include "config.h"

#include "ranks_fixture.h"

#define CHECK_FAILED() fail()
#include "check.h"

/* ---- Numbers ------------------------------------------------------------------------------- */

static void moments(void **state)
{
    (void)state;
    /* Differences that would be lost in a sum of squares, in parts of all sizes. */
    enum { N = 1000 };
    struct gptl_moments all = {0}, joined = {0}, part = {0};
    for (int i = 0; i < N; i++) {
        double value = 1e15 + i % 7;
        gptl_moments_add(&all, value);
        gptl_moments_add(&part, value);
        if (i % 31 == 0 || i == N - 1) {
            gptl_moments_join(&joined, &part);
            part = (struct gptl_moments){0};
        }
    }
    double mean = 0, squares = 0;
    for (int i = 0; i < N; i++)
        mean += (double)(i % 7) / N;
    for (int i = 0; i < N; i++)
        squares += (i % 7 - mean) * (i % 7 - mean);
    CHECK_INT(joined.n, N);
    CHECK_BETWEEN(joined.mean - 1e15, mean - 0.2, mean + 0.2); /* a double has steps of 1/8 there */
    CHECK_BETWEEN(joined.squares, squares * 0.99, squares * 1.01);
    CHECK_BETWEEN(all.squares, squares * 0.99, squares * 1.01);
    CHECK_BETWEEN(gptl_moments_deviation(&joined, 6), 1.98, 2.02);
    CHECK_REAL(gptl_moments_deviation(&part, 0), 0);
}

static void buckets(void **state)
{
    (void)state;
    static const uint64_t some[] = {0, 1, 7, 8, 9, 100, 1000000007, UINT64_MAX - 1, UINT64_MAX};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        uint32_t bucket = gptl_ranks_bucket(some[i]);
        CHECK(bucket < GPTL_RANKS_BUCKETS);
        CHECK(gptl_ranks_bucket_begin(bucket) <= some[i]);
        CHECK(some[i] < gptl_ranks_bucket_begin(bucket + 1) || some[i] == UINT64_MAX);
    }
    for (uint32_t i = 0; i < GPTL_RANKS_BUCKETS; i++) {
        uint64_t begin = gptl_ranks_bucket_begin(i), end = gptl_ranks_bucket_begin(i + 1);
        CHECK_INT(gptl_ranks_bucket(begin), i);
        CHECK_INT(gptl_ranks_bucket(end - 1), i);
        CHECK(begin < 8 || end - begin <= begin / 4 || end == UINT64_MAX);
    }
}

static uint32_t region_row(const struct gptl_ranks_tree *tree, const char *name)
{
    for (uint32_t i = 0; i < tree->head->nregions; i++)
        if (strcmp(gptl_ranks_name(tree, i), name) == 0)
            return i;
    fail_msg("there is no region %s", name);
    return 0;
}

/*
 * Threads 0 to 2 spend 1, 1 and 4 s in "work". "solver" calls itself on thread 1, and is reached by
 * two paths there. "open" is open on thread 0. Of "reset" only its callees are left.
 */
static void one_rank(void **state)
{
    (void)state;
    static const uint32_t depths[] = {1, 2, 1, 2, 1, 1, 2};
    struct fixture f;
    struct gptl_ranks_tree tree;
    fixture_init(&f, 3);
    uint32_t top = fixture_add(&f, 0, 0, "open", 0, 0);
    f.nodes[0][top].open = 1;
    f.nodes[0][top].open_ticks = 5 * SECOND;
    fixture_add(&f, 0, top, "work", 10, SECOND);
    uint32_t solver = fixture_add(&f, 1, 0, "solver", 7, 3 * SECOND);
    fixture_add_edge(&f, 1, solver, solver, 4);
    fixture_add(&f, 1, fixture_add(&f, 1, 0, "work", 20, SECOND), "solver", 1, 250 * MS);
    fixture_add(&f, 2, fixture_add(&f, 2, 0, "reset", 0, 0), "work", 30, 4 * SECOND);
    CHECK_OK(gptl_ranks_make(&tree, &f.profile, 7));
    CHECK_INT(tree.head->nranks, 1);
    CHECK_INT(tree.head->nsilent, 0);
    CHECK_INT(tree.head->nthreads, 3);
    const struct gptl_ranks_row *work = &tree.rows[region_row(&tree, "work")];
    CHECK_INT(work->calls.low, 60);
    CHECK_INT(work->total.low, 6 * SECOND);
    CHECK_INT(work->threads.n, 3);
    CHECK_REAL(work->threads.mean, 2e9);
    CHECK_REAL(work->threads.squares, 6e18);
    CHECK_INT(work->ranks.n, 1);
    CHECK_REAL(work->ranks.mean, 4e9);
    check_extreme(work->max, 4 * SECOND, 7, 2);
    check_extreme(work->min, SECOND, 7, 0);
    check_extreme(work->min_rank, 4 * SECOND, 7, 2);
    const struct gptl_ranks_row *sum = &tree.rows[region_row(&tree, "solver")];
    CHECK_INT(sum->calls.low, 8);
    CHECK_INT(sum->total.low, 3250 * MS);
    CHECK_INT(sum->threads.n, 1);
    CHECK_INT(tree.rows[region_row(&tree, "open")].total.low, 5 * SECOND);
    CHECK_INT(tree.rows[region_row(&tree, "open")].ended.low, 0);
    CHECK_INT(tree.rows[region_row(&tree, "reset")].ranks.n, 0);
    /* open, open/work, reset, reset/work, solver, work, work/solver */
    CHECK_INT(tree.head->npaths, 7);
    for (uint32_t i = 0; i < 7; i++)
        CHECK_INT(tree.rows[tree.head->nregions + i].depth, depths[i]);
    gptl_ranks_tree_free(&tree);
}

/* ---- Paths --------------------------------------------------------------------------------- */

/* A path of any depth: nothing recurses. */
static void deep(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    struct rank_profile r[2];
    struct gptl_ranks_tree trees[2], merged;
    char(*deep_names)[8] = calloc(DEPTH, sizeof *deep_names);
    for (int k = 0; k < 2; k++) {
        rank_profile_init(&r[k], k, 1);
        rank_profile_room(&r[k], 0, DEPTH + 1);
        for (uint32_t i = 0; i < DEPTH - (k ? 1 : 0); i++) {
            snprintf(deep_names[i], sizeof *deep_names, "%x", i);
            rank_profile_add(&r[k], 0, i, i + 1, deep_names[i], 1, DEPTH - i);
        }
        CHECK_OK(gptl_ranks_make(&trees[k], &r[k].profile, k));
    }
    CHECK_OK(gptl_ranks_merge(&merged, &trees[0], &trees[1]));
    CHECK_INT(merged.head->npaths, DEPTH);
    CHECK_INT(merged.rows[2 * DEPTH - 1].depth, DEPTH);
    CHECK_INT(merged.rows[2 * DEPTH - 1].ranks.n, 1);
    CHECK_INT(merged.rows[2 * DEPTH - 2].ranks.n, 2);
    for (int k = 0; k < 2; k++) {
        gptl_ranks_tree_free(&trees[k]);
        rank_profile_free(&r[k]);
    }
    gptl_ranks_tree_free(&merged);
    free(deep_names);
}

/* Functions of one name at different addresses are two, and a manual region a third. */
static void functions(void **state)
{
    (void)state;
    struct rank_profile r[2];
    struct gptl_ranks_tree trees[2], merged;
    struct gptl_function function[2][2];
    for (int k = 0; k < 2; k++) {
        function[k][0] = (struct gptl_function){.region = 2, .address = (char *)"model+0x10"};
        function[k][1] =
            (struct gptl_function){.region = 3, .address = (char *)(k ? "x+0x1" : "model+0x20")};
        rank_profile_init(&r[k], k, 1);
        rank_profile_room(&r[k], 0, 4);
        for (uint32_t i = 1; i <= 3; i++)
            rank_profile_add(&r[k], 0, 0, i, "init", i, i);
        r[k].profile.functions = function[k];
        r[k].profile.nfunctions = 2;
        CHECK_OK(gptl_ranks_make(&trees[k], &r[k].profile, k));
    }
    CHECK_OK(gptl_ranks_merge(&merged, &trees[1], &trees[0]));
    CHECK_INT(merged.head->nregions, 4);
    CHECK_INT(merged.head->npaths, 4);
    static const char *const addresses[] = {"", "model+0x10", "model+0x20", "x+0x1"};
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_STRING(merged.text + merged.regions[i].address, addresses[i]);
        CHECK_INT(merged.rows[i].ranks.n, i < 2 ? 2 : 1);
    }
    for (int k = 0; k < 2; k++) {
        gptl_ranks_tree_free(&trees[k]);
        rank_profile_free(&r[k]);
    }
    gptl_ranks_tree_free(&merged);
}

/* Sums beyond 64 bits have 128. */
static void very_long(void **state)
{
    (void)state;
    struct rank_profile r;
    struct gptl_ranks_tree tree, merged;
    rank_profile_init(&r, 0, 1);
    rank_profile_room(&r, 0, 2);
    rank_profile_add(&r, 0, 0, 1, "long", UINT64_MAX / 2 + 1, UINT64_MAX / 2 + 1);
    CHECK_OK(gptl_ranks_make(&tree, &r.profile, 0));
    CHECK_OK(gptl_ranks_merge(&merged, &tree, &tree));
    CHECK_INT(merged.rows[0].total.low, 0);
    CHECK_INT(merged.rows[0].total.high, 1);
    CHECK_INT(merged.rows[0].calls.low, 0);
    CHECK_INT(merged.rows[0].calls.high, 1);
    CHECK_REAL(merged.rows[0].threads.mean, 0x1p63);
    gptl_ranks_tree_free(&tree);
    gptl_ranks_tree_free(&merged);
    rank_profile_free(&r);
}

/* ---- Counters ------------------------------------------------------------------------------ */

/* One "work" that counted VALUES on each of two threads. */
static void counting_rank(struct rank_profile *r, int rank, struct gptl_metric *metrics, uint32_t n,
                          int64_t (*values)[3], struct gptl_extra_copy *extras)
{
    rank_profile_init(r, rank, 2);
    r->profile.metrics = (struct gptl_metrics){.metric = metrics, .n = n, .nslots = n};
    for (int t = 0; t < 2; t++) {
        rank_profile_room(r, t, 2);
        rank_profile_add(r, t, 0, 1, "work", 1, SECOND);
        extras[t] = (struct gptl_extra_copy){.counters = values[t]};
        r->copies[t].extras = &extras[t];
        r->copies[t].nextras = 1;
        r->copies[t].ncounters = n;
        r->copies[t].nodes[1].extra = 1;
    }
}

static void counters(void **state)
{
    (void)state;
    static const struct gptl_metric cycles = {
        .kind = GPTL_METRIC_COUNTED, .name = "CYC", .shown = true};
    static const struct gptl_metric load = {.kind = GPTL_METRIC_COUNTED,
                                            .scope = GPTL_SCOPE_MACHINE,
                                            .name = "LOAD",
                                            .slot = 1,
                                            .shown = true};
    struct gptl_metric first[2] = {cycles, load}, second[2] = {load, cycles};
    struct gptl_extra_copy extras[2][2];
    int64_t of_first[2][3] = {{10, 1000}, {20, 1001}}, of_second[2][3] = {{100, 7}, {50, 5}};
    struct rank_profile r[2];
    struct gptl_ranks_tree trees[2], merged;
    second[0].slot = 1;
    second[1].slot = 0;
    counting_rank(&r[0], 0, first, 2, of_first, extras[0]);
    counting_rank(&r[1], 1, second, 2, of_second, extras[1]);
    for (int k = 0; k < 2; k++)
        CHECK_OK(gptl_ranks_make(&trees[k], &r[k].profile, k));
    CHECK_OK(gptl_ranks_merge(&merged, &trees[0], &trees[1]));
    CHECK_INT(merged.head->nmetrics, 2);
    for (uint32_t row = 0; row < 2; row++) { /* of the region, and of its path */
        const struct gptl_ranks_figure *figures = gptl_ranks_figures(&merged, row);
        CHECK_REAL(figures[0].sum, 180);
        CHECK_REAL(figures[0].ranks.mean, 90);
        CHECK_REAL(figures[0].max, 150);
        CHECK_INT(figures[0].max_rank, 1);
        CHECK_REAL(figures[0].min, 30);
        CHECK_INT(figures[0].min_rank, 0);
        CHECK_REAL(figures[1].max, 1001); /* threads have the same machine-wide counts */
        CHECK_REAL(figures[1].min, 7);
    }
    for (int k = 0; k < 2; k++) {
        gptl_ranks_tree_free(&trees[k]);
        rank_profile_free(&r[k]);
    }
    gptl_ranks_tree_free(&merged);
}

/* Counters of some ranks only belong to those ranks. */
static void other_counters(void **state)
{
    (void)state;
    struct gptl_metric metrics[2] = {
        {.kind = GPTL_METRIC_COUNTED, .name = "ONE"},
        {.kind = GPTL_METRIC_COUNTED, .name = "OTHER"},
    };
    struct gptl_extra_copy extras[3][2];
    int64_t values[2][3] = {{1}, {2}};
    struct rank_profile r[3];
    struct gptl_ranks_tree trees[3], two, merged;
    for (int k = 0; k < 3; k++) {
        counting_rank(&r[k], k, &metrics[k % 2], k == 0 ? 0 : 1, values, extras[k]);
        CHECK_OK(gptl_ranks_make(&trees[k], &r[k].profile, k));
    }
    CHECK_OK(gptl_ranks_merge(&two, &trees[0], &trees[1]));
    CHECK_OK(gptl_ranks_merge(&merged, &trees[2], &two));
    CHECK_INT(merged.head->nmetrics, 2);
    CHECK_STRING(merged.text + merged.metrics[0].name, "ONE");
    CHECK_STRING(merged.text + merged.metrics[1].name, "OTHER");
    CHECK_INT(merged.rows[0].ranks.n, 3);
    CHECK_INT(gptl_ranks_figures(&merged, 0)[0].ranks.n, 1);
    CHECK_INT(gptl_ranks_figures(&merged, 0)[0].max_rank, 2);
    CHECK_INT(gptl_ranks_figures(&merged, 0)[1].max_rank, 1);
    for (int k = 0; k < 3; k++) {
        gptl_ranks_tree_free(&trees[k]);
        rank_profile_free(&r[k]);
    }
    gptl_ranks_tree_free(&two);
    gptl_ranks_tree_free(&merged);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments),  cmocka_unit_test(buckets),        cmocka_unit_test(one_rank),
        cmocka_unit_test(deep),     cmocka_unit_test(functions),      cmocka_unit_test(very_long),
        cmocka_unit_test(counters), cmocka_unit_test(other_counters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
