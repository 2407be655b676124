/*
 * machine_rates.c - rates of a machine, interpolated between the points of a curve and between
 * curves.
 */
#include "config.h"

#include "postproc/machine/machine.h"

#include <math.h>
#include <stdlib.h>

/* ---- A curve ------------------------------------------------------------------------------- */

/*
 * Interpolate rates from A to B at X between 0 and 1, linearly in their reciprocals, because times
 * are additive.
 */
static double between(double a, double b, double x)
{
    return 1 / ((1 - x) / a + x / b);
}

double machine_curve_at(const struct machine_curve *curve, double working_set)
{
    const struct machine_point *points = curve->points;
    size_t low = 0, high = curve->npoints - 1;
    if (!(working_set > (double)points[low].working_set_bytes))
        return points[low].accesses_per_second;
    if (working_set >= (double)points[high].working_set_bytes)
        return points[high].accesses_per_second;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (working_set < (double)points[middle].working_set_bytes)
            high = middle;
        else
            low = middle;
    }
    double from = log2((double)points[low].working_set_bytes);
    double to = log2((double)points[high].working_set_bytes);
    return between(points[low].accesses_per_second, points[high].accesses_per_second,
                   (log2(working_set) - from) / (to - from));
}

/* ---- Search for a curve -------------------------------------------------------------------- */

static double ratio(double a, double b)
{
    return fabs(log2((a < 1 ? 1 : a) / (b < 1 ? 1 : b)));
}

/*
 * Return the distance of a curve from the requested kind: each criterion outweighs all later ones.
 */
static double difference(const struct machine_kind *a, const struct machine_kind *b)
{
    double different = a->access != b->access;
    different = 4 * different + abs((int)a->operation - (int)b->operation);
    different = 2 * different + (a->pages != b->pages);
    different = 2 * different + (a->width != b->width);
    different = 64 * different + ratio(a->access_bytes, b->access_bytes);
    different = 64 * different + ratio(a->stride_lines, b->stride_lines);
    return 64 * different + ratio(a->cores, b->cores);
}

const struct machine_curve *machine_curve_like(const struct machine *machine,
                                               const struct machine_kind *kind)
{
    const struct machine_curve *best = NULL;
    double least = INFINITY;
    for (size_t i = 0; i < machine->ncurves; i++) {
        double different = difference(kind, &machine->curves[i].kind);
        if (different < least) {
            least = different;
            best = &machine->curves[i];
        }
    }
    return best;
}

/* ---- Between curves ------------------------------------------------------------------------ */

/* The property of a kind to interpolate: stride or number of cores. */
typedef unsigned *(*variable)(struct machine_kind *kind);

static unsigned *stride_of(struct machine_kind *kind)
{
    return &kind->stride_lines;
}

static unsigned *cores_of(struct machine_kind *kind)
{
    return &kind->cores;
}

/* Find the nearest curves below and above KIND that differ only in VARY; NULL if none. */
static void find_neighbors(const struct machine *machine, struct machine_kind kind, variable vary,
                           const struct machine_curve *found[2])
{
    unsigned value = *vary(&kind), best[2] = {0, 0};
    found[0] = found[1] = NULL;
    for (size_t i = 0; i < machine->ncurves; i++) {
        struct machine_kind other = machine->curves[i].kind;
        unsigned here = *vary(&other);
        *vary(&other) = value;
        if (difference(&other, &kind) > 0)
            continue;
        if (here <= value && (!found[0] || here > best[0])) {
            found[0] = &machine->curves[i];
            best[0] = here;
        }
        if (here >= value && (!found[1] || here < best[1])) {
            found[1] = &machine->curves[i];
            best[1] = here;
        }
    }
}

/* Interpolate over cores for a stride with curves; the time is linear in the number of cores. */
static double rate_by_cores(const struct machine *machine, const struct machine_kind *kind,
                            double working_set)
{
    const struct machine_curve *found[2];
    find_neighbors(machine, *kind, cores_of, found);
    if (!found[0] || !found[1])
        found[0] = found[1] = found[0] ? found[0] : found[1];
    double low = machine_curve_at(found[0], working_set);
    double high = machine_curve_at(found[1], working_set);
    unsigned from = found[0]->kind.cores, to = found[1]->kind.cores;
    return from == to ? low : between(low, high, (double)(kind->cores - from) / (to - from));
}

double machine_rate(const struct machine *machine, const struct machine_kind *kind,
                    double working_set)
{
    const struct machine_curve *found[2], *like = machine_curve_like(machine, kind);
    if (!like)
        return 0;
    struct machine_kind low = like->kind;
    low.stride_lines = kind->stride_lines;
    find_neighbors(machine, low, stride_of, found);
    if (!found[0] || !found[1] || found[0]->kind.stride_lines == found[1]->kind.stride_lines) {
        low = like->kind;
        low.cores = kind->cores;
        return rate_by_cores(machine, &low, working_set);
    }
    struct machine_kind high = found[1]->kind;
    low = found[0]->kind;
    low.cores = high.cores = kind->cores;
    return between(rate_by_cores(machine, &low, working_set),
                   rate_by_cores(machine, &high, working_set),
                   log2((double)kind->stride_lines / low.stride_lines) /
                       log2((double)high.stride_lines / low.stride_lines));
}

/* ---- Levels -------------------------------------------------------------------------------- */

/* Return the share of a cache for one of CORES. */
static double share(const struct machine_cache *cache, unsigned cores)
{
    unsigned sharers = cores < cache->shared_by_cores ? cores : cache->shared_by_cores;
    return (double)cache->bytes / (sharers > 0 ? sharers : 1);
}

void machine_level_span(const struct machine *machine, size_t level, unsigned cores, double *least,
                        double *most)
{
    *least = level > 0 ? share(&machine->caches[level - 1], cores) : 0;
    *most = level < machine->ncaches ? share(&machine->caches[level], cores) : (double)INFINITY;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/*
 * Return the median rate within the level, without the transitions at both ends if the level is
 * wide enough: part of a working set slightly larger than a cache is still cached.
 */
static double level_rate_of(const struct machine *machine, const struct machine_curve *curve,
                            size_t level)
{
    enum { ABOVE = 3, BELOW = 2 };
    double least, most, rates[256];
    size_t n = 0;
    machine_level_span(machine, level, curve->kind.cores, &least, &most);
    for (size_t i = 0; i < curve->npoints && n < 256; i++) {
        double bytes = (double)curve->points[i].working_set_bytes;
        if (bytes >= ABOVE * least && bytes <= most / BELOW)
            rates[n++] = curve->points[i].accesses_per_second;
    }
    if (n > 0) {
        qsort(rates, n, sizeof *rates, compare);
        return rates[n / 2];
    }
    if (least <= 0)
        return curve->points[0].accesses_per_second;
    return machine_curve_at(curve, isinf(most) ? ABOVE * least : sqrt(least * most));
}

double machine_level_rate(const struct machine *machine, const struct machine_kind *kind,
                          size_t level)
{
    const struct machine_curve *curve = machine_curve_like(machine, kind);
    return curve ? level_rate_of(machine, curve, level) : 0;
}

/* ---- Arithmetic ---------------------------------------------------------------------------- */

const struct machine_unit *machine_unit_of(const struct machine *machine,
                                           enum machine_arithmetic operation,
                                           enum machine_width width,
                                           enum machine_precision precision)
{
    for (size_t i = 0; i < machine->nunits; i++) {
        const struct machine_unit *unit = &machine->units[i];
        if (unit->operation == operation && unit->width == width && unit->precision == precision)
            return unit;
    }
    return NULL;
}
