/*
 * noise.c - a permutation test of many figures at once.
 *
 * If A and B are the same program, every assignment of the runs to the two sets is equally likely.
 * So the test computes the largest statistic of all figures for each assignment (split), and a
 * figure of the real split differs if few splits have a larger maximum (step-down maximum: P. H.
 * Westfall, S. S. Young, Resampling-Based Multiple Testing, 1993). The test is exact for any noise
 * and any dependence between figures, because all figures of a run move together.
 *
 * The statistic affects only the power of the test. It is the t statistic of the logarithms with
 * two modifications:
 *
 *  - Outliers, i.e. isolated values, are excluded from a figure. The test finds them without using
 *    the sets: their K nearest neighbors are far away, whereas the values of a truly slower set are
 *    close to each other. So an outlier hides no change.
 *  - The variance is moderated: it is combined with the variance of figures of similar size (as in
 *    G. K. Smyth, Statistical Applications in Genetics and Molecular Biology 3, 2004). With few
 *    runs, one of hundreds of figures always has a tiny variance by chance, and would be the
 *    maximum.
 *
 * The runs are not exchangeable if all runs of A precede all runs of B: a machine that slows down
 * over time makes B slower. The drift is visible within a set, where later runs are slower than
 * earlier ones. So a difference must exceed a multiple of that drift.
 */
#include "config.h"

#include "postproc/diff/noise.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* Above this number, splits are drawn at random instead of enumerated. */
    MOST_SPLITS = 20000,
    MOST_DRAWN = 9999,  /* largest number of drawn splits */
    LEAST_DRAWN = 999,  /* smallest number, with very many figures */
    BLOCK = 1024,       /* figures whose splits are counted together because they fit the cache */
    NEIGHBORS = 8,      /* figures of similar size on each side */
    MOST_NEAREST = 16,  /* maximum of K */
    CALIBRATIONS = 501, /* random samples that calibrate the typical distance of neighbors */
};

static const double budget = 2e9; /* additions in all drawn splits */
/* outliers are this many times as far from the Kth neighbor as typical values */
static const double alone = 6;
static const double prior = 4;           /* weight in runs of the variance of other figures */
static const double least_spread = 1e-4; /* relative; no machine is more reproducible */
static const double drifts = 2.5; /* required ratio of a difference to the drift within a set */

struct figure {
    size_t number;
    double mean, spread; /* of the logarithms, over A and B together */
    double prior_spread; /* spread of figures of similar size */
    double observed;     /* statistic of the real split */
};

/* Arrays are indexed by the position of a figure in FIGURES, unless stated otherwise. */
struct noise {
    size_t nfigures;
    int nruns, nsmall; /* nsmall: runs in the smaller set, which precedes the other set */
    struct figure *figures;
    double *logs;       /* by the figure's number, then by run */
    double *y, *weight; /* see cell(): logarithm less the mean; weight 1, or 0 for an outlier */
    double *squares;    /* sum of all y squared of a figure, plus the prior's */
    double *freedom;    /* degrees of freedom including the prior's */
    double *kept;       /* runs without outliers */
    /* splits in which this or a later figure has at least its observed statistic */
    double *clearer;
    double *largest; /* by split: the largest statistic of the figures counted so far */
    double *sorted;  /* space for 2 nruns values */
    double *levels;  /* by run: the level over all figures */
    int *members;
    uint64_t random;
};

/* ---- Helpers ------------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* Return a random number between 0 and 1, both excluded. */
static double uniform(uint64_t *state)
{
    return ((double)(next_random(state) >> 12) + 0.5) * 0x1p-52;
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Return the median of VALUES, which it sorts. */
static double median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, compare_doubles);
    return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

/* Return the number of ways to choose K of N, exact below 1e18. */
static double ways(int n, int k)
{
    double w = 1;
    for (int i = 1; i <= k && w < 1e18; i++)
        w = w * (n - k + i) / i;
    return round(w);
}

