/* blocks.h - interface between block translation and the storage of block counts and names. */
#ifndef GPTL_MEMSIG_BLOCKS_H
#define GPTL_MEMSIG_BLOCKS_H

#include "memsig.h"

/* The plan of a block. */
struct plan {
    UInt nparts, nsites;
    struct part *parts;
    struct site *sites;
    const struct steps *steps;
};

/* Return the block at ADDRESS: an existing one if it matches PLAN, else a new one. */
struct block *memsig_block_at(Addr address, const struct plan *plan);

/* A unique function with its number in the file. */
struct function {
    struct function *next;
    UInt number;
    const HChar *name, *file, *module;
};
extern struct function *memsig_functions; /* all functions, most recent first */
struct function *memsig_function(const HChar *name, const HChar *file, const HChar *module);

IRSB *memsig_instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                        const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
                        IRType host_word);

#endif
