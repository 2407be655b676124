/* diff_figures.c - gptl diff: the numbers of both sides, verdicts on them, and what is worth a row. */
#include "config.h"

#include "postproc/diff/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/paths/metric.h"
#include "postproc/diff/noise.h"
#include "postproc/paths/region_sums.h"

/* While figures are made. The values of a row are those of its runs, A's first. */
struct values {
    double *of[DIFF_METRICS];
    double *elapsed;
    size_t nruns;
    double (*lane)[DIFF_METRICS]; /* of each row, what one thread did */
    uint32_t *touched;            /* rows that it has something in */
    bool *touches;
    bool *seen; /* of each row, in the run of the last threads */
    bool *nested;
};

/* ---- Values -------------------------------------------------------------------------------- */

static int allocate(struct diff *diff, struct values *values)
{
    size_t nrows = diff->nrows, nruns = diff->runs->nruns[DIFF_A] + diff->runs->nruns[DIFF_B];
    values->nruns = nruns;
    bool done = true;
    for (int m = 0; m < DIFF_METRICS; m++) {
        values->of[m] = calloc(nrows * nruns, sizeof *values->of[m]);
        done = done && values->of[m];
    }
    values->elapsed = calloc(nruns, sizeof *values->elapsed);
    values->lane = calloc(nrows, sizeof *values->lane);
    values->touched = malloc(nrows * sizeof *values->touched);
    values->touches = calloc(nrows, sizeof *values->touches);
    values->seen = calloc(nrows, sizeof *values->seen);
    diff->rows = calloc(nrows, sizeof *diff->rows);
    diff->order = malloc(nrows * sizeof *diff->order);
    return done && values->elapsed && values->lane && values->touched && values->touches &&
                   values->seen && diff->rows && diff->order
               ? 0
               : -1;
}

static void free_values(struct values *values)
{
    for (int m = 0; m < DIFF_METRICS; m++)
        free(values->of[m]);
    free(values->elapsed);
    free(values->lane);
    free(values->touched);
    free(values->touches);
    free(values->seen);
}

/* Adds what LANE did to RUN's values. */
static void add_lane(struct diff *diff, struct values *values, const struct lane *lane, size_t run)
{
    uint32_t ntouched = 0;
    for (uint32_t i = 0; i < lane->nparts; i++) {
        const struct part *part = &diff->paths.parts[lane->first_part + i];
        uint32_t row = diff->options->flat ? diff->paths.paths[part->path].region : part->path;
        if (!values->touches[row]) {
            values->touches[row] = true;
            values->touched[ntouched++] = row;
            memset(values->lane[row], 0, sizeof values->lane[row]);
        }
        double *to = values->lane[row];
        if (!diff->options->flat || !values->nested[part->path])
            to[DIFF_TOTAL] += (double)part->figures.total;
        to[DIFF_SELF] += (double)part->figures.self;
        to[DIFF_CALLS] += (double)part->figures.calls;
    }
    for (uint32_t i = 0; i < ntouched; i++) {
        uint32_t row = values->touched[i];
        for (int m = 0; m < DIFF_METRICS; m++) {
            double *to = &values->of[m][row * values->nruns + run];
            double x = values->lane[row][m];
            *to = !diff->options->slowest ? *to + x : x > *to ? x : *to;
        }
        values->touches[row] = false;
        values->seen[row] = true;
    }
}

/* The lanes come in the order of the profiles. */
static void add_lanes(struct diff *diff, struct values *values)
{
    uint32_t lane = 0;
    for (size_t r = 0; r < values->nruns; r++) {
        const struct diff_run *run = &diff->runs->runs[r];
        for (int p = 0; p < run->inputs.nprofiles; p++) {
            const struct gptl_profile *profile = run->inputs.profiles[p];
            double elapsed = profile->process.elapsed * 1e9;
            if (elapsed > values->elapsed[r] && isfinite(elapsed))
                values->elapsed[r] = elapsed;
            for (; lane < diff->paths.nlanes && diff->paths.lanes[lane].profile == profile; lane++)
                add_lane(diff, values, &diff->paths.lanes[lane], r);
        }
        for (uint32_t row = 0; row < diff->nrows; row++) {
            diff->rows[row].seen[run->side] += values->seen[row];
            values->seen[row] = false;
        }
    }
}

