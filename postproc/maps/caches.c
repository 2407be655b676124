/*
 * caches.c - verifies the kernel's description of the caches. A virtual machine may report the
 * caches of another machine, or a cache shared with many other guests.
 */
#include "config.h"

#include "postproc/maps/caches.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "postproc/ioc/memory.h"
#include "postproc/maps/arena.h"
#include "postproc/maps/measure.h"
#include "postproc/maps/team.h"

enum { MOST_LEVELS = 4 };

/* ---- Sizes --------------------------------------------------------------------------------- */

static double latency(const struct machine_curve *curve, size_t i)
{
    return 1 / curve->points[i].accesses_per_second;
}

static double octaves(const struct machine_curve *curve, size_t from, size_t to)
{
    return log2((double)curve->points[to].working_set_bytes /
                (double)curve->points[from].working_set_bytes);
}

/*
 * Return whether the latency rises from point I on: noise and page effects rise less than a quarter
 * per octave.
 */
static bool rises(const struct machine_curve *curve, size_t i)
{
    const double rise = 0.25, width = 0.5;
    size_t to = i + 1;
    while (to + 1 < curve->npoints && octaves(curve, i, to) < width)
        to++;
    return latency(curve, to) > latency(curve, i) * (1 + rise * octaves(curve, i, to));
}

size_t caches_steps(const struct machine_curve *curve, double *bytes, size_t most)
{
    const double step = 1.6, part = 0.25;
    size_t n = 0, i = 0;
    while (i + 1 < curve->npoints && n < most) {
        if (!rises(curve, i)) {
            i++;
            continue;
        }
        size_t end = i;
        while (end + 1 < curve->npoints && rises(curve, end))
            end++;
        double low = latency(curve, i), high = latency(curve, end);
        size_t at = i;
        /*
         * At this point a quarter of the accesses misses, so the working set is slightly larger
         * than the cache.
         */
        while (at + 1 < end && latency(curve, at + 1) < low + part * (high - low))
            at++;
        if (high > step * low)
            bytes[n++] = (double)curve->points[at].working_set_bytes;
        i = end;
    }
    return n;
}

double caches_reach(const struct machine_curve *curve, double least)
{
    const double step = 1.3;
    size_t i = 0, last = curve->npoints - 1;
    while (i < last && (double)curve->points[i].working_set_bytes < least)
        i++;
    double low = latency(curve, i), high = latency(curve, last), middle = (low + high) / 2;
    if (high < step * low)
        return 0;
    size_t end = last;
    while (end > i && latency(curve, end) > middle)
        end--;
    return (double)curve->points[end].working_set_bytes;
}

static const struct machine_curve *loads(const struct machine *machine, enum machine_access access)
{
    const struct machine_kind wanted = {
        .operation = MACHINE_LOAD,
        .access = access,
        .width = access == MACHINE_SEQUENTIAL ? MACHINE_VECTOR : MACHINE_SCALAR,
        .pages = MACHINE_HUGE,
        .access_bytes = access == MACHINE_SEQUENTIAL ? 64 : sizeof(void *),
        .cores = 1};
    const struct machine_curve *curve = machine_curve_like(machine, &wanted);
    return curve && curve->kind.access == access ? curve : NULL;
}

/*
 * Correct the size of the last cache. Lines of other cores replace lines that stay unused for some
 * milliseconds, so a core's share of a shared cache depends on its reuse interval. Sequential loads
 * have the shortest interval and keep the largest share; the latency curve, measured more slowly,
 * rises too early, in one or more steps. Returns the new number of steps.
 */
static size_t look_at_last(const struct machine *machine, double *steps, size_t nsteps)
{
    /* part of a working set slightly larger than a cache is still cached */
    enum { APART_FROM = 4 };
    const struct machine_curve *in_order = loads(machine, MACHINE_SEQUENTIAL);
    if (machine->ncaches >= 2 && nsteps > machine->ncaches)
        nsteps = machine->ncaches;
    if (nsteps < 2 || !in_order)
        return nsteps;
    double reach = caches_reach(in_order, APART_FROM * steps[nsteps - 2]);
    if (reach > steps[nsteps - 1])
        steps[nsteps - 1] = reach;
    return nsteps;
}

static bool is_other(double a, double b)
{
    return a > 2 * b || b > 2 * a;
}

