/*
 * convolve.c - the cost of a block, by kind of access.
 *
 * Every access pays the time of the first cache. A line from a farther cache costs as much as in
 * the loop with the highest bandwidth from the same cache; a line from memory costs as much as in a
 * loop of equally wide accesses. Scattered accesses cost as much as on the curve of random accesses
 * at the point with equal hit rates. The processor overlaps all of these with the core's time for
 * instructions.
 */
#include "config.h"

#include "postproc/predict/convolve.h"

#include <math.h>

/* Working set at which to look up each level's curve. */
struct places {
    double at[PRICES_LEVELS];
};

static struct places places_of(const struct prices *prices, const struct use *use)
{
    struct places places = {{0}};
    for (size_t level = 0; level < prices->nlevels; level++)
        places.at[level] = prices_place(prices, level, use->working_set);
    return places;
}

static double sum_of(const struct prices *prices, const double *accesses, size_t first)
{
    double sum = 0;
    for (size_t level = first; level < prices->nlevels; level++)
        sum += accesses[level];
    return sum;
}

static double all_accesses(const struct prices *prices, const struct use *use,
                           enum machine_operation operation)
{
    double n = 0;
    for (int c = 0; c < USE_NCLASSES; c++)
        n += sum_of(prices, use->accesses[operation][c], 0);
    return n;
}

/*
 * Return the fraction of the lines loaded from beyond the first cache that are also stored to, and
 * thus written back. Store misses have separate lines.
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

/*
 * Return the fraction of the shorter of loads and stores in the first cache that overlaps with the
 * longer: the gain of a loop with one store of BYTES per load over separate loops.
 */
static double hidden_part(const struct prices *prices, double bytes, double first)
{
    double load = prices_sequential(prices, MACHINE_LOAD, bytes, first);
    double store = prices_sequential(prices, MACHINE_STORE, bytes, first);
    double pair = 2 * prices_sequential(prices, MACHINE_LOAD_STORE, bytes, first);
    double shorter = fmin(load, store);
    return shorter > 0 ? fmin((load + store - pair) / shorter, 1) : 0;
}

/* Return the time of all accesses as if all hit in the first cache. */
static double first_seconds(const struct prices *prices, const struct places *places,
                            const struct use *use)
{
    double first = places->at[0], seconds[MACHINE_LOAD_STORE];
    for (int i = 0; i < MACHINE_LOAD_STORE; i++) {
        enum machine_operation operation = (enum machine_operation)i;
        seconds[i] = all_accesses(prices, use, operation) *
                         prices_sequential(prices, operation, use->bytes[i], first) +
                     use->splits[i] * prices->split_seconds[i];
    }
    return seconds[MACHINE_LOAD] + seconds[MACHINE_STORE] -
           hidden_part(prices, use->bytes[MACHINE_STORE], first) *
               fmin(seconds[MACHINE_LOAD], seconds[MACHINE_STORE]);
}

/*
 * Return the overlapped time of A and B: (A^5 + B^5)^(1/5), i.e. the longer one, plus a seventh if
 * both are equal. The power was fitted, see doc/prediction.md.
 */
static double overlap(double a, double b)
{
    enum { POWER = 5 };
    double longer = fmax(a, b), part = longer > 0 ? fmin(a, b) / longer : 0;
    return longer * pow(1 + pow(part, POWER), 1.0 / POWER);
}

/*
 * Return the time of the sequentially accessed lines from LEVEL, beyond the first cache. If some
 * lines are loaded and others stored, pairs of them cost as much as in a copy.
 */
static double near_seconds(const struct prices *prices, const struct places *places,
                           const struct use *use, size_t level)
{
    const double *loads = use->accesses[MACHINE_LOAD][USE_NEAR];
    const double *stores = use->accesses[MACHINE_STORE][USE_NEAR];
    double stored = stored_part(prices, use), at = places->at[level];
    double load = prices_line(prices, MACHINE_LOAD, level, use->bytes[MACHINE_LOAD], at);
    double both = prices_line(prices, MACHINE_LOAD_STORE, level, use->bytes[MACHINE_LOAD], at);
    double store = prices_line(prices, MACHINE_STORE, level, use->bytes[MACHINE_STORE], at);
    double copy = prices_line(prices, MACHINE_COPY, level, use->bytes[MACHINE_STORE], at);
    double only_loaded = (1 - stored) * loads[level], pairs = fmin(only_loaded, stores[level]);
    return stored * loads[level] * both + pairs * copy + (only_loaded - pairs) * load +
           (stores[level] - pairs) * store;
}

static double lines_from_memory(const struct prices *prices, const struct use *use)
{
    return use->accesses[MACHINE_LOAD][USE_NEAR][prices->nlevels - 1];
}

