/* diff_runs.c - gptl diff: reads the profiles of each run. A run is a file or a directory. */
#include "config.h"

#include "postproc/diff/diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char who[] = "gptl diff";

static int no_memory(void)
{
    fprintf(stderr, "%s: there is no memory for the list of runs\n", who);
    return -1;
}

static int read_run(struct diff_run *run)
{
    if (inputs_find(&run->inputs, who, &run->path, 1) || inputs_read(&run->inputs, who, 0))
        return -1;
    if (run->inputs.nprofiles > 0)
        return 0;
    fprintf(stderr, "%s: %s: there is nothing in it to compare\n", who, run->path);
    return -1;
}

static int list_profiles(struct diff_runs *runs, uint32_t nruns)
{
    size_t n = 0;
    for (uint32_t i = 0; i < nruns; i++)
        n += (size_t)runs->runs[i].inputs.nprofiles;
    runs->profiles = malloc(n * sizeof *runs->profiles);
    if (!runs->profiles)
        return no_memory();
    for (uint32_t i = 0; i < nruns; i++) {
        struct diff_run *run = &runs->runs[i];
        run->first = runs->nprofiles;
        for (int p = 0; p < run->inputs.nprofiles; p++)
            runs->profiles[runs->nprofiles++] = run->inputs.profiles[p];
    }
    return 0;
}

/* ---- Chronological order ------------------------------------------------------------------- */

static double start_of(const struct diff_run *run)
{
    return run->inputs.profiles[0]->process.started;
}

static int compare_starts(const void *left, const void *right)
{
    const struct diff_run *x = left, *y = right;
    double a = start_of(x), b = start_of(y);
    if (x->side != y->side)
        return x->side < y->side ? -1 : 1;
    return a != b ? (a > b) - (a < b) : strcmp(x->path, y->path);
}

static void order_runs(struct diff_runs *runs)
{
    uint32_t na = runs->nruns[DIFF_A], all = na + runs->nruns[DIFF_B];
    qsort(runs->runs, all, sizeof *runs->runs, compare_starts);
    runs->first = start_of(&runs->runs[na - 1]) < start_of(&runs->runs[na])   ? DIFF_A
                  : start_of(&runs->runs[all - 1]) < start_of(&runs->runs[0]) ? DIFF_B
                                                                              : DIFF_SIDES;
}

/* ---- All runs ------------------------------------------------------------------------------ */

int diff_runs_read(struct diff_runs *runs, char **paths, const uint32_t *n)
{
    uint32_t all = n[DIFF_A] + n[DIFF_B];
    *runs = (struct diff_runs){.nruns = {n[DIFF_A], n[DIFF_B]},
                               .runs = calloc(all, sizeof *runs->runs)};
    if (!runs->runs)
        return no_memory();
    int failed = 0;
    for (uint32_t i = 0; i < all; i++) {
        runs->runs[i].path = paths[i];
        runs->runs[i].side = i < n[DIFF_A] ? DIFF_A : DIFF_B;
        failed |= read_run(&runs->runs[i]);
    }
    if (failed)
        return -1;
    order_runs(runs);
    return list_profiles(runs, all);
}

void diff_runs_free(struct diff_runs *runs)
{
    for (uint32_t i = 0; runs->runs && i < runs->nruns[DIFF_A] + runs->nruns[DIFF_B]; i++)
        inputs_free(&runs->runs[i].inputs);
    free(runs->profiles);
    free(runs->runs);
    memset(runs, 0, sizeof *runs);
}
