/* signature_read_blocks.c - reads the rows of signature.json by column name. */
#include "config.h"

#include <string.h>

#include "postproc/signature/signature_reading.h"

enum { CONFLICT_LINES = 18, NEW_PAGES = 27, STRIDES, FOUND, CORE, NCOLUMNS };
_Static_assert(STRIDES * sizeof(uint64_t) == sizeof(struct signature_block),
               "columns.def has another number of columns");

static const char *const column_names[NCOLUMNS] = {
#define COLUMN(name, merge) #name,
#include "memsig/columns.def"
#undef COLUMN
    "strides", "found", "core"};

void signature_read_columns(struct signature_reading *r)
{
    bool seen[NCOLUMNS + 1] = {false};
    signature_begin_list(r, &r->has_columns, "columns");
    while (json_element(r->json)) {
        const char *name = json_string(r->json, NULL);
        unsigned i = 0;
        while (i < NCOLUMNS && strcmp(name, column_names[i]) != 0)
            i++;
        if (r->ncolumns == SIGNATURE_COLUMNS || (i < NCOLUMNS && seen[i])) {
            json_fail(r->json, "\"columns\" has too many names, or one of them twice");
            return;
        }
        seen[i] = true;
        r->column[r->ncolumns++] = (unsigned char)i;
    }
    for (unsigned i = 0; i < NCOLUMNS; i++)
        /* Early signatures lack some columns. */
        if (!seen[i] && (i < CONFLICT_LINES || i == STRIDES || i == FOUND))
            json_fail(r->json, "\"columns\" has no \"%s\"", column_names[i]);
}

/* Read an array of exactly N numbers. */
static void read_numbers(struct signature_reading *r, uint64_t *to, uint32_t n)
{
    uint32_t i = 0;
    json_array(r->json);
    for (; json_element(r->json); i++)
        if (i < n)
            to[i] = json_uint(r->json, UINT64_MAX);
        else
            json_skip(r->json);
    if (i != n)
        json_fail(r->json, "an array has %u numbers where %u are needed", i, n);
}

/* Read the hits on a machine: an array for each kind, which may be empty. */
static void read_kinds(struct signature_reading *r, uint64_t *to, uint32_t levels)
{
    uint32_t kind = 0;
    json_array(r->json);
    for (; json_element(r->json); kind++) {
        uint32_t level = 0;
        json_array(r->json);
        for (; json_element(r->json); level++)
            if (kind < SIGNATURE_KINDS && level < levels)
                to[kind * levels + level] = json_uint(r->json, UINT64_MAX);
            else
                json_skip(r->json);
        if (kind < SIGNATURE_KINDS && level != 0 && level != levels)
            json_fail(r->json, "an array has %u numbers where %u are needed", level, levels);
    }
    if (kind < SIGNATURE_STORE_CONFLICT)
        json_fail(r->json, "a block has %u kinds of accesses where there are %d", kind,
                  SIGNATURE_STORE_CONFLICT);
}

static void read_found(struct signature_reading *r, uint64_t *to)
{
    uint32_t i = 0;
    json_array(r->json);
    for (; json_element(r->json); i++) {
        if (i >= r->s->nmachines) {
            json_skip(r->json);
            continue;
        }
        uint32_t levels = r->s->machines[i].ncaches + 1;
        read_kinds(r, to, levels);
        to += SIGNATURE_KINDS * levels;
    }
    if (i != r->s->nmachines)
        json_fail(r->json, "a block was simulated for %u machines where there are %u", i,
                  r->s->nmachines);
}

/* Read the core results: an array for each machine, empty if unknown. */
static void read_cores(struct signature_reading *r, uint64_t *to)
{
    uint32_t i = 0;
    json_array(r->json);
    for (; json_element(r->json); i++) {
        uint32_t levels = i < r->s->nmachines ? r->s->machines[i].ncaches + 1 : 0, n = 0;
        json_array(r->json);
        for (; json_element(r->json); n++)
            if (n < levels)
                to[n] = json_uint(r->json, UINT64_MAX);
            else
                json_skip(r->json);
        if (n != 0 && n != levels && levels > 0)
            json_fail(r->json, "an array has %u numbers where %u are needed", n, levels);
        to += levels;
    }
}

