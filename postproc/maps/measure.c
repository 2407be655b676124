/*
 * measure.c - measures one point of a curve. Samples are short, so that many complete between two
 * interruptions; interrupted samples do not count, and the fastest of the others is the result.
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
#include "postproc/maps/deadline.h"
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

/* ---- Work ---------------------------------------------------------------------------------- */

/* State shared by all members. */
struct task {
    struct bench *bench;
    const struct machine_kind *kind;
    size_t bytes, conflict_stride; /* conflict_stride: bytes between the lines of a chain */
    kernel other;                  /* replaces the kernel of the kind */
    _Atomic unsigned ready;        /* members that have finished their sample */
    double *seconds;               /* per access, by member */
    _Atomic bool interrupted, go_on;
    double samples[MOST_SAMPLES], disturbed[MOST_SAMPLES];
    unsigned nsamples, ndisturbed;
};

/* State of one member. */
struct work {
    const struct task *task;
    kernel run;
    struct walk walk;
    uint32_t places[KERNEL_PLACES];
    char *memory;
    size_t *at;     /* position in a working set swept in parts */
    size_t repeats; /* units per sample */
};

/*
 * A set larger than PART is swept in parts. Above CHAINED, chains are slower than computed
 * addresses. A sample covers a whole set up to WHOLE, part of which may always be cached; for
 * larger sets each sample covers a different part, and the typical sample counts instead of the
 * fastest.
 */
enum { PART = 1 << 20, CHAINED = 2 << 20, WHOLE = 4 << 20 };

/* Working sets up to this size need some laps until a shared cache has settled. */
enum { SETTLING = 128 << 20, LAPS = 8 };

static bool is_sweep(const struct machine_kind *kind)
{
    return kind->access == MACHINE_SEQUENTIAL || kind->access == MACHINE_STRIDE ||
           kind->access == MACHINE_CONFLICT || kind->access == MACHINE_SPLIT ||
           kind->access == MACHINE_BESIDE;
}

/* Return the bytes before the range of addresses. */
static size_t behind_of(const struct task *task)
{
    return task->kind->access == MACHINE_BESIDE  ? KERNEL_BEHIND
           : task->kind->access == MACHINE_SPLIT ? KERNEL_LINE
                                                 : 0;
}

/* Return whether the working set has two halves: source and target of a copy, or two streams. */
static bool has_halves(const struct machine_kind *kind)
{
    return kind->operation == MACHINE_COPY || kind->access == MACHINE_BESIDE;
}

/* Return the size of the range of addresses. */
static size_t span_of(const struct task *task)
{
    size_t bytes = task->bytes - behind_of(task);
    return has_halves(task->kind) ? bytes / 2 : bytes;
}

/* Sweep the next part; returns the number of accesses. */
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

/* Run N units of work; returns the number of accesses. */
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

/* Return the number of units that cover a working set once; 1 for random accesses. */
static size_t units_of_all(const struct work *work)
{
    const struct task *task = work->task;
    if (task->conflict_stride || task->bytes > WHOLE)
        return 1;
    if (is_sweep(task->kind))
        return (span_of(task) + PART - 1) / PART;
    return work->walk.links[0] ? (task->bytes / KERNEL_LINE + KERNEL_UNIT - 1) / KERNEL_UNIT : 1;
}

/* Choose the number of units to match the duration of a sample. */
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
 * Warm the caches. One sweep settles a small set. A shared cache admits lines after a few accesses,
 * unless the set exceeds it. A large set has been settled by an earlier point of the same size.
 */
static void warm(struct work *work)
{
    const struct task *task = work->task;
    static const struct machine_kind loads = {.operation = MACHINE_LOAD, .access_bytes = 8};
    bool is_shared = task->bytes > WHOLE && task->bytes <= SETTLING;
    struct walk all = {.from = work->memory, .bytes = task->bytes, .n = 1};
    int laps = is_shared ? LAPS : 1;
    kernel load = kernel_of(&loads);
    /* The part linked last is cached, until the rest has been read. */
    bool is_cached = task->kind->access == MACHINE_DEPENDENT && !arena_links_all(task->bytes);
    if (!task->conflict_stride &&
        (task->bytes <= WHOLE || is_cached || task->bytes != task->bench->settled))
        do
            load(&all);
        while (--laps > 0 && deadline_left() > 0);
}

/*
 * Repeat laps until the time is stable. Dependent loads are slow, so other users of the last cache
 * evict lines between accesses, until only lines remain that are reused soon enough.
 */
static void settle(struct work *work)
{
    const double same = 0.03;
    const struct task *task = work->task;
    if (task->kind->access != MACHINE_DEPENDENT || task->bytes <= WHOLE || task->bytes > SETTLING)
        return;
    double before = 0;
    for (int lap = 0; lap < LAPS && deadline_left() > 0; lap++) {
        double from = measure_now();
        run_units(work, task->bytes / KERNEL_LINE / KERNEL_UNIT);
        double seconds = measure_now() - from;
        if (fabs(seconds - before) < same * before)
            return;
        before = seconds;
    }
}

/* Link lines of the same set of each cache into a chain. */
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

/* Record a sample; one member calls this while the others wait. */
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
    task->go_on = !enough && deadline_left() > 0 &&
                  task->nsamples + task->ndisturbed < TRIES * effort->most &&
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
    /* A member that finishes early keeps the load constant for the others. */
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
        /* In small sets, address computation dominates, so chains without it may be faster. */
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
