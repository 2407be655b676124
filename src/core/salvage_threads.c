/* salvage_threads.c - copies of the threads' trees in the salvage file of a killed process. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/amounts.h"
#include "core/estimate.h"
#include "core/ledger.h"
#include "core/salvage_image.h"
#include "core/thread.h"

/* ---- Nodes --------------------------------------------------------------------------------- */

static const struct gptl_node *node_at(const struct gptl_salvage_image *image,
                                       const struct gptl_tree *tree, uint32_t index)
{
    uint32_t k = 31 - (uint32_t)__builtin_clz(index / GPTL_FIRST_NODES + 1);
    if (k >= GPTL_NODE_PARTS)
        return NULL;
    uint64_t part = (uint64_t)(uintptr_t)tree->part[k];
    uint64_t within = index - ((GPTL_FIRST_NODES << k) - GPTL_FIRST_NODES);
    return gptl_salvage_at(image, part + within * sizeof(struct gptl_node),
                           sizeof(struct gptl_node));
}

/* Return the index of the node at this address, if it is below LIMIT; otherwise the root's. */
static uint32_t index_at(const struct gptl_salvage_image *image, const struct gptl_node *address,
                         uint32_t limit)
{
    const struct gptl_node *node = gptl_salvage_at_pointer(image, address, sizeof *node);
    return node && node->index < limit ? node->index : 0;
}

static void add_values(const struct gptl_salvage_image *image, const struct gptl_values *address,
                       struct gptl_extra_copy *to)
{
    const struct gptl_values *values = gptl_salvage_at_pointer(image, address, sizeof *values);
    uint32_t nslots = image->nslots;
    if (!values ||
        !gptl_salvage_at_pointer(image, address,
                                 sizeof *values + (uint64_t)values->n * sizeof *values->value))
        return;
    for (uint32_t i = 0; i < values->n; i++)
        if (i < GPTL_NVALUES)
            to->values[i] = values->value[i];
        else if (i - GPTL_NVALUES < nslots)
            to->counters[i - GPTL_NVALUES] = values->value[i];
}

static void add_extra(const struct gptl_salvage_image *image, const struct gptl_node *node,
                      uint64_t now, struct gptl_node_copy *copy, struct gptl_copy *out)
{
    const struct gptl_extra *extra = gptl_salvage_at_pointer(image, node->extra, sizeof *extra);
    if (!extra || !out->extras)
        return;
    copy->count += extra->count;
    copy->recurse += extra->recurse;
    copy->total += extra->total;
    copy->max = extra->max > copy->max ? extra->max : copy->max;
    copy->min = extra->min < copy->min ? extra->min : copy->min;
    struct gptl_extra_copy *to = &out->extras[out->nextras++];
    const struct gptl_throttle *throttle =
        gptl_salvage_at_pointer(image, extra->throttle, sizeof *throttle);
    if (throttle && gptl_throttle_has_any(throttle)) {
        to->timed = throttle->timed;
        uint64_t lasted = gptl_throttle_lasted(throttle, now, GPTL_UNKNOWN);
        copy->total = gptl_estimate_total(throttle, copy->total, lasted, &to->error);
    }
    to->counters =
        out->counters ? out->counters + (size_t)(out->nextras - 1) * image->nslots : NULL;
    add_values(image, extra->values, to);
    if (to->counters && image->has_amounts)
        gptl_amounts_of(extra, copy->count, to->counters + image->first_amount);
    const void *histogram =
        gptl_salvage_at_pointer(image, extra->histogram, sizeof(struct gptl_histogram));
    to->histogram = histogram ? malloc(sizeof *to->histogram) : NULL;
    if (to->histogram)
        memcpy(to->histogram, histogram, sizeof *to->histogram);
    copy->extra = out->nextras;
}

static bool copy_node(const struct gptl_salvage_image *image, const struct gptl_tree *tree,
                      uint32_t i, uint64_t now, struct gptl_copy *out)
{
    struct gptl_node_copy *copy = &out->nodes[i];
    const struct gptl_node *node = node_at(image, tree, i);
    if (!node)
        return false;
    copy->name = gptl_salvage_name_at(image, node->region, &copy->region, &copy->kind);
    if (!copy->name)
        return false;
    copy->parent = index_at(image, node->parent, i);
    copy->target = i;
    copy->open = gptl_node_open(node);
    if (gptl_node_is_edge_back(node))
        copy->target = index_at(image, node->last, i);
    copy->count = node->count;
    copy->recurse = node->recurse;
    copy->total = node->total;
    copy->max = gptl_node_max(node);
    copy->min = gptl_node_min(node);
    copy->latest = gptl_node_latest(node);
    copy->unstopped = node->unstopped;
    if (node->extra)
        add_extra(image, node, now, copy, out);
    return true;
}

