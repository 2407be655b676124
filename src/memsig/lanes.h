/* lanes.h - values of vector registers that are put together out of parts. */
#ifndef GPTL_MEMSIG_LANES_H
#define GPTL_MEMSIG_LANES_H

#include "libvex_ir.h"
#include "pub_tool_basics.h"

/* The block, in which parts that are put into a vector register are a vector of their own before. */
IRSB *memsig_join_lanes(const IRSB *in);

#endif
