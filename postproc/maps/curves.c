/*
 * curves.c - chooses curves and working sets: eight per octave near the sizes of caches and where
 * neighboring points differ, two per octave elsewhere.
 */
#include "config.h"

#include "postproc/maps/curves.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/ioc/memory.h"
#include "postproc/maps/arena.h"
#include "postproc/maps/deadline.h"
#include "postproc/maps/kernels.h"
#include "postproc/maps/measure.h"
#include "postproc/maps/team.h"
#include "postproc/read/progress.h"

/* ---- The plan ------------------------------------------------------------------------------ */

/* Width of an access. All but the first are vectors; a width is 0 if it duplicates another one. */
enum bytes { BYTES_SCALAR, BYTES_LEAST, BYTES_MIDDLE, BYTES_MOST, BYTES_UP_TO_32 };

static const struct row {
    enum machine_operation operation;
    enum machine_access access;
    unsigned stride;
    enum bytes bytes;
    enum extent extent;
} rows[] = {
    {MACHINE_LOAD, MACHINE_SEQUENTIAL, 0, BYTES_SCALAR, EXTENT_QUICK},
    {MACHINE_STORE, MACHINE_SEQUENTIAL, 0, BYTES_SCALAR, EXTENT_QUICK},
    {MACHINE_LOAD_STORE, MACHINE_SEQUENTIAL, 0, BYTES_SCALAR, EXTENT_QUICK},
    {MACHINE_COPY, MACHINE_SEQUENTIAL, 0, BYTES_SCALAR, EXTENT_QUICK},
    {MACHINE_LOAD, MACHINE_RANDOM, 0, BYTES_SCALAR, EXTENT_QUICK},
    {MACHINE_LOAD, MACHINE_SEQUENTIAL, 0, BYTES_MOST, EXTENT_QUICK},
    {MACHINE_LOAD, MACHINE_STRIDE, 1, BYTES_SCALAR, EXTENT_USUAL},
    {MACHINE_LOAD, MACHINE_STRIDE, 2, BYTES_SCALAR, EXTENT_USUAL},
    {MACHINE_LOAD, MACHINE_STRIDE, 4, BYTES_SCALAR, EXTENT_USUAL},
    {MACHINE_LOAD, MACHINE_STRIDE, 8, BYTES_SCALAR, EXTENT_USUAL},
    {MACHINE_STORE, MACHINE_RANDOM, 0, BYTES_SCALAR, EXTENT_USUAL},
    {MACHINE_LOAD_STORE, MACHINE_RANDOM, 0, BYTES_SCALAR, EXTENT_USUAL},
    {MACHINE_STORE, MACHINE_SEQUENTIAL, 0, BYTES_MOST, EXTENT_USUAL},
    {MACHINE_LOAD_STORE, MACHINE_SEQUENTIAL, 0, BYTES_MOST, EXTENT_USUAL},
    {MACHINE_COPY, MACHINE_SEQUENTIAL, 0, BYTES_MOST, EXTENT_USUAL},
    {MACHINE_LOAD, MACHINE_SEQUENTIAL, 0, BYTES_LEAST, EXTENT_USUAL},
    {MACHINE_STORE, MACHINE_SEQUENTIAL, 0, BYTES_LEAST, EXTENT_USUAL},
    {MACHINE_LOAD_STORE, MACHINE_SEQUENTIAL, 0, BYTES_LEAST, EXTENT_FULL},
    {MACHINE_COPY, MACHINE_SEQUENTIAL, 0, BYTES_LEAST, EXTENT_FULL},
    {MACHINE_LOAD, MACHINE_SEQUENTIAL, 0, BYTES_MIDDLE, EXTENT_USUAL},
    {MACHINE_STORE, MACHINE_SEQUENTIAL, 0, BYTES_MIDDLE, EXTENT_USUAL},
    {MACHINE_LOAD_STORE, MACHINE_SEQUENTIAL, 0, BYTES_MIDDLE, EXTENT_USUAL},
    {MACHINE_COPY, MACHINE_SEQUENTIAL, 0, BYTES_MIDDLE, EXTENT_USUAL},
    {MACHINE_LOAD, MACHINE_CONFLICT, 0, BYTES_SCALAR, EXTENT_USUAL},
    {MACHINE_STORE, MACHINE_CONFLICT, 0, BYTES_SCALAR, EXTENT_USUAL},
    {MACHINE_LOAD, MACHINE_SPLIT, 0, BYTES_UP_TO_32, EXTENT_USUAL},
    {MACHINE_STORE, MACHINE_SPLIT, 0, BYTES_UP_TO_32, EXTENT_USUAL},
    {MACHINE_LOAD, MACHINE_BESIDE, 0, BYTES_UP_TO_32, EXTENT_USUAL},
    {MACHINE_STORE, MACHINE_STRIDE, 1, BYTES_SCALAR, EXTENT_FULL},
    {MACHINE_STORE, MACHINE_STRIDE, 2, BYTES_SCALAR, EXTENT_FULL},
    {MACHINE_STORE, MACHINE_STRIDE, 4, BYTES_SCALAR, EXTENT_FULL},
    {MACHINE_STORE, MACHINE_STRIDE, 8, BYTES_SCALAR, EXTENT_FULL},
    {MACHINE_LOAD_STORE, MACHINE_STRIDE, 1, BYTES_SCALAR, EXTENT_FULL},
    {MACHINE_LOAD_STORE, MACHINE_STRIDE, 2, BYTES_SCALAR, EXTENT_FULL},
    {MACHINE_LOAD_STORE, MACHINE_STRIDE, 4, BYTES_SCALAR, EXTENT_FULL},
    {MACHINE_LOAD_STORE, MACHINE_STRIDE, 8, BYTES_SCALAR, EXTENT_FULL},
    {MACHINE_LOAD, MACHINE_STRIDE, 1, BYTES_MOST, EXTENT_FULL},
    {MACHINE_LOAD, MACHINE_STRIDE, 2, BYTES_MOST, EXTENT_FULL},
    {MACHINE_LOAD, MACHINE_STRIDE, 4, BYTES_MOST, EXTENT_FULL},
    {MACHINE_LOAD, MACHINE_STRIDE, 8, BYTES_MOST, EXTENT_FULL},
    {MACHINE_LOAD, MACHINE_RANDOM, 0, BYTES_MOST, EXTENT_FULL},
    {MACHINE_STORE, MACHINE_RANDOM, 0, BYTES_MOST, EXTENT_FULL},
    {MACHINE_LOAD_STORE, MACHINE_RANDOM, 0, BYTES_MOST, EXTENT_FULL},
    {MACHINE_LOAD, MACHINE_DEPENDENT, 0, BYTES_SCALAR, EXTENT_QUICK},
};