/* ---- Threads ------------------------------------------------------------------------------- */

static const struct gptl_frame *frame_at(const struct gptl_salvage_image *image,
                                         const struct gptl_thread *t, uint64_t i)
{
    uint64_t base = (uint64_t)(uintptr_t)t->base;
    return gptl_salvage_at(image, base + i * sizeof(struct gptl_frame), sizeof(struct gptl_frame));
}

/* Return the tick at which the unfinished block of a throttled node began, or 0. */
static uint64_t block_begun(const struct gptl_salvage_image *image, const struct gptl_node *node)
{
    const struct gptl_extra *extra = gptl_salvage_at_pointer(image, node->extra, sizeof *extra);
    const struct gptl_throttle *throttle =
        extra ? gptl_salvage_at_pointer(image, extra->throttle, sizeof *throttle) : NULL;
    return throttle && throttle->begun < GPTL_UNTIMED ? throttle->begun : 0;
}

static uint64_t depth_of(const struct gptl_thread *t)
{
    return ((uint64_t)(uintptr_t)t->top - (uint64_t)(uintptr_t)t->base) / sizeof(struct gptl_frame);
}

/*
 * Return the duration of the last call of a popped frame's node, which began with the frame or
 * later.
 */
static uint64_t length_of(const struct gptl_salvage_image *image, const struct gptl_frame *frame)
{
    const struct gptl_node *node = gptl_salvage_at_pointer(image, frame->node, sizeof *node);
    if (!node || gptl_node_open(node) > 0)
        return 0;
    const struct gptl_extra *extra = gptl_salvage_at_pointer(image, node->extra, sizeof *extra);
    uint64_t ticks = extra && extra->given ? 0 : gptl_node_latest(node);
    return ticks < GPTL_UNTIMED ? ticks : 0;
}

/*
 * Return the tick of the latest known event. Popped frames still contain their start, unless an
 * untimed call used the frame after them, and nodes contain the duration of their latest call.
 */
static uint64_t last_moment(const struct gptl_salvage_image *image, const struct gptl_thread *t)
{
    uint64_t last = 0, depth = depth_of(t);
    for (uint64_t i = 0; i < t->stack_size; i++) {
        const struct gptl_frame *frame = frame_at(image, t, i);
        if (!frame)
            break;
        if (gptl_frame_is_untimed(frame))
            continue;
        uint64_t moment = frame->start + (i > depth ? length_of(image, frame) : 0);
        last = moment > last ? moment : last;
    }
    for (uint32_t i = 0; i < t->tree.nnodes; i++) {
        const struct gptl_node *node = node_at(image, &t->tree, i);
        if (!node)
            break;
        uint64_t begun = block_begun(image, node);
        last = begun > last ? begun : last;
    }
    return last;
}

static void copy_frames(const struct gptl_salvage_image *image, const struct gptl_thread *t,
                        struct gptl_copy *out, uint64_t now)
{
    uint64_t depth = depth_of(t);
    for (uint64_t k = 1; k <= depth && k < t->stack_size; k++) {
        const struct gptl_frame *frame = frame_at(image, t, k);
        if (!frame)
            break;
        uint32_t i = index_at(image, frame->node, out->nnodes);
        if (i && out->nodes[i].open && !out->nodes[i].open_ticks && now > frame->start &&
            !gptl_frame_is_untimed(frame))
            out->nodes[i].open_ticks = now - frame->start;
    }
}

/*
 * Return the bytes used by a thread. The arena's blocks are found by the writer's addresses; a
 * damaged list may be a ring.
 */
