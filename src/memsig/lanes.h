/* lanes.h - combines partial writes of vector registers. */
#ifndef GPTL_MEMSIG_LANES_H
#define GPTL_MEMSIG_LANES_H

#include "libvex_ir.h"
#include "pub_tool_basics.h"

/* Return the block with partial writes of a vector register combined into one vector value. */
IRSB *memsig_join_lanes(const IRSB *in);

#endif