/* ---- Medians ------------------------------------------------------------------------------- */

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* SORTED is room for the values of a side. */
static void take_medians(const struct diff_runs *runs, const double *values, double *sorted,
                         struct diff_figure *figure)
{
    figure->chance = 1;
    for (int side = 0; side < DIFF_SIDES; side++) {
        size_t n = runs->nruns[side];
        memcpy(sorted, values, n * sizeof *sorted);
        qsort(sorted, n, sizeof *sorted, compare_doubles);
        figure->of[side] = round((sorted[(n - 1) / 2] + sorted[n / 2]) / 2);
        figure->varies[side] = sorted[0] != sorted[n - 1];
        values += n;
    }
}

static int make_medians(struct diff *diff, const struct values *values)
{
    double *sorted = malloc(values->nruns * sizeof *sorted);
    if (!sorted)
        return -1;
    for (uint32_t i = 0; i < diff->nrows; i++)
        for (int m = 0; m < DIFF_METRICS; m++)
            take_medians(diff->runs, values->of[m] + i * values->nruns, sorted,
                         &diff->rows[i].figure[m]);
    take_medians(diff->runs, values->elapsed, sorted, &diff->elapsed);
    free(sorted);
    return 0;
}

static double mean(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return sum / (double)n;
}

/* It must not depend on which run is of which side, or the noise test would be wrong. */
static void find_limit(struct diff *diff, const struct values *values)
{
    double run = mean(values->of[DIFF_TOTAL], values->nruns);
    if (run == 0)
        run = mean(values->elapsed, values->nruns);
    diff->limit = fmax(diff->options->threshold * run, diff->options->min * 1e9);
}

/* ---- The noise test ------------------------------------------------------------------------ */

struct test {
    double *values, *chances;
    struct diff_figure **figures;
    size_t n;
};

/* Counts that never vary need no test. */
static bool is_tested(const struct diff *diff, const struct values *values, uint32_t row,
                      int metric)
{
    const struct diff_figure *figure = &diff->rows[row].figure[metric];
    if (!diff->options->compared[metric] || (row == 0 && metric != DIFF_TOTAL))
        return false;
    if (metric == DIFF_CALLS)
        return !diff_is_exact(figure);
    double size = mean(values->of[metric] + row * values->nruns, values->nruns);
    return size > 0 && size >= diff->limit;
}

static void add_to_test(struct test *test, const double *values, size_t nruns,
                        struct diff_figure *figure)
{
    if (test->values) {
        memcpy(test->values + test->n * nruns, values, nruns * sizeof *values);
        test->figures[test->n] = figure;
    }
    test->n++;
}

static void choose(struct diff *diff, const struct values *values, struct test *test)
{
    const bool *compared = diff->options->compared;
    test->n = 0;
    if ((compared[DIFF_TOTAL] || compared[DIFF_SELF]) && mean(values->elapsed, values->nruns) > 0)
        add_to_test(test, values->elapsed, values->nruns, &diff->elapsed);
    for (int m = 0; m < DIFF_METRICS; m++)
        for (uint32_t i = 0; i < diff->nrows; i++)
            if (is_tested(diff, values, i, m))
                add_to_test(test, values->of[m] + i * values->nruns, values->nruns,
                            &diff->rows[i].figure[m]);
}

/* Times shorter than a part of what is shown are all the same; counts differ by 1. */
static double floor_of(const struct diff *diff)
{
    return diff->options->compared[DIFF_CALLS] ? 0.5 : fmax(diff->limit / 10, 1000);
}

static int test_noise(struct diff *diff, const struct values *values)
{
    struct test test = {0};
    if (!diff->can_tell)
        return 0;
    choose(diff, values, &test);
    test.values = malloc((test.n * values->nruns + 1) * sizeof *test.values);
    test.figures = malloc((test.n + 1) * sizeof *test.figures);
    test.chances = malloc((test.n + 1) * sizeof *test.chances);
    int result = -1;
    if (test.values && test.figures && test.chances) {
        choose(diff, values, &test);
        struct noise_figures figures = {.values = test.values,
                                        .n = test.n,
                                        .na = (int)diff->runs->nruns[DIFF_A],
                                        .nb = (int)diff->runs->nruns[DIFF_B],
                                        .floor = floor_of(diff),
                                        .apart = diff->runs->first != DIFF_SIDES};
        result = noise_test(&figures, test.chances);
        for (size_t i = 0; i < test.n; i++)
            test.figures[i]->chance = test.chances[i];
        diff->ntested = (uint32_t)test.n;
    }
    free(test.values);
    free(test.figures);
    free(test.chances);
    return result;
}

/* ---- Verdicts ------------------------------------------------------------------------------ */

