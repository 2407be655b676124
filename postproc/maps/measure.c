/*
 * measure.c - one point of a curve. Samples are short, so that many of them are whole between two
 * interruptions; those that were interrupted do not count, and the fastest of the others is the truth.
 */
#include "config.h"

#include "postproc/maps/measure.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "postproc/ioc/memory.h"
#include "postproc/maps/kernels.h"

enum { MOST_SAMPLES = 64, TRIES = 3 };

double measure_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double measure_least(double *values, unsigned n, double *spread)
{
    qsort(values, n, sizeof *values, compare);
    *spread = (values[n / 2] - values[0]) / values[0];
    return values[0];
}

/* ---- A piece of work ----------------------------------------------------------------------- */

/* What all members do together. */
struct task {
    struct bench *bench;
    const struct machine_kind *kind;
    size_t bytes, conflict_stride; /* the latter: a chain of lines so far apart */
    kernel other;                  /* instead of the usual one of its kind */
    _Atomic unsigned ready;        /* members that have done their sample */
    double *seconds;               /* of an access, by member */
    _Atomic bool interrupted, go_on;
    double samples[MOST_SAMPLES], disturbed[MOST_SAMPLES];
    unsigned nsamples, ndisturbed;
};

/* What one does. */
struct work {
    const struct task *task;
    kernel run;
    struct walk walk;
    uint32_t places[KERNEL_PLACES];
    char *memory;
    size_t *at;     /* of larger sets: where it is in them */
    size_t repeats; /* that make up a sample */
};

/*
 * More than a part is gone over in parts; what has more than CHAINED is slower with chains than with
 * addresses that are made. A sample goes over all of a set up to WHOLE: some of it may always be in a
 * cache. Beyond that each sample sees another part, and not the fastest but the usual one counts.
 */
enum { PART = 1 << 20, CHAINED = 2 << 20, WHOLE = 4 << 20 };

/* Sets that a shared cache may have take some laps until they are in it, or out of it. */
enum { SETTLING = 128 << 20, LAPS = 8 };

static bool is_sweep(const struct machine_kind *kind)
{
    return kind->access == MACHINE_SEQUENTIAL || kind->access == MACHINE_STRIDE ||
           kind->access == MACHINE_CONFLICT || kind->access == MACHINE_SPLIT ||
           kind->access == MACHINE_BESIDE;
}

/* What is before all that addresses go over. */
static size_t behind_of(const struct task *task)
{
    return task->kind->access == MACHINE_BESIDE  ? KERNEL_BEHIND
           : task->kind->access == MACHINE_SPLIT ? KERNEL_LINE
                                                 : 0;
}

/* What is copied goes to the other half, and beside others lines come from both. */
static bool has_halves(const struct machine_kind *kind)
{
    return kind->operation == MACHINE_COPY || kind->access == MACHINE_BESIDE;
}

/* What addresses go over. */
static size_t span_of(const struct task *task)
{
    size_t bytes = task->bytes - behind_of(task);
    return has_halves(task->kind) ? bytes / 2 : bytes;
}

/* Goes on with the next part; returns the accesses. */
static double sweep_part(struct work *work)
{
    const struct task *task = work->task;
    size_t span = span_of(task);
    bool in_order =
        task->kind->access == MACHINE_SEQUENTIAL || task->kind->access == MACHINE_BESIDE;
    size_t step = in_order ? task->kind->access_bytes : work->walk.stride;
    if (*work->at >= span)
        *work->at = 0;
    size_t left = span - *work->at;
    work->walk.from = work->memory + behind_of(task) + *work->at;
    work->walk.bytes = left < PART ? left : PART;
    *work->at += work->walk.bytes;
    work->run(&work->walk);
    return (double)(work->walk.bytes / step);
}

/* N units of work; returns the accesses. */
static double run_units(struct work *work, size_t n)
{
    const struct task *task = work->task;
    double accesses = 0;
    if (!is_sweep(task->kind)) {
        work->walk.n = n;
        work->run(&work->walk);
        accesses = KERNEL_UNIT * (double)n;
    } else if (span_of(task) <= PART) {
        work->walk.n = n;
        accesses = sweep_part(work) * (double)n;
    } else {
        work->walk.n = 1;
        for (size_t i = 0; i < n; i++)
            accesses += sweep_part(work);
    }
    bool twice = task->kind->operation == MACHINE_LOAD_STORE || has_halves(task->kind);
    return twice ? 2 * accesses : accesses;
}