/*
 * Return the number of distinct splits: with equal set sizes, swapping the sets gives an equivalent
 * split.
 */
static double splits(int na, int nb)
{
    return ways(na + nb, na < nb ? na : nb) / (na == nb ? 2 : 1);
}

bool noise_can_tell(int na, int nb)
{
    return na >= 3 && nb >= 3 && splits(na, nb) * NOISE_ALPHA >= 1;
}

/* ---- Neighbors ----------------------------------------------------------------------------- */

/*
 * Return K: neighbors required of a run of the smaller set, though half of the set may be outliers.
 */
static int nearest(int nsmall)
{
    int k = nsmall / 2;
    return k < 2 ? 2 : k > MOST_NEAREST ? MOST_NEAREST : k;
}

/*
 * Return the distance of SORTED[i] to its Kth nearest neighbor: K + 1 consecutive values contain
 * all neighbors.
 */
static double distance(const double *sorted, int n, int k, int i)
{
    double least = INFINITY;
    for (int first = i > k ? i - k : 0; first <= i && first + k < n; first++)
        least = fmin(least, fmax(sorted[i] - sorted[first], sorted[first + k] - sorted[i]));
    return least;
}

/* Return the median distance. SORTED has N values, and space for N more. */
static double typical_distance(double *sorted, int n, int k)
{
    for (int i = 0; i < n; i++)
        sorted[n + i] = distance(sorted, n, k, i);
    return median(sorted + n, (size_t)n);
}

/*
 * Return the typical distance in normal noise of standard deviation 1. ROOM has space for 2 N
 * values.
 */
static double normal_distance(double *room, int n, int k)
{
    double found[CALIBRATIONS];
    uint64_t random = 1;
    for (int c = 0; c < CALIBRATIONS; c++) {
        for (int i = 0; i < n; i++) {
            double radius = sqrt(-2 * log(uniform(&random)));
            room[i] = radius * cos(2 * 3.14159265358979323846 * uniform(&random));
        }
        qsort(room, (size_t)n, sizeof *room, compare_doubles);
        found[c] = typical_distance(room, n, k);
    }
    return median(found, CALIBRATIONS);
}

/* ---- Figures ------------------------------------------------------------------------------- */

static int compare_means(const void *left, const void *right)
{
    const struct figure *a = left, *b = right;
    return a->mean != b->mean ? (a->mean > b->mean) - (a->mean < b->mean)
                              : (a->number > b->number) - (a->number < b->number);
}

static int compare_observed(const void *left, const void *right)
{
    const struct figure *a = left, *b = right;
    return a->observed != b->observed ? (a->observed < b->observed) - (a->observed > b->observed)
                                      : (a->number > b->number) - (a->number < b->number);
}

/* Take the logarithms, the smaller set first. */
static void take(struct noise *noise, const struct noise_figures *figures)
{
    int n = noise->nruns, first = figures->na > figures->nb ? figures->na : 0;
    for (size_t f = 0; f < noise->nfigures; f++) {
        const double *from = figures->values + f * (size_t)n;
        double *to = noise->logs + f * (size_t)n, sum = 0;
        for (int r = 0; r < n; r++)
            sum += to[r] = log(from[(r + first) % n] + figures->floor);
        noise->figures[f] = (struct figure){.number = f, .mean = sum / n};
    }
}

/*
 * Compute the spreads. UNIT is the typical distance of neighbors in normal noise of standard
 * deviation 1.
 */
static void find_spreads(struct noise *noise, double unit)
{
    struct figure *figures = noise->figures;
    size_t n = noise->nfigures, nruns = (size_t)noise->nruns;
    double window[2 * NEIGHBORS + 1];
    for (size_t f = 0; f < n; f++) {
        memcpy(noise->sorted, noise->logs + f * nruns, nruns * sizeof *noise->sorted);
        qsort(noise->sorted, nruns, sizeof *noise->sorted, compare_doubles);
        figures[f].spread =
            typical_distance(noise->sorted, noise->nruns, nearest(noise->nsmall)) / unit;
    }
    qsort(figures, n, sizeof *figures, compare_means);
    for (size_t i = 0; i < n; i++) {
        size_t m = 0;
        for (size_t j = i > NEIGHBORS ? i - NEIGHBORS : 0; j < n && j <= i + NEIGHBORS; j++)
            window[m++] = figures[j].spread;
        figures[i].prior_spread = fmax(median(window, m), least_spread);
    }
}

