/* dependent.h - loads that cannot begin before the execution before has ended theirs. */
#ifndef GPTL_MEMSIG_DEPENDENT_H
#define GPTL_MEMSIG_DEPENDENT_H

#include "libvex_ir.h"
#include "pub_tool_basics.h"

enum { MEMSIG_DEPENDENT_LOADS = 64 };

/* Those of a block, at most so many. */
struct dependent {
    UInt n;
    const IRStmt *loads[MEMSIG_DEPENDENT_LOADS];
};

/* Whether a block that begins at START may jump there. */
Bool memsig_is_loop(const IRSB *in, Addr start);

/* START is the address of the block's first instruction. */
void memsig_find_dependent(struct dependent *found, const IRSB *in, Addr start);
Bool memsig_is_dependent(const struct dependent *found, const IRStmt *load);

#endif
