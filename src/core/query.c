/* query.c - the read-only API: current measurements of regions. */
#include "config.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/query.h"

#include "gptl.h"

#include "core/amounts.h"
#include "core/clock.h"
#include "core/copy.h"
#include "core/metrics.h"
#include "core/slow.h"
#include "core/state.h"

/* Sums of a region in one thread, over all paths that lead to it. */
struct sums {
    uint64_t count, total, latest;
    int64_t values[GPTL_NVALUES];
    int64_t *counters; /* NCOUNTERS values, or NULL */
    uint32_t ncounters;
    bool found, open;
    double seconds_per_tick;
};

static void add_node(const struct gptl_thread *t, struct gptl_node *node, struct sums *sums)
{
    struct gptl_node_copy copy;
    gptl_copy_node(t, node, sums->seconds_per_tick, &copy);
    sums->found = true;
    sums->open |= copy.open > 0;
    sums->count += copy.count;
    sums->total += copy.total;
    if (copy.count)
        sums->latest = copy.latest;
    const struct gptl_extra *extra = atomic_load_explicit(&node->extra, memory_order_acquire);
    const struct gptl_values *values =
        extra && copy.count ? atomic_load_explicit(&extra->values, memory_order_acquire) : NULL;
    for (uint32_t i = 0; values && i < values->n; i++) {
        int64_t value = atomic_load_explicit(&values->value[i], memory_order_relaxed);
        if (i < GPTL_NVALUES)
            sums->values[i] += value;
        else if (i - GPTL_NVALUES < sums->ncounters)
            sums->counters[i - GPTL_NVALUES] += value;
    }
}

static bool is_within(const struct gptl_node *node, const struct gptl_region *region)
{
    while (node && node->region != region)
        node = node->parent;
    return node;
}

/* Add the bytes transferred by calls in REGION and below. */
static void add_amounts(struct gptl_thread *t, const struct gptl_region *region, struct sums *sums)
{
    const struct gptl_kept_metrics *metrics = gptl_metrics_kept();
    uint32_t first, n = atomic_load_explicit(&t->tree.nnodes, memory_order_acquire);
    if (!gptl_amounts_at(metrics, &first) || sums->ncounters != metrics->nslots)
        return;
    for (uint32_t i = 1; i < n; i++) {
        struct gptl_node *node = gptl_tree_node(&t->tree, i);
        const struct gptl_extra *extra = atomic_load_explicit(&node->extra, memory_order_acquire);
        if (!extra || !is_within(node, region))
            continue;
        struct gptl_node_copy copy;
        gptl_copy_node(t, node, sums->seconds_per_tick, &copy);
        if (copy.count)
            gptl_amounts_of(extra, copy.count, sums->counters + first);
    }
}

/* Return the sums of REGION, and the first NCOUNTERS counters in COUNTERS. Requires the lock. */
static struct sums counted_sums_of(struct gptl_thread *t, const struct gptl_region *region,
                                   int64_t *counters, uint32_t ncounters)
{
    struct sums sums = {.seconds_per_tick = gptl_clock_seconds_per_tick(t->clock),
                        .counters = counters,
                        .ncounters = ncounters};
    uint32_t n = atomic_load_explicit(&t->tree.nnodes, memory_order_acquire);
    for (uint32_t i = 1; i < n; i++) {
        struct gptl_node *node = gptl_tree_node(&t->tree, i);
        if (node->region == region && gptl_copy_is_region(t, node))
            add_node(t, node, &sums);
    }
    add_amounts(t, region, &sums);
    return sums;
}

static struct sums sums_of(struct gptl_thread *t, const struct gptl_region *region)
{
    return counted_sums_of(t, region, NULL, 0);
}

static bool has_region(const struct gptl_thread *t, const struct gptl_region *region)
{
    uint32_t n = atomic_load_explicit(&t->tree.nnodes, memory_order_acquire);
    for (uint32_t i = 1; i < n; i++) {
        const struct gptl_node *node = gptl_tree_node(&t->tree, i);
        if (node->region == region && gptl_copy_is_region(t, node))
            return true;
    }
    return false;
}

static bool is_known(const struct gptl_region *region)
{
    for (uint32_t slot = 0; slot < gptl_g.nthreads; slot++) {
        const struct gptl_thread *t = gptl_g.threads[slot];
        if (t && t->epoch == gptl_g.epoch && has_region(t, region))
            return true;
    }
    return false;
}

struct gptl_region *gptl_query_find(struct gptl_name name, const struct gptl_thread *t)
{
    for (int kind = 0; kind < GPTL_NKINDS; kind++) {
        name.kind = (enum gptl_kind)kind;
        struct gptl_region *region = gptl_name_find(name, gptl_name_hash(name));
        if (region && (t ? has_region(t, region) : is_known(region)))
            return region;
    }
    return NULL;
}

/*
 * Return the thread with this number (negative: the calling one); NULL after an error. Requires the
 * lock.
 */