static long interruptions(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw;
}

/* The units that go over all of a set once; 1 for what is in no order. */
static size_t units_of_all(const struct work *work)
{
    const struct task *task = work->task;
    if (task->conflict_stride || task->bytes > WHOLE)
        return 1;
    if (is_sweep(task->kind))
        return (span_of(task) + PART - 1) / PART;
    return work->walk.links[0] ? (task->bytes / KERNEL_LINE + KERNEL_UNIT - 1) / KERNEL_UNIT : 1;
}

/* So many units that they take about as long as a sample should. */
static void calibrate(struct work *work)
{
    double wanted = work->task->bench->effort.seconds;
    for (work->repeats = 1;; work->repeats *= 2) {
        double from = measure_now();
        run_units(work, work->repeats);
        double seconds = measure_now() - from;
        if (seconds >= wanted / 2 || work->repeats >= (size_t)1 << 40)
            return;
        if (seconds > wanted / 16) {
            work->repeats = (size_t)((double)work->repeats * wanted / seconds);
            return;
        }
    }
}

/*
 * All of a small set is where it is after it has been gone over once. A cache that is shared takes in
 * what comes back a few times, unless it is too much for it. Of a large set, whoever measured the same
 * one before has seen to that.
 */
static void warm(struct work *work)
{
    const struct task *task = work->task;
    static const struct machine_kind loads = {.operation = MACHINE_LOAD, .access_bytes = 8};
    bool is_shared = task->bytes > WHOLE && task->bytes <= SETTLING;
    struct walk all = {.from = work->memory, .bytes = task->bytes, .n = is_shared ? LAPS : 1};
    kernel load = kernel_of(&loads);
    /* A part that has just been linked is in a cache, until the rest has been read. */
    bool is_cached = task->kind->access == MACHINE_DEPENDENT && !arena_links_all(task->bytes);
    if (!task->conflict_stride &&
        (task->bytes <= WHOLE || is_cached || task->bytes != task->bench->settled))
        load(&all);
}

/*
 * One load after the other is slow. What else uses the last cache meanwhile puts lines out of it that
 * were there when they were linked, for some laps, until those that come back in time are left.
 */
static void settle(struct work *work)
{
    const double same = 0.03;
    const struct task *task = work->task;
    if (task->kind->access != MACHINE_DEPENDENT || task->bytes <= WHOLE || task->bytes > SETTLING)
        return;
    double before = 0;
    for (int lap = 0; lap < LAPS; lap++) {
        double from = measure_now();
        run_units(work, task->bytes / KERNEL_LINE / KERNEL_UNIT);
        double seconds = measure_now() - from;
        if (fabs(seconds - before) < same * before)
            return;
        before = seconds;
    }
}

/* A chain of lines that all are in the same set of each cache. */
static void link_conflicts(struct work *work)
{
    const struct task *task = work->task;
    size_t stride = task->conflict_stride, n = task->bytes / stride;
    for (size_t i = 0; i < n; i++)
        *(void **)(void *)(work->memory + i * stride) = work->memory + (i + 1) % n * stride;
    work->walk.links[0] = work->memory;
}

static void prepare(struct work *work, unsigned member)
{
    const struct task *task = work->task;
    struct arena *arena = &task->bench->arenas[member];
    work->memory = arena->memory;
    work->at = &arena->at;
    size_t stride = (size_t)task->kind->stride_lines * KERNEL_LINE;
    if (task->kind->access == MACHINE_CONFLICT)
        stride = KERNEL_PAGE;
    else if (task->kind->access == MACHINE_SPLIT)
        stride = KERNEL_LINE;
    work->run = task->other ? task->other : kernel_of(task->kind);
    work->walk = (struct walk){.from = work->memory,
                               .bytes = task->bytes,
                               .stride = stride,
                               .apart = task->bytes - behind_of(task) - span_of(task),
                               .random = 1 + member};
    if (task->kind->access == MACHINE_RANDOM)
        kernel_make_places(&work->walk, work->places);
    if (task->conflict_stride)
        link_conflicts(work);
    else if (task->other == kernel_chains || task->kind->access == MACHINE_DEPENDENT)
        arena_link(arena, task->bytes, work->walk.links, KERNEL_CHAINS);
    warm(work);
    settle(work);
    calibrate(work);
    size_t all = units_of_all(work);
    work->repeats = (work->repeats + all - 1) / all * all;
}

