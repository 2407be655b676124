/*
 * signature_merge.c - merges the signatures of several processes. Regions and functions are
 * translated first, because blocks are matched by the numbers of their region and function.
 */
#include "config.h"

#include "postproc/signature/signature.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Hash table of indices in MERGED; 0: empty, otherwise index plus 1. */
struct index {
    uint32_t *slots;
    size_t size;
};

struct merging {
    struct signature *merged;
    struct index regions, functions, blocks;
    uint32_t *region_of, *function_of; /* by number in the added signature: number in MERGED */
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = mix(hash, (unsigned char)*text);
    return mix(hash, 0x100);
}

static void add(uint64_t *sum, uint64_t value)
{
    if (__builtin_add_overflow(*sum, value, sum))
        *sum = UINT64_MAX;
}

/* ---- Equality ------------------------------------------------------------------------------- */

static bool same_region(const struct signature *to, uint32_t at, const void *what)
{
    const struct signature_region *a = &to->regions[at], *b = what;
    return at > 0 && a->parent == b->parent && strcmp(a->name, b->name) == 0;
}

static bool same_function(const struct signature *to, uint32_t at, const void *what)
{
    const struct signature_function *a = &to->functions[at], *b = what;
    return strcmp(a->name, b->name) == 0 && strcmp(a->file, b->file) == 0 &&
           strcmp(a->module, b->module) == 0;
}

static bool same_block(const struct signature *to, uint32_t at, const void *what)
{
    const struct signature_block *a = &to->blocks[at], *b = what;
    bool same = true;
#define SAME(name) same = same && a->name == b->name;
#define SUM(name)
#define MOST(name)
#define COLUMN(name, merge) merge(name)
#include "memsig/columns.def"
#undef COLUMN
#undef SAME
#undef SUM
#undef MOST
    return same;
}

static uint64_t region_hash(const struct signature_region *region)
{
    return mix_text(mix(0, region->parent), region->name);
}

static uint64_t function_hash(const struct signature_function *function)
{
    return mix_text(mix_text(mix_text(0, function->name), function->file), function->module);
}

static uint64_t block_hash(const struct signature_block *block)
{
    return mix(mix(mix(mix(0, block->region), block->function), block->line), block->address);
}

/* ---- Sums ----------------------------------------------------------------------------------- */

static bool make_index(struct index *index, size_t most)
{
    index->size = 64;
    while (index->size < 2 * most)
        index->size *= 2;
    index->slots = calloc(index->size, sizeof *index->slots);
    return index->slots != NULL;
}

/* Return the slot of the item equal to WHAT, or the empty slot for it. */
static uint32_t *find(const struct merging *m, const struct index *index, uint64_t hash,
                      bool (*same)(const struct signature *, uint32_t, const void *),
                      const void *what)
{
    size_t slot = (size_t)hash & (index->size - 1);
    while (index->slots[slot] != 0 && !same(m->merged, index->slots[slot] - 1, what))
        slot = (slot + 1) & (index->size - 1);
    return &index->slots[slot];
}

static bool add_regions(struct merging *m, const struct signature *s)
{
    struct signature *to = m->merged;
    for (uint32_t i = 1; i < s->nregions; i++) {
        struct signature_region region = s->regions[i];
        region.parent = m->region_of[region.parent];
        uint32_t *slot = find(m, &m->regions, region_hash(&region), same_region, &region);
        if (*slot == 0) {
            region.calls = 0;
            if (!(region.name = strdup(region.name)))
                return false;
            to->regions[to->nregions] = region;
            *slot = ++to->nregions;
        }
        m->region_of[i] = *slot - 1;
        add(&to->regions[*slot - 1].calls, s->regions[i].calls);
    }
    return true;
}

static bool add_functions(struct merging *m, const struct signature *s)
{
    struct signature *to = m->merged;
    for (uint32_t i = 0; i < s->nfunctions; i++) {
        const struct signature_function *function = &s->functions[i];
        uint32_t *slot = find(m, &m->functions, function_hash(function), same_function, function);
        if (*slot == 0) {
            struct signature_function *made = &to->functions[to->nfunctions];
            *slot = ++to->nfunctions;
            *made = (struct signature_function){strdup(function->name), strdup(function->file),
                                                strdup(function->module)};
            if (!made->name || !made->file || !made->module)
                return false;
        }
        m->function_of[i] = *slot - 1;
    }
    return true;
}

