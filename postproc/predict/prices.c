/* prices.c - prices of accesses and instructions, from the profile of a machine. */
#include "config.h"

#include "postproc/predict/prices.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "postproc/signature/signature.h"

/* ---- Curves -------------------------------------------------------------------------------- */

static const double least_working_set = 4096;

static double seconds_of(double rate)
{
    return rate > 0 ? 1 / rate : 0;
}

/* Return the curve with equal operation and access, or NULL; other properties may differ. */
static const struct machine_curve *find_curve(const struct prices *prices,
                                              const struct machine_kind *kind)
{
    const struct machine_curve *curve = machine_curve_like(prices->machine, kind);
    bool same =
        curve && curve->kind.access == kind->access && curve->kind.operation == kind->operation;
    return same ? curve : NULL;
}

static void take_curve(const struct prices *prices, const struct machine_kind *kind,
                       struct prices_curve *to)
{
    to->known = find_curve(prices, kind) != NULL;
    for (int i = 0; to->known && i < PRICES_OCTAVES * PRICES_STEPS; i++)
        to->seconds[i] = seconds_of(machine_rate(
            prices->machine, kind, least_working_set * exp2((double)i / PRICES_STEPS)));
}

static double curve_at(const struct prices_curve *curve, double working_set)
{
    double place = PRICES_STEPS * log2(fmax(working_set, least_working_set) / least_working_set);
    int last = PRICES_OCTAVES * PRICES_STEPS - 1;
    if (place >= last)
        return curve->seconds[last];
    int below = (int)place;
    double part = place - below;
    return (1 - part) * curve->seconds[below] + part * curve->seconds[below + 1];
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
        /*
         * For a width missing in the profile, the lookup returns the curve of another width again.
         */
        if (!curve || (to->n > 0 && curve->kind.access_bytes <= to->bytes[to->n - 1]))
            continue;
        to->bytes[to->n] = curve->kind.access_bytes;
        take_curve(prices, &kind, &to->curves[to->n++]);
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
        take_curve(prices, &kind, &prices->strided[operation][i]);
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
    to->in_turn = access == MACHINE_DEPENDENT;
    take_curve(prices, &kind, &to->curve);
    for (size_t level = 0; to->curve.known && level < prices->nlevels; level++)
        to->levels[level] = seconds_of(machine_level_rate(prices->machine, &kind, level));
}

/*
 * Take the curve of conflicting accesses and make it monotonic in the number of lines. A loop of
 * stores to 16 or 32 lines can run twice as fast as a loop to fewer, but not if it first loads an
 * equal number of lines, as programs do.
 */
static void take_conflict(struct prices *prices, enum machine_operation operation)
{
    struct machine_kind kind = {.operation = operation,
                                .access = MACHINE_CONFLICT,
                                .pages = prices->pages,
                                .access_bytes = 8,
                                .cores = prices->cores};
    struct prices_curve *to = &prices->conflict[operation];
    take_curve(prices, &kind, to);
    for (size_t i = 1; i < sizeof to->seconds / sizeof *to->seconds; i++)
        to->seconds[i] = fmax(to->seconds[i], to->seconds[i - 1]);
}

/* Return the kind of 32-byte accesses, or of the widest in the profile. */
static struct machine_kind of_vectors(const struct prices *prices, enum machine_operation operation,
                                      enum machine_access access)
{
    return (struct machine_kind){.operation = operation,
                                 .access = access,
                                 .width = MACHINE_VECTOR,
                                 .pages = prices->pages,
                                 .access_bytes = 32,
                                 .cores = prices->cores};
}

/*
 * Compute the additional time of an access that crosses a line boundary, from the profile's curves
 * of equally wide accesses within lines and across boundaries.
 */