/* ---- Samples ------------------------------------------------------------------------------- */

/* By one member, while the others wait. */
static void take_sample(struct task *task)
{
    const struct effort *effort = &task->bench->effort;
    unsigned n = team_size(task->bench->team);
    double seconds = 0, spread = 0;
    for (unsigned i = 0; i < n; i++)
        seconds += task->seconds[i] / n;
    if (atomic_exchange(&task->interrupted, false)) {
        if (task->ndisturbed < MOST_SAMPLES)
            task->disturbed[task->ndisturbed++] = seconds;
    } else {
        task->samples[task->nsamples++] = seconds;
    }
    double sorted[MOST_SAMPLES];
    memcpy(sorted, task->samples, sizeof sorted);
    if (task->nsamples > 0)
        measure_least(sorted, task->nsamples, &spread);
    bool enough = task->nsamples >= effort->least &&
                  (spread <= effort->spread || task->nsamples >= effort->most);
    task->go_on = !enough && task->nsamples + task->ndisturbed < TRIES * effort->most &&
                  task->nsamples < MOST_SAMPLES;
}

static void sample(struct task *task, struct work *work, unsigned member)
{
    unsigned n = team_size(task->bench->team);
    team_step(task->bench->team);
    long before = interruptions();
    double from = measure_now();
    double accesses = run_units(work, work->repeats);
    task->seconds[member] = (measure_now() - from) / accesses;
    atomic_fetch_add(&task->ready, 1);
    /* Who is done early still works, so that it is as hard for the others until they are. */
    while (atomic_load(&task->ready) < n)
        run_units(work, 1);
    if (interruptions() != before)
        atomic_store(&task->interrupted, true);
    team_step(task->bench->team);
    if (member == 0) {
        task->ready = 0;
        take_sample(task);
    }
    team_step(task->bench->team);
}

static void measure(void *argument, unsigned member)
{
    struct task *task = argument;
    struct work work = {.task = task};
    prepare(&work, member);
    do
        sample(task, &work, member);
    while (task->go_on);
}

static double run_task(struct task *task, double *spread)
{
    task->seconds = memory_zeros(team_size(task->bench->team), sizeof *task->seconds);
    team_run(task->bench->team, measure, task);
    free(task->seconds);
    task->bench->settled = task->bytes;
    double *samples = task->nsamples > 0 ? task->samples : task->disturbed;
    unsigned n = task->nsamples > 0 ? task->nsamples : task->ndisturbed;
    double least = measure_least(samples, n, spread);
    return task->bytes > WHOLE ? samples[n / 2] : least;
}

struct machine_point measure_point(struct bench *bench, const struct machine_kind *kind,
                                   size_t bytes)
{
    struct task task = {.bench = bench, .kind = kind, .bytes = bytes};
    double spread, seconds = run_task(&task, &spread);
    if (kind->access == MACHINE_RANDOM && kind->operation == MACHINE_LOAD &&
        kind->access_bytes == sizeof(void *) && bytes <= CHAINED) {
        /* Where memory is near, it is making the addresses that takes the time, unless they are there. */
        double other_spread;
        struct task other = {.bench = bench, .kind = kind, .bytes = bytes, .other = kernel_chains};
        double other_seconds = run_task(&other, &other_spread);
        if (other_seconds < seconds) {
            seconds = other_seconds;
            spread = other_spread;
        }
    }
    return (struct machine_point){
        .working_set_bytes = bytes, .accesses_per_second = 1 / seconds, .spread = spread};
}

double measure_conflicts(struct bench *bench, size_t n, size_t stride)
{
    static const struct machine_kind kind = {
        .operation = MACHINE_LOAD, .access = MACHINE_DEPENDENT, .access_bytes = sizeof(void *)};
    struct task task = {
        .bench = bench, .kind = &kind, .bytes = n * stride, .conflict_stride = stride};
    double spread;
    return run_task(&task, &spread);
}

/* ---- Memory -------------------------------------------------------------------------------- */

static void touch(void *argument, unsigned member)
{
    const struct bench *bench = argument;
    memset(bench->arenas[member].memory, 0, bench->arenas[member].bytes);
}

void measure_touch(struct bench *bench)
{
    team_run(bench->team, touch, bench);
}