enum { NROWS = sizeof rows / sizeof *rows };

static const struct effort efforts[] = {
    [EXTENT_QUICK] = {.seconds = 50e-6, .least = 3, .most = 5, .spread = 0.2},
    [EXTENT_USUAL] = {.seconds = 200e-6, .least = 5, .most = 15, .spread = 0.03},
    [EXTENT_FULL] = {.seconds = 500e-6, .least = 9, .most = 30, .spread = 0.02},
};

/* Seconds after which points become sparse and samples few. */
static const double budgets[] = {5, 70, 1e9};

/* Data common to all curves. */
struct plan {
    struct machine *machine;
    const struct host *host;
    enum extent extent;
    size_t room;            /* capacity of curves */
    double began;           /* time at which the measurement of curves began */
    double seconds;         /* limit after which no point is measured */
    unsigned ndone, nwhole; /* groups of curves with equal cores and pages: done, total */
    struct progress progress;
};

/* Return the bytes of an access, or 0 if ROW duplicates another row. */
static unsigned access_bytes(const struct row *row)
{
    unsigned widest = kernel_widest();
    switch (row->bytes) {
    case BYTES_SCALAR:
        return 8;
    case BYTES_LEAST:
        return widest > 16 ? 16 : 0;
    case BYTES_MIDDLE:
        return widest > 32 ? 32 : 0;
    case BYTES_UP_TO_32:
        return widest < 32 ? widest : 32;
    default:
        return widest;
    }
}

/* ---- Working sets -------------------------------------------------------------------------- */

enum { OCTAVE = 8, SMALLEST = 4096, MOST_SETS = 40 * OCTAVE, COARSE = 4 };

/* Return working set N: eight per octave, equally spaced within an octave. */
static uint64_t set_bytes(unsigned n)
{
    return ((uint64_t)SMALLEST / OCTAVE * (OCTAVE + n % OCTAVE)) << n / OCTAVE;
}

