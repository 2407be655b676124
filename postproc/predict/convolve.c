/*
 * convolve.c - the price of a block, by kind of access.
 *
 * Accesses in order: each costs what it costs in the first cache, and each line from farther away
 * what a line adds to that in the profile's own loop. Scattered ones cost what the curve of random
 * accesses has where its hit rates are theirs. A processor does arithmetic, and starts
 * instructions, while it waits for memory: the longest of the three counts.
 */
#include "config.h"

#include "postproc/predict/convolve.h"

#include <math.h>

/* Where the accesses of a block to each level are on the curves. */
struct places {
    double at[PRICES_LEVELS];
};

/* What a line from LEVEL adds to accesses in order, beyond their time in the first cache. */
static double line_seconds(const struct prices *prices, const struct places *places,
                           enum machine_operation operation, double bytes, size_t level)
{
    double more = prices_sequential(prices, operation, bytes, places->at[level]) -
                  prices_sequential(prices, operation, bytes, places->at[0]);
    /* A line that is loaded and stored to has an access of each for each element. */
    double accesses = (operation == MACHINE_LOAD_STORE ? 2 : 1) * prices->line_bytes / bytes;
    return fmax(more, 0) * accesses;
}

static double sum_of(const struct prices *prices, const double *accesses, size_t first)
{
    double sum = 0;
    for (size_t level = first; level < prices->nlevels; level++)
        sum += accesses[level];
    return sum;
}

/*
 * The part of the lines loaded from beyond the first cache that stores go to: they are written back.
 * Stores that miss have lines of their own.
 */
static double stored_part(const struct prices *prices, const struct use *use)
{
    const double *loads = use->accesses[MACHINE_LOAD][USE_NEAR];
    const double *stores = use->accesses[MACHINE_STORE][USE_NEAR];
    double loaded = sum_of(prices, loads, 1);
    double lines = sum_of(prices, stores, 0) * use->bytes[MACHINE_STORE] / prices->line_bytes -
                   sum_of(prices, stores, 1);
    return loaded > 0 && lines > 0 ? fmin(lines / loaded, 1) : 0;
}

static double near_seconds(const struct prices *prices, const struct places *places,
                           const struct use *use)
{
    const double *loads = use->accesses[MACHINE_LOAD][USE_NEAR];
    const double *stores = use->accesses[MACHINE_STORE][USE_NEAR];
    const double *bytes = use->bytes;
    double stored = stored_part(prices, use);
    double nloads = sum_of(prices, loads, 0), nstores = sum_of(prices, stores, 0);
    double both = fmin(nloads, nstores), first = places->at[0];
    double seconds =
        2 * both * prices_sequential(prices, MACHINE_LOAD_STORE, bytes[MACHINE_STORE], first) +
        (nloads - both) * prices_sequential(prices, MACHINE_LOAD, bytes[MACHINE_LOAD], first) +
        (nstores - both) * prices_sequential(prices, MACHINE_STORE, bytes[MACHINE_STORE], first);
    for (size_t level = 1; level < prices->nlevels; level++) {
        double load = line_seconds(prices, places, MACHINE_LOAD, bytes[MACHINE_LOAD], level);
        double load_store =
            line_seconds(prices, places, MACHINE_LOAD_STORE, bytes[MACHINE_STORE], level);
        double store = line_seconds(prices, places, MACHINE_STORE, bytes[MACHINE_STORE], level);
        seconds += loads[level] * ((1 - stored) * load + stored * load_store);
        seconds += stores[level] * store;
    }
    return seconds;
}

static double strided_seconds(const struct prices *prices, const struct places *places,
                              const struct use *use, enum machine_operation operation)
{
    double seconds = 0;
    for (size_t level = 0; level < prices->nlevels; level++) {
        double n = use->accesses[operation][USE_STRIDED][level];
        if (n > 0)
            seconds += n * prices_strided(prices, operation, use->stride_lines, places->at[level]);
    }
    return seconds;
}

static double scattered_seconds(const struct prices *prices, const struct places *places,
                                const struct prices_scattered *of, const double *accesses)
{
    double share[PRICES_LEVELS], n = 0, seconds = 0;
    for (size_t level = 0; level < prices->nlevels; level++)
        n += accesses[level];
    if (!(n > 0))
        return 0;
    for (size_t level = 0; level < prices->nlevels; level++)
        share[level] = accesses[level] / n;
    if (of->curve.known)
        return n * prices_scattered(prices, of, share);
    /* A profile without such a curve: lines in order. */
    for (size_t level = 0; level < prices->nlevels; level++)
        seconds += accesses[level] * prices_strided(prices, MACHINE_LOAD, 1, places->at[level]);
    return seconds;
}

static double memory_seconds(const struct prices *prices, const struct use *use)
{
    struct places places;
    for (size_t level = 0; level < prices->nlevels; level++)
        places.at[level] = prices_place(prices, level, use->working_set);
    double seconds = near_seconds(prices, &places, use);
    for (int i = 0; i < MACHINE_LOAD_STORE; i++) {
        enum machine_operation operation = (enum machine_operation)i;
        seconds += strided_seconds(prices, &places, use, operation);
        seconds +=
            scattered_seconds(prices, &places, &prices->random[i], use->accesses[i][USE_RANDOM]);
    }
    return seconds + scattered_seconds(prices, &places, &prices->dependent, use->dependent);
}

static double arithmetic_seconds(const struct prices *prices, const struct use *use)
{
    double seconds = use->floats * prices->float_seconds +
                     use->divides[0] * prices->divide_seconds[0] +
                     use->divides[1] * prices->divide_seconds[1];
    return fmax(seconds, use->chain * prices->float_latency);
}

struct cost convolve(const struct prices *prices, const struct use *use)
{
    struct cost cost = {.memory = memory_seconds(prices, use),
                        .arithmetic = arithmetic_seconds(prices, use),
                        .issue = use->instructions * prices->instruction_seconds};
    cost.total = fmax(fmax(cost.memory, cost.arithmetic), cost.issue);
    return cost;
}