const char *diff_verdict_word(enum diff_verdict verdict, enum diff_metric metric)
{
    static const char *const words[] = {"same", "slower", "faster", "added", "vanished", "?"};
    if (metric == DIFF_CALLS && (verdict == DIFF_MORE || verdict == DIFF_LESS))
        return verdict == DIFF_MORE ? "more" : "fewer";
    return words[verdict];
}

/* SEEN NULL: in all runs. */
static void judge(struct diff *diff, struct diff_figure *figure, int metric, const uint32_t *seen)
{
    double change = diff_change(figure), limit = metric == DIFF_CALLS ? 0 : diff->limit;
    if (seen && seen[DIFF_A] == 0 && seen[DIFF_B] == diff->runs->nruns[DIFF_B])
        figure->verdict = DIFF_ADDED;
    else if (seen && seen[DIFF_B] == 0 && seen[DIFF_A] == diff->runs->nruns[DIFF_A])
        figure->verdict = DIFF_VANISHED;
    else if (change == 0 || fabs(change) < limit)
        figure->verdict = DIFF_SAME;
    else if ((metric == DIFF_CALLS && diff_is_exact(figure)) || figure->chance <= NOISE_ALPHA)
        figure->verdict = change > 0 ? DIFF_MORE : DIFF_LESS;
    else
        figure->verdict = diff->can_tell ? DIFF_SAME : DIFF_UNKNOWN;
}

/* Of compared figures, that is. */
static bool has_changed(const struct diff *diff, const struct diff_row *row)
{
    const bool *compared = diff->options->compared;
    bool long_enough = false, changed = false;
    for (int m = 0; m < DIFF_METRICS; m++) {
        const struct diff_figure *figure = &row->figure[m];
        if (!compared[m])
            continue;
        if (m == DIFF_CALLS || fmax(figure->of[DIFF_A], figure->of[DIFF_B]) >= diff->limit)
            long_enough = true;
        changed = changed || figure->verdict != DIFF_SAME;
    }
    /* How often a path was called is exact, unlike its time. */
    enum diff_verdict calls = row->figure[DIFF_CALLS].verdict;
    return long_enough && (changed || calls == DIFF_MORE || calls == DIFF_LESS);
}

/* Whether it would have a row if changes were never too small. */
static bool is_different(const struct diff *diff, const struct diff_row *row)
{
    bool different = false;
    for (int m = 0; m < DIFF_METRICS; m++)
        if (diff->options->compared[m] || m == DIFF_CALLS)
            different = different || row->figure[m].verdict != DIFF_SAME ||
                        (!diff->can_tell && diff_change(&row->figure[m]) != 0);
    return different;
}

static void fail_if_slow(struct diff *diff, const struct diff_figure *figure, int metric,
                         const char *name)
{
    const struct diff_options *o = diff->options;
    double change = diff_change(figure), before = figure->of[DIFF_A];
    bool too_slow = (o->fail_part >= 0 && before > 0 && change > o->fail_part * before) ||
                    (o->fail_seconds >= 0 && change > o->fail_seconds * 1e9);
    bool counts = figure->verdict == DIFF_MORE || figure->verdict == DIFF_ADDED ||
                  figure->verdict == DIFF_UNKNOWN;
    if (!too_slow || !counts || (metric != DIFF_CALLS && change < diff->limit))
        return;
    if (diff->nfailed++ == 0)
        diff->failed = name;
}

static void judge_all(struct diff *diff)
{
    const bool *compared = diff->options->compared;
    diff->identical = diff_change(&diff->elapsed) == 0 && diff_is_exact(&diff->elapsed);
    judge(diff, &diff->elapsed, DIFF_TOTAL, NULL);
    if (!compared[DIFF_CALLS])
        fail_if_slow(diff, &diff->elapsed, DIFF_TOTAL, "the whole run");
    for (uint32_t i = 0; i < diff->nrows; i++) {
        struct diff_row *row = &diff->rows[i];
        for (int m = 0; m < DIFF_METRICS; m++) {
            struct diff_figure *figure = &row->figure[m];
            judge(diff, figure, m, i ? row->seen : NULL);
            diff->identical = diff->identical && diff_change(figure) == 0 && diff_is_exact(figure);
            if (compared[m] && (i || m == DIFF_TOTAL))
                fail_if_slow(diff, figure, m, i ? row->name : "all regions");
        }
        row->changed = i > 0 && row->name && has_changed(diff, row);
        diff->nchanged += row->changed;
        diff->nhidden += i > 0 && row->name && !row->changed && is_different(diff, row);
    }
}