static double strided_seconds(const struct prices *prices, const struct places *places,
                              const struct use *use, size_t level)
{
    double seconds = 0;
    for (int i = 0; i < MACHINE_LOAD_STORE; i++) {
        enum machine_operation operation = (enum machine_operation)i;
        double n = use->accesses[operation][USE_STRIDED][level];
        if (n > 0)
            seconds += n * prices_strided(prices, operation, use->stride_lines, places->at[level]);
    }
    return seconds;
}

/*
 * Return the time of scattered accesses of one kind; FAR gets the part of the last cache and
 * memory.
 */
static double scattered_seconds(const struct prices *prices, const struct prices_scattered *of,
                                const double *accesses, const struct use *use, double *far)
{
    double share[PRICES_LEVELS], n = sum_of(prices, accesses, 0), far_each;
    if (!(n > 0))
        return 0;
    for (size_t level = 0; level < prices->nlevels; level++)
        share[level] = accesses[level] / n;
    double each =
        prices_scattered(prices, of, share, use->scattered_set, use->working_set, &far_each);
    *far += n * far_each;
    return n * each;
}

/*
 * Return the time that WINDOWS stalls of the reorder buffer wait for ACCESSES. An access causes at
 * most one stall; the slowest accesses count first.
 */
static double waiting_seconds(const struct prices *prices, const struct use *use,
                              const double *accesses, double windows)
{
    double seconds = 0;
    for (size_t level = prices->nlevels; level-- > prices_far_level(prices);) {
        double waits = fmin(windows, accesses[level]);
        seconds += waits * prices_latency(prices, level, use->scattered_set);
        windows -= waits;
    }
    return seconds;
}

/*
 * Return the additional time of random accesses to the last cache and memory over the curve, whose
 * loop has almost no other instructions: while the oldest access waits, only later accesses within
 * the reorder buffer overlap with it. A compare and the branch that ends a block are one fused
 * instruction.
 */
static double window_seconds(const struct prices *prices, const struct use *use)
{
    /* instructions of the curve's loop: load an index, load the element */
    enum { OWN = 2, OWN_INTEGERS = 1 };
    const double *loads = use->accesses[MACHINE_LOAD][USE_RANDOM];
    const double *stores = use->accesses[MACHINE_STORE][USE_RANDOM];
    double far = sum_of(prices, loads, prices_far_level(prices));
    double other_stores =
        all_accesses(prices, use, MACHINE_STORE) - sum_of(prices, stores, prices_far_level(prices));
    double of_loads = prices_windows(prices, use->instructions - use->executions - OWN * far,
                                     use->integers - OWN_INTEGERS * far);
    return waiting_seconds(prices, use, loads, of_loads) +
           waiting_seconds(prices, use, stores, prices_windows_of_stores(prices, other_stores));
}

/*
 * Return the time of random loads and stores; FAR gets the line transfers from the last cache and
 * memory. Stalls of the reorder buffer do not occupy line fill buffers.
 */
static double random_seconds(const struct prices *prices, const struct use *use, double *far)
{
    const double *loads = use->accesses[MACHINE_LOAD][USE_RANDOM];
    const double *stores = use->accesses[MACHINE_STORE][USE_RANDOM];
    return scattered_seconds(prices, &prices->random[MACHINE_LOAD], loads, use, far) +
           scattered_seconds(prices, &prices->random[MACHINE_STORE], stores, use, far) +
           window_seconds(prices, use);
}

/*
 * Return the time in which LEVEL, beyond the first cache, delivers all lines in any order at its
 * highest bandwidth.
 */
static double handing_out(const struct prices *prices, const struct places *places,
                          const struct use *use, size_t level)
{
    double lines = use->dependent[level];
    for (int i = 0; i < MACHINE_LOAD_STORE; i++)
        for (int c = 0; c < USE_NCLASSES; c++)
            lines += use->accesses[i][c][level];
    return lines *
           prices_line(prices, MACHINE_LOAD, level, use->bytes[MACHINE_LOAD], places->at[level]);
}

/*
 * Return the time of accesses beyond the first cache. Transfers from different levels overlap, and
 * so do scattered accesses. But all lines from the last cache and memory share the core's few line
 * fill buffers, so together they take at least the sum of the parts.
 */
