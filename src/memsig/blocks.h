/* blocks.h - between what translates blocks, and what keeps their numbers and names. */
#ifndef GPTL_MEMSIG_BLOCKS_H
#define GPTL_MEMSIG_BLOCKS_H

#include "memsig.h"

/* What a block is to be. */
struct plan {
    UInt nparts, nsites;
    struct part *parts;
    struct site *sites;
    const struct steps *steps;
};

/* The block at ADDRESS: one that was there before, if it is as PLAN has it. */
struct block *memsig_block_at(Addr address, const struct plan *plan);

/* A function once, with the number that it gets in the file. */
struct function {
    struct function *next;
    UInt number;
    const HChar *name, *file, *module;
};
extern struct function *memsig_functions; /* all, the last one first */
struct function *memsig_function(const HChar *name, const HChar *file, const HChar *module);

IRSB *memsig_instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                        const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
                        IRType host_word);

#endif