/* ---- Rows ---------------------------------------------------------------------------------- */

static void name_paths(struct diff *diff)
{
    for (uint32_t i = 0; i < diff->nrows; i++) {
        const struct path *path = &diff->paths.paths[i];
        diff->rows[i] = (struct diff_row){.name = path->name,
                                          .function = path->function,
                                          .parent = path->parent,
                                          .level = path->depth};
    }
}

/* Row 0 is not that of region 0, which has what is no region. */
static void name_regions(struct diff *diff, const struct region_sums *sums)
{
    for (uint32_t i = 1; i < diff->nrows; i++)
        diff->rows[i] = (struct diff_row){
            .name = sums->sums[i].name, .function = sums->sums[i].function, .level = 1};
}

static void show(struct diff *diff)
{
    for (uint32_t i = diff->nrows; i-- > 1;) {
        struct diff_row *row = &diff->rows[i];
        row->shown = row->shown || row->changed || (diff->options->all && row->name);
        if (row->shown && row->parent)
            diff->rows[row->parent].shown = true;
    }
}

/*
 * Those of the largest change first, each followed by those below it. NEXT and FIRST are room for
 * siblings and children.
 */
static void link_shown(struct diff *diff, struct sorted *items, uint32_t *first, uint32_t *next)
{
    const bool *compared = diff->options->compared;
    int metric = compared[DIFF_TOTAL] ? DIFF_TOTAL : compared[DIFF_SELF] ? DIFF_SELF : DIFF_CALLS;
    size_t n = 0;
    for (uint32_t i = 1; i < diff->nrows; i++)
        if (diff->rows[i].shown)
            items[n++] = (struct sorted){.weight = fabs(diff_change(&diff->rows[i].figure[metric])),
                                         .group = diff->rows[i].parent,
                                         .item = i};
    sort_by_weight(items, n);
    while (n-- > 0) {
        uint32_t parent = items[n].group;
        next[items[n].item] = first[parent];
        first[parent] = items[n].item;
    }
    for (uint32_t at = first[0]; at;) {
        diff->order[diff->nshown++] = at;
        if (first[at]) {
            at = first[at];
            continue;
        }
        while (at && !next[at])
            at = diff->rows[at].parent;
        at = at ? next[at] : 0;
    }
}

static int sort_rows(struct diff *diff)
{
    struct sorted *items = malloc(diff->nrows * sizeof *items);
    uint32_t *first = calloc(diff->nrows, sizeof *first);
    uint32_t *next = calloc(diff->nrows, sizeof *next);
    int result = items && first && next ? 0 : -1;
    if (result == 0) {
        show(diff);
        link_shown(diff, items, first, next);
    }
    free(items);
    free(first);
    free(next);
    return result;
}

/* ---- All of it ----------------------------------------------------------------------------- */

static int make_figures(struct diff *diff)
{
    struct values values = {0};
    struct region_sums sums = {0};
    diff->nrows = diff->options->flat ? diff->paths.nregions + 1 : diff->paths.npaths;
    int result = allocate(diff, &values);
    if (result == 0 && diff->options->flat)
        result = region_sums_make(&sums, &diff->paths);
    if (result == 0) {
        values.nested = sums.nested;
        if (diff->options->flat)
            name_regions(diff, &sums);
        else
            name_paths(diff);
        add_lanes(diff, &values);
        result = make_medians(diff, &values);
    }
    if (result == 0) {
        find_limit(diff, &values);
        result = test_noise(diff, &values);
    }
    if (result == 0) {
        judge_all(diff);
        result = sort_rows(diff);
    }
    if (diff->options->flat)
        region_sums_free(&sums);
    free_values(&values);
    return result;
}

int diff_make(struct diff *diff, const struct diff_runs *runs, const struct diff_options *options)
{
    *diff = (struct diff){.options = options, .runs = runs};
    diff->can_tell = noise_can_tell((int)runs->nruns[DIFF_A], (int)runs->nruns[DIFF_B]);
    if (diff_notes_make(&diff->notes, runs, options->slowest))
        return -1;
    if (paths_make(&diff->paths, runs->profiles, (int)runs->nprofiles))
        return -1;
    return make_figures(diff);
}

void diff_free(struct diff *diff)
{
    diff_notes_free(&diff->notes);
    paths_free(&diff->paths);
    free(diff->rows);
    free(diff->order);
    memset(diff, 0, sizeof *diff);
}