static double beyond_first(struct cost *cost, const struct prices *prices, const struct use *use,
                           double beside)
{
    struct places places = places_of(prices, use);
    double far = 0, waiting = 0, lines;
    for (size_t level = 1; level < prices->nlevels; level++) {
        lines = near_seconds(prices, &places, use, level) +
                strided_seconds(prices, &places, use, level);
        if (level >= prices_far_level(prices))
            waiting += lines;
        else
            cost->lines = overlap(cost->lines, lines);
    }
    waiting +=
        lines_from_memory(prices, use) *
        prices_beside(prices, beside, use->bytes[MACHINE_LOAD], places.at[prices->nlevels - 1]);
    cost->lines = overlap(cost->lines, waiting);
    cost->scattered = random_seconds(prices, use, &far);
    cost->scattered += scattered_seconds(prices, &prices->dependent, use->dependent, use, &far);
    for (int i = 0; i < MACHINE_LOAD_STORE; i++)
        if (use->conflicts[i] > 0)
            cost->scattered +=
                use->conflicts[i] *
                prices_conflict(prices, (enum machine_operation)i, use->conflict_lines[i]);
    double beyond = fmax(overlap(cost->lines, cost->scattered), waiting + far);
    for (size_t level = 1; level < prices_far_level(prices); level++)
        beyond = fmax(beyond, handing_out(prices, &places, use, level));
    return beyond;
}

/* Return the arithmetic time; functional units are pipelined. */
static double arithmetic_seconds(const struct prices *prices, const struct use *use)
{
    return use->floats * prices->float_seconds + use->divides[0] * prices->divide_seconds[0] +
           use->divides[1] * prices->divide_seconds[1];
}

/*
 * Return the simulated time of a core; without a simulation, the overlapped times of instruction
 * issue and arithmetic.
 */
static double core_seconds(const struct prices *prices, const struct use *use,
                           const struct cost *own)
{
    double seconds = use->core;
    if (!(seconds > 0))
        return overlap(own->arithmetic, own->issue);
    for (size_t level = 1; level < prices->nlevels; level++)
        seconds +=
            use->waits[level] * prices_wait(prices, level, use->scattered_set, use->working_set);
    return seconds;
}

/* ---- Interleaved blocks ------------------------------------------------------------------- */

/* Return the costs of a block alone. */
static struct cost own_parts(const struct prices *prices, const struct use *use)
{
    struct places places = places_of(prices, use);
    struct cost own = {.first = first_seconds(prices, &places, use),
                       .arithmetic = arithmetic_seconds(prices, use),
                       .issue = use->instructions * prices->instruction_seconds};
    own.core = core_seconds(prices, use, &own);
    return own;
}

/*
 * Return the overlapped time. The simulated core's time includes arithmetic, but possibly on more
 * units than exist, so the slower of both counts.
 */
static double together(double first, double arithmetic, double core)
{
    return overlap(first, fmax(arithmetic, core));
}

/*
 * Return the fraction of a block's instructions that overlaps with other blocks in the reorder
 * buffer: the ends of its runs.
 */
static double part_beside(const struct prices *prices, const struct use *use)
{
    double window = use->runs * prices->window;
    return use->instructions > 0 ? fmin(window / use->instructions, 1) : 0;
}

/*
 * Add the streams that compete for the hardware prefetcher: sequential loads including hits in the
 * first cache, loads that alternate between several places, strided loads, and random loads that
 * miss.
 */
static void add_streams(const struct prices *prices, const struct use *use, struct beside *sum)
{
    const double(*loads)[PRICES_LEVELS] = use->accesses[MACHINE_LOAD];
    double in_order = sum_of(prices, loads[USE_NEAR], 0) * use->bytes[MACHINE_LOAD];
    double lines = lines_from_memory(prices, use);
    sum->lines += lines;
    sum->others += fmax(in_order / prices->line_bytes - lines, 0) + use->in_turn +
                   sum_of(prices, loads[USE_STRIDED], 1) + sum_of(prices, loads[USE_RANDOM], 1);
}

void convolve_beside(const struct prices *prices, const struct use *use, struct beside *sum)
{
    struct cost own = own_parts(prices, use);
    double part = part_beside(prices, use);
    sum->first += part * own.first;
    sum->arithmetic += part * own.arithmetic;
    sum->core += part * own.core;
    sum->apart += part * together(own.first, own.arithmetic, own.core);
    add_streams(prices, use, sum);
}

/* Return the fraction of a block's core time that remains when other blocks overlap. */
static double left_beside(const struct prices *prices, const struct use *use,
                          const struct beside *beside)
{
    if (!(beside->apart > 0))
        return 1;
    double all = together(beside->first, beside->arithmetic, beside->core);
    return 1 - part_beside(prices, use) * (1 - all / beside->apart);
}

struct cost convolve(const struct prices *prices, const struct use *use,
                     const struct beside *beside)
{
    struct cost cost = own_parts(prices, use);
    double streams = beside->lines > 0 ? beside->others / beside->lines : 0;
    double beyond = beyond_first(&cost, prices, use, streams);
    cost.memory = overlap(beyond, cost.first);
    cost.total = overlap(beyond, left_beside(prices, use, beside) *
                                     together(cost.first, cost.arithmetic, cost.core));
    cost.pages = use->new_pages * prices->page_seconds;
    cost.total += cost.pages;
    return cost;
}
