/* diff_values.c - gptl diff: the value of each row in each run, and the medians of both sides. */
#include "config.h"

#include "postproc/diff/diff_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Values -------------------------------------------------------------------------------- */

static int allocate(struct diff *diff, struct values *values)
{
    size_t nrows = diff->nrows, nruns = diff->runs->nruns[DIFF_A] + diff->runs->nruns[DIFF_B];
    values->nruns = nruns;
    bool done = true;
    for (int m = 0; m < DIFF_METRICS; m++) {
        bool is_time = m == DIFF_TOTAL || m == DIFF_SELF;
        if (diff_is_of_event(m) && !diff->event)
            continue;
        values->of[m] = calloc(nrows * nruns, sizeof *values->of[m]);
        values->error[m] = is_time ? calloc(nrows * nruns, sizeof *values->error[m]) : NULL;
        done = done && values->of[m] && (!is_time || values->error[m]);
    }
    values->elapsed = calloc(nruns, sizeof *values->elapsed);
    values->lane = calloc(nrows, sizeof *values->lane);
    values->touched = malloc(nrows * sizeof *values->touched);
    values->touches = calloc(nrows, sizeof *values->touches);
    values->seen = calloc(nrows, sizeof *values->seen);
    return done && values->elapsed && values->lane && values->touched && values->touches &&
                   values->seen
               ? 0
               : -1;
}

void values_free(struct values *values)
{
    for (int m = 0; m < DIFF_METRICS; m++) {
        free(values->of[m]);
        free(values->error[m]);
    }
    free(values->elapsed);
    free(values->lane);
    free(values->touched);
    free(values->touches);
    free(values->seen);
}

/* Add the values of part NUMBER to TO; inclusive times only if INCLUSIVE. */
static void add_part(const struct diff *diff, uint32_t number, bool inclusive, struct diff_lane *to)
{
    const struct figures *figures = &diff->paths.parts[number].figures;
    if (inclusive) {
        to->of[DIFF_TOTAL] += (double)figures->total;
        to->error[DIFF_TOTAL] += (double)figures->error;
    }
    to->of[DIFF_SELF] += (double)figures->self;
    to->error[DIFF_SELF] += (double)figures->self_error;
    to->of[DIFF_CALLS] += (double)figures->calls;
    if (!diff->event)
        return;
    uint32_t slot = diff->event->slot;
    if (inclusive)
        to->of[DIFF_COUNT] += (double)paths_counts(&diff->paths, number, COUNT_INCLUSIVE)[slot];
    to->of[DIFF_OWN] += (double)paths_counts(&diff->paths, number, COUNT_EXCLUSIVE)[slot];
}

/* Add the values of a lane in ROW to the run's values. An event of a whole process counts once. */
static void add_value(const struct diff *diff, struct values *values, uint32_t row, size_t run,
                      int metric)
{
    const struct diff_lane *lane = &values->lane[row];
    size_t at = row * values->nruns + run;
    double *to = &values->of[metric][at], x = lane->of[metric];
    bool sum = !diff->options->slowest;
    bool once = diff_is_of_event(metric) && diff->event->scope != GPTL_SCOPE_THREAD;
    if (sum ? once && values->seen[row] : x <= *to)
        return;
    *to = sum ? *to + x : x;
    double *error = values->error[metric] ? &values->error[metric][at] : NULL;
    if (error)
        *error = sum ? *error + lane->error[metric] : lane->error[metric];
}

/* Add the values of LANE to RUN. */
static void add_lane(struct diff *diff, struct values *values, const struct lane *lane, size_t run)
{
    uint32_t ntouched = 0;
    for (uint32_t i = 0; i < lane->nparts; i++) {
        const struct part *part = &diff->paths.parts[lane->first_part + i];
        uint32_t row = diff->options->flat ? diff->paths.paths[part->path].region : part->path;
        if (!values->touches[row]) {
            values->touches[row] = true;
            values->touched[ntouched++] = row;
            memset(&values->lane[row], 0, sizeof values->lane[row]);
        }
        add_part(diff, lane->first_part + i, !diff->options->flat || !values->nested[part->path],
                 &values->lane[row]);
    }
    for (uint32_t i = 0; i < ntouched; i++) {
        uint32_t row = values->touched[i];
        for (int m = 0; m < DIFF_METRICS; m++)
            if (values->of[m])
                add_value(diff, values, row, run, m);
        values->touches[row] = false;
        values->seen[row] = true;
    }
}

/* Add all lanes, which are ordered like the profiles. */
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

static double median(const double *sorted, size_t n)
{
    return round((sorted[(n - 1) / 2] + sorted[n / 2]) / 2);
}

/*
 * Compute the medians of both sides. SORTED has space for the values of a side. ERRORS is NULL if
 * nothing is estimated.
 */
static void take_medians(const struct diff_runs *runs, const double *values, const double *errors,
                         double *sorted, struct diff_figure *figure)
{
    figure->chance = 1;
    for (int side = 0; side < DIFF_SIDES; side++) {
        size_t n = runs->nruns[side];
        memcpy(sorted, values, n * sizeof *sorted);
        qsort(sorted, n, sizeof *sorted, compare_doubles);
        figure->of[side] = median(sorted, n);
        figure->varies[side] = sorted[0] != sorted[n - 1];
        values += n;
        if (!errors)
            continue;
        memcpy(sorted, errors, n * sizeof *sorted);
        qsort(sorted, n, sizeof *sorted, compare_doubles);
        figure->error[side] = median(sorted, n);
        errors += n;
    }
}

static int make_medians(struct diff *diff, const struct values *values)
{
    double *sorted = malloc(values->nruns * sizeof *sorted);
    if (!sorted)
        return -1;
    for (uint32_t i = 0; i < diff->nrows; i++)
        for (int m = 0; m < DIFF_METRICS; m++)
            if (values->of[m])
                take_medians(diff->runs, values->of[m] + i * values->nruns,
                             values->error[m] ? values->error[m] + i * values->nruns : NULL, sorted,
                             &diff->rows[i].figure[m]);
    take_medians(diff->runs, values->elapsed, NULL, sorted, &diff->elapsed);
    free(sorted);
    return 0;
}

int values_make(struct diff *diff, struct values *values, const bool *nested)
{
    *values = (struct values){.nested = nested};
    if (allocate(diff, values))
        return -1;
    add_lanes(diff, values);
    return make_medians(diff, values);
}