static void take_split(struct prices *prices, enum machine_operation operation)
{
    struct machine_kind kind = of_vectors(prices, operation, MACHINE_SPLIT);
    const struct machine_curve *curve = find_curve(prices, &kind);
    if (!curve)
        return;
    double split = seconds_of(machine_level_rate(prices->machine, &kind, 0));
    double whole = prices_sequential(prices, operation, curve->kind.access_bytes,
                                     prices_place(prices, 0, INFINITY));
    prices->split_seconds[operation] = fmax(split - whole, 0);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/*
 * Return the median rate over all working sets in memory, because the hardware prefetcher stays in
 * one of several states for about a second.
 */
static double usual_in_memory(const struct prices *prices, const struct machine_curve *curve)
{
    double *rates = malloc(curve->npoints * sizeof *rates), rate = 0;
    double last = prices->nlevels > 1 ? prices->cache_bytes[prices->nlevels - 2] : 0;
    size_t n = 0;
    for (size_t i = 0; rates && i < curve->npoints; i++)
        if ((double)curve->points[i].working_set_bytes > last)
            rates[n++] = curve->points[i].accesses_per_second;
    if (n > 0) {
        qsort(rates, n, sizeof *rates, compare);
        rate = rates[n / 2];
    }
    free(rates);
    return rate;
}

static void take_beside(struct prices *prices)
{
    struct machine_kind kind = of_vectors(prices, MACHINE_LOAD, MACHINE_BESIDE);
    const struct machine_curve *curve = find_curve(prices, &kind);
    if (!curve)
        return;
    double accesses = prices->line_bytes / curve->kind.access_bytes;
    prices->beside_first = accesses * seconds_of(machine_level_rate(prices->machine, &kind, 0));
    prices->beside_memory = accesses * seconds_of(usual_in_memory(prices, curve));
}

/* ---- Arithmetic ---------------------------------------------------------------------------- */

static double unit_seconds(const struct machine *machine, enum machine_arithmetic operation,
                           enum machine_width width)
{
    const struct machine_unit *unit = machine_unit_of(machine, operation, width, MACHINE_DOUBLE);
    double flops = operation == MACHINE_MULTIPLY_ADD ? 2 : 1;
    return unit ? flops * (unit->lanes > 0 ? unit->lanes : 1) * seconds_of(unit->flops_per_second)
                : 0;
}

static void take_arithmetic(struct prices *prices)
{
    const struct machine *machine = prices->machine;
    double fused = unit_seconds(machine, MACHINE_MULTIPLY_ADD, MACHINE_SCALAR);
    double multiply = unit_seconds(machine, MACHINE_MULTIPLY, MACHINE_SCALAR);
    prices->float_seconds = fused > 0 ? fused : multiply;
    prices->divide_seconds[0] = unit_seconds(machine, MACHINE_DIVIDE, MACHINE_SCALAR);
    prices->divide_seconds[1] = unit_seconds(machine, MACHINE_DIVIDE, MACHINE_VECTOR);
    prices->instruction_seconds = seconds_of(machine->instructions_per_second);
    prices->window = machine->window_instructions;
    prices->window_integers = machine->window_integers;
    prices->window_stores = machine->window_stores;
    prices->page_seconds =
        SIGNATURE_PAGE_BYTES * seconds_of(machine->new_bytes_per_second[prices->pages]);
}

/* ---- All prices ---------------------------------------------------------------------------- */

static void take_all(struct prices *prices)
{
    for (size_t level = 0; level < prices->nlevels; level++) {
        double least;
        machine_level_span(prices->machine, level, prices->cores, &least,
                           &prices->cache_bytes[level]);
    }
    for (int i = 0; i < MACHINE_NOPERATIONS; i++) {
        enum machine_operation operation = (enum machine_operation)i;
        take_sequential(prices, operation);
        take_strided(prices, operation);
        take_scattered(prices, operation, MACHINE_RANDOM, &prices->random[i]);
    }
    take_scattered(prices, MACHINE_LOAD, MACHINE_DEPENDENT, &prices->dependent);
    for (int i = 0; i < MACHINE_LOAD_STORE; i++) {
        take_conflict(prices, (enum machine_operation)i);
        take_split(prices, (enum machine_operation)i);
    }
    take_beside(prices);
    take_arithmetic(prices);
}

struct prices *prices_make(const char *who, const struct machine *machine, enum machine_pages pages,
                           unsigned cores)
{
    struct prices *prices = calloc(1, sizeof *prices);
    if (!prices) {
        fprintf(stderr, "%s: there is no memory for the rates of %s\n", who, machine->name);
        return NULL;
    }
    prices->machine = machine;
    prices->pages = pages;
    prices->cores = cores;
    prices->nlevels = machine->ncaches + 1;
    prices->line_bytes = machine->line_bytes;
    if (prices->nlevels > PRICES_LEVELS) {
        fprintf(stderr, "%s: %s has %zu levels of cache; there may be %d\n", who, machine->name,
                machine->ncaches, PRICES_LEVELS - 1);
    } else {
        take_all(prices);
        if (prices->sequential[MACHINE_LOAD].n > 0)
            return prices;
        fprintf(stderr,
                "%s: the profile of %s has no rates of loads in order; measure it with "
                "`gptl maps`\n",
                who, machine->name);
    }
    free(prices);
    return NULL;
}

/* ---- Prices -------------------------------------------------------------------------------- */

double prices_place(const struct prices *prices, size_t level, double working_set)
{
    /* multiples of the previous cache's size: beyond the transition between the two levels */
    enum { ABOVE = 4 };
    double least = level > 0 ? prices->cache_bytes[level - 1] : 0;
    double most = prices->cache_bytes[level];
    if (working_set > least && working_set <= most)
        return working_set;
    if (level == 0)
        return most / 2;
    if (!isfinite(most))
        return 2 * least;
    /*
     * A few accesses with a working set smaller than the previous cache still hit in this level. In
     * a wide level, whose latency may rise tenfold from its lower to its upper end, their latency
     * is near the lower end.
     */
    double middle = sqrt(least * most);
    return working_set <= least ? fmin(middle, ABOVE * least) : middle;
}

double prices_sequential(const struct prices *prices, enum machine_operation operation,
                         double bytes, double working_set)
{
    const struct prices_by_width *by = &prices->sequential[operation];
    size_t above = 0;
    if (by->n == 0)
        by = &prices->sequential[MACHINE_LOAD];
    while (above < by->n && by->bytes[above] < bytes)
        above++;
    if (above == 0)
        return curve_at(&by->curves[0], working_set);
    double low = curve_at(&by->curves[above - 1], working_set);
    if (above == by->n)
        return low;
    double part = (bytes - by->bytes[above - 1]) / (by->bytes[above] - by->bytes[above - 1]);
    return (1 - part) * low + part * curve_at(&by->curves[above], working_set);
}

/* Return the price of a line read by accesses of BYTES, a width that the curves contain. */
static double line_by(const struct prices *prices, enum machine_operation operation, double bytes,
                      double working_set)
{
    double accesses = prices->line_bytes / bytes;
    /*
     * A line that is both loaded and stored needs two accesses per element; so does a copied line.
     */
    bool pairs = operation == MACHINE_LOAD_STORE || operation == MACHINE_COPY;
    if (pairs && prices->sequential[operation].n > 0)
        accesses *= 2;
    return accesses * prices_sequential(prices, operation, bytes, working_set);
}

double prices_line(const struct prices *prices, enum machine_operation operation, size_t level,
                   double bytes, double working_set)
{
    const struct prices_by_width *by = &prices->sequential[operation];
    double fastest = INFINITY;
    if (by->n == 0 && operation == MACHINE_COPY)
        return prices_line(prices, MACHINE_LOAD, level, bytes, working_set) +
               prices_line(prices, MACHINE_STORE, level, bytes, working_set);
    if (by->n == 0)
        by = &prices->sequential[MACHINE_LOAD];
    if (level + 1 == prices->nlevels)
        return line_by(prices, operation, fmin(fmax(bytes, by->bytes[0]), by->bytes[by->n - 1]),
                       working_set);
    for (size_t i = 0; i < by->n; i++)
        fastest = fmin(fastest, line_by(prices, operation, by->bytes[i], working_set));
    return fastest;
}

/* Loads from the first cache overlap with line transfers: the longer time counts. */
double prices_beside(const struct prices *prices, double beside, double bytes, double working_set)
{
    enum { MOST = 5 }; /* other streams per line in the profile's loop */
    double alone = prices_line(prices, MACHINE_LOAD, prices->nlevels - 1, bytes, working_set);
    double more = prices->beside_memory - fmax(prices->beside_first, alone);
    return prices->beside_memory > 0 ? fmin(beside / MOST, 1) * fmax(more, 0) : 0;
}

double prices_strided(const struct prices *prices, enum machine_operation operation,
                      double stride_lines, double working_set)
{
    const struct prices_curve *curves = prices->strided[operation];
    if (!curves->known)
        return prices_sequential(prices, operation, prices->line_bytes, working_set);
    double place = stride_lines > 1 ? log2(stride_lines) : 0;
    if (place >= PRICES_STRIDES - 1)
        return curve_at(&curves[PRICES_STRIDES - 1], working_set);
    size_t below = (size_t)place;
    double part = place - (double)below;
    return (1 - part) * curve_at(&curves[below], working_set) +
           part * curve_at(&curves[below + 1], working_set);
}

/* The curve's lines are also accessed cyclically, one page apart. */
double prices_conflict(const struct prices *prices, enum machine_operation operation, double lines)
{
    enum { PAGE = 4096 };
    return curve_at(&prices->conflict[operation], lines * PAGE);
}

/* Return the fraction of random accesses over WORKING_SET bytes that caches up to LEVEL serve. */
static double served(const struct prices *prices, double working_set, size_t level)
{
    if (level + 1 >= prices->nlevels)
        return 1;
    double part = prices->cache_bytes[level] / working_set;
    return fmin(part, 1);
}

/* Return the farthest level that serves more than a hundredth. */
static size_t farthest(const struct prices *prices, const double *share)
{
    size_t level = prices->nlevels - 1;
    while (level > 0 && share[level] < 0.01)
        level--;
    return level;
}

/*
 * Return the working set at which the curve has these hit rates. As in figure 2 of the paper, hit
 * rates define a point on the curve: the share of the caches before the farthest level in use. The
 * result is at least the scattered accesses' working set and at most the block's, limited to the
 * range that the farthest level would serve alone.
 */
static double find_place(const struct prices *prices, const struct prices_scattered *of,
                         const double *share, double scattered_set, double working_set)
{
    size_t level = farthest(prices, share);
    double sum = 0;
    if (level == 0 || of->in_turn)
        return prices_place(prices, level, scattered_set);
    for (size_t i = 0; i < level; i++)
        sum += share[i];
    double before = prices->cache_bytes[level - 1];
    double least = fmin(fmax(scattered_set, before), prices->cache_bytes[level]);
    double most = fmax(prices_place(prices, level, working_set), least);
    return fmin(fmax(before / fmax(sum, 1e-9), least), most);
}

/*
 * Return the price of an access served by the last cache or memory, where the curve's working set
 * is WORKING_SET bytes: the curve's time less the share of nearer levels. The curve reflects the
 * split between last cache and memory better than a simulation, and includes the TLB misses of such
 * a working set.
 */
static double far_seconds(const struct prices *prices, const struct prices_scattered *of,
                          double working_set, size_t level)
{
    double near = 0, before = 0;
    for (size_t i = 0; i < prices_far_level(prices); i++) {
        double all = served(prices, working_set, i);
        near += (all - before) * of->levels[i];
        before = all;
    }
    return before < 0.9 ? fmax(curve_at(&of->curve, working_set) - near, 0) / (1 - before)
                        : of->levels[level];
}

double prices_scattered(const struct prices *prices, const struct prices_scattered *of,
                        const double *share, double scattered_set, double working_set, double *far)
{
    size_t level = farthest(prices, share), far_level = prices_far_level(prices);
    double place = find_place(prices, of, share, scattered_set, working_set), before = 0;
    double seconds = curve_at(&of->curve, place);
    *far = 0;
    if (level >= far_level && !of->in_turn) {
        double near = 0, rest = 0;
        for (size_t i = 0; i < far_level; i++)
            near += share[i] * of->levels[i];
        for (size_t i = far_level; i < prices->nlevels; i++)
            rest += share[i];
        *far = rest * far_seconds(prices, of, place, level);
        return near + *far;
    }
    if (of->in_turn) {
        /*
         * In a cyclic loop, a full cache has just evicted the line needed next: the farthest level
         * serves all accesses.
         */
        for (size_t i = 0; i < level; i++)
            seconds += share[i] * (of->levels[i] - curve_at(&of->curve, place));
    } else {
        for (size_t i = 0; i < prices->nlevels; i++) {
            double all = served(prices, place, i);
            seconds += (share[i] - (all - before)) * of->levels[i];
            before = all;
        }
    }
    seconds = fmax(seconds, 0);
    if (level >= far_level)
        *far = seconds;
    return seconds;
}

double prices_windows(const struct prices *prices, double instructions, double integers)
{
    if (!(prices->window > 0) || !(prices->window_integers > 0))
        return 0;
    double windows = fmax(instructions / prices->window, integers / prices->window_integers);
    return fmax(windows, 0);
}

double prices_windows_of_stores(const struct prices *prices, double stores)
{
    return prices->window_stores > 0 ? fmax(stores, 0) / prices->window_stores : 0;
}

double prices_latency(const struct prices *prices, size_t level, double scattered_set)
{
    const struct prices_curve *curve = &prices->dependent.curve;
    return curve->known ? curve_at(curve, prices_place(prices, level, scattered_set)) : 0;
}

double prices_wait(const struct prices *prices, size_t level, double scattered_set,
                   double working_set)
{
    const double step = 1.25, sets[] = {scattered_set, working_set};
    const struct prices_curve *curve = &prices->dependent.curve;
    double least = level > 0 ? prices->cache_bytes[level - 1] : 0;
    double most = prices->cache_bytes[level], seconds = INFINITY;
    if (!curve->known)
        return 0;
    for (size_t i = 0; i < sizeof sets / sizeof *sets && isinf(seconds); i++)
        if (sets[i] > least && sets[i] <= most)
            seconds = curve_at(curve, sets[i]);
    if (isinf(seconds) && isfinite(most))
        for (double set = step * least; set <= most; set *= step)
            seconds = fmin(seconds, curve_at(curve, set));
    if (isinf(seconds))
        seconds = prices_latency(prices, level, scattered_set);
    return fmax(seconds - prices->dependent.levels[0], 0);
}