/* Extrapolate the core's time to N more executions. */
static void scale(uint64_t *core, uint32_t levels, uint64_t known, uint64_t n)
{
    for (uint32_t level = 0; level < levels && known > 0; level++) {
        double all = (double)core[level] * ((double)known + (double)n) / (double)known;
        core[level] = all < 0x1p63 ? (uint64_t)all : UINT64_MAX;
    }
}

/*
 * Add block I of S to block NUMBER of TO, which has BEFORE executions. The core's result may be
 * known for only one of them.
 */
static void add_cores(struct signature *to, size_t number, uint64_t before,
                      const struct signature *s, uint32_t i)
{
    const size_t ncores = s->nfound / SIGNATURE_KINDS;
    const uint64_t *core = &s->cores[i * ncores], n = s->blocks[i].executions;
    uint64_t *sum = &to->cores[number * ncores];
    for (uint32_t m = 0; m < s->nmachines; m++) {
        const uint32_t levels = s->machines[m].ncaches + 1;
        bool was_known = sum[0] > 0;
        for (uint32_t level = 0; level < levels; level++)
            add(&sum[level], core[level]);
        if (core[0] == 0 && was_known)
            scale(sum, levels, before, n);
        else if (core[0] > 0 && !was_known)
            scale(sum, levels, n, before);
        core += levels;
        sum += levels;
    }
}

static void add_blocks(struct merging *m, const struct signature *s)
{
    struct signature *to = m->merged;
    const size_t nstrides = s->nends + 1, nfound = s->nfound;
    for (uint32_t i = 0; i < s->nblocks; i++) {
        struct signature_block block = s->blocks[i];
        block.region = m->region_of[block.region];
        block.function = m->function_of[block.function];
        uint32_t *slot = find(m, &m->blocks, block_hash(&block), same_block, &block);
        struct signature_block *sum = &to->blocks[to->nblocks];
        uint64_t before = *slot == 0 ? 0 : to->blocks[*slot - 1].executions;
        if (*slot == 0) {
            *sum = block;
            *slot = ++to->nblocks;
        } else {
            sum = &to->blocks[*slot - 1];
#define SAME(name)
#define SUM(name) add(&sum->name, block.name);
#define MOST(name) sum->name = block.name > sum->name ? block.name : sum->name;
#define COLUMN(name, merge) merge(name)
#include "memsig/columns.def"
#undef COLUMN
#undef SAME
#undef SUM
#undef MOST
        }
        const size_t number = *slot - 1;
        for (size_t j = 0; j < nstrides; j++)
            add(&to->strides[number * nstrides + j], s->strides[i * nstrides + j]);
        for (size_t j = 0; j < nfound; j++)
            add(&to->found[number * nfound + j], s->found[i * nfound + j]);
        add_cores(to, number, before, s, i);
    }
}

/* ---- Heads ---------------------------------------------------------------------------------- */

static bool same_machines(const struct signature *a, const struct signature *b)
{
    bool same = a->nmachines == b->nmachines && a->nends == b->nends &&
                memcmp(a->ends, b->ends, a->nends * sizeof *a->ends) == 0;
    for (uint32_t m = 0; same && m < a->nmachines; m++) {
        const struct signature_machine *x = &a->machines[m], *y = &b->machines[m];
        same = x->ncaches == y->ncaches;
        for (uint32_t i = 0; same && i < x->ncaches; i++)
            same = x->caches[i].bytes == y->caches[i].bytes &&
                   x->caches[i].level == y->caches[i].level &&
                   x->caches[i].line_bytes == y->caches[i].line_bytes &&
                   x->caches[i].associativity == y->caches[i].associativity;
    }
    return same;
}

static bool add_note(struct signature *to, const char *note)
{
    for (uint32_t i = 0; i < to->nnotes; i++)
        if (strcmp(to->notes[i], note) == 0)
            return true;
    char *kept = strdup(note);
    char **notes = kept ? reallocarray(to->notes, to->nnotes + 1, sizeof *notes) : NULL;
    if (!notes) {
        free(kept);
        return false;
    }
    to->notes = notes;
    notes[to->nnotes++] = kept;
    return true;
}

/* Sum up the heads; keep the least exact sampling. */
static bool add_head(struct signature *to, const struct signature *s)
{
    to->nranks += s->nranks < UINT32_MAX - to->nranks ? s->nranks : UINT32_MAX - to->nranks;
    to->nthreads +=
        s->nthreads < UINT32_MAX - to->nthreads ? s->nthreads : UINT32_MAX - to->nthreads;
    to->complete = to->complete && s->complete;
    add(&to->calls_beyond_paths, s->calls_beyond_paths);
    if (s->sampling.on) {
        if (!to->sampling.on || s->sampling.fraction < to->sampling.fraction)
            to->sampling.fraction = s->sampling.fraction;
        if (!to->sampling.on || s->sampling.burst_blocks > to->sampling.burst_blocks)
            to->sampling.burst_blocks = s->sampling.burst_blocks;
        if (s->sampling.error < 0 || to->sampling.error < 0)
            to->sampling.error = -1;
        else if (s->sampling.error > to->sampling.error)
            to->sampling.error = s->sampling.error;
        to->sampling.on = true;
    }
    for (uint32_t i = 0; i < s->nnotes; i++)
        if (!add_note(to, s->notes[i]))
            return false;
    return true;
}

