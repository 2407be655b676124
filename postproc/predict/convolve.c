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

/* What a line from LEVEL adds to accesses in order, beyond their time in the first cache. */
static double line_seconds(const struct prices *prices, enum machine_operation operation,
                           double bytes, size_t level)
{
    double more = prices_sequential(prices, operation, bytes, level) -
                  prices_sequential(prices, operation, bytes, 0);
    return fmax(more, 0) * prices->line_bytes / bytes;
}

/* Loads that have a store beside them cost what both cost together, less what the store costs. */
static double near_seconds(const struct prices *prices, const struct use *use)
{
    double seconds = 0, loads_here = 0, stores_here = 0;
    double load_bytes = use->bytes[MACHINE_LOAD], store_bytes = use->bytes[MACHINE_STORE];
    for (size_t level = 0; level < prices->nlevels; level++) {
        double loads = use->accesses[MACHINE_LOAD][USE_NEAR][level];
        double stores = use->accesses[MACHINE_STORE][USE_NEAR][level];
        loads_here += loads;
        stores_here += stores;
        if (level == 0)
            continue;
        double both = fmin(loads, stores);
        if (both > 0)
            seconds += 2 * both * line_seconds(prices, MACHINE_LOAD_STORE, store_bytes, level);
        if (loads > both)
            seconds +=
                (loads - both) * line_seconds(prices, MACHINE_LOAD, load_bytes, level);
        if (stores > both)
            seconds +=
                (stores - both) * line_seconds(prices, MACHINE_STORE, store_bytes, level);
    }
    double both = fmin(loads_here, stores_here);
    if (both > 0)
        seconds += 2 * both * prices_sequential(prices, MACHINE_LOAD_STORE, store_bytes, 0);
    if (loads_here > both)
        seconds += (loads_here - both) * prices_sequential(prices, MACHINE_LOAD, load_bytes, 0);
    if (stores_here > both)
        seconds += (stores_here - both) * prices_sequential(prices, MACHINE_STORE, store_bytes, 0);
    return seconds;
}

static double strided_seconds(const struct prices *prices, const struct use *use,
                              enum machine_operation operation)
{
    double seconds = 0;
    for (size_t level = 0; level < prices->nlevels; level++) {
        double n = use->accesses[operation][USE_STRIDED][level];
        if (n > 0)
            seconds += n * prices_strided(prices, operation, use->stride_lines, level);
    }
    return seconds;
}

static double scattered_seconds(const struct prices *prices, const struct prices_scattered *of,
                                const double *accesses)
{
    double share[PRICES_LEVELS], n = 0, seconds = 0;
    for (size_t level = 0; level < prices->nlevels; level++)
        n += accesses[level];
    if (!(n > 0))
        return 0;
    for (size_t level = 0; level < prices->nlevels; level++)
        share[level] = accesses[level] / n;
    if (of->curve)
        return n * prices_scattered(prices, of, share);
    /* A profile without such a curve: lines in order. */
    for (size_t level = 0; level < prices->nlevels; level++)
        seconds += accesses[level] * prices_strided(prices, MACHINE_LOAD, 1, level);
    return seconds;
}

static double memory_seconds(const struct prices *prices, const struct use *use)
{
    double seconds = near_seconds(prices, use);
    for (int i = 0; i < MACHINE_LOAD_STORE; i++) {
        enum machine_operation operation = (enum machine_operation)i;
        seconds += strided_seconds(prices, use, operation);
        seconds += scattered_seconds(prices, &prices->random[i], use->accesses[i][USE_RANDOM]);
    }
    return seconds + scattered_seconds(prices, &prices->dependent, use->dependent);
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
