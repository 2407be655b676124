/*
 * salvage_read.c - reading the salvage file of a killed process.
 *
 * The file holds the writer's structures with the writer's addresses. None is followed that does
 * not lie within an extent: a damaged file gives less, never a crash.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/amounts.h"
#include "core/estimate.h"
#include "core/function.h"
#include "core/ledger.h"
#include "core/metrics.h"
#include "core/salvage.h"
#include "core/thread.h"

struct image {
    const char *file;
    size_t size;
    const struct gptl_salvage_header *header;
    uint32_t nslots; /* of its counters */
    uint32_t first_amount;
    bool has_amounts;
};

/* ---- Addresses ----------------------------------------------------------------------------- */

/* SIZE bytes that lay at ADDRESS, or NULL. */
static const void *bytes_at(const struct image *image, uint64_t address, uint64_t size)
{
    for (uint32_t i = 0; i < image->header->nextents; i++) {
        const struct gptl_salvage_extent *e = &image->header->extents[i];
        if (!e->address || address < e->address || address - e->address >= e->size)
            continue;
        uint64_t within = address - e->address;
        if (size > e->size - within || e->offset > image->size ||
            within + size > image->size - e->offset)
            return NULL;
        return image->file + e->offset + within;
    }
    return NULL;
}

/* The same for a structure, which is not where it seems when it is not aligned. */
static const void *at(const struct image *image, uint64_t address, uint64_t size)
{
    const void *found = bytes_at(image, address, size);
    return (uintptr_t)found % 8 ? NULL : found;
}

static const void *at_pointer(const struct image *image, const void *pointer, uint64_t size)
{
    return at(image, (uint64_t)(uintptr_t)pointer, size);
}

static const char *name_at(const struct image *image, const struct gptl_region *address,
                           uint32_t *id)
{
    const struct gptl_region *region = at_pointer(image, address, sizeof *region);
    const char *name =
        region ? bytes_at(image, (uint64_t)(uintptr_t)address + offsetof(struct gptl_region, name),
                          region->size)
               : NULL;
    if (!name || region->size == 0 || name[region->size - 1] != '\0')
        return NULL;
    if (region->id == 0 || region->id > image->size / sizeof *region) /* tables have that size */
        return NULL;
    *id = region->id;
    return name;
}

/* A name by the address of its first character. */
static const char *text_at(const struct image *image, const char *address)
{
    uint32_t id;
    uintptr_t region = (uintptr_t)address - offsetof(struct gptl_region, name);
    const char *name = name_at(image, (const struct gptl_region *)region, &id);
    return name ? name : "(unreadable)";
}

/* ---- Nodes --------------------------------------------------------------------------------- */

static const struct gptl_node *node_at(const struct image *image, const struct gptl_tree *tree,
                                       uint32_t index)
{
    uint32_t k = 31 - (uint32_t)__builtin_clz(index / GPTL_FIRST_NODES + 1);
    if (k >= GPTL_NODE_PARTS)
        return NULL;
    uint64_t part = (uint64_t)(uintptr_t)tree->part[k];
    uint64_t within = index - ((GPTL_FIRST_NODES << k) - GPTL_FIRST_NODES);
    return at(image, part + within * sizeof(struct gptl_node), sizeof(struct gptl_node));
}

/* The index of the node at this address, if it is below LIMIT; otherwise the root's. */
static uint32_t index_at(const struct image *image, const struct gptl_node *address, uint32_t limit)
{
    const struct gptl_node *node = at_pointer(image, address, sizeof *node);
    return node && node->index < limit ? node->index : 0;
}

static void add_values(const struct image *image, const struct gptl_values *address,
                       struct gptl_extra_copy *to)
{
    const struct gptl_values *values = at_pointer(image, address, sizeof *values);
    uint32_t nslots = image->nslots;
    if (!values ||
        !at_pointer(image, address, sizeof *values + (uint64_t)values->n * sizeof *values->value))
        return;
    for (uint32_t i = 0; i < values->n; i++)
        if (i < GPTL_NVALUES)
            to->values[i] = values->value[i];
        else if (i - GPTL_NVALUES < nslots)
            to->counters[i - GPTL_NVALUES] = values->value[i];
}

