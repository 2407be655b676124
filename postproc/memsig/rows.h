/* rows.h - sums of blocks: of each, of functions, of regions. */
#ifndef GPTL_POSTPROC_MEMSIG_ROWS_H
#define GPTL_POSTPROC_MEMSIG_ROWS_H

#include <stdint.h>

#include "postproc/signature/signature.h"

struct memsig_row {
    uint32_t number; /* of the block, function or region */
    uint64_t accesses, random, flops, working_set, executions;
    uint64_t branches, wrong;        /* guessed wrong, of those */
    uint64_t hits[SIGNATURE_LEVELS]; /* of one machine */
};

enum memsig_rows { MEMSIG_BLOCKS, MEMSIG_FUNCTIONS, MEMSIG_REGIONS };

/* All that have accesses or flops, those with the most accesses first; *N of them. To be freed. */
struct memsig_row *memsig_rows(const struct signature *s, enum memsig_rows of, uint32_t machine,
                               uint32_t *n);

#endif