/* Return the smallest working set; with fewer accesses per round, loop overhead would dominate. */
static unsigned first_set(const struct machine_kind *kind)
{
    enum { LEAST = 8 }; /* lines a page apart; otherwise the lines of the smallest working set */
    unsigned n = 0, stride = kind->access == MACHINE_CONFLICT ? LEAST : kind->stride_lines;
    for (; stride > 1; stride /= 2)
        n += OCTAVE;
    while (kind->access == MACHINE_BESIDE && set_bytes(n) < 2 * KERNEL_BEHIND)
        n++;
    return n;
}

/* Return a core's share of LEVEL with CORES active. */
static double share_of(const struct plan *plan, size_t level, unsigned cores)
{
    double least, most;
    machine_level_span(plan->machine, level, cores, &least, &most);
    return most;
}

/* Return a core's largest working set with CORES active. */
static unsigned last_set(const struct plan *plan, unsigned cores)
{
    enum { TIMES_LAST_CACHE = 4 };
    size_t ncaches = plan->machine->ncaches;
    double most = 128 << 20; /* a large cache may exist even if the kernel does not report it */
    if (ncaches > 0)
        most = fmax(most / cores, TIMES_LAST_CACHE * share_of(plan, ncaches - 1, cores));
    if (plan->extent == EXTENT_QUICK)
        most = fmin(most, 16 << 20);
    most = fmin(most, (double)plan->host->memory_bytes / cores);
    unsigned n = 0;
    while (n + 1 < MOST_SETS && (double)set_bytes(n + 1) <= most)
        n++;
    return n;
}

static bool is_near_step(const struct plan *plan, unsigned n, unsigned cores)
{
    for (size_t i = 0; i < plan->machine->ncaches; i++)
        if (fabs(log2((double)set_bytes(n) / share_of(plan, i, cores))) <= 0.51)
            return true;
    return false;
}

/* ---- Points -------------------------------------------------------------------------------- */

/* A curve during measurement; a point of 0 bytes is not measured yet. */
struct series {
    struct machine_kind kind;
    struct machine_point points[MOST_SETS];
};

/* The curves with equal cores and pages. */
struct group {
    struct plan *plan;
    struct bench *bench;
    struct series *series;
    unsigned n, last; /* index of the largest working set */
};

/* Return whether this group has used its share of SECONDS; all groups have equal shares. */
static bool has_used(const struct plan *plan, double seconds)
{
    return measure_now() - plan->began > seconds * (plan->ndone + 1) / plan->nwhole;
}

static bool is_late(const struct plan *plan)
{
    return has_used(plan, fmin(budgets[plan->extent], plan->seconds * 0.7));
}

/* Return whether the group's time is over. */
static bool is_over(const struct plan *plan)
{
    return deadline_signal() || has_used(plan, plan->seconds);
}

static void measure_set(const struct group *group, struct series *series, unsigned n)
{
    struct plan *plan = group->plan;
    bool late = is_late(plan);
    if (late)
        plan->machine->measurement.reduced = true;
    group->bench->effort = efforts[late ? EXTENT_QUICK : plan->extent];
    series->points[n] = measure_point(group->bench, &series->kind, set_bytes(n));
}

/*
 * Return whether the curve is defined by a core's private caches: conflicts in a set, and split
 * lines.
 */
static bool is_of_caches(const struct machine_kind *kind)
{
    return kind->access == MACHINE_CONFLICT || kind->access == MACHINE_SPLIT;
}

static bool is_wanted(const struct group *group, const struct series *series, unsigned n)
{
    enum { MOST = 4 << 20 };
    const struct plan *plan = group->plan;
    unsigned first = first_set(&series->kind);
    if (is_of_caches(&series->kind) && set_bytes(n) > MOST)
        return false;
    if (n <= first || n == group->last)
        return n >= first;
    return n % COARSE == 0 || (plan->extent > EXTENT_QUICK && !is_late(plan) &&
                               is_near_step(plan, n, series->kind.cores));
}

/*
 * Measure all curves at one working set before the next one, so that the caches settle only once
 * for a large set. Returns the number of points that the deadline omitted.
 */