static void add_extra(const struct image *image, const struct gptl_node *node, uint64_t now,
                      struct gptl_node_copy *copy, struct gptl_copy *out)
{
    const struct gptl_extra *extra = at_pointer(image, node->extra, sizeof *extra);
    if (!extra || !out->extras)
        return;
    copy->count += extra->count;
    copy->recurse += extra->recurse;
    copy->total += extra->total;
    copy->max = extra->max > copy->max ? extra->max : copy->max;
    copy->min = extra->min < copy->min ? extra->min : copy->min;
    struct gptl_extra_copy *to = &out->extras[out->nextras++];
    const struct gptl_throttle *throttle = at_pointer(image, extra->throttle, sizeof *throttle);
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
    const void *histogram = at_pointer(image, extra->histogram, sizeof(struct gptl_histogram));
    to->histogram = histogram ? malloc(sizeof *to->histogram) : NULL;
    if (to->histogram)
        memcpy(to->histogram, histogram, sizeof *to->histogram);
    copy->extra = out->nextras;
}

static bool copy_node(const struct image *image, const struct gptl_tree *tree, uint32_t i,
                      uint64_t now, struct gptl_copy *out)
{
    struct gptl_node_copy *copy = &out->nodes[i];
    const struct gptl_node *node = node_at(image, tree, i);
    if (!node)
        return false;
    copy->name = name_at(image, node->region, &copy->region);
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

static const struct gptl_frame *frame_at(const struct image *image, const struct gptl_thread *t,
                                         uint64_t i)
{
    uint64_t base = (uint64_t)(uintptr_t)t->base;
    return at(image, base + i * sizeof(struct gptl_frame), sizeof(struct gptl_frame));
}

/* When the block of a throttled node began that was not over, or 0. */
static uint64_t block_begun(const struct image *image, const struct gptl_node *node)
{
    const struct gptl_extra *extra = at_pointer(image, node->extra, sizeof *extra);
    const struct gptl_throttle *throttle =
        extra ? at_pointer(image, extra->throttle, sizeof *throttle) : NULL;
    return throttle && throttle->begun < GPTL_UNTIMED ? throttle->begun : 0;
}

/*
 * The latest moment that is known of: frames that were popped still hold when they began, unless a
 * call that was not timed came there after them.
 */
static uint64_t last_moment(const struct image *image, const struct gptl_thread *t)
{
    uint64_t last = 0;
    for (uint64_t i = 0; i < t->stack_size; i++) {
        const struct gptl_frame *frame = frame_at(image, t, i);
        if (!frame)
            break;
        if (frame->start > last && !gptl_frame_is_untimed(frame))
            last = frame->start;
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

static void copy_frames(const struct image *image, const struct gptl_thread *t,
                        struct gptl_copy *out, uint64_t now)
{
    uint64_t depth =
        ((uint64_t)(uintptr_t)t->top - (uint64_t)(uintptr_t)t->base) / sizeof(struct gptl_frame);
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

/* The arena's blocks are found by the writer's addresses; a damaged list may be a ring. */
static size_t thread_bytes(const struct image *image, const struct gptl_thread *t)
{
    struct gptl_thread own;
    memcpy(&own, t, sizeof own);
    own.extras = (struct gptl_arena){NULL, NULL};
    const struct gptl_ledger_table *ledger = at_pointer(image, t->ledger, sizeof *ledger);
    own.ledger = NULL;
    size_t bytes = gptl_thread_bytes(&own) + (ledger ? ledger->size : 0);
    const struct gptl_block *block = at_pointer(image, t->extras.first, sizeof *block);
    for (uint32_t i = 0; block && i < image->header->nextents; i++) {
        bytes += block->size;
        block = at_pointer(image, block->next, sizeof *block);
    }
    return bytes;
}

static int copy_thread(const struct image *image, const struct gptl_thread *t,
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
    /* Nothing of the root is needed, and a report without one cannot be. */
    out->nodes[out->nnodes++] = (struct gptl_node_copy){.name = "", .min = UINT64_MAX};
    while (out->nnodes < n && copy_node(image, &t->tree, out->nnodes, now, out))
        out->nnodes++;
    if (image->has_amounts)
        gptl_amounts_include(out, image->first_amount, n);
    for (uint32_t i = 0; i < t->ncrossings && i < GPTL_NCROSSINGS; i++) {
        out->crossings[i].stopped = text_at(image, t->crossings[i].stopped);
        out->crossings[i].inside = text_at(image, t->crossings[i].inside);
        out->crossings[i].times = t->crossings[i].times;
        out->ncrossings++;
    }
    copy_frames(image, t, out, now);
    return 0;
}

/* The thread in slot I, or NULL. */
static const struct gptl_thread *thread_at(const struct image *image, uint64_t i)
{
    const struct gptl_thread *const *slot =
        at(image, image->header->threads + i * sizeof *slot, sizeof *slot);
    return slot && *slot ? at_pointer(image, *slot, sizeof(struct gptl_thread)) : NULL;
}

static int copy_threads(const struct image *image, struct gptl_copy **copies, int *ncopies,
                        uint64_t *now)
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
        const struct gptl_thread *t = thread_at(image, i);
        uint64_t last = t ? last_moment(image, t) : 0;
        *now = last > *now ? last : *now;
    }
    for (uint64_t i = 0; i < n; i++) {
        const struct gptl_thread *t = thread_at(image, i);
        /* The root and two nodes for what finds no room are in every tree. */
        if (t && t->tree.nnodes > 3 && copy_thread(image, t, &(*copies)[(*ncopies)++], *now) != 0)
            return -1;
    }
    return 0;
}

/* ---- Ledgers ------------------------------------------------------------------------------- */

static const char *row_name(const struct image *image, const struct gptl_ledger_row *row)
{
    if (row->number == GPTL_LEDGER_REST)
        return GPTL_LEDGER_REST_NAME;
    if (row->size == 0)
        return NULL;
    const char *name = bytes_at(image, (uint64_t)(uintptr_t)row->name, row->size);
    return name && name[row->size - 1] == '\0' ? name : "(unreadable)";
}

static int copy_rows(const struct image *image, const struct gptl_ledger_row *rows, uint64_t n,
                     struct gptl_accounts *out)
{
    for (uint64_t i = 0; i < n; i++)
        if (rows[i].ledger && gptl_accounts_add(out, &rows[i], row_name(image, &rows[i])))
            return -1;
    return 0;
}

static int copy_accounts(const struct image *image, struct gptl_accounts *out)
{
    for (uint64_t i = 0; i < image->header->nthreads && i < image->size; i++) {
        const struct gptl_thread *t = thread_at(image, i);
        const struct gptl_ledger_table *table =
            t && t->ledger ? at_pointer(image, t->ledger, sizeof *table) : NULL;
        if (!table || table->room > image->size ||
            !at_pointer(image, t->ledger,
                        sizeof *table + (uint64_t)table->room * sizeof *table->rows))
            continue;
        if (copy_rows(image, table->rest, GPTL_NLEDGERS, out) ||
            copy_rows(image, table->rows, table->room, out))
            return -1;
    }
    gptl_core_accounts_join(out);
    return 0;
}

/* ---- Functions ----------------------------------------------------------------------------- */

/* Lists are followed no further than there can be elements: a damaged one may be a ring. */

static const struct gptl_kept_module *module_at(const struct image *image, uint64_t address)
{
    const struct gptl_kept_module *m = at(image, address, sizeof *m);
    uint64_t size = m ? (uint64_t)m->label_size + m->path_size + m->build_id_size : 0;
    if (!m || !m->label_size || !m->path_size || !m->build_id_size ||
        !at(image, address, sizeof *m + size))
        return NULL;
    const char *end = m->text + size;
    return m->text[m->label_size - 1] == '\0' && end[-1] == '\0' &&
                   m->text[m->label_size + m->path_size - 1] == '\0'
               ? m
               : NULL;
}

static int copy_modules(const struct image *image, struct gptl_function_copies *out)
{
    uint64_t most = image->size / sizeof(struct gptl_kept_module), n = 0;
    for (int pass = 0; pass < 2; pass++) {
        const struct gptl_kept_module *m = module_at(image, image->header->modules);
        for (n = 0; m && n < most && m->index == n; n++) {
            if (pass == 1 && !gptl_function_copy_module(m, &out->modules[out->nmodules++]))
                return -1;
            m = module_at(image, (uint64_t)(uintptr_t)m->next);
        }
        if (pass == 0 && !(out->modules = calloc(n + 1, sizeof *out->modules)))
            return -1;
    }
    return 0;
}

static int copy_function(const struct image *image, const struct gptl_kept_function *f,
                         struct gptl_function_copies *out)
{
    uint32_t id;
    const char *name = name_at(image, f->region, &id);
    const struct gptl_kept_module *m = module_at(image, (uint64_t)(uintptr_t)f->module);
    if (!name || !m || m->index >= out->nmodules || f->left_out)
        return 0;
    struct gptl_function *to = &out->functions[out->nfunctions++];
    to->region = id;
    to->module = m->index;
    to->offset = f->offset;
    to->address = strdup(name);
    return to->address ? 0 : -1;
}

static int copy_functions(const struct image *image, struct gptl_function_copies *out)
{
    uint64_t most = image->size / sizeof(struct gptl_kept_function), n = 0;
    if (copy_modules(image, out))
        return -1;
    for (int pass = 0; pass < 2; pass++) {
        const struct gptl_kept_function *f = at(image, image->header->functions, sizeof *f);
        for (n = 0; f && n < most; n++) {
            if (pass == 1 && copy_function(image, f, out))
                return -1;
            f = at_pointer(image, f->next, sizeof *f);
        }
        if (pass == 0 && !(out->functions = calloc(n + 1, sizeof *out->functions)))
            return -1;
    }
    gptl_core_sort_functions(out);
    return 0;
}

static int copy_metrics(struct image *image, struct gptl_metrics *out)
{
    const struct gptl_kept_metrics *kept = at(image, image->header->metrics, sizeof *kept);
    if (!kept || !at(image, image->header->metrics, kept->size))
        return 0;
    int rc = gptl_metrics_read(kept, kept->size, out);
    image->nslots = out->nslots;
    image->has_amounts = out->nslots && gptl_amounts_at(kept, &image->first_amount);
    return rc;
}

/* ---- The file ------------------------------------------------------------------------------ */

static const char *unusable(const struct image *image)
{
    const struct gptl_salvage_header *h = image->header;
    if (image->size < sizeof *h)
        return "it is too short to be a salvage file";
    if (memcmp(h->magic, GPTL_SALVAGE_MAGIC, sizeof h->magic) != 0)
        return "it is not a salvage file, or its process was killed before it began to measure";
    if (h->version != GPTL_SALVAGE_VERSION || h->node_size != sizeof(struct gptl_node) ||
        h->thread_size != sizeof(struct gptl_thread))
        return "another version of the library wrote it";
    if (h->nextents > GPTL_SALVAGE_EXTENTS || !memchr(h->program, 0, sizeof h->program) ||
        !memchr(h->clock, 0, sizeof h->clock) ||
        !memchr(h->clock_source, 0, sizeof h->clock_source) ||
        !memchr(h->clock_kernel, 0, sizeof h->clock_kernel) || !(h->seconds_per_tick >= 0))
        return "it is damaged";
    return NULL;
}

/* Maps the file with nothing beyond its end in reach. */
static const char *map(const char *path, struct image *image)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return strerror(errno);
    void *pages = MAP_FAILED;
    if (fstat(fd, &status) == 0 && status.st_size > 0)
        pages = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (pages == MAP_FAILED)
        return "it is empty or cannot be mapped";
    *image = (struct image){.file = pages, .size = (size_t)status.st_size, .header = pages};
    return unusable(image);
}

int gptl_core_salvage_read(const char *path, struct gptl_copy **copies, int *ncopies,
                           struct gptl_function_copies *functions, struct gptl_metrics *metrics,
                           struct gptl_accounts *accounts, struct gptl_process *process,
                           struct gptl_clock_finding *clock, char *why, size_t whysize)
{
    struct image image = {0};
    const char *wrong = map(path, &image);
    uint64_t now = 0;
    memset(functions, 0, sizeof *functions);
    memset(metrics, 0, sizeof *metrics);
    *accounts = (struct gptl_accounts){0};
    if (!wrong &&
        (copy_metrics(&image, metrics) != 0 || copy_threads(&image, copies, ncopies, &now) != 0 ||
         copy_functions(&image, functions) != 0 || copy_accounts(&image, accounts) != 0))
        wrong = "there is no memory for its content";
    if (wrong) {
        snprintf(why, whysize, "%s: %s", path, wrong);
        return -1;
    }
    const struct gptl_salvage_header *h = image.header;
    if (h->reported) {
        gptl_core_copy_free(*copies, *ncopies);
        gptl_core_functions_free(functions);
        gptl_core_metrics_free(metrics);
        gptl_core_accounts_free(accounts);
        snprintf(why, whysize, "%s: nothing is lost: its process reported what is in it", path);
        return 1;
    }
    *process = (struct gptl_process){
        .pid = (long)h->pid,
        .rank = (int)h->rank,
        .program = h->program,
        .started = h->started,
        .elapsed = (double)(now - h->started_at) * h->seconds_per_tick,
        .memory = image.size,
        .budget = (size_t)gptl_core_option(GPTL_OPT_BUDGET),
    };
    *clock = (struct gptl_clock_finding){
        .name = h->clock,
        .source = h->clock_source,
        .kernel = h->clock_kernel,
        .cost = h->clock_cost,
        .resolution = h->clock_resolution,
        .seconds_per_tick = h->seconds_per_tick,
        .monotonic = true,
        .rejected = "",
    };
    return 0;
}