/* Return the index of a value in a blocked layout: by block of figures, then by run. */
static size_t cell(const struct noise *noise, size_t place, int r)
{
    return (place / BLOCK * (size_t)noise->nruns + (size_t)r) * BLOCK + place % BLOCK;
}

/* Compute the sums that the splits need for the figure at PLACE, without outliers. */
static void center(struct noise *noise, size_t place, double unit)
{
    const struct figure *f = &noise->figures[place];
    int n = noise->nruns, k = nearest(noise->nsmall);
    const double *logs = noise->logs + f->number * (size_t)n;
    double limit = alone * unit * fmax(f->spread, f->prior_spread), sum = 0, kept = 0;
    memcpy(noise->sorted, logs, (size_t)n * sizeof *logs);
    qsort(noise->sorted, (size_t)n, sizeof *noise->sorted, compare_doubles);
    for (int r = 0; r < n; r++) {
        int i = 0;
        while (noise->sorted[i] < logs[r])
            i++;
        bool keep = distance(noise->sorted, n, k, i) <= limit;
        noise->weight[cell(noise, place, r)] = keep;
        sum += keep ? logs[r] : 0;
        kept += keep;
    }
    noise->kept[place] = kept;
    noise->freedom[place] = fmax(kept - 2, 0) + prior;
    noise->squares[place] = prior * f->prior_spread * f->prior_spread;
    for (int r = 0; r < n; r++) {
        size_t at = cell(noise, place, r);
        noise->y[at] = noise->weight[at] > 0 ? logs[r] - sum / kept : 0;
        noise->squares[place] += noise->y[at] * noise->y[at];
    }
}

/* ---- Splits -------------------------------------------------------------------------------- */

/*
 * Compute the squared statistics TO of the N figures of a block from place FIRST on, in the split
 * whose smaller set is MEMBERS.
 */
static void find_statistics(const struct noise *noise, size_t first, size_t n, double *restrict to)
{
    double sum[BLOCK] = {0}, count[BLOCK] = {0};
    for (int m = 0; m < noise->nsmall; m++) {
        const double *restrict y = noise->y + cell(noise, first, noise->members[m]);
        const double *restrict weight = noise->weight + cell(noise, first, noise->members[m]);
        for (size_t i = 0; i < n; i++) {
            sum[i] += y[i];
            count[i] += weight[i];
        }
    }
    for (size_t i = 0; i < n; i++) {
        double kept = noise->kept[first + i], others = kept - count[i];
        bool enough = count[i] >= 2 && others >= 2;
        double between = enough ? sum[i] * sum[i] * kept / (count[i] * others) : 0;
        double within = noise->squares[first + i] - between;
        to[i] = between * noise->freedom[first + i] / (within > 0 ? within : DBL_MIN);
    }
}

/* Count the current split. LARGEST is the largest statistic of the later figures in this split. */
static void count_split(struct noise *noise, size_t first, size_t n, double *largest)
{
    double statistic[BLOCK];
    find_statistics(noise, first, n, statistic);
    for (size_t i = n; i-- > 0;) {
        *largest = statistic[i] > *largest ? statistic[i] : *largest;
        /* The sums of a split and its mirror image differ by rounding. */
        noise->clearer[first + i] += *largest >= noise->figures[first + i].observed * (1 - 1e-9);
    }
}

/* Select the real split. */
static void first_choice(struct noise *noise)
{
    for (int m = 0; m < noise->nsmall; m++)
        noise->members[m] = m;
    noise->random = 1;
}

