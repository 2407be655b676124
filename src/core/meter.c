/* meter.c - the set of meters, and their readings by a thread. */
#include "config.h"

#include "core/meter.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>

#include "core/amounts.h"
#include "core/metrics.h"
#include "core/own_stack.h"

#define load(p) atomic_load_explicit(p, memory_order_relaxed)
#define store(p, v) atomic_store_explicit(p, v, memory_order_relaxed)

/* ---- CPU time ------------------------------------------------------------------------------ */

static void *open_cpu(void)
{
    static char opened;
    return &opened;
}

static void read_cpu(void *opened, int64_t *values)
{
    struct rusage usage;
    (void)opened;
    if (getrusage(RUSAGE_THREAD, &usage) != 0)
        return;
    values[0] = usage.ru_utime.tv_sec * INT64_C(1000000) + usage.ru_utime.tv_usec;
    values[1] = usage.ru_stime.tv_sec * INT64_C(1000000) + usage.ru_stime.tv_usec;
}

static void close_cpu(void *opened, bool exits)
{
    (void)opened;
    (void)exits;
}

static const struct gptl_meter cpu = {.open = open_cpu, .read = read_cpu, .close = close_cpu};

/* ---- The process --------------------------------------------------------------------------- */

static const struct gptl_meter *counters; /* meter of another module, or NULL */

static struct {
    uint32_t cpu, wanted; /* requests of this generation */
    uint32_t planned;     /* generation for which ncounters is valid */
    uint32_t ncounters;
} process;

void gptl_core_set_meter(const struct gptl_meter *meter)
{
    counters = meter;
}

bool gptl_meter_wanted(void)
{
    uint32_t on = (uint32_t)gptl_core_option(GPTL_OPT_CPU);
    uint32_t wanted = counters ? counters->wanted() : 0;
    if (on != process.cpu || wanted != process.wanted || gptl_g.metering == 0) {
        process.cpu = on;
        process.wanted = wanted;
        gptl_g.metering++;
    }
    bool nothing_counts = process.planned == gptl_g.metering && process.ncounters == 0;
    return on || (wanted && !nothing_counts);
}

void gptl_meter_forked(void)
{
    gptl_g.metering++;
    if (counters)
        counters->forked();
}

void gptl_meter_end(void)
{
    gptl_g.metering++;
    if (counters)
        counters->end();
    process.ncounters = 0;
    gptl_metrics_forget();
}

int gptl_meter_set(const char *function, int number, bool on)
{
    if (!counters)
        return gptl_core_error(function, "there is no option %d", number);
    sigset_t before = gptl_core_hold_signals();
    int rc = counters->set(function, number, on);
    gptl_core_release_signals(before);
    return rc;
}

/*
 * Plan the values once for each generation, by the first thread that opens its meters. Return false
 * without memory.
 */
static bool plan(void)
{
    if (process.planned == gptl_g.metering)
        return true;
    struct gptl_metrics metrics = {0};
    if (process.wanted)
        counters->plan(&metrics);
    if (!gptl_amounts_keep_with(&metrics))
        return false;
    process.ncounters = metrics.nslots;
    process.planned = gptl_g.metering;
    return true;
}

/* ---- Opening and closing in a thread ------------------------------------------------------- */

static void add_source(struct gptl_thread *t, const struct gptl_meter *meter, uint32_t at)
{
    void *opened = meter->open();
    if (opened)
        t->meter.source[t->meter.nsources++] = (struct gptl_source){meter->read, opened, meter, at};
}

/* Provide memory for N values; the existing block may be large enough. */
static bool room_for(struct gptl_thread *t, uint32_t n)
{
    struct gptl_metering *m = &t->meter;
    size_t size = (2 + (size_t)GPTL_NMISSED) * n * sizeof *m->now;
    if (size > m->size) {
        int64_t *block = gptl_mem_pages(size);
        if (!block)
            return false;
        gptl_mem_free(m->now, m->size);
        m->now = block;
        m->size = size;
    }
    m->paused_at = m->now + n;
    m->missed = m->paused_at + n;
    m->n = n;
    memset(m->now, 0, size);
    /* Values that cannot be opened in this thread are never written: they must not differ. */
    if (t->side)
        memset(t->side_values, 0, (size_t)t->side_size * t->side_stride * sizeof *m->now);
    return true;
}

/*
 * Find the remaining part of the thread's own stack. Where libc cannot determine it, each reading
 * uses a stack of the library.
 */
static void find_stack(struct gptl_metering *m)
{
    enum { NEEDED = 12 << 10 }; /* PAPI uses 4 KiB, and a signal handler may run */
    pthread_attr_t attributes;
    void *low;
    size_t size;
    m->stack_size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
    if (pthread_attr_getstack(&attributes, &low, &size) == 0 && size > NEEDED) {
        m->stack = (uintptr_t)low + NEEDED;
        m->stack_size = size - NEEDED;
    }
    pthread_attr_destroy(&attributes);
}

