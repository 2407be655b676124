/* prices.c - what accesses and instructions cost, taken from the profile of a machine. */
#include "config.h"

#include "postproc/predict/prices.h"

#include <math.h>
#include <stdio.h>

/* ---- Curves -------------------------------------------------------------------------------- */

static double seconds_of(double rate)
{
    return rate > 0 ? 1 / rate : 0;
}

static double level_seconds(const struct prices *prices, const struct machine_kind *kind,
                            size_t level)
{
    return seconds_of(machine_level_rate(prices->machine, kind, level));
}

/* The curve of exactly this operation and access, or NULL. */
static const struct machine_curve *find_curve(const struct prices *prices,
                                              const struct machine_kind *kind)
{
    const struct machine_curve *curve = machine_curve_like(prices->machine, kind);
    bool same = curve && curve->kind.access == kind->access &&
                curve->kind.operation == kind->operation;
    return same ? curve : NULL;
}

static void take_sequential(struct prices *prices, enum machine_operation operation)
{
    static const unsigned widths[PRICES_WIDTHS] = {8, 16, 32, 64};
    struct prices_by_width *to = &prices->sequential[operation];
    for (int i = 0; i < PRICES_WIDTHS; i++) {
        struct machine_kind kind = {.operation = operation,
                                    .access = MACHINE_SEQUENTIAL,
                                    .width = i > 0 ? MACHINE_VECTOR : MACHINE_SCALAR,
                                    .pages = prices->pages,
                                    .access_bytes = widths[i],
                                    .cores = prices->cores};
        const struct machine_curve *curve = find_curve(prices, &kind);
        /* A width that the profile has not got gives the curve of another one again. */
        if (!curve || (to->n > 0 && curve->kind.access_bytes <= to->bytes[to->n - 1]))
            continue;
        to->bytes[to->n] = curve->kind.access_bytes;
        for (size_t level = 0; level < prices->nlevels; level++)
            to->seconds[to->n][level] = level_seconds(prices, &kind, level);
        to->n++;
    }
}

static void take_strided(struct prices *prices, enum machine_operation operation)
{
    for (unsigned i = 0; i < PRICES_STRIDES; i++) {
        struct machine_kind kind = {.operation = operation,
                                    .access = MACHINE_STRIDE,
                                    .pages = prices->pages,
                                    .stride_lines = 1U << i,
                                    .access_bytes = 8,
                                    .cores = prices->cores};
        for (size_t level = 0; level < prices->nlevels; level++)
            prices->strided[operation][i][level] = level_seconds(prices, &kind, level);
    }
}

static void take_scattered(const struct prices *prices, enum machine_operation operation,
                           enum machine_access access, struct prices_scattered *to)
{
    struct machine_kind kind = {.operation = operation,
                                .access = access,
                                .pages = prices->pages,
                                .access_bytes = 8,
                                .cores = prices->cores};
    to->curve = find_curve(prices, &kind);
    for (size_t level = 0; to->curve && level < prices->nlevels; level++)
        to->seconds[level] = level_seconds(prices, &kind, level);
}

/* ---- Arithmetic ---------------------------------------------------------------------------- */

static double unit_seconds(const struct machine *machine, enum machine_arithmetic operation,
                           enum machine_width width)
{
    const struct machine_unit *unit =
        machine_unit_of(machine, operation, width, MACHINE_DOUBLE);
    double flops = operation == MACHINE_MULTIPLY_ADD ? 2 : 1;
    return unit ? flops * (unit->lanes > 0 ? unit->lanes : 1) * seconds_of(unit->flops_per_second)
                : 0;
}

static void take_arithmetic(struct prices *prices)
{
    const struct machine *machine = prices->machine;
    const struct machine_unit *add =
        machine_unit_of(machine, MACHINE_ADD, MACHINE_SCALAR, MACHINE_DOUBLE);
    double fused = unit_seconds(machine, MACHINE_MULTIPLY_ADD, MACHINE_SCALAR);
    double multiply = unit_seconds(machine, MACHINE_MULTIPLY, MACHINE_SCALAR);
    prices->float_seconds = fused > 0 ? fused : multiply;
    prices->float_latency = add ? add->latency_seconds : 0;
    prices->divide_seconds[0] = unit_seconds(machine, MACHINE_DIVIDE, MACHINE_SCALAR);
    prices->divide_seconds[1] = unit_seconds(machine, MACHINE_DIVIDE, MACHINE_VECTOR);
    prices->instruction_seconds = seconds_of(machine->instructions_per_second);
}

