/* chains.h - arithmetic that cannot begin before the execution before has ended its own. */
#ifndef GPTL_MEMSIG_CHAINS_H
#define GPTL_MEMSIG_CHAINS_H

#include "libvex_ir.h"
#include "pub_tool_basics.h"

/* Operations that each execution adds to the longest chain of a block that begins at START; 0: there is none. */
UInt memsig_chained(const IRSB *in, Addr start);

#endif