static size_t thread_bytes(const struct gptl_salvage_image *image, const struct gptl_thread *t)
{
    struct gptl_thread own;
    memcpy(&own, t, sizeof own);
    own.extras = (struct gptl_arena){NULL, NULL};
    const struct gptl_ledger_table *ledger =
        gptl_salvage_at_pointer(image, t->ledger, sizeof *ledger);
    own.ledger = NULL;
    size_t bytes = gptl_thread_bytes(&own) + (ledger ? ledger->size : 0);
    const struct gptl_block *block = gptl_salvage_at_pointer(image, t->extras.first, sizeof *block);
    for (uint32_t i = 0; block && i < image->header->nextents; i++) {
        bytes += block->size;
        block = gptl_salvage_at_pointer(image, block->next, sizeof *block);
    }
    return bytes;
}

static int copy_thread(const struct gptl_salvage_image *image, const struct gptl_thread *t,
                       struct gptl_copy *out, uint64_t now)
{
    uint32_t n = t->tree.nnodes;
    *out = (struct gptl_copy){
        .thread = t->slot,
        .seconds_per_tick = image->header->seconds_per_tick,
        .ncounters = image->nslots,
        .crossed = t->crossed,
        .folded_paths = t->tree.folded_paths,
        .folded_names = t->tree.folded_names,
        .dropped = t->dropped,
        .unmatched = t->unmatched,
        .backwards = t->backwards,
        .too_deep = t->too_deep,
        .unwound = t->unwound,
        .own_work = t->own_work,
        .nthreads_served = t->nserved,
        .memory = thread_bytes(image, t),
        .table_slots = t->tree.table_capacity,
        .table_used = n,
        .longest_probe = t->tree.longest_probe,
        .cache_slots = gptl_cache_slots(t->tree.table_capacity),
    };
    if (n > image->size / sizeof(struct gptl_node))
        n = (uint32_t)(image->size / sizeof(struct gptl_node));
    out->nodes = calloc(n + 1, sizeof *out->nodes);
    out->extras = calloc(n + 1, sizeof *out->extras);
    out->crossings = calloc(GPTL_NCROSSINGS, sizeof *out->crossings);
    if (image->nslots)
        out->counters = calloc(((size_t)n + 1) * image->nslots, sizeof *out->counters);
    if (!out->nodes || !out->extras || !out->crossings || (image->nslots && !out->counters))
        return -1;
    /* The root's data are not needed, but a report requires a root. */
    out->nodes[out->nnodes++] = (struct gptl_node_copy){.name = "", .min = UINT64_MAX};
    while (out->nnodes < n && copy_node(image, &t->tree, out->nnodes, now, out))
        out->nnodes++;
    if (image->has_amounts)
        gptl_amounts_include(out, image->first_amount, n);
    for (uint32_t i = 0; i < t->ncrossings && i < GPTL_NCROSSINGS; i++) {
        out->crossings[i].stopped = gptl_salvage_text_at(image, t->crossings[i].stopped);
        out->crossings[i].inside = gptl_salvage_text_at(image, t->crossings[i].inside);
        out->crossings[i].times = t->crossings[i].times;
        out->ncrossings++;
    }
    copy_frames(image, t, out, now);
    return 0;
}

const struct gptl_thread *gptl_salvage_thread_at(const struct gptl_salvage_image *image, uint64_t i)
{
    const struct gptl_thread *const *slot =
        gptl_salvage_at(image, image->header->threads + i * sizeof *slot, sizeof *slot);
    return slot && *slot ? gptl_salvage_at_pointer(image, *slot, sizeof(struct gptl_thread)) : NULL;
}

int gptl_salvage_copy_threads(const struct gptl_salvage_image *image, struct gptl_copy **copies,
                              int *ncopies, uint64_t *now)
{
    uint64_t n = image->header->nthreads;
    if (n > image->size / sizeof(struct gptl_thread))
        n = image->size / sizeof(struct gptl_thread);
    *ncopies = 0;
    *now = image->header->started_at;
    *copies = calloc(n + 1, sizeof **copies);
    if (!*copies)
        return -1;
    for (uint64_t i = 0; i < n; i++) {
        const struct gptl_thread *t = gptl_salvage_thread_at(image, i);
        uint64_t last = t ? last_moment(image, t) : 0;
        *now = last > *now ? last : *now;
    }
    for (uint64_t i = 0; i < n; i++) {
        const struct gptl_thread *t = gptl_salvage_thread_at(image, i);
        /* Every tree contains the root and the two nodes for folded paths. */
        if (t && t->tree.nnodes > 3 && copy_thread(image, t, &(*copies)[(*ncopies)++], *now) != 0)
            return -1;
    }
    return 0;
}
