/*
 * noise_models.h - runs of a simulated program: times of many paths with the noise of machines. For
 * the test of postproc/noise.c and the bench that shows its rates.
 */
#ifndef GPTL_CTESTS_NOISE_MODELS_H
#define GPTL_CTESTS_NOISE_MODELS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "postproc/diff/noise.h"

enum noise_model {
    MODEL_NORMAL_1,  /* each time has 1 % of normal noise */
    MODEL_NORMAL_2,  /* 2 % */
    MODEL_SIZES,     /* 1 % and more, the shorter the path */
    MODEL_OUTLIERS,  /* 2 %, and 5 % of all times are 3 times as long */
    MODEL_HEAVY,     /* 1 % times Student's t with 2 degrees of freedom */
    MODEL_MACHINE,   /* 1 %, and whole runs are slower or faster by 3 % */
    MODEL_SLOW_RUNS, /* 1 %, and 5 % of the runs are up to 3 times as slow in all */
    MODEL_MIXED,     /* 1 % in most paths, 10 % in each fourth */
    MODEL_TREE,      /* 1 % in each path's exclusive time; times are sums over trees */
    MODELS
};

__attribute__((unused)) static const char *const model_names[MODELS] = {
    "normal 1 %",         "normal 2 %",     "noisier if short", "2 %, outliers",      "heavy tails",
    "1 %, whole run 3 %", "1 %, slow runs", "1 %, some 10 %",   "1 %, sums of trees",
};

static uint64_t model_random = 1;

/* A random number between 0 and 1, exclusive. */
static double model_uniform(void)
{
    uint64_t z = model_random += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return ((double)((z ^ z >> 31) >> 12) + 0.5) * 0x1p-52;
}

static double model_normal(void)
{
    double radius = sqrt(-2 * log(model_uniform()));
    return radius * cos(2 * 3.14159265358979323846 * model_uniform());
}

/* The noise of one time, as an exponent. */
static double model_noise(enum noise_model model, int path, double base)
{
    double e = model_normal();
    switch (model) {
    case MODEL_NORMAL_2:
        return 0.02 * e;
    case MODEL_SIZES:
        return fmin(sqrt(1e-4 + 1e-4 / base), 0.3) * e;
    case MODEL_OUTLIERS:
        return 0.02 * e + (model_uniform() < 0.05 ? log(3) : 0);
    case MODEL_HEAVY:
        return 0.01 * e / sqrt(-log(model_uniform()));
    case MODEL_MIXED:
        return (path % 4 == 2 ? 0.1 : 0.01) * e;
    default:
        return 0.01 * e;
    }
}

/* The common noise of all times of a run. */
static double model_run(enum noise_model model)
{
    if (model == MODEL_MACHINE)
        return 0.03 * model_normal();
    if (model == MODEL_SLOW_RUNS && model_uniform() < 0.05)
        return log(1 + 2 * model_uniform());
    return 0;
}

/*
 * Times of NPATHS paths in NA + NB runs, in the form of noise_test; path CHANGED takes FACTOR times
 * as long in B. In a tree the parent of path i > 0 is (i - 1) / 4, and the first half of VALUES are
 * the inclusive times, the second half the exclusive ones.
 */
static void model_make(enum noise_model model, double *values, int npaths, int na, int nb,
                       int changed, double factor)
{
    int n = na + nb, nself = model == MODEL_TREE ? npaths / 2 : npaths;
    double *self = values + (size_t)(npaths - nself) * (size_t)n;
    for (int i = 0; i < nself; i++) {
        double base = i == changed ? 1.5 : exp(3 * model_normal());
        for (int r = 0; r < n; r++)
            self[i * n + r] = base * exp(model_noise(model, i, base));
        for (int r = na; r < n && i == changed; r++)
            self[i * n + r] *= factor;
    }
    for (int r = 0; r < n; r++) {
        double common = exp(model_run(model));
        for (int i = 0; i < nself; i++)
            self[i * n + r] *= common;
    }
    if (model != MODEL_TREE)
        return;
    for (int i = 0; i < nself * n; i++)
        values[i] = self[i];
    for (int i = nself - 1; i > 0; i--)
        for (int r = 0; r < n; r++)
            values[(i - 1) / 4 * n + r] += values[i * n + r];
}

struct model_rates {
    double alarms; /* comparisons with itself that have any verdict */
    double found;  /* among comparisons with one path changed, those that find it */
    double beside; /* of the same, the ones with a verdict on another path */
};

/*
 * Of TRIALS comparisons each. In trees no path is unaffected: paths above the changed one change
 * too.
 */
__attribute__((unused)) static struct model_rates model_try(enum noise_model model, int npaths,
                                                            int na, int nb, int trials,
                                                            double factor, bool apart)
{
    size_t cells = (size_t)npaths * (size_t)(na + nb);
    double *values = malloc(cells * sizeof *values), *p = malloc((size_t)npaths * sizeof *p);
    struct noise_figures figures = {values, (size_t)npaths, na, nb, 1e-6, apart};
    int alarms = 0, found = 0, beside = 0;
    /* The last one: in a tree it is a leaf. */
    int nself = model == MODEL_TREE ? npaths / 2 : npaths, changed = nself - 1;
    int watched = npaths - nself + changed;
    for (int t = 0; t < trials; t++) {
        bool alarm = false, other = false;
        model_make(model, values, npaths, na, nb, -1, 1);
        if (noise_test(&figures, p))
            abort();
        for (int i = 0; i < npaths; i++)
            alarm |= p[i] <= NOISE_ALPHA;
        alarms += alarm;
        model_make(model, values, npaths, na, nb, changed, factor);
        if (noise_test(&figures, p))
            abort();
        for (int i = 0; i < npaths && model != MODEL_TREE; i++)
            other |= i != watched && p[i] <= NOISE_ALPHA;
        found += p[watched] <= NOISE_ALPHA;
        beside += other;
    }
    free(values);
    free(p);
    return (struct model_rates){(double)alarms / trials, (double)found / trials,
                                (double)beside / trials};
}

#endif