/* Reject inconsistent values, which would make later sums overflow or become negative. */
static void check_block(struct signature_reading *r, const struct signature_block *block)
{
    const struct signature *s = r->s;
    const uint64_t *strides = signature_strides(s, s->nblocks);
    uint64_t accesses, sum = 0;
    if (block->region >= s->nregions || block->function >= s->nfunctions)
        json_fail(r->json, "block %u is in a region or a function that is not there", s->nblocks);
    if (__builtin_add_overflow(block->loads, block->stores, &accesses))
        accesses = UINT64_MAX;
    for (uint32_t m = 0; m < s->nmachines; m++) {
        uint64_t left = accesses;
        for (uint32_t i = 0; i < s->machines[m].ncaches; i++) {
            uint64_t hits = signature_hits(s, s->nblocks, m, i);
            if (hits > left)
                json_fail(r->json, "block %u has more hits than accesses", s->nblocks);
            left -= hits < left ? hits : left;
        }
    }
    for (uint32_t i = 0; i <= s->nends; i++)
        if (__builtin_add_overflow(sum, strides[i], &sum) || sum > accesses)
            json_fail(r->json, "block %u has more strides than accesses", s->nblocks);
}

static void read_block(struct signature_reading *r)
{
    struct signature *s = r->s;
    const size_t n = s->nblocks, nstrides = s->nends + 1, nfound = s->nfound,
                 ncores = nfound / SIGNATURE_KINDS;
    struct signature_block *blocks = signature_grow(r, s->blocks, &r->blocks, n, 1, sizeof *blocks);
    if (blocks)
        s->blocks = blocks;
    uint64_t *strides =
        signature_grow(r, s->strides, &r->strides, n * nstrides, nstrides, sizeof *strides);
    if (strides)
        s->strides = strides;
    uint64_t *found = signature_grow(r, s->found, &r->found, n * nfound, nfound, sizeof *found);
    if (found)
        s->found = found;
    uint64_t *cores = signature_grow(r, s->cores, &r->cores, n * ncores, ncores, sizeof *cores);
    if (cores)
        s->cores = cores;
    if (!blocks || !strides || !found || !cores)
        return;
    memset(&found[n * nfound], 0, nfound * sizeof *found);
    memset(&cores[n * ncores], 0, ncores * sizeof *cores);
    uint64_t values[STRIDES] = {0};
    unsigned i = 0;
    json_array(r->json);
    for (; json_element(r->json); i++) {
        unsigned column = i < r->ncolumns ? r->column[i] : NCOLUMNS;
        if (column < STRIDES)
            values[column] = json_uint(r->json, UINT64_MAX);
        else if (column == STRIDES)
            read_numbers(r, &strides[n * nstrides], s->nends + 1);
        else if (column == FOUND)
            read_found(r, &found[n * nfound]);
        else if (column == CORE)
            read_cores(r, &cores[n * ncores]);
        else
            json_skip(r->json);
    }
    if (i != r->ncolumns)
        json_fail(r->json, "block %u has %u columns where \"columns\" has %u", s->nblocks, i,
                  r->ncolumns);
    memcpy(&blocks[n], values, sizeof blocks[n]);
    if (!json_failed(r->json))
        check_block(r, &blocks[n]);
    if (!json_failed(r->json))
        s->nblocks++;
}

void signature_read_blocks(struct signature_reading *r)
{
    signature_begin_list(r, &r->has_blocks, "blocks");
    if (!r->has_machines || !r->has_ends || !r->has_regions || !r->has_functions || !r->has_columns)
        json_fail(r->json, "\"blocks\" must stand behind \"machines\", \"regions\", \"functions\", "
                           "\"stride_bins_bytes\" and \"columns\"");
    while (json_element(r->json))
        read_block(r);
}
