/*
 * unit_paths.c - merged call paths of several profiles: identical paths, and the attribution of
 * time.
 */
#include "config.h"

#include "paths_fixture.h"

/* ---- Times --------------------------------------------------------------------------------- */

static void self_is_the_rest(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 1);
    uint32_t top = fixture_add(&f, 0, 0, "top", 2, 100);
    fixture_add(&f, 0, top, "a", 3, 30);
    fixture_add(&f, 0, top, "b", 1, 25);
    struct paths paths = made(&f, 1);
    check_sane(&paths);
    assert_int_equal(paths.npaths, 4);
    assert_int_equal(figures_at(&paths, "top")->self, 45);
    assert_int_equal(figures_at(&paths, "top")->total, 100);
    assert_int_equal(figures_at(&paths, "top/a")->self, 30);
    assert_int_equal(figures_at(&paths, "top/a")->max, 10);
    assert_int_equal(paths.paths[0].figures.total, 100);
    paths_free(&paths);
}

/* A was stopped before B, which had been started inside it. */
static void crossed_self_is_not_negative(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 1);
    uint32_t a = fixture_add(&f, 0, 0, "a", 1, 10);
    fixture_add(&f, 0, a, "b", 1, 15);
    struct paths paths = made(&f, 1);
    check_sane(&paths);
    assert_int_equal(figures_at(&paths, "a")->self, 0);
    assert_int_equal(figures_at(&paths, "a/b")->self, 15);
    paths_free(&paths);
}

static void open_calls_have_their_time_so_far(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 1);
    uint32_t top = fixture_add(&f, 0, 0, "main", 0, 0);
    f.nodes[0][top].open = 1;
    f.nodes[0][top].open_ticks = 70;
    fixture_add(&f, 0, top, "a", 1, 50);
    fixture_add(&f, 0, top, "never", 0, 0);
    struct paths paths = made(&f, 1);
    check_sane(&paths);
    assert_int_equal(figures_at(&paths, "main")->total, 70);
    assert_int_equal(figures_at(&paths, "main")->self, 20);
    assert_int_equal(figures_at(&paths, "main")->open, 1);
    assert_true(figures_at(&paths, "main")->min == UINT64_MAX);
    assert_int_equal(at(&paths, "main/never"), 0);
    paths_free(&paths);
}

/* ---- Counts and errors ----------------------------------------------------------------------- */

/* A counted metric, A, and A/wall; COUNTERS has the counts of a node. */
struct counted {
    struct gptl_metric metrics[2];
    int64_t counters[FIXTURE_EXTRAS];
};

static void count(struct fixture *f, struct counted *c, uint32_t row, int64_t n)
{
    struct gptl_extra_copy *extra = fixture_extra(f, 0, row);
    extra->counters = &c->counters[f->copies[0].nextras - 1];
    *extra->counters = n;
}

static void count_begin(struct fixture *f, struct counted *c)
{
    *c = (struct counted){
        .metrics = {{.kind = GPTL_METRIC_COUNTED, .shown = true, .name = "A"},
                    {.kind = GPTL_METRIC_DERIVED, .name = "R", .expression = "A/wall"}}};
    for (int i = 0; i < 2; i++)
        c->metrics[i].description = c->metrics[i].unit = "";
    f->profile.metrics = (struct gptl_metrics){.metric = c->metrics, .n = 2, .nslots = 1};
    f->copies[0].ncounters = 1;
    assert_int_equal(gptl_report_prepare_metrics(&f->profile), 0);
}

static void check_count(const struct paths *paths, const char *names, int64_t all, int64_t own)
{
    int64_t values[8];
    struct tally tally;
    for (int kind = 0; kind < 2; kind++) {
        tally_begin(&tally, paths, values);
        tally_path(&tally, at(paths, names), (enum count_kind)kind);
        assert_int_equal(tally_value(&tally, 0).counted, kind ? own : all);
    }
}

