/* diff_figures.c - gptl diff: figures and verdicts, and the choice of relevant rows. */
#include "config.h"

#include "postproc/diff/diff_values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/paths/metric.h"
#include "postproc/diff/noise.h"
#include "postproc/paths/region_sums.h"
#include "postproc/report/choose_metrics.h"

static double mean(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return sum / (double)n;
}

/*
 * Compute the display limit from all runs without regard to their side: the noise test would be
 * invalid otherwise.
 */
static void find_limit(struct diff *diff, const struct values *values)
{
    double run = mean(values->of[DIFF_TOTAL], values->nruns);
    if (run == 0)
        run = mean(values->elapsed, values->nruns);
    diff->limit = fmax(diff->options->threshold * run, diff->event ? 0 : diff->options->min * 1e9);
    if (diff->event)
        diff->event_limit =
            fmax(diff->options->threshold * fabs(mean(values->of[DIFF_COUNT], values->nruns)),
                 diff->options->min);
}

/* ---- The noise test ------------------------------------------------------------------------ */

struct test {
    double *values, *chances;
    struct diff_figure **figures;
    size_t n;
};

/* Return whether the figure takes part in the noise test; constant call counts need no test. */
static bool is_tested(const struct diff *diff, const struct values *values, uint32_t row,
                      int metric)
{
    const struct diff_figure *figure = &diff->rows[row].figure[metric];
    bool of_all = metric == DIFF_TOTAL || metric == DIFF_COUNT;
    if (!diff->options->compared[metric] || (row == 0 && !of_all))
        return false;
    if (metric == DIFF_CALLS)
        return !diff_is_exact(figure);
    double size = mean(values->of[metric] + row * values->nruns, values->nruns);
    return size > 0 && size >= diff_limit(diff, metric);
}

