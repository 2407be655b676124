/*
 * report_fixture.h - constructed profiles for the tests of the report module: no clock is involved,
 * so every number in a report is known. A tick is a nanosecond unless a test states otherwise.
 *
 * Output is compared with a file in ctests/golden. After an intended change, UPDATE_GOLDEN=1 in the
 * environment rewrites those files: review the difference.
 */
#ifndef GPTL_CTESTS_REPORT_FIXTURE_H
#define GPTL_CTESTS_REPORT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "gptl.h"
#include "report/out.h"
#include "report/report.h"
#include "report/text.h"

enum { FIXTURE_THREADS = 4, FIXTURE_NODES = 64, FIXTURE_EXTRAS = 8 };

#define MS UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)

struct fixture {
    struct gptl_profile profile;
    struct gptl_copy copies[FIXTURE_THREADS];
    struct gptl_node_copy nodes[FIXTURE_THREADS][FIXTURE_NODES];
    struct gptl_extra_copy extras[FIXTURE_THREADS][FIXTURE_EXTRAS];
    const char *names[FIXTURE_NODES]; /* of regions 1, 2, … */
    uint32_t nnames;
};

__attribute__((unused)) static void fixture_init(struct fixture *f, int nthreads)
{
    static const char *command[] = {"PROGRAM"};
    static struct gptl_setting option = {"KEY", "VALUE", false};
    memset(f, 0, sizeof *f);
    f->profile = (struct gptl_profile){
        .process = {.pid = 4711,
                    .program = "/home/user/model",
                    .started = 1700000000.25,
                    .elapsed = 12.5,
                    .memory = 3 << 20,
                    .names_memory = 1 << 20,
                    .budget = 256 << 20,
                    .nregions = 5,
                    .on = true,
                    .rank = -1},
        .clock = {.name = "nanotime",
                  .source = "time-stamp counter",
                  .kernel = "tsc",
                  .cost = 9.5e-9,
                  .resolution = 1e-9,
                  .seconds_per_tick = 1e-9,
                  .calibrated_over = 12.5,
                  .monotonic = true},
        .overhead = {.self = 20e-9, .parent = 5e-9, .self_spread = 1e-9, .parent_spread = 2e-9},
        .host = "HOST",
        .command = command,
        .narguments = 1,
        .options = &option,
        .noptions = 1,
        .copies = f->copies,
        .ncopies = nthreads,
    };
    for (int t = 0; t < nthreads; t++) {
        f->nodes[t][0] = (struct gptl_node_copy){.name = "", .min = UINT64_MAX};
        f->copies[t] = (struct gptl_copy){.thread = t,
                                          .seconds_per_tick = 1e-9,
                                          .nnodes = 1,
                                          .nodes = f->nodes[t],
                                          .extras = f->extras[t],
                                          .nthreads_served = 1,
                                          .memory = 1 << 20,
                                          .table_slots = 128,
                                          .longest_probe = 1,
                                          .cache_slots = 64};
    }
}

__attribute__((unused)) static uint32_t fixture_region(struct fixture *f, const char *name)
{
    for (uint32_t i = 0; i < f->nnames; i++)
        if (strcmp(f->names[i], name) == 0)
            return i + 1;
    f->names[f->nnames] = name;
    return ++f->nnames;
}

/* COUNT calls that took TOTAL ticks, all the same except for MAX and MIN, which the test sets. */
__attribute__((unused)) static uint32_t fixture_add(struct fixture *f, int t, uint32_t parent,
                                                    const char *name, uint64_t count,
                                                    uint64_t total)
{
    struct gptl_copy *copy = &f->copies[t];
    uint32_t row = copy->nnodes++;
    uint64_t mean = count ? total / count : 0;
    f->nodes[t][row] = (struct gptl_node_copy){.name = name,
                                               .count = count,
                                               .total = total,
                                               .max = mean,
                                               .min = count ? mean : UINT64_MAX,
                                               .latest = mean,
                                               .parent = parent,
                                               .target = row,
                                               .region = fixture_region(f, name)};
    copy->table_used = copy->nnodes - 1;
    return row;
}

/* COUNT calls of TARGET's region from PARENT, below it. TARGET's count already contains them. */
__attribute__((unused)) static void fixture_add_edge(struct fixture *f, int t, uint32_t parent,
                                                     uint32_t target, uint64_t count)
{
    uint32_t row = fixture_add(f, t, parent, f->nodes[t][target].name, count, 0);
    f->nodes[t][row].target = target;
    f->nodes[t][row].min = UINT64_MAX;
    f->nodes[t][target].recurse += count;
}

