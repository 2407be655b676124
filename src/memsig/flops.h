/* flops.h - classifies floating-point operations of Valgrind's intermediate representation. */
#ifndef GPTL_MEMSIG_FLOPS_H
#define GPTL_MEMSIG_FLOPS_H

#include "libvex_ir.h"
#include "pub_tool_basics.h"

struct flops {
    UInt lanes; /* 0: not floating-point arithmetic */
    Bool vector, fused, divide;
};
struct flops memsig_flops_of(IROp op);

#endif
