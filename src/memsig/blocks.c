/*
 * blocks.c - counts of blocks: one row per region in which a block runs. The block points to the
 * row of its most recent region. If a block runs after a different one, or the region has changed,
 * translated code calls memsig_begin_run before it counts. Therefore region starts and stops cost
 * nothing here.
 */
#include "blocks.h"
#include "memsig.h"
#include "steps.h"

#include "pub_tool_debuginfo.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"

struct block *memsig_blocks;
struct block *memsig_last;
Bool memsig_plain, memsig_samples, memsig_only_caches, memsig_counting = True;

/* The blocks that have existed at an address over time. */
struct at_address {
    VgHashNode node;
    struct block *blocks;
};
static VgHashTable *addresses, *rows;

/* ---- Rows ----------------------------------------------------------------------------------- */

void memsig_flush(struct block *block)
{
    struct row *row = block->row;
    if (!row || memsig_only_caches)
        return;
    for (UInt i = 0; i < block->nsites; i++) {
        struct site *site = &block->sites[i];
        ULong now = row->counts[site->part];
        if (memsig_counting)
            memsig_count(row, site, memsig_class(site->stride), now - site->run);
        site->run = now;
    }
}

static UWord row_key(const struct block *block, UInt region)
{
    return (((UWord)block >> 4) + region) * 0x9e3779b97f4a7c15UL >> 16;
}

static Word compare_rows(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    return x->block != y->block || x->region != y->region;
}

static UInt parts_arrays(void)
{
    return memsig_samples ? 3 : 1;
}

/*
 * Return the number of counters in a row: per part, executions and in sampling mode two copies for
 * bursts; per machine and level, accesses of each kind, and waits; per machine, time.
 */
static SizeT numbers_of(const struct block *block)
{
    return parts_arrays() * block->nparts + (MEMSIG_KINDS + 1) * memsig_nfound + memsig_nmachines;
}

static struct row *new_row(struct block *block)
{
    SizeT size = sizeof(struct row) + sizeof(ULong) * numbers_of(block);
    struct row *row = VG_(calloc)("memsig.row", 1, size);
    row->node.key = row_key(block, memsig_region);
    row->block = block;
    row->region = memsig_region;
    row->found = row->counts + parts_arrays() * block->nparts;
    row->waited = row->found + MEMSIG_KINDS * memsig_nfound;
    row->took = row->waited + memsig_nfound;
    if (memsig_samples) {
        row->simulated = row->counts + block->nparts;
        row->mark = row->simulated + block->nparts;
    }
    row->next = block->rows;
    block->rows = row;
    VG_(HT_add_node)(rows, row);
    return row;
}

static struct row *row_now(struct block *block)
{
    struct row wanted = {.node.key = row_key(block, memsig_region)};
    if (block->before && block->before->region == memsig_region)
        return block->before;
    if (!rows)
        rows = VG_(HT_construct)("memsig.rows");
    wanted.block = block;
    wanted.region = memsig_region;
    struct row *found = VG_(HT_gen_lookup)(rows, &wanted, compare_rows);
    return found ? found : new_row(block);
}

static __attribute__((noinline)) void switch_row(struct block *block)
{
    memsig_flush(block);
    struct row *row = row_now(block);
    block->before = block->row;
    block->row = row;
    block->region = memsig_region;
    for (UInt i = 0; i < block->nsites; i++)
        block->sites[i].run = row->counts[block->sites[i].part];
}

VG_REGPARM(1) void memsig_begin_run(struct block *block)
{
    memsig_last = block;
    if (block->region != memsig_region)
        switch_row(block);
    block->row->runs++;
}