__attribute__((unused)) static struct gptl_extra_copy *fixture_extra(struct fixture *f, int t,
                                                                     uint32_t row)
{
    f->nodes[t][row].extra = ++f->copies[t].nextras;
    return &f->extras[t][f->copies[t].nextras - 1];
}

/* The published example: two threads, A and B stopped in the order A, B. */
__attribute__((unused)) static void fixture_omptest(struct fixture *f)
{
    fixture_init(f, 2);
    uint32_t total = fixture_add(f, 0, 0, "total", 1, 2 * SECOND);
    for (int t = 0; t < 2; t++) {
        uint64_t time = (uint64_t)(t + 1) * SECOND;
        uint32_t a = fixture_add(f, t, t == 0 ? total : 0, "A", 1, time);
        uint32_t b = fixture_add(f, t, a, "B", 1, time);
        fixture_add(f, t, b, "C", 1, time);
        fixture_add(f, t, b, "CC", 1, 0);
    }
}

/* Two threads with all possible contents of a report. */
__attribute__((unused)) static void fixture_whole(struct fixture *f)
{
    static struct gptl_crossing crossing = {"work", "odd \"one\"\n", 2};
    static struct gptl_interval_row row = {2, 1, SECOND, SECOND, SECOND};
    static struct gptl_interval spans[] = {{"a", 2, 1, &row}, {"", 1, 0, NULL}};
    static struct gptl_histogram h;
    fixture_init(f, 2);
    memset(&h, 0, sizeof h);
    f->profile.has_overhead = true;
    uint32_t top = fixture_add(f, 0, 0, "main", 0, 0);
    f->nodes[0][top].open = 1;
    f->nodes[0][top].open_ticks = 3 * SECOND + 1;
    uint32_t work = fixture_add(f, 0, top, "work", 3, 2500 * MS);
    f->nodes[0][work].max = 2 * SECOND;
    f->nodes[0][work].min = 1;
    struct gptl_extra_copy *extra = fixture_extra(f, 0, work);
    extra->values[0] = 1500000;
    extra->values[1] = 1;
    extra->histogram = &h;
    gptl_core_histogram_add(&h, 1);
    gptl_core_histogram_add(&h, SECOND / 2);
    gptl_core_histogram_add(&h, 2 * SECOND);
    fixture_add_edge(f, 0, work, work, 1);
    fixture_add(f, 0, work, "odd \"one\"\n", 1, 7);
    fixture_add(f, 0, top, "never called", 0, 0);
    f->copies[0].crossed = 2;
    f->copies[0].ncrossings = 1;
    f->copies[0].crossings = &crossing;
    f->copies[0].live = true;
    f->copies[0].nintervals = 2;
    f->copies[0].intervals = spans;
    uint32_t other = fixture_add(f, 1, 0, "work", 1, 3);
    f->nodes[1][other].unstopped = 1;
    f->copies[1].seconds_per_tick = 0x1p-30; /* 0.93 ns */
}

/* From a salvage file. */
__attribute__((unused)) static void fixture_salvaged(struct fixture *f)
{
    fixture_omptest(f);
    f->profile.salvaged = "/tmp/gptl.4711";
    f->profile.command = NULL;
    f->profile.options = NULL;
    f->profile.narguments = f->profile.noptions = 0;
}

/*
 * Manual regions and functions: a function that has its name, one that has not, and one that has
 * the name of a manual region.
 */
__attribute__((unused)) static void fixture_functions(struct fixture *f)
{
    static struct gptl_module modules[] = {{"model", "/home/user/my \"model\"", "0123456789abcdef"},
                                           {"libx.so", "", ""}};
    static struct gptl_function functions[] = {
        {2, 0, 0x1f40, "model+0x1f40", "solve<double>", "src/solve.cpp", 12},
        {3, 1, UINT64_MAX, "libx.so+0xffffffffffffffff", NULL, NULL, 0},
        {4, 1, 16, "libx.so+0x10", "main", "x.c", 0}};
    fixture_init(f, 2);
    fixture_region(f, "main");
    fixture_region(f, "solve<double>");
    fixture_region(f, "libx.so+0xffffffffffffffff");
    for (int t = 0; t < 2; t++) {
        uint32_t top = fixture_add(f, t, 0, "main", 1, 4 * SECOND);
        uint32_t solve = fixture_add(f, t, top, "solve<double>", 2, 3 * SECOND);
        uint32_t other = fixture_add(f, t, solve, "libx.so+0xffffffffffffffff", 5, SECOND);
        f->nodes[t][fixture_add(f, t, other, "main", 1, MS)].region = 4;
        fixture_add_edge(f, t, other, solve, 1);
    }
    f->profile.modules = modules;
    f->profile.nmodules = 2;
    f->profile.functions = functions;
    f->profile.nfunctions = 3;
}