static unsigned measure_at(const struct group *group, unsigned n)
{
    unsigned skipped = 0;
    for (unsigned i = 0; i < group->n; i++) {
        struct series *series = &group->series[i];
        if (series->points[n].working_set_bytes > 0 || !is_wanted(group, series, n))
            continue;
        if (is_over(group->plan))
            skipped++;
        else
            measure_set(group, series, n);
    }
    return skipped;
}

/*
 * Measure points two octaves apart first, then points between them: with little time, curves have
 * fewer points but reach from the first cache to memory.
 */
static void measure_coarse(const struct group *group)
{
    struct plan *plan = group->plan;
    struct progress *progress = &plan->progress;
    static const unsigned steps[] = {2 * OCTAVE, OCTAVE, 1};
    enum { PASSES = sizeof steps / sizeof *steps };
    for (unsigned pass = 0; pass < PASSES; pass++)
        for (unsigned n = 0; n <= group->last; n++) {
            unsigned skipped = 0;
            if (n % steps[pass] == 0 || n == group->last)
                skipped = measure_at(group, n);
            if (pass + 1 == PASSES)
                plan->machine->measurement.skipped_points += skipped;
            double part = (plan->ndone + (pass + (double)n / group->last) / PASSES) / plan->nwhole;
            progress_at(progress, (uint64_t)(part * (double)progress->whole));
        }
}

/*
 * Measure intermediate points where neighbors differ, in one pass from small to large; returns
 * whether any was measured.
 */
static bool refine(const struct group *group, struct series *series)
{
    const double small = 0.08;
    const struct machine_point *points = series->points;
    unsigned before = first_set(&series->kind);
    bool any = false;
    for (unsigned n = before + 1; n <= group->last && !is_late(group->plan); n++) {
        if (points[n].working_set_bytes == 0)
            continue;
        double change =
            fabs(log(points[n].accesses_per_second / points[before].accesses_per_second));
        double noise = 2 * (points[n].spread + points[before].spread);
        if (n - before > 1 && change > small + noise) {
            measure_set(group, series, (before + n) / 2);
            any = true;
        }
        before = n;
    }
    return any;
}

/* Measure a point again; the faster result counts. */
static void measure_again(const struct group *group, struct series *series, unsigned n)
{
    struct machine_point before = series->points[n];
    measure_set(group, series, n);
    if (series->points[n].accesses_per_second < before.accesses_per_second)
        series->points[n] = before;
}

/*
 * Measure some points again, because a disturbance may last longer than a point: small sets, which
 * take little time, after all other curves, and points slower than a larger working set.
 */
static void look_again(const struct group *group, struct series *series)
{
    enum { SMALL = 4 << 20, TRIES = 3 };
    const double much = 0.85;
    double larger = 0; /* rate of the next larger working set */
    for (unsigned n = group->last + 1; n-- > 0 && !is_over(group->plan);) {
        const struct machine_point *point = &series->points[n];
        if (point->working_set_bytes == 0)
            continue;
        if (point->working_set_bytes <= SMALL)
            measure_again(group, series, n);
        for (int i = 0;
             i < TRIES && point->accesses_per_second < much * larger && !is_over(group->plan); i++)
            measure_again(group, series, n);
        larger = point->accesses_per_second;
    }
}

static void add_curve(struct plan *plan, const struct series *series, unsigned last)
{
    struct machine *machine = plan->machine;
    struct machine_curve curve = {.kind = series->kind};
    curve.points = memory_zeros(last + 1, sizeof *curve.points);
    for (unsigned n = 0; n <= last; n++)
        if (series->points[n].working_set_bytes > 0)
            curve.points[curve.npoints++] = series->points[n];
    machine->measurement.points += (unsigned)curve.npoints;
    if (curve.npoints == 0) { /* with very little memory */
        free(curve.points);
        return;
    }
    machine->curves =
        memory_room(machine->curves, &plan->room, machine->ncurves + 1, sizeof *machine->curves);
    machine->curves[machine->ncurves++] = curve;
}

/* ---- All curves ---------------------------------------------------------------------------- */

static struct machine_kind kind_of(const struct row *row, enum machine_pages pages, unsigned cores)
{
    return (struct machine_kind){.operation = row->operation,
                                 .access = row->access,
                                 .width =
                                     row->bytes == BYTES_SCALAR ? MACHINE_SCALAR : MACHINE_VECTOR,
                                 .pages = pages,
                                 .stride_lines = row->stride,
                                 .access_bytes = access_bytes(row),
                                 .cores = cores};
}