/*
 * Select the next split in lexical order: with equal set sizes, the mirror images are in the second
 * half.
 */
static void next_choice(struct noise *noise)
{
    int n = noise->nruns, k = noise->nsmall, at = k - 1, *members = noise->members;
    while (at >= 0 && members[at] == n - k + at)
        at--;
    if (at < 0)
        return;
    members[at]++;
    for (int i = at + 1; i < k; i++)
        members[i] = members[i - 1] + 1;
}

/* Draw a random split, all with equal probability. */
static void draw(struct noise *noise)
{
    int k = 0;
    for (int r = 0; k < noise->nsmall; r++)
        if (uniform(&noise->random) * (noise->nruns - r) < noise->nsmall - k)
            noise->members[k++] = r;
}

/* Return the number of splits to count, including the real one. */
static int planned(const struct noise *noise, bool *drawn)
{
    double all = splits(noise->nsmall, noise->nruns - noise->nsmall);
    double affordable = budget / ((double)noise->nfigures * noise->nsmall);
    *drawn = all > MOST_SPLITS || all > fmax(affordable, LEAST_DRAWN);
    return (int)(*drawn ? fmin(fmax(affordable, LEAST_DRAWN), MOST_DRAWN) + 1 : all);
}

static void count_splits(struct noise *noise, int nsplits, bool drawn)
{
    for (size_t end = noise->nfigures, first; end > 0; end = first) {
        first = (end - 1) / BLOCK * BLOCK;
        first_choice(noise);
        for (int s = 0; s < nsplits; s++) {
            count_split(noise, first, end - first, &noise->largest[s]);
            if (drawn)
                draw(noise);
            else
                next_choice(noise);
        }
    }
}

/* ---- Drift --------------------------------------------------------------------------------- */

/*
 * Return the drift within N runs with LEVELS: the largest difference between the mean of the later
 * and of the earlier runs, over all moments that leave a fraction of the runs on each side.
 */
static double drift_within(const double *levels, int n)
{
    double drift = 0, sum = 0, all = 0, kept = 0, runs = 0, least;
    for (int r = 0; r < n; r++) {
        all += isnan(levels[r]) ? 0 : levels[r];
        kept += !isnan(levels[r]);
    }
    least = kept < 4 ? 1 : fmax(2, kept / 4);
    for (int r = 0; r < n; r++) {
        sum += isnan(levels[r]) ? 0 : levels[r];
        runs += !isnan(levels[r]);
        if (runs >= least && kept - runs >= least)
            drift = fmax(drift, fabs(sum / runs - (all - sum) / (kept - runs)));
    }
    return drift;
}

/*
 * Return the larger drift of the two sets. The level of a run is the median of all its figures, as
 * logarithms; a run with an outlying level is ignored. OF_FIGURES has space for one value per
 * figure.
 */
static double find_drift(const struct noise *noise, double *of_figures)
{
    int n = noise->nruns, k = nearest(noise->nsmall);
    double *levels = noise->levels, *sorted = noise->sorted;
    for (int r = 0; r < n; r++) {
        for (size_t i = 0; i < noise->nfigures; i++) {
            const struct figure *f = &noise->figures[i];
            of_figures[i] = noise->logs[f->number * (size_t)n + (size_t)r] - f->mean;
        }
        levels[r] = median(of_figures, noise->nfigures);
    }
    memcpy(sorted, levels, (size_t)n * sizeof *levels);
    qsort(sorted, (size_t)n, sizeof *sorted, compare_doubles);
    double limit = alone * typical_distance(sorted, n, k);
    for (int r = 0; r < n; r++) {
        int i = 0;
        while (sorted[i] < levels[r])
            i++;
        if (distance(sorted, n, k, i) > limit)
            sorted[n + r] = NAN;
        else
            sorted[n + r] = levels[r];
    }
    return fmax(drift_within(sorted + n, noise->nsmall),
                drift_within(sorted + n + noise->nsmall, n - noise->nsmall));
}