static void counts_are_less_the_childrens(void **state)
{
    (void)state;
    struct fixture f[2];
    struct counted c[2];
    for (int i = 0; i < 2; i++) {
        fixture_init(&f[i], 1);
        f[i].profile.process.rank = i;
        count_begin(&f[i], &c[i]);
        uint32_t top = fixture_add(&f[i], 0, 0, "top", 2, 100);
        uint32_t crossed = fixture_add(&f[i], 0, top, "crossed", 3, 30);
        uint32_t below = fixture_add(&f[i], 0, crossed, "below", 1, 25);
        uint32_t down = fixture_add(&f[i], 0, top, "down", 1, 5);
        count(&f[i], &c[i], top, 1000);
        count(&f[i], &c[i], crossed, 100);
        count(&f[i], &c[i], below, 130 + i);
        count(&f[i], &c[i], down, -7);
    }
    struct paths paths = made(f, 2);
    check_sane(&paths);
    check_count(&paths, "", 2000, 0);
    check_count(&paths, "top", 2000, 2 * (1000 - 100 + 7));
    check_count(&paths, "top/crossed", 200, 0);
    check_count(&paths, "top/crossed/below", 261, 261);
    check_count(&paths, "top/down", -14, -14);
    assert_int_equal(paths_under(&paths, "crossed"), 1);
    check_sane(&paths);
    check_count(&paths, "", 200, 0);
    check_count(&paths, "crossed", 200, 0);
    assert_int_equal(paths_keep(&paths, 0), 0);
    check_count(&paths, "(2 more)", 200, 200);
    paths_free(&paths);
    for (int i = 0; i < 2; i++) {
        f[i].profile.copies = NULL; /* the fixture's own */
        f[i].profile.ncopies = 0;
        gptl_report_free(&f[i].profile);
    }
}

/* The rest of a measured time is as uncertain as the part subtracted from it. */
static void errors_add_up(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 1);
    uint32_t top = fixture_add(&f, 0, 0, "top", 2, 100);
    for (int i = 0; i < 2; i++) {
        uint32_t row = fixture_add(&f, 0, top, i ? "a" : "b", 300, 30);
        struct gptl_extra_copy *extra = fixture_extra(&f, 0, row);
        extra->timed = 100;
        extra->error = 3;
    }
    struct paths paths = made(&f, 1);
    check_sane(&paths);
    assert_int_equal(figures_at(&paths, "top")->error, 0);
    assert_int_equal(figures_at(&paths, "top")->self_error, 6);
    assert_int_equal(figures_at(&paths, "top/a")->error, 3);
    assert_int_equal(figures_at(&paths, "top/a")->self_error, 3);
    assert_int_equal(paths_keep(&paths, 1), 0);
    assert_int_equal(figures_at(&paths, "top/(2 more)")->error, 6);
    paths_free(&paths);
}

static void ticks_become_nanoseconds(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 1);
    fixture_add(&f, 0, 0, "a", 1, 4);
    f.copies[0].seconds_per_tick = 2.5e-9;
    struct paths paths = made(&f, 1);
    assert_int_equal(figures_at(&paths, "a")->total, 10);
    paths_free(&paths);
}

static void recursion_is_an_edge(void **state)
{
    (void)state;
    struct fixture f[2];
    for (int i = 0; i < 2; i++) {
        fixture_init(&f[i], 1);
        f[i].profile.process.rank = i;
        if (i == 1)
            fixture_add(&f[i], 0, 0, "first", 1, 1);
        uint32_t a = fixture_add(&f[i], 0, 0, "a", 9, 90);
        uint32_t b = fixture_add(&f[i], 0, a, "b", 5, 50);
        fixture_add_edge(&f[i], 0, b, a, 4);
        fixture_add_edge(&f[i], 0, a, a, 1);
    }
    struct paths paths = made(f, 2);
    check_sane(&paths);
    assert_int_equal(paths.npaths, 4);
    assert_int_equal(paths.nedges, 2);
    assert_int_equal(paths.edges[0].from, at(&paths, "a"));
    assert_int_equal(paths.edges[0].to, at(&paths, "a"));
    assert_int_equal(paths.edges[0].calls, 2);
    assert_int_equal(paths.edges[1].from, at(&paths, "a/b"));
    assert_int_equal(paths.edges[1].calls, 8);
    assert_int_equal(figures_at(&paths, "a")->recurse, 10);
    assert_int_equal(figures_at(&paths, "a")->calls, 18);
    paths_free(&paths);
}