static void measure_group(struct plan *plan, struct bench *bench, enum machine_pages pages)
{
    unsigned cores = team_size(bench->team);
    struct group group = {.plan = plan, .bench = bench, .last = last_set(plan, cores)};
    group.series = memory_zeros(NROWS, sizeof *group.series);
    for (int i = 0; i < NROWS; i++)
        if (rows[i].extent <= plan->extent && access_bytes(&rows[i]) > 0)
            group.series[group.n++].kind = kind_of(&rows[i], pages, cores);
    measure_coarse(&group);
    for (unsigned i = 0; i < group.n && plan->extent > EXTENT_QUICK; i++)
        while (refine(&group, &group.series[i]))
            ;
    for (unsigned i = 0; i < group.n; i++) {
        look_again(&group, &group.series[i]);
        add_curve(plan, &group.series[i], group.last);
    }
    free(group.series);
}

/* Measure the curves with PAGES and the bench's team. Returns 0, or -1 after a message. */
static int measure_in(struct plan *plan, struct bench *bench, enum machine_pages pages)
{
    unsigned cores = team_size(bench->team), mapped = 0;
    size_t bytes = set_bytes(last_set(plan, cores));
    int status = 0;
    bench->arenas = memory_zeros(cores, sizeof *bench->arenas);
    while (mapped < cores && arena_map(&bench->arenas[mapped], bytes, pages) == 0)
        mapped++;
    if (mapped < cores) {
        progress_end(&plan->progress);
        fprintf(stderr, "gptl maps: cannot get memory to measure: %s\n", strerror(errno));
        status = -1;
    } else {
        measure_touch(bench);
        if (pages == MACHINE_SMALL || arena_is_huge(&bench->arenas[0])) {
            measure_group(plan, bench, pages);
        } else if (cores == 1) {
            progress_end(&plan->progress);
            fprintf(stderr, "gptl maps: the kernel gives no huge pages, so there are no curves of "
                            "them (see /sys/kernel/mm/transparent_hugepage/enabled)\n");
        }
    }
    plan->ndone++;
    for (unsigned i = 0; i < mapped; i++)
        arena_unmap(&bench->arenas[i]);
    free(bench->arenas);
    return status;
}

static int measure_with(struct plan *plan, unsigned cores)
{
    struct bench bench = {.team = team_start(plan->host->processors, cores)};
    if (!bench.team)
        return -1;
    int status = measure_in(plan, &bench, MACHINE_SMALL);
    if (status == 0 && plan->extent > EXTENT_QUICK)
        status = measure_in(plan, &bench, MACHINE_HUGE);
    team_end(bench.team);
    return status;
}

/* Return the next number of cores: 1, 2, 4 …, all; the intermediate ones only with EXTENT_FULL. */
static unsigned next_cores(const struct plan *plan, unsigned cores)
{
    unsigned all = plan->host->ncores;
    if (plan->extent == EXTENT_QUICK || cores == all)
        return 0;
    return plan->extent == EXTENT_FULL && 2 * cores < all ? 2 * cores : all;
}

uint64_t curves_memory(const struct machine *machine, const struct host *host, enum extent extent)
{
    struct plan plan = {.machine = (struct machine *)machine, .host = host, .extent = extent};
    uint64_t most = 0;
    for (unsigned cores = 1; cores > 0; cores = next_cores(&plan, cores)) {
        uint64_t bytes = set_bytes(last_set(&plan, cores)) * cores;
        most = bytes > most ? bytes : most;
    }
    return most;
}

int curves_measure(struct machine *machine, const struct host *host, enum extent extent,
                   double seconds)
{
    struct plan plan = {.machine = machine,
                        .host = host,
                        .extent = extent,
                        .began = measure_now(),
                        .seconds = seconds};
    for (unsigned cores = 1; cores > 0; cores = next_cores(&plan, cores))
        plan.nwhole += extent > EXTENT_QUICK ? MACHINE_NPAGES : 1;
    /* Large enough to be displayed. */
    plan.progress = progress_begin("measuring memory", UINT64_MAX / 1024);
    int status = 0;
    for (unsigned cores = 1; cores > 0 && status == 0; cores = next_cores(&plan, cores))
        status = measure_with(&plan, cores);
    progress_end(&plan.progress);
    return status;
}
