/* rows.c - sums of blocks by block, function or region. */
#include "config.h"

#include "postproc/memsig/rows.h"

#include <stdlib.h>

#include "postproc/ioc/memory.h"

/* Saturating addition: the numbers of a file may be so large that sums overflow. */
static void add(uint64_t *sum, uint64_t value)
{
    if (__builtin_add_overflow(*sum, value, sum))
        *sum = UINT64_MAX;
}

static int by_accesses(const void *a, const void *b)
{
    const struct memsig_row *x = a, *y = b;
    if (x->accesses != y->accesses)
        return x->accesses < y->accesses ? 1 : -1;
    if (x->flops != y->flops)
        return x->flops < y->flops ? 1 : -1;
    return x->number < y->number ? -1 : x->number > y->number;
}

struct memsig_row *memsig_rows(const struct signature *s, enum memsig_rows of, uint32_t machine,
                               uint32_t *n)
{
    uint32_t all = of == MEMSIG_BLOCKS      ? s->nblocks
                   : of == MEMSIG_FUNCTIONS ? s->nfunctions
                                            : s->nregions;
    struct memsig_row *rows = memory_zeros(all, sizeof *rows);
    for (uint32_t i = 0; i < s->nblocks; i++) {
        const struct signature_block *block = &s->blocks[i];
        struct memsig_row *row = &rows[of == MEMSIG_BLOCKS      ? i
                                       : of == MEMSIG_FUNCTIONS ? block->function
                                                                : block->region];
        add(&row->accesses, block->loads);
        add(&row->accesses, block->stores);
        add(&row->random, block->random);
        add(&row->flops, block->flops_scalar);
        add(&row->flops, block->flops_vector);
        add(&row->executions, block->executions);
        add(&row->branches, block->branches);
        add(&row->wrong, block->wrong_branches);
        if (block->working_set_bytes > row->working_set)
            row->working_set = block->working_set_bytes;
        for (uint32_t level = 0; level < s->machines[machine].ncaches; level++)
            add(&row->hits[level], signature_hits(s, i, machine, level));
    }
    *n = 0;
    for (uint32_t i = 0; i < all; i++)
        if (rows[i].accesses > 0 || rows[i].flops > 0) {
            rows[i].number = i;
            rows[(*n)++] = rows[i];
        }
    if (*n > 0)
        qsort(rows, *n, sizeof *rows, by_accesses);
    return rows;
}