static void sums_end_at_the_top(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 2);
    for (int t = 0; t < 2; t++) {
        uint32_t a = fixture_add(&f, t, 0, "a", 1, UINT64_MAX - 5);
        f.nodes[t][a].count = UINT64_MAX - 2;
        f.nodes[t][a].open = UINT32_MAX;
    }
    struct paths paths = made(&f, 1);
    assert_true(figures_at(&paths, "a")->total == UINT64_MAX - 1);
    assert_true(figures_at(&paths, "a")->calls == UINT64_MAX - 1);
    assert_true(figures_at(&paths, "a")->open == UINT32_MAX);
    paths_free(&paths);
}

/* ---- Lanes --------------------------------------------------------------------------------- */

static void lanes_have_parts(void **state)
{
    (void)state;
    struct fixture f[2];
    fixture_init(&f[0], 2);
    fixture_init(&f[1], 2);
    f[0].profile.process.rank = 3;
    f[1].profile.process.rank = 7;
    fixture_add(&f[0], 0, 0, "other", 1, 1);
    fixture_add(&f[0], 0, fixture_add(&f[0], 0, 0, "a", 1, 10), "b", 2, 4);
    fixture_add(&f[0], 1, 0, "b", 1, 6);
    fixture_add(&f[1], 1, fixture_add(&f[1], 1, 0, "a", 5, 20), "b", 7, 8);
    struct paths paths = made(f, 2);
    check_sane(&paths);
    assert_int_equal(paths.nlanes, 4);
    assert_int_equal(paths.nregions, 3);
    assert_int_equal(paths.npaths, 5);
    assert_string_equal(paths.lanes[1].label, "rank 3 thread 1");
    assert_string_equal(paths.lanes[2].process_label, "rank 7");
    assert_int_equal(paths.lanes[2].nparts, 1); /* did nothing */
    assert_int_equal(figures_at(&paths, "a/b")->calls, 9);
    assert_int_equal(figures_at(&paths, "a/b")->max, 2);
    assert_int_equal(figures_at(&paths, "a/b")->min, 1);
    const struct part *part = &paths.parts[paths.paths[at(&paths, "a/b")].parts];
    assert_int_equal(part->lane, 0);
    assert_int_equal(part->figures.calls, 2);
    part = &paths.parts[part->next];
    assert_int_equal(part->lane, 3);
    assert_int_equal(part->figures.self, 8);
    assert_int_equal(part->next, 0);
    assert_int_equal(paths.paths[at(&paths, "a/b")].region, paths.paths[at(&paths, "b")].region);
    paths_free(&paths);
}

static void lanes_are_named_by_what_tells_them_apart(void **state)
{
    (void)state;
    struct fixture f[2];
    for (int i = 0; i < 2; i++) {
        fixture_init(&f[i], 1);
        fixture_add(&f[i], 0, 0, "a", 1, 1);
        f[i].profile.process.rank = -1;
        f[i].profile.process.pid = 100 + i;
    }
    struct paths paths = made(f, 1);
    assert_string_equal(paths.lanes[0].label, "thread 0");
    paths_free(&paths);
    paths = made(f, 2);
    assert_string_equal(paths.lanes[1].label, "process 101");
    assert_int_equal(paths.lanes[1].process, 101);
    paths_free(&paths);
    f[1].profile.process.pid = 100;
    paths = made(f, 2);
    assert_string_equal(paths.lanes[1].label, "profile 2");
    paths_free(&paths);
    f[0].profile.process.rank = 0;
    f[1].profile.process.rank = 1;
    f[1].copies[0].thread = 1;
    paths = made(f, 2);
    assert_string_equal(paths.lanes[0].label, "rank 0 thread 0");
    paths_free(&paths);
}

static void nothing_at_all(void **state)
{
    (void)state;
    struct fixture f;
    struct paths paths = made(&f, 0);
    check_sane(&paths);
    assert_int_equal(paths.npaths, 1);
    assert_int_equal(paths_keep(&paths, 5), 0);
    assert_int_equal(paths_under(&paths, "*"), 0);
    paths_free(&paths);
    fixture_init(&f, 0);
    paths = made(&f, 1);
    check_sane(&paths);
    paths_free(&paths);
}

