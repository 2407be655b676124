/* amounts.c - bytes transferred by calls, as reported by the libraries that wrap the calls. */
#include "config.h"

#include "core/amounts.h"

#include <stdlib.h>
#include <string.h>

#include "core/salvage.h"

#define load(p) atomic_load_explicit(p, memory_order_relaxed)
#define store(p, v) atomic_store_explicit(p, v, memory_order_relaxed)

/* ---- Descriptions -------------------------------------------------------------------------- */

static const struct gptl_metrics *amounts; /* or NULL: no library wraps calls */

bool gptl_amounts_keep_with(const struct gptl_metrics *metrics)
{
    if (!amounts)
        return gptl_metrics_keep(metrics, 0);
    struct gptl_metrics all = {.n = amounts->n + metrics->n,
                               .nslots = amounts->nslots + metrics->nslots};
    size_t size = all.n * sizeof *all.metric;
    all.metric = gptl_mem_pages(size);
    if (!all.metric)
        return false;
    memcpy(all.metric, amounts->metric, amounts->n * sizeof *all.metric);
    for (uint32_t i = 0; i < amounts->n; i++)
        all.metric[i].slot += metrics->nslots;
    if (metrics->n > 0)
        memcpy(all.metric + amounts->n, metrics->metric, metrics->n * sizeof *all.metric);
    bool kept = gptl_metrics_keep(&all, amounts->nslots);
    gptl_mem_free(all.metric, size);
    return kept;
}

/*
 * Keep the descriptions after the start of the salvage file; kept earlier, they would not be part
 * of it.
 */
void gptl_amounts_begin(void)
{
    if (!amounts || gptl_metrics_kept())
        return;
    gptl_salvage_begin();
    gptl_amounts_keep_with(&(struct gptl_metrics){0});
}

/* Set the descriptions. If metrics are kept already, the next plan includes the amounts. */
void gptl_core_set_amounts(const struct gptl_metrics *more)
{
    sigset_t before = gptl_core_hold_signals();
    gptl_lock();
    amounts = more;
    if (gptl_is_on())
        gptl_amounts_begin();
    gptl_unlock();
    gptl_core_release_signals(before);
}

/* ---- Additions ----------------------------------------------------------------------------- */

/* Prepare the node's extra for its first amount. */
static __attribute__((noinline)) struct gptl_extra *make_place(struct gptl_node *node)
{
    struct gptl_extra *extra = load(&node->extra);
    if (!extra) {
        sigset_t before = gptl_core_hold_signals();
        extra = gptl_tree_extra(gptl_tls, node);
        gptl_core_release_signals(before);
    }
    if (extra)
        store(&extra->moves, true);
    return extra;
}

static void add(struct gptl_extra *extra, enum gptl_amount what, int64_t bytes)
{
    _Atomic int64_t *own = &extra->amounts.own[what];
    store(own, (int64_t)((uint64_t)load(own) + (uint64_t)bytes));
}

/* Separate function, so that the usual path saves no registers. */
static __attribute__((noinline)) void add_first(struct gptl_node *node, enum gptl_amount what,
                                                int64_t bytes)
{
    struct gptl_extra *extra = make_place(node);
    if (extra)
        add(extra, what, bytes);
}

void gptl_core_add(void *node_, enum gptl_amount what, int64_t bytes)
{
    struct gptl_node *node = node_;
    struct gptl_extra *extra = load(&node->extra);
    if (__builtin_expect(!extra || !load(&extra->moves), 0))
        add_first(node, what, bytes);
    else
        add(extra, what, bytes);
}

void gptl_core_add_later(void *node, enum gptl_amount what, int64_t bytes)
{
    struct gptl_extra *extra = load(&((struct gptl_node *)node)->extra);
    if (extra)
        atomic_fetch_add_explicit(&extra->amounts.later[what], bytes, memory_order_relaxed);
}

void gptl_amounts_reset(struct gptl_extra *extra)
{
    for (int i = 0; i < GPTL_NAMOUNTS; i++) {
        store(&extra->amounts.own[i], 0);
        store(&extra->amounts.later[i], 0);
    }
}

/* ---- Functions without a wrapper ----------------------------------------------------------- */

static const char *(*_Atomic tell_unwrapped)(void);

void gptl_core_set_unwrapped(const char *(*tell)(void))
{
    tell_unwrapped = tell;
}

const char *gptl_core_unwrapped(void)
{
    const char *(*tell)(void) = tell_unwrapped;
    const char *names = tell ? tell() : NULL;
    return names && *names ? names : NULL;
}

/* ---- Copies -------------------------------------------------------------------------------- */

bool gptl_amounts_at(const struct gptl_kept_metrics *metrics, uint32_t *first)
{
    if (!metrics || metrics->namounts != GPTL_AMOUNT_SLOTS || metrics->nslots < metrics->namounts)
        return false;
    *first = metrics->nslots - metrics->namounts;
    return true;
}

void gptl_amounts_of(const struct gptl_extra *extra, uint64_t count, int64_t *to)
{
    if (!load(&extra->moves))
        return;
    for (int i = 0; i < GPTL_NAMOUNTS; i++)
        to[i] += load(&extra->amounts.own[i]) + load(&extra->amounts.later[i]);
    to[GPTL_NAMOUNTS] += (int64_t)count;
}

/* Return the extra of a copied node, created if there is room; otherwise NULL. */
static struct gptl_extra_copy *extra_of(struct gptl_copy *copy, struct gptl_node_copy *node,
                                        uint32_t capacity)
{
    if (!node->extra) {
        if (copy->nextras >= capacity)
            return NULL;
        node->extra = ++copy->nextras;
    }
    struct gptl_extra_copy *extra = &copy->extras[node->extra - 1];
    if (!extra->counters)
        extra->counters = copy->counters + (size_t)(node->extra - 1) * copy->ncounters;
    return extra;
}

void gptl_amounts_include(struct gptl_copy *copy, uint32_t first, uint32_t capacity)
{
    for (uint32_t i = copy->nnodes; i-- > 1;) { /* a parent precedes its children */
        const struct gptl_node_copy *node = &copy->nodes[i];
        const int64_t *from = node->extra ? copy->extras[node->extra - 1].counters : NULL;
        if (!from || node->parent == 0 || from[first + GPTL_NAMOUNTS] == 0)
            continue;
        struct gptl_extra_copy *parent = extra_of(copy, &copy->nodes[node->parent], capacity);
        for (uint32_t k = first; parent && k < copy->ncounters; k++)
            parent->counters[k] += from[k];
    }
}
