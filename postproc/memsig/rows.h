/* rows.h - sums of blocks by block, function or region. */
#ifndef GPTL_POSTPROC_MEMSIG_ROWS_H
#define GPTL_POSTPROC_MEMSIG_ROWS_H

#include <stdint.h>

#include "postproc/signature/signature.h"

struct memsig_row {
    uint32_t number; /* number of the block, function or region */
    uint64_t accesses, random, flops, working_set, executions;
    uint64_t branches, wrong;        /* wrong: mispredicted branches */
    uint64_t hits[SIGNATURE_LEVELS]; /* hits in the caches of one machine */
};

enum memsig_rows { MEMSIG_BLOCKS, MEMSIG_FUNCTIONS, MEMSIG_REGIONS };

/*
 * Return the N rows with accesses or flops, sorted by decreasing accesses. The caller frees them.
 */
struct memsig_row *memsig_rows(const struct signature *s, enum memsig_rows of, uint32_t machine,
                               uint32_t *n);

#endif