static void histograms_are_those_of_the_lane(void **state)
{
    (void)state;
    struct fixture f;
    struct gptl_histogram h[2];
    fixture_init(&f, 2);
    for (int t = 0; t < 2; t++)
        fixture_extra(&f, t, fixture_add(&f, t, 0, "a", 1, 1))->histogram = &h[t];
    struct paths paths = made(&f, 1);
    const struct part *part = &paths.parts[paths.paths[1].parts];
    assert_ptr_equal(part->histogram, &h[0]);
    assert_ptr_equal(paths.parts[part->next].histogram, &h[1]);
    paths_free(&paths);
}

/* ---- Functions ----------------------------------------------------------------------------- */

struct program {
    struct fixture f;
    struct gptl_module module;
    struct gptl_function functions[4];
};

/* A profile with a module of this build, and a function that was called once. */
static void program_init(struct program *p, const char *build)
{
    fixture_init(&p->f, 1);
    p->module = (struct gptl_module){(char *)"model", (char *)"", (char *)build};
    p->f.profile.modules = &p->module;
    p->f.profile.nmodules = 1;
    p->f.profile.functions = p->functions;
}

static void add_function(struct program *p, const char *name, const char *file, uint64_t offset)
{
    static char addresses[32][32];
    static int n;
    char *address = addresses[n++ % 32];
    snprintf(address, 32, "model+0x%x", (unsigned)offset);
    uint32_t row = fixture_add(&p->f, 0, 0, address, 1, offset);
    p->f.nodes[0][row].name = name ? name : address;
    p->functions[p->f.profile.nfunctions++] =
        (struct gptl_function){.region = p->f.nodes[0][row].region,
                               .offset = offset,
                               .address = address,
                               .name = (char *)name,
                               .file = (char *)file};
}

static uint32_t merged(struct program *a, struct program *b)
{
    const struct gptl_profile *profiles[] = {&a->f.profile, &b->f.profile};
    struct paths paths;
    assert_int_equal(paths_make(&paths, profiles, 2), 0);
    check_sane(&paths);
    uint32_t n = paths.npaths - 1;
    paths_free(&paths);
    return n;
}

static void functions_are_known_by_place_in_one_build(void **state)
{
    (void)state;
    struct program a, b;
    program_init(&a, "b1");
    program_init(&b, "b1");
    add_function(&a, "init", NULL, 100);
    add_function(&b, "init", NULL, 200); /* another static one */
    assert_int_equal(merged(&a, &b), 2);
    add_function(&b, NULL, NULL, 100); /* no name was found for it there */
    assert_int_equal(merged(&a, &b), 2);
    fixture_add(&b.f, 0, 0, "init", 1, 1); /* by hand */
    assert_int_equal(merged(&a, &b), 3);
}

static void a_name_that_one_profile_has_is_shown(void **state)
{
    (void)state;
    struct program a, b;
    program_init(&a, "b1");
    program_init(&b, "b1");
    add_function(&a, NULL, NULL, 100);
    add_function(&b, "init", NULL, 100);
    const struct gptl_profile *profiles[] = {&a.f.profile, &b.f.profile};
    struct paths paths;
    assert_int_equal(paths_make(&paths, profiles, 2), 0);
    assert_int_equal(paths.npaths, 2);
    assert_string_equal(paths.paths[1].name, "init");
    paths_free(&paths);
}

static void functions_are_known_by_name_in_two_builds(void **state)
{
    (void)state;
    struct program a, b;
    program_init(&a, "b1");
    program_init(&b, "b2");
    add_function(&a, "init", "/old/src/a.c", 100);
    add_function(&b, "init", "/new/src/a.c", 200);
    assert_int_equal(merged(&a, &b), 1);
    add_function(&a, "init", "/old/src/b.c", 300);
    assert_int_equal(merged(&a, &b), 2);
    b.functions[0].file = NULL; /* built without -g: the first one is used */
    assert_int_equal(merged(&a, &b), 2);
}