/* ---- All of it ----------------------------------------------------------------------------- */

int prices_make(struct prices *prices, const char *who, const struct machine *machine,
                enum machine_pages pages, unsigned cores)
{
    *prices = (struct prices){.machine = machine,
                              .pages = pages,
                              .cores = cores,
                              .nlevels = machine->ncaches + 1,
                              .line_bytes = machine->line_bytes};
    if (prices->nlevels > PRICES_LEVELS) {
        fprintf(stderr, "%s: %s has %zu levels of cache; there may be %d\n", who, machine->name,
                machine->ncaches, PRICES_LEVELS - 1);
        return -1;
    }
    for (size_t level = 0; level < prices->nlevels; level++) {
        double least;
        machine_level_span(machine, level, cores, &least, &prices->cache_bytes[level]);
    }
    for (int i = 0; i < MACHINE_NOPERATIONS; i++) {
        enum machine_operation operation = (enum machine_operation)i;
        take_sequential(prices, operation);
        take_strided(prices, operation);
        take_scattered(prices, operation, MACHINE_RANDOM, &prices->random[i]);
    }
    take_scattered(prices, MACHINE_LOAD, MACHINE_DEPENDENT, &prices->dependent);
    take_arithmetic(prices);
    if (prices->sequential[MACHINE_LOAD].n > 0)
        return 0;
    fprintf(stderr, "%s: the profile of %s has no rates of sequential loads; measure it with `gptl maps`\n",
            who, machine->name);
    return -1;
}

/* ---- Prices -------------------------------------------------------------------------------- */

double prices_sequential(const struct prices *prices, enum machine_operation operation,
                         double bytes, size_t level)
{
    const struct prices_by_width *by = &prices->sequential[operation];
    size_t above = 0;
    if (by->n == 0)
        by = &prices->sequential[MACHINE_LOAD];
    while (above < by->n && by->bytes[above] < bytes)
        above++;
    if (above == 0)
        return by->seconds[0][level];
    if (above == by->n)
        return by->seconds[by->n - 1][level];
    double part = (bytes - by->bytes[above - 1]) / (by->bytes[above] - by->bytes[above - 1]);
    return (1 - part) * by->seconds[above - 1][level] + part * by->seconds[above][level];
}

double prices_strided(const struct prices *prices, enum machine_operation operation,
                      double stride_lines, size_t level)
{
    double place = stride_lines > 1 ? log2(stride_lines) : 0;
    if (place >= PRICES_STRIDES - 1)
        return prices->strided[operation][PRICES_STRIDES - 1][level];
    size_t below = (size_t)place;
    double part = place - (double)below;
    return (1 - part) * prices->strided[operation][below][level] +
           part * prices->strided[operation][below + 1][level];
}

/* The part of random accesses over WORKING_SET bytes that the caches up to LEVEL serve. */
static double served(const struct prices *prices, double working_set, size_t level)
{
    if (level + 1 >= prices->nlevels)
        return 1;
    double part = prices->cache_bytes[level] / working_set;
    return part < 1 ? part : 1;
}

/* How far what SHARE says is from random accesses over WORKING_SET bytes. */
static double distance(const struct prices *prices, const double *share, double working_set)
{
    double sum = 0, far = 0;
    for (size_t level = 0; level + 1 < prices->nlevels; level++) {
        sum += share[level];
        far += fabs(sum - served(prices, working_set, level));
    }
    return far;
}

/*
 * The working set over which random accesses are served like these: as in figure 2 of the paper, hit
 * rates are a place on the curve. Each cache's own rate suggests one; the best of them is taken.
 */
static double find_working_set(const struct prices *prices, const double *share)
{
    double best = prices->cache_bytes[0] / 2, least = distance(prices, share, best), sum = 0;
    for (size_t level = 0; level + 1 < prices->nlevels; level++) {
        sum += share[level];
        double there = prices->cache_bytes[level] / fmax(sum, 1e-9);
        double far = distance(prices, share, there);
        if (far < least) {
            least = far;
            best = there;
        }
    }
    return best;
}

double prices_scattered(const struct prices *prices, const struct prices_scattered *of,
                        const double *share)
{
    double working_set = find_working_set(prices, share), before = 0;
    double rate = machine_curve_at(of->curve, working_set);
    double seconds = rate > 0 ? 1 / rate : 0;
    for (size_t level = 0; level < prices->nlevels; level++) {
        double all = served(prices, working_set, level);
        seconds += (share[level] - (all - before)) * of->seconds[level];
        before = all;
    }
    return fmax(seconds, 0);
}