/* Start the head; the description of the run is from the first signature. */
static bool begin_head(struct signature *to, const struct signature *first)
{
    to->rank = -1;
    to->complete = true;
    to->only_caches = first->only_caches;
    to->nends = first->nends;
    memcpy(to->ends, first->ends, sizeof to->ends);
    to->nfound = first->nfound;
    memcpy(to->first_found, first->first_found, sizeof to->first_found);
    for (uint32_t i = 0; i < first->nmachines; i++) {
        to->machines[i] = first->machines[i];
        to->nmachines++;
        if (!(to->machines[i].name = strdup(first->machines[i].name)))
            return false;
    }
    to->command = calloc((size_t)first->ncommand + 1, sizeof *to->command);
    for (uint32_t i = 0; to->command && i < first->ncommand; i++) {
        if (!(to->command[i] = strdup(first->command[i])))
            return false;
        to->ncommand++;
    }
    to->program = strdup(first->program);
    to->host = strdup(first->host);
    return to->command && to->program && to->host;
}

/* Allocate space for the maximum number of items. */
static bool begin(struct merging *m, const struct signature *const *all, uint32_t n)
{
    const struct signature *first = all[0];
    struct signature *to = m->merged = calloc(1, sizeof *to);
    size_t regions = 1, functions = 1, blocks = 1;
    for (uint32_t i = 0; i < n; i++) {
        regions += all[i]->nregions;
        functions += all[i]->nfunctions;
        blocks += all[i]->nblocks;
    }
    if (!to || regions > UINT32_MAX || functions > UINT32_MAX || blocks > UINT32_MAX ||
        !begin_head(to, first))
        return false;
    to->regions = calloc(regions, sizeof *to->regions);
    to->functions = calloc(functions, sizeof *to->functions);
    to->blocks = calloc(blocks, sizeof *to->blocks);
    to->strides = calloc(blocks, ((size_t)first->nends + 1) * sizeof *to->strides);
    to->found = calloc(blocks, ((size_t)first->nfound + 1) * sizeof *to->found);
    to->cores = calloc(blocks, ((size_t)first->nfound + 1) * sizeof *to->cores);
    m->region_of = calloc(regions, sizeof *m->region_of);
    m->function_of = calloc(functions, sizeof *m->function_of);
    if (!to->regions || !(to->regions[0].name = strdup("")))
        return false;
    to->nregions = 1;
    return to->functions && to->blocks && to->strides && to->found && to->cores && m->region_of &&
           m->function_of && make_index(&m->regions, regions) &&
           make_index(&m->functions, functions) && make_index(&m->blocks, blocks);
}

struct signature *signature_merge(const char *who, const struct signature *const *all,
                                  const char *const *paths, uint32_t n)
{
    struct merging m = {.merged = NULL};
    for (uint32_t i = 1; i < n; i++)
        if (all[i]->only_caches != all[0]->only_caches) {
            fprintf(stderr,
                    "%s: %s has caches only and %s has not; make them anew, with --only-caches or "
                    "without\n",
                    who, paths[all[0]->only_caches ? 0 : i], paths[all[0]->only_caches ? i : 0]);
            return NULL;
        } else if (!same_machines(all[0], all[i])) {
            fprintf(stderr,
                    "%s: %s and %s were made for different machines; make them anew with the same "
                    "--machine\n",
                    who, paths[0], paths[i]);
            return NULL;
        }
    bool done = begin(&m, all, n);
    for (uint32_t i = 0; done && i < n; i++) {
        done = add_head(m.merged, all[i]) && add_regions(&m, all[i]) && add_functions(&m, all[i]);
        if (done)
            add_blocks(&m, all[i]);
    }
    free(m.regions.slots);
    free(m.functions.slots);
    free(m.blocks.slots);
    free(m.region_of);
    free(m.function_of);
    if (done)
        return m.merged;
    fprintf(stderr, "%s: there is no memory to merge %u signatures\n", who, n);
    signature_free(m.merged);
    return NULL;
}