static struct gptl_thread *thread_of(const char *function, int number)
{
    struct gptl_thread *t = NULL;
    if (number < 0)
        t = gptl_thread_own();
    else
        t = gptl_thread_by_slot(number);
    if (t && t->epoch == gptl_g.epoch)
        return t;
    if (number < 0)
        gptl_core_error(function, "this thread has started nothing");
    else
        gptl_core_error(function, "there is no thread %d", number);
    return NULL;
}

/* Find NAME in thread NUMBER, and return its sums and N counters. Return false after an error. */
static bool query_counted(const char *function, const char *name, int number, struct sums *sums,
                          int64_t *counters, uint32_t n)
{
    if (!name) {
        gptl_core_error(function, "an argument is NULL");
        return false;
    }
    if (!gptl_is_on()) {
        gptl_core_error(function, "the library is not initialized");
        return false;
    }
    struct gptl_name kept = gptl_slow_name(name, GPTL_NUL_ENDED);
    gptl_lock();
    struct gptl_thread *t = thread_of(function, number);
    struct gptl_region *region = t ? gptl_query_find(kept, t) : NULL;
    *sums = region ? counted_sums_of(t, region, counters, n) : (struct sums){.found = false};
    gptl_unlock();
    if (t && !sums->found)
        gptl_core_error(function, "there is no region \"%s\" on thread %d", name, t->slot);
    return t && sums->found;
}

static bool query(const char *function, const char *name, int number, struct sums *sums)
{
    return query_counted(function, name, number, sums, NULL, 0);
}

/* Return the number of counters. */
static uint32_t number_of_counters(void)
{
    gptl_lock();
    const struct gptl_kept_metrics *metrics = gptl_metrics_kept();
    uint32_t n = metrics ? metrics->nslots : 0;
    gptl_unlock();
    return n;
}

int gptl_core_query(const char *function, const char *name, int t, int64_t *values, uint32_t n,
                    double *seconds)
{
    struct sums sums;
    uint32_t all = number_of_counters();
    if (n > all)
        n = all;
    memset(values, 0, n * sizeof *values);
    if (!query_counted(function, name, t, &sums, values, n))
        return -1;
    *seconds = (double)sums.total * sums.seconds_per_tick;
    return (int)n;
}

static int saturated(uint64_t n)
{
    return n > INT_MAX ? INT_MAX : (int)n;
}

/* Query at most MOST counters in the type of the public interface. */
static bool query_to(const char *function, const char *name, int t, struct sums *sums,
                     long long *counters, int most)
{
    uint32_t n = counters && most > 0 ? number_of_counters() : 0;
    if (n > (uint32_t)most)
        n = (uint32_t)most;
    int64_t *values = calloc((size_t)n + 1, sizeof *values);
    if (!values) {
        gptl_core_error(function, "no memory");
        return false;
    }
    bool found = query_counted(function, name, t, sums, values, n);
    for (uint32_t i = 0; found && i < n; i++)
        counters[i] = values[i];
    free(values);
    return found;
}

int GPTLquery(const char *name, int t, int *count, int *onflg, double *wall, double *usr,
              double *sys, long long *papicounters_out, int maxcounters)
{
    struct sums sums;
    if (!query_to("GPTLquery", name, t, &sums, papicounters_out, maxcounters))
        return -1;
    if (count)
        *count = saturated(sums.count);
    if (onflg)
        *onflg = sums.open;
    if (wall)
        *wall = (double)sums.total * sums.seconds_per_tick;
    if (usr)
        *usr = (double)sums.values[0] * 1e-6;
    if (sys)
        *sys = (double)sums.values[1] * 1e-6;
    return 0;
}

int GPTLquerycounters(const char *name, int t, long long *papicounters_out)
{
    if (!papicounters_out)
        return gptl_core_error("GPTLquerycounters", "an argument is NULL");
    gptl_core_saw_fork("GPTLquerycounters", false);
    struct sums sums;
    return query_to("GPTLquerycounters", name, t, &sums, papicounters_out, INT_MAX) ? 0 : -1;
}

int GPTLget_wallclock(const char *name, int t, double *value)
{
    struct sums sums;
    if (!value)
        return gptl_core_error("GPTLget_wallclock", "an argument is NULL");
    if (!query("GPTLget_wallclock", name, t, &sums))
        return -1;
    *value = (double)sums.total * sums.seconds_per_tick;
    return 0;
}

int GPTLget_wallclock_latest(const char *name, int t, double *value)
{
    struct sums sums;
    if (!value)
        return gptl_core_error("GPTLget_wallclock_latest", "an argument is NULL");
    if (!query("GPTLget_wallclock_latest", name, t, &sums))
        return -1;
    *value = (double)sums.latest * sums.seconds_per_tick;
    return 0;
}

int GPTLget_count(const char *name, int t, int *count)
{
    struct sums sums;
    if (!count)
        return gptl_core_error("GPTLget_count", "an argument is NULL");
    if (!query("GPTLget_count", name, t, &sums))
        return -1;
    *count = saturated(sums.count);
    return 0;
}