/* Open all meters. Requires the lock. */
static bool open_all(struct gptl_thread *t)
{
    gptl_meter_close(t, false);
    if (!plan() || !room_for(t, GPTL_NVALUES + process.ncounters))
        return false;
    if (process.cpu)
        add_source(t, &cpu, 0);
    if (process.ncounters)
        add_source(t, counters, GPTL_NVALUES);
    const struct gptl_source *only = t->meter.nsources == 1 ? &t->meter.source[0] : NULL;
    if (only && only->meter->direct)
        /* cppcheck-suppress AssignmentIntegerToAddress ; it takes the function for its result */
        t->meter.direct = only->meter->direct(only->opened, &t->meter.number);
    t->meter.error = &errno;
    t->meter.first = process.cpu ? 0 : GPTL_NVALUES;
    if (process.ncounters)
        find_stack(&t->meter);
    t->meter.generation = gptl_g.metering;
    /* The first reading allocates its data now rather than inside a region of the program. */
    gptl_meter_read(t);
    if (!process.cpu && !process.ncounters) /* none of the requested events can count */
        gptl_state_gate(0, GPTL_GATE_METER);
    return true;
}

struct opening {
    struct gptl_thread *t;
    bool done;
};

static void open_guarded(void *opening)
{
    struct opening *o = opening;
    sigset_t before = gptl_core_hold_signals();
    gptl_lock();
    o->done = open_all(o->t);
    gptl_unlock();
    gptl_core_release_signals(before);
}

/* Opening runs on a stack of the library, since PAPI needs more stack than a thread may have. */
bool gptl_meter_open(struct gptl_thread *t)
{
    struct opening opening = {t, false};
    gptl_own_stack_call(open_guarded, &opening);
    return opening.done;
}

void gptl_meter_close(struct gptl_thread *t, bool exits)
{
    struct gptl_metering *m = &t->meter;
    m->generation = 0;
    m->paused = false;
    m->direct = NULL;
    while (m->nsources > 0) {
        struct gptl_source *source = &m->source[--m->nsources];
        source->meter->close(source->opened, exits);
    }
}

void gptl_meter_lend(struct gptl_thread *t, struct gptl_thread *scratch)
{
    if (!t || !t->meter.nsources || !gptl_meter_is_open(t) || !room_for(scratch, t->meter.n))
        return;
    scratch->meter.first = t->meter.first;
    scratch->meter.nsources = t->meter.nsources;
    scratch->meter.direct = t->meter.direct;
    scratch->meter.number = t->meter.number;
    scratch->meter.error = t->meter.error;
    scratch->meter.stack = t->meter.stack;
    scratch->meter.stack_size = t->meter.stack_size;
    memcpy(scratch->meter.source, t->meter.source, sizeof t->meter.source);
    scratch->meter.generation = t->meter.generation;
}

void gptl_meter_give_back(struct gptl_thread *scratch)
{
    scratch->meter.nsources = 0;
    scratch->meter.direct = NULL;
}

/* ---- Readings in a thread ------------------------------------------------------------------ */

struct reading {
    const struct gptl_metering *m;
    int64_t *to;
    int rc;
};

static void read_here(void *reading)
{
    struct reading *r = reading;
    const struct gptl_metering *m = r->m;
    if (m->direct)
        r->rc = m->direct(m->number, (long long *)(r->to + m->first));
    else
        for (uint32_t i = 0; i < m->nsources; i++)
            m->source[i].read(m->source[i].opened, r->to + m->source[i].at);
}

void gptl_meter_read_sources(const struct gptl_metering *m, int64_t *to)
{
    if (process.ncounters && !gptl_meter_has_room(m)) {
        gptl_meter_read_apart(m, to);
        return;
    }
    read_here(&(struct reading){m, to, 0});
}

bool gptl_meter_read_apart(const struct gptl_metering *m, int64_t *to)
{
    struct reading reading = {m, to, 0};
    int error = *m->error;
    gptl_own_stack_call_blocked(read_here, &reading);
    return reading.rc == 0 || gptl_meter_lost(m, reading.rc, error);
}

static const int64_t *read_all(struct gptl_thread *t)
{
    struct gptl_metering *m = &t->meter;
    if (m->paused)
        return m->paused_at;
    return gptl_meter_read_to(t, m->now) ? m->now : NULL;
}

bool gptl_meter_lost(const struct gptl_metering *m, int rc, int error)
{
    m->source[0].meter->lost(m->number, rc);
    errno = error;
    return false;
}

const int64_t *gptl_meter_read(struct gptl_thread *t)
{
    return t->meter.nsources && gptl_meter_is_open(t) ? read_all(t) : NULL;
}

/* Read the meters for the frame on top. A recursive call adds nothing. */
void gptl_meter_start(struct gptl_thread *t)
{
    uint32_t k = gptl_thread_depth(t);
    if (k >= t->side_size)
        return;
    t->side[k].metered = 0;
    if (gptl_node_open(load(&load(&t->top)->node)) > 1 || !t->meter.nsources)
        return;
    int64_t *to = gptl_meter_values(t, k);
    if (t->meter.paused)
        memcpy(to, t->meter.paused_at, t->meter.n * sizeof *to);
    else if (!gptl_meter_read_to(t, to))
        return;
    t->side[k].metered = t->meter.generation;
}