/* ---- What is written ----------------------------------------------------------------------- */

__attribute__((unused)) static char *fixture_read(const char *path);

typedef int fixture_writer(struct gptl_out *out, const struct gptl_profile *profile);
typedef void fixture_name_writer(struct gptl_out *out, const char *name);

/* The output of WRITE for PROFILE or, if that is NULL, of WRITE_NAME for NAME. */
__attribute__((unused)) static char *fixture_output(fixture_writer *write,
                                                    const struct gptl_profile *profile,
                                                    fixture_name_writer *write_name,
                                                    const char *name)
{
    char path[] = "written.XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    struct gptl_out *out = gptl_out_new(fd);
    if (profile)
        assert_int_equal(write(out, profile), 0);
    else
        write_name(out, name);
    assert_int_equal(gptl_out_flush(out), 0);
    free(out);
    close(fd);
    char *text = fixture_read(path);
    unlink(path);
    return text;
}

__attribute__((unused)) static char *fixture_written(fixture_writer *write,
                                                     const struct gptl_profile *profile)
{
    return fixture_output(write, profile, NULL, NULL);
}

__attribute__((unused)) static char *fixture_written_name(fixture_name_writer *write,
                                                          const char *name)
{
    return fixture_output(NULL, NULL, write, name);
}

__attribute__((unused)) static void fixture_check_name(fixture_name_writer *write, const char *name,
                                                       const char *expected)
{
    char *text = fixture_written_name(write, name);
    assert_string_equal(text, expected);
    free(text);
}

/* ---- Any tree ------------------------------------------------------------------------------ */

__attribute__((unused)) static uint32_t fixture_random(uint32_t limit)
{
    static uint64_t state = 88172645463325252U;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 33) % limit;
}

/* A random tree in the form of the core: an edge to an open region leads back to its node. */
__attribute__((unused)) static void fixture_random_tree(struct fixture *f, uint32_t nregions)
{
    static char region_names[FIXTURE_NODES][8];
    fixture_init(f, 1);
    for (uint32_t i = 0; i < FIXTURE_NODES; i++)
        snprintf(region_names[i], sizeof region_names[i], "r%u", i);
    while (f->copies[0].nnodes < FIXTURE_NODES) {
        uint32_t parent = fixture_random(f->copies[0].nnodes), target = parent;
        const char *name = region_names[fixture_random(nregions)];
        uint64_t count = fixture_random(20);
        if (f->nodes[0][parent].target != parent)
            continue;
        while (target && strcmp(f->nodes[0][target].name, name) != 0)
            target = f->nodes[0][target].parent;
        if (target) {
            fixture_add_edge(f, 0, parent, target, count);
            f->nodes[0][target].count += count;
        } else {
            fixture_add(f, 0, parent, name, count, count);
        }
    }
}

/* ---- Golden files -------------------------------------------------------------------------- */

__attribute__((unused)) static char *fixture_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(size + 1);
    text[fread(text, 1, size, file)] = '\0';
    fclose(file);
    return text;
}

static struct gptl_style fixture_style;

__attribute__((unused)) static int fixture_write_text(struct gptl_out *out,
                                                      const struct gptl_profile *profile)
{
    return gptl_text_write(out, profile, &fixture_style);
}

__attribute__((unused)) static char *fixture_text(const struct fixture *f, struct gptl_style style)
{
    fixture_style = style;
    return fixture_written(fixture_write_text, &f->profile);
}

/* Compare TEXT with golden file NAME. */
__attribute__((unused)) static void fixture_compare(const char *text, const char *name)
{
    char path[4096];
    const char *srcdir = getenv("srcdir");
    snprintf(path, sizeof path, "%s/ctests/golden/%s", srcdir ? srcdir : ".", name);
    if (getenv("UPDATE_GOLDEN")) {
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        fputs(text, file);
        fclose(file);
        return;
    }
    char *golden = fixture_read(path);
    if (!golden)
        fail_msg("there is no %s", path);
    if (strcmp(text, golden) != 0)
        fail_msg("differs from %s:\n%s", path, text);
    free(golden);
}

#endif