int GPTLget_threadwork(const char *name, double *maxwork, double *imbal)
{
    if (!name || !maxwork || !imbal)
        return gptl_core_error("GPTLget_threadwork", "an argument is NULL");
    if (!gptl_is_on())
        return gptl_core_error("GPTLget_threadwork", "the library is not initialized");
    struct gptl_name kept = gptl_slow_name(name, GPTL_NUL_ENDED);
    double largest = 0, sum = 0;
    int nthreads = 0;
    gptl_lock();
    struct gptl_region *region = gptl_query_find(kept, NULL);
    for (uint32_t slot = 0; region && slot < gptl_g.nthreads; slot++) {
        struct gptl_thread *t = gptl_g.threads[slot];
        if (!t || t->epoch != gptl_g.epoch)
            continue;
        struct sums sums = sums_of(t, region);
        double seconds = (double)sums.total * sums.seconds_per_tick;
        largest = seconds > largest ? seconds : largest;
        sum += seconds;
        nthreads += sums.found;
    }
    gptl_unlock();
    if (!nthreads)
        return gptl_core_error("GPTLget_threadwork", "there is no region \"%s\"", name);
    *maxwork = largest;
    *imbal = largest - sum / nthreads;
    return 0;
}

/* Continue the count of region_at with the program's own regions, or with all others. */
static const struct gptl_node *count_regions(const struct gptl_thread *t, int index, int *nregions,
                                             unsigned char *seen, bool own)
{
    uint32_t n = atomic_load_explicit(&t->tree.nnodes, memory_order_acquire);
    for (uint32_t i = 1; i < n; i++) {
        const struct gptl_node *node = gptl_tree_node(&t->tree, i);
        uint32_t id = node->region->id;
        if ((node->region->kind <= GPTL_KIND_FUNCTION) != own || !gptl_copy_is_region(t, node) ||
            seen[id / 8] & 1u << id % 8)
            continue;
        seen[id / 8] |= (unsigned char)(1u << id % 8);
        if ((*nregions)++ == index)
            return node;
    }
    return NULL;
}

/*
 * Count a thread's regions, the program's own first, up to the one with INDEX, and return its node;
 * NULL if there are fewer. Requires the lock.
 */
static const struct gptl_node *region_at(const struct gptl_thread *t, int index, int *nregions)
{
    unsigned char *seen = calloc(gptl_name_count() / 8 + 1, 1);
    *nregions = seen ? 0 : -1;
    const struct gptl_node *found = NULL;
    if (seen)
        found = count_regions(t, index, nregions, seen, true);
    if (seen && !found)
        found = count_regions(t, index, nregions, seen, false);
    free(seen);
    return found;
}

int GPTLget_nregions(int t, int *nregions)
{
    if (!nregions)
        return gptl_core_error("GPTLget_nregions", "an argument is NULL");
    if (!gptl_is_on())
        return gptl_core_error("GPTLget_nregions", "the library is not initialized");
    int n = -1;
    gptl_lock();
    struct gptl_thread *thread = thread_of("GPTLget_nregions", t);
    if (thread)
        region_at(thread, -1, &n);
    gptl_unlock();
    if (n < 0)
        return thread ? gptl_core_error("GPTLget_nregions", "no memory") : -1;
    *nregions = n;
    return 0;
}

int GPTLget_regionname(int t, int region, char *name, int size)
{
    const char *function = "GPTLget_regionname";
    if (!name || size < 1)
        return gptl_core_error(function, name ? "the size is not positive" : "an argument is NULL");
    if (!gptl_is_on())
        return gptl_core_error(function, "the library is not initialized");
    gptl_lock();
    struct gptl_thread *thread = thread_of(function, t);
    int n = 0;
    const struct gptl_node *node = thread ? region_at(thread, region, &n) : NULL;
    gptl_unlock();
    if (!node)
        return thread ? gptl_core_error(function, "there is no region %d: there are %d", region, n)
                      : -1;
    size_t length = node->region->size - 1; /* regions are never freed */
    size_t copied = length < (size_t)size ? length : (size_t)size - 1;
    memcpy(name, node->region->name, copied);
    name[copied] = '\0';
    if (copied < length)
        return gptl_core_error(function, "\"%.40s…\" needs %zu bytes, there are %d",
                               node->region->name, length + 1, size);
    return 0;
}

/* ---- Position of a thread ------------------------------------------------------------------ */

const void *gptl_core_here(void)
{
    const struct gptl_thread *t = gptl_thread_own();
    if (!t || gptl_thread_depth(t) == 0)
        return NULL;
    return atomic_load_explicit(&t->top, memory_order_relaxed)->node;
}

uint32_t gptl_core_measurement(void)
{
    const struct gptl_thread *t = gptl_thread_own();
    return t ? t->epoch : 0;
}

const void *gptl_core_node_parent(const void *node)
{
    const struct gptl_node *parent = ((const struct gptl_node *)node)->parent;
    return parent->index == 0 ? NULL : parent;
}

enum gptl_kind gptl_core_node_kind(const void *node)
{
    return (enum gptl_kind)((const struct gptl_node *)node)->region->kind;
}

const char *gptl_core_node_name(const void *node)
{
    return ((const struct gptl_node *)node)->region->name;
}