static void add_to_test(struct test *test, const double *values, size_t nruns,
                        struct diff_figure *figure)
{
    if (test->values) {
        for (size_t i = 0; i < nruns; i++) /* a few counts may be negative */
            test->values[test->n * nruns + i] = fmax(values[i], 0);
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

/*
 * Return the floor of noise_test: times far below the display limit are equivalent; counts differ
 * by at least 1.
 */
static double floor_of(const struct diff *diff)
{
    if (diff->event)
        return fmax(diff->event_limit / 10, 0.5);
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
    if (metric >= DIFF_CALLS && (verdict == DIFF_MORE || verdict == DIFF_LESS))
        return verdict == DIFF_MORE ? "more" : "fewer";
    return words[verdict];
}

/* Set the verdict. SEEN is NULL if the row exists in all runs. */
static void judge(struct diff *diff, struct diff_figure *figure, int metric, const uint32_t *seen)
{
    double change = diff_change(figure), limit = diff_limit(diff, metric);
    double error = figure->error[DIFF_A] + figure->error[DIFF_B];
    if (seen && seen[DIFF_A] == 0 && seen[DIFF_B] == diff->runs->nruns[DIFF_B])
        figure->verdict = DIFF_ADDED;
    else if (seen && seen[DIFF_B] == 0 && seen[DIFF_A] == diff->runs->nruns[DIFF_A])
        figure->verdict = DIFF_VANISHED;
    else if (change == 0 || fabs(change) < limit || fabs(change) <= error)
        figure->verdict = DIFF_SAME;
    else if ((metric == DIFF_CALLS && diff_is_exact(figure)) || figure->chance <= NOISE_ALPHA)
        figure->verdict = change > 0 ? DIFF_MORE : DIFF_LESS;
    else
        figure->verdict = diff->can_tell ? DIFF_SAME : DIFF_UNKNOWN;
}

/* Return whether a compared figure of the row changed. */
static bool has_changed(const struct diff *diff, const struct diff_row *row)
{
    const bool *compared = diff->options->compared;
    bool long_enough = false, changed = false;
    for (int m = 0; m < DIFF_METRICS; m++) {
        const struct diff_figure *figure = &row->figure[m];
        if (!compared[m])
            continue;
        if (fmax(figure->of[DIFF_A], figure->of[DIFF_B]) >= diff_limit(diff, m))
            long_enough = true;
        changed = changed || figure->verdict != DIFF_SAME;
    }
    /* Unlike times, the number of calls of a path is exact. */
    enum diff_verdict calls = row->figure[DIFF_CALLS].verdict;
    return long_enough && (changed || calls == DIFF_MORE || calls == DIFF_LESS);
}

/* Return whether the row would be shown without a minimum change. */
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
                    (o->fail_seconds >= 0 && change > o->fail_seconds * 1e9) ||
                    (o->fail_events >= 0 && change > o->fail_events);
    bool counts = figure->verdict == DIFF_MORE || figure->verdict == DIFF_ADDED ||
                  figure->verdict == DIFF_UNKNOWN;
    if (!too_slow || !counts || change < diff_limit(diff, metric))
        return;
    if (diff->nfailed++ == 0)
        diff->failed = name;
}

static void judge_all(struct diff *diff)
{
    const bool *compared = diff->options->compared;
    diff->identical = diff_change(&diff->elapsed) == 0 && diff_is_exact(&diff->elapsed);
    judge(diff, &diff->elapsed, DIFF_TOTAL, NULL);
    if (compared[DIFF_TOTAL] || compared[DIFF_SELF])
        fail_if_slow(diff, &diff->elapsed, DIFF_TOTAL, "the whole run");
    for (uint32_t i = 0; i < diff->nrows; i++) {
        struct diff_row *row = &diff->rows[i];
        for (int m = 0; m < DIFF_METRICS; m++) {
            struct diff_figure *figure = &row->figure[m];
            judge(diff, figure, m, i ? row->seen : NULL);
            diff->identical = diff->identical && diff_change(figure) == 0 && diff_is_exact(figure);
            if (compared[m] && (i || m == DIFF_TOTAL || m == DIFF_COUNT))
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

/*
 * Name the rows of regions. Row 0 sums up all regions; entry 0 of SUMS, for paths without a region,
 * is unused.
 */
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
 * Order siblings by decreasing change, each followed by its descendants. NEXT and FIRST have space
 * for siblings and children.
 */
static void link_shown(struct diff *diff, struct sorted *items, uint32_t *first, uint32_t *next)
{
    const bool *compared = diff->options->compared;
    int metric = 0; /* first compared metric */
    while (!compared[metric])
        metric++;
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

/* ---- Whole comparison ---------------------------------------------------------------------- */

static int make_figures(struct diff *diff)
{
    struct values values = {0};
    struct region_sums sums = {0};
    diff->nrows = diff->options->flat ? diff->paths.nregions + 1 : diff->paths.npaths;
    diff->rows = calloc(diff->nrows, sizeof *diff->rows);
    diff->order = malloc(diff->nrows * sizeof *diff->order);
    int result = diff->rows && diff->order ? 0 : -1;
    if (result == 0 && diff->options->flat)
        result = region_sums_make(&sums, &diff->paths);
    if (result == 0) {
        if (diff->options->flat)
            name_regions(diff, &sums);
        else
            name_paths(diff);
        result = values_make(diff, &values, sums.nested);
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
    values_free(&values);
    return result;
}

/* ---- Compared event ------------------------------------------------------------------------ */

static int no_event(const char *name, const char *problem)
{
    fprintf(stderr, "gptl diff: --metric %s: %s\n", name, problem);
    return -1;
}

static int list_events(const struct counts *counts, const char *name)
{
    fprintf(stderr, "gptl diff: --metric %s: there are total, self and calls; and of events ",
            name);
    metrics_list(counts, false);
    fputc('\n', stderr);
    return -1;
}

/* Find the event NAME; fails unless all runs counted it. */
static int find_event(struct diff *diff, const char *name)
{
    const struct diff_runs *runs = diff->runs;
    long column = counts_find(diff->paths.counts, name, strlen(name));
    if (column < 0)
        return list_events(diff->paths.counts, name);
    const struct metric_column *event = &diff->paths.counts->columns[column];
    if (event->expression)
        return no_event(name, "it is derived, and has no sum over threads; compare the events that "
                              "it is derived from");
    for (uint32_t r = 0; r < runs->nruns[DIFF_A] + runs->nruns[DIFF_B]; r++) {
        const struct diff_run *run = &runs->runs[r];
        uint32_t n = (uint32_t)run->inputs.nprofiles, has = 0;
        for (uint32_t p = 0; p < n; p++)
            has += event->has[run->first + p];
        if (has < n) {
            fprintf(stderr, "gptl diff: --metric %s: %u of %u processes of %s did not count it\n",
                    name, n - has, n, run->path);
            return -1;
        }
        if (event->scope != GPTL_SCOPE_THREAD && n > 1)
            return no_event(name, "it has counted for whole processes, or for the machine, and of "
                                  "several processes that has no sum; compare those of one rank");
    }
    diff->event = event;
    return 0;
}

int diff_make(struct diff *diff, const struct diff_runs *runs, const struct diff_options *options)
{
    *diff = (struct diff){.options = options, .runs = runs};
    diff->can_tell = noise_can_tell((int)runs->nruns[DIFF_A], (int)runs->nruns[DIFF_B]);
    if (diff_notes_make(&diff->notes, runs, options->slowest))
        return -1;
    if (paths_make(&diff->paths, runs->profiles, (int)runs->nprofiles))
        return -1;
    if (options->event && find_event(diff, options->event))
        return 1;
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