static void names_tell_regions_apart(void **state)
{
    (void)state;
    struct program p;
    program_init(&p, "b1");
    fixture_add(&p.f, 0, 0, "init", 1, 1); /* by hand */
    add_function(&p, "init", "/src/a.c", 0x10);
    add_function(&p, "init", "/src/x/b.c", 0x20);
    add_function(&p, "init", "/src/y/b.c", 0x30);
    add_function(&p, "other", "/src/a.c", 0x40);
    struct paths paths = made(&p.f, 1);
    check_sane(&paths);
    assert_int_not_equal(at(&paths, "init"), 0);
    assert_int_not_equal(at(&paths, "init [a.c]"), 0);
    assert_int_not_equal(at(&paths, "init [model+0x20]"), 0);
    assert_int_not_equal(at(&paths, "init [model+0x30]"), 0);
    assert_int_not_equal(at(&paths, "other"), 0);
    paths_free(&paths);
}

static void static_functions_of_two_files_stay_two(void **state)
{
    (void)state;
    struct program a, b;
    program_init(&a, "b1");
    program_init(&b, "b2");
    add_function(&a, "init", "a.c", 100);
    add_function(&b, "init", "b.c", 100);
    assert_int_equal(merged(&a, &b), 2);
    program_init(&a, "");
    program_init(&b, "");
    add_function(&a, "init", NULL, 100);
    add_function(&a, "init", NULL, 200);
    add_function(&b, "init", NULL, 150);
    assert_int_equal(merged(&a, &b), 2);
}

/* ---- Size ---------------------------------------------------------------------------------- */

enum { DEEP = 100000 };

/* Regions that call each other 100,000 levels deep, and one wide level at the end. */
static void deep_and_wide(void **state)
{
    (void)state;
    struct gptl_node_copy *nodes = calloc(2 * DEEP + 1, sizeof *nodes);
    char(*names)[16] = calloc(2 * DEEP + 1, sizeof *names);
    assert_true(nodes && names);
    for (uint32_t i = 1; i <= 2 * DEEP; i++) {
        snprintf(names[i], sizeof *names, "r%u", i);
        nodes[i] = (struct gptl_node_copy){.name = names[i],
                                           .count = 1,
                                           .total = i <= DEEP ? 4 * DEEP - i : 1,
                                           .min = 1,
                                           .parent = i <= DEEP ? i - 1 : DEEP,
                                           .target = i,
                                           .region = i};
    }
    struct gptl_copy copies[2];
    for (int t = 0; t < 2; t++)
        copies[t] = (struct gptl_copy){
            .thread = t, .seconds_per_tick = 1e-9, .nnodes = 2 * DEEP + 1, .nodes = nodes};
    struct gptl_profile profile = {.copies = copies, .ncopies = 2};
    const struct gptl_profile *profiles[] = {&profile};
    struct paths paths;
    assert_int_equal(paths_make(&paths, profiles, 1), 0);
    check_sane(&paths);
    assert_int_equal(paths.npaths, 2 * DEEP + 1);
    assert_int_equal(paths.paths[DEEP].depth, DEEP);
    assert_int_equal(paths.paths[DEEP].figures.self, 2 * (4 * DEEP - DEEP - DEEP));
    assert_int_equal(paths_keep(&paths, DEEP + 5), 0);
    check_sane(&paths);
    assert_int_equal(paths.npaths, DEEP + 5 + 1 + 1);
    assert_int_equal(paths_under(&paths, "r9"), 1);
    check_sane(&paths);
    paths_free(&paths);
    free(nodes);
    free(names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(self_is_the_rest),
        cmocka_unit_test(crossed_self_is_not_negative),
        cmocka_unit_test(open_calls_have_their_time_so_far),
        cmocka_unit_test(counts_are_less_the_childrens),
        cmocka_unit_test(errors_add_up),
        cmocka_unit_test(ticks_become_nanoseconds),
        cmocka_unit_test(recursion_is_an_edge),
        cmocka_unit_test(sums_end_at_the_top),
        cmocka_unit_test(lanes_have_parts),
        cmocka_unit_test(lanes_are_named_by_what_tells_them_apart),
        cmocka_unit_test(nothing_at_all),
        cmocka_unit_test(histograms_are_those_of_the_lane),
        cmocka_unit_test(functions_are_known_by_place_in_one_build),
        cmocka_unit_test(a_name_that_one_profile_has_is_shown),
        cmocka_unit_test(functions_are_known_by_name_in_two_builds),
        cmocka_unit_test(names_tell_regions_apart),
        cmocka_unit_test(static_functions_of_two_files_stay_two),
        cmocka_unit_test(deep_and_wide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