void memsig_clear(void)
{
    for (struct block *block = memsig_blocks; block; block = block->next)
        for (struct row *row = block->rows; row; row = row->next) {
            VG_(memset)(row->counts, 0, sizeof(ULong) * numbers_of(block));
            VG_(memset)(row->kinds, 0, sizeof row->kinds);
            VG_(memset)(row->strides, 0, sizeof row->strides);
            row->missed_before = 0;
            row->runs = 0;
            row->guesses = row->wrong_guesses = row->timed = 0;
            VG_(memset)(&row->noted, 0, sizeof row->noted);
            VG_(free)(row->footprint.hashes);
            VG_(free)(row->scattered.hashes);
            VG_(memset)(&row->footprint, 0, sizeof row->footprint);
            VG_(memset)(&row->scattered, 0, sizeof row->scattered);
            for (UInt i = 0; i < block->nsites && row == block->row; i++)
                block->sites[i].run = 0;
        }
    for (UInt i = 0; i < memsig_nregions; i++)
        memsig_regions[i]->calls = 0;
    memsig_beyond = 0;
}

/* ---- Blocks --------------------------------------------------------------------------------- */

/*
 * Return whether the block equals the plan. Code that replaces other code at an address is a new
 * block unless it looks the same.
 */
static Bool is_same(const struct block *block, const struct function *function,
                    const struct plan *plan)
{
    if (block->function != function || block->nparts != plan->nparts ||
        block->nsites != plan->nsites || block->steps->nstretches != plan->steps->nstretches ||
        VG_(memcmp)(block->parts, plan->parts, plan->nparts * sizeof *plan->parts) != 0)
        return False;
    for (UInt i = 0; i < plan->nsites; i++)
        if (block->sites[i].part != plan->sites[i].part ||
            block->sites[i].bytes != plan->sites[i].bytes ||
            block->sites[i].kind != plan->sites[i].kind)
            return False;
    return True;
}

/* Return the function and line of ADDRESS from the debug information. */
static struct function *function_at(Addr address, UInt *line)
{
    DiEpoch epoch = VG_(current_DiEpoch)();
    const HChar *name = "", *file = "", *folder = "", *module = "", *found;
    static HChar path[4096], kept[4096];
    if (VG_(get_objname)(epoch, address, &found))
        module = VG_(basename)(found);
    VG_(strlcpy)(path, "", sizeof path);
    if (VG_(get_filename_linenum)(epoch, address, &file, &folder, line))
        VG_(snprintf)(path, sizeof path, "%s%s%s", folder, *folder ? "/" : "", file);
    VG_(strlcpy)(kept, module, sizeof kept);
    if (VG_(get_fnname)(epoch, address, &found))
        name = found;
    return memsig_function(name, path, kept);
}

static struct block *new_block(Addr address, const struct plan *plan)
{
    struct block *block = VG_(calloc)("memsig.block", 1, sizeof *block);
    SizeT parts = plan->nparts * sizeof *plan->parts, sites = plan->nsites * sizeof *plan->sites;
    block->parts = VG_(malloc)("memsig.parts", parts + 1);
    block->sites = VG_(malloc)("memsig.sites", sites + 1);
    VG_(memcpy)(block->parts, plan->parts, parts);
    VG_(memcpy)(block->sites, plan->sites, sites);
    for (UInt i = 0; i < plan->nsites; i++)
        block->sites[i].block = block;
    block->nparts = plan->nparts;
    block->nsites = plan->nsites;
    block->steps = memsig_steps_copy(plan->steps);
    block->region = MEMSIG_NO_REGION;
    DebugInfo *info = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), address);
    block->in_module = info ? address - (Addr)VG_(DebugInfo_get_text_bias)(info) : address;
    block->next = memsig_blocks;
    memsig_blocks = block;
    return block;
}

struct block *memsig_block_at(Addr address, const struct plan *plan)
{
    if (!addresses)
        addresses = VG_(HT_construct)("memsig.addresses");
    struct at_address *at = VG_(HT_lookup)(addresses, address);
    if (!at) {
        at = VG_(calloc)("memsig.address", 1, sizeof *at);
        at->node.key = address;
        VG_(HT_add_node)(addresses, at);
    }
    UInt line = 0;
    struct function *function = function_at(address, &line);
    for (struct block *block = at->blocks; block; block = block->next_here)
        if (is_same(block, function, plan))
            return block;
    struct block *block = new_block(address, plan);
    block->function = function;
    block->line = line;
    block->next_here = at->blocks;
    at->blocks = block;
    return block;
}