/* Return the difference between the means of the two sets for the figure at PLACE. */
static double difference(const struct noise *noise, size_t place)
{
    double sum = 0, count = 0;
    for (int r = 0; r < noise->nsmall; r++) {
        sum += noise->y[cell(noise, place, r)];
        count += noise->weight[cell(noise, place, r)];
    }
    double others = noise->kept[place] - count;
    return count > 0 && others > 0 ? fabs(sum / count + sum / others) : 0;
}

/* ---- Test ---------------------------------------------------------------------------------- */

static int allocate(struct noise *noise, int nsplits)
{
    size_t n = noise->nfigures, nruns = (size_t)noise->nruns;
    size_t blocks = (n + BLOCK - 1) / BLOCK * BLOCK;
    size_t others = 4 * n + (size_t)nsplits + 3 * nruns;
    if (n > SIZE_MAX / sizeof(double) / 4 / (3 * nruns + 4))
        return -1;
    noise->figures = malloc(n * sizeof *noise->figures);
    noise->members = malloc(nruns * sizeof *noise->members);
    noise->logs = calloc(n * nruns + 2 * blocks * nruns + others, sizeof *noise->logs);
    if (!noise->figures || !noise->members || !noise->logs)
        return -1;
    noise->y = noise->logs + n * nruns;
    noise->weight = noise->y + blocks * nruns;
    noise->squares = noise->weight + blocks * nruns;
    noise->freedom = noise->squares + n;
    noise->kept = noise->freedom + n;
    noise->clearer = noise->kept + n;
    noise->largest = noise->clearer + n;
    noise->sorted = noise->largest + nsplits;
    noise->levels = noise->sorted + 2 * nruns;
    return 0;
}

/* Compute the observed statistics and sort the figures by them. */
static void observe(struct noise *noise, const struct noise_figures *given)
{
    double unit = normal_distance(noise->sorted, noise->nruns, nearest(noise->nsmall));
    take(noise, given);
    find_spreads(noise, unit);
    for (size_t i = 0; i < noise->nfigures; i++)
        center(noise, i, unit);
    first_choice(noise);
    for (size_t first = 0; first < noise->nfigures; first += BLOCK) {
        double statistic[BLOCK];
        size_t n = noise->nfigures - first < BLOCK ? noise->nfigures - first : BLOCK;
        find_statistics(noise, first, n, statistic);
        for (size_t i = 0; i < n; i++)
            noise->figures[first + i].observed = statistic[i];
    }
    qsort(noise->figures, noise->nfigures, sizeof *noise->figures, compare_observed);
    for (size_t i = 0; i < noise->nfigures; i++)
        center(noise, i, unit);
}

/* Compute the p-values P, which first serve as scratch space for find_drift. */
static void conclude(struct noise *noise, bool apart, int nsplits, double *p)
{
    double highest = 0, drift = apart ? find_drift(noise, p) : 0;
    for (size_t i = 0; i < noise->nfigures; i++) {
        /* A figure's p-value is at least the p-value of any clearer figure. */
        highest = fmax(highest, noise->clearer[i] / nsplits);
        p[noise->figures[i].number] = apart && difference(noise, i) <= drifts * drift ? 1 : highest;
    }
}

int noise_test(const struct noise_figures *figures, double *p)
{
    int na = figures->na, nb = figures->nb;
    struct noise noise = {.nfigures = figures->n, .nruns = na + nb, .nsmall = na < nb ? na : nb};
    for (size_t f = 0; f < figures->n; f++)
        p[f] = 1;
    if (!noise_can_tell(na, nb) || figures->n == 0)
        return 0;
    bool drawn;
    int nsplits = planned(&noise, &drawn), result = allocate(&noise, nsplits);
    if (result == 0) {
        observe(&noise, figures);
        count_splits(&noise, nsplits, drawn);
        conclude(&noise, figures->apart, nsplits, p);
    }
    free(noise.figures);
    free(noise.members);
    free(noise.logs);
    return result;
}
