/*
 * dependent.h - loads whose address depends on the same load in the previous execution of the
 * block.
 */
#ifndef GPTL_MEMSIG_DEPENDENT_H
#define GPTL_MEMSIG_DEPENDENT_H

#include "libvex_ir.h"
#include "pub_tool_basics.h"

enum { MEMSIG_DEPENDENT_LOADS = 64 };

/* The dependent loads of a block, up to the limit. */
struct dependent {
    UInt n;
    const IRStmt *loads[MEMSIG_DEPENDENT_LOADS];
};

/* Return whether a block that starts at START can jump there. */
Bool memsig_is_loop(const IRSB *in, Addr start);

/* Find the dependent loads; START is the address of the block's first instruction. */
void memsig_find_dependent(struct dependent *found, const IRSB *in, Addr start);
Bool memsig_is_dependent(const struct dependent *found, const IRStmt *load);

#endif