/*
 * Compare the kernel's sizes with the steps of the curve. Memory follows the last cache, so each
 * cache has a step if the numbers are equal and the curve extends far enough.
 */
static void compare_sizes(struct machine *machine, const struct machine_curve *curve,
                          const double *steps, size_t nsteps)
{
    uint64_t last = curve->points[curve->npoints - 1].working_set_bytes;
    if (nsteps == 0 || nsteps != machine->ncaches || machine->caches[nsteps - 1].bytes > last / 2)
        return;
    /* At such a distance, noise has probably hidden or created a step before the last one. */
    for (size_t i = 0; i + 1 < nsteps; i++)
        if (fabs(log2((double)machine->caches[i].bytes / steps[i])) > 3)
            return;
    for (size_t i = 0; i < nsteps; i++) {
        struct machine_cache *cache = &machine->caches[i];
        if (!is_other((double)cache->bytes, steps[i]))
            continue;
        fprintf(stderr,
                "gptl maps: the kernel says that cache %u has %.6g KiB, but %.6g KiB is where "
                "loads become slower, so the profile says that\n",
                cache->level, (double)cache->bytes / 1024, steps[i] / 1024);
        cache->bytes = (uint64_t)steps[i];
        cache->source = MACHINE_MEASURED;
    }
}

static void take_sizes(struct machine *machine, const double *steps, size_t nsteps)
{
    free(machine->caches);
    machine->caches = memory_zeros(nsteps + 1, sizeof *machine->caches);
    for (size_t i = 0; i < nsteps; i++)
        machine->caches[i] = (struct machine_cache){.level = (unsigned)i + 1,
                                                    .bytes = (uint64_t)steps[i],
                                                    .line_bytes = machine->line_bytes,
                                                    .shared_by_cores = 1,
                                                    .source = MACHINE_MEASURED};
    machine->ncaches = nsteps;
    fprintf(stderr, "gptl maps: the kernel says nothing of caches; measuring finds %zu\n", nsteps);
}

/* ---- Associativity ------------------------------------------------------------------------- */

enum { MOST_WAYS = 40, APART = 4096 };

/*
 * Return the associativity of the first cache. Lines 4096 bytes apart, at most a page, map to the
 * same set. For other caches, address translation hides the sets, in virtual machines even with
 * huge pages.
 */
static unsigned count_ways(struct bench *bench)
{
    const double step = 1.4;
    double seconds[MOST_WAYS + 1];
    for (unsigned n = 1; n <= MOST_WAYS; n++)
        seconds[n] = measure_conflicts(bench, n, APART);
    for (unsigned n = 2; n < MOST_WAYS; n++)
        if (seconds[n] > step * seconds[1] && seconds[n + 1] > step * seconds[1])
            return n - 1;
    return 0;
}

static void check_associativity(struct machine_cache *cache, const struct host *host)
{
    struct arena arena = {0};
    struct bench bench = {.arenas = &arena, .effort = {100e-6, 5, 9, 0.05}};
    if (arena_map(&arena, (size_t)MOST_WAYS * APART, MACHINE_SMALL) != 0)
        return;
    bench.team = team_start(host->processors, 1);
    if (bench.team) {
        measure_touch(&bench);
        unsigned ways = count_ways(&bench);
        if (ways > 0 && cache->associativity == 0) {
            cache->associativity = ways;
        } else if (ways > 0 && cache->associativity > 2 * ways) {
            fprintf(
                stderr,
                "gptl maps: the kernel says that a set of cache %u has %u lines, but it has %u, "
                "so the profile says that\n",
                cache->level, cache->associativity, ways);
            cache->associativity = ways;
            cache->source = MACHINE_MEASURED;
        }
        team_end(bench.team);
    }
    arena_unmap(&arena);
}

void caches_check(struct machine *machine, const struct host *host)
{
    double steps[MOST_LEVELS];
    const struct machine_curve *curve = loads(machine, MACHINE_DEPENDENT);
    size_t nsteps = curve ? caches_steps(curve, steps, MOST_LEVELS) : 0;
    nsteps = look_at_last(machine, steps, nsteps);
    if (machine->ncaches == 0 && nsteps > 0)
        take_sizes(machine, steps, nsteps);
    else if (curve)
        compare_sizes(machine, curve, steps, nsteps);
    if (machine->ncaches > 0)
        check_associativity(&machine->caches[0], host);
}