/* Return the node's values, at least N of them; NULL without memory. */
static struct gptl_values *room_for_values(struct gptl_thread *t, struct gptl_node *node,
                                           uint32_t n)
{
    struct gptl_extra *extra = gptl_tree_extra(t, node);
    struct gptl_values *old = extra ? load(&extra->values) : NULL;
    if (!extra || (old && old->n >= n))
        return old;
    struct gptl_values *values =
        gptl_arena_alloc(&t->extras, sizeof *values + n * sizeof *values->value, 8);
    if (!values)
        return NULL;
    values->n = n;
    for (uint32_t i = 0; old && i < old->n; i++)
        store(&values->value[i], load(&old->value[i]));
    atomic_store_explicit(&extra->values, values, memory_order_release);
    return values;
}

static void add(struct gptl_thread *t, struct gptl_node *node, const int64_t *from,
                const int64_t *to, uint32_t calls)
{
    const struct gptl_extra *extra = load(&node->extra);
    struct gptl_values *values = extra ? load(&extra->values) : NULL;
    if (!values || values->n < t->meter.n)
        values = room_for_values(t, node, t->meter.n);
    if (!values)
        return;
    /* wraps around, as sums of counters may */
    for (uint32_t i = t->meter.first; i < t->meter.n; i++)
        store(&values->value[i], (int64_t)((uint64_t)load(&values->value[i]) +
                                           calls * ((uint64_t)to[i] - (uint64_t)from[i])));
}

void gptl_meter_stop(struct gptl_thread *t, struct gptl_node *node, uint32_t k, const int64_t *end,
                     uint32_t calls)
{
    /* otherwise the frame was started before the meters were on */
    if (!end && gptl_meter_has_frame(t, k))
        end = read_all(t);
    if (end)
        add(t, node, gptl_meter_values(t, k), end, calls);
}

/* ---- Out of order -------------------------------------------------------------------------- */

void gptl_meter_crossed(struct gptl_thread *t, uint32_t k, const int64_t *values)
{
    if (values && gptl_meter_has_frame(t, k))
        memcpy(gptl_meter_values(t, k) + t->meter.n, values, t->meter.n * sizeof *values);
}

const int64_t *gptl_meter_missed(struct gptl_thread *t, uint32_t k, uint32_t i)
{
    t->missed[i].metered = 0;
    if (!gptl_meter_has_frame(t, k))
        return NULL;
    const int64_t *values = gptl_meter_values(t, k) + t->meter.n;
    t->missed[i].metered = t->meter.generation;
    return memcpy(t->meter.missed + (size_t)i * t->meter.n, values, t->meter.n * sizeof *values);
}

void gptl_meter_late(struct gptl_thread *t, uint32_t i)
{
    const struct gptl_missed *missed = &t->missed[i];
    if (!missed->metered || missed->metered != t->meter.generation || !gptl_meter_is_open(t))
        return;
    const int64_t *now = read_all(t);
    if (now)
        add(t, missed->node, t->meter.missed + (size_t)i * t->meter.n, now, 1);
}

/* ---- Disabled, reset ----------------------------------------------------------------------- */

void gptl_meter_pause(struct gptl_thread *t)
{
    if (t->meter.paused || !gptl_meter_read(t))
        return;
    memcpy(t->meter.paused_at, t->meter.now, t->meter.n * sizeof *t->meter.now);
    t->meter.paused = true;
}

static void shift(int64_t *values, const int64_t *from, const int64_t *to, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        values[i] = (int64_t)((uint64_t)values[i] + (uint64_t)to[i] - (uint64_t)from[i]);
}

/* Continue after a pause: shift all earlier readings by the change during the pause. */
void gptl_meter_resume(struct gptl_thread *t)
{
    struct gptl_metering *m = &t->meter;
    if (!m->paused)
        return;
    m->paused = false;
    if (!gptl_meter_read(t))
        return;
    for (uint32_t k = 1; k <= gptl_thread_depth(t); k++)
        if (gptl_meter_has_frame(t, k)) {
            shift(gptl_meter_values(t, k), m->paused_at, m->now, m->n);
            shift(gptl_meter_values(t, k) + m->n, m->paused_at, m->now, m->n);
        }
    for (uint32_t i = 0; i < GPTL_NMISSED; i++)
        shift(m->missed + (size_t)i * m->n, m->paused_at, m->now, m->n);
}

void gptl_meter_restart(struct gptl_thread *t, const struct gptl_region *region)
{
    const int64_t *now = t == gptl_tls ? gptl_meter_read(t) : NULL;
    for (uint32_t k = 1; now && k <= gptl_thread_depth(t); k++)
        if (gptl_meter_has_frame(t, k) &&
            (!region || load(&load(&t->base)[k].node)->region == region))
            memcpy(gptl_meter_values(t, k), now, t->meter.n * sizeof *now);
}
