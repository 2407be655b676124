/*
 * flops.c - which operations of Valgrind's intermediate representation are arithmetic.
 *
 * Scalar instructions of SSE and AVX are operations on the first lane ("F0x2"). Fused ones are made
 * of one scalar MAdd for each lane, negated operands of other operations: who counts an instruction
 * has to see how many there are. Comparisons, minima, conversions and signs are no flops.
 */
#include "flops.h"

enum { SCALAR = 0, VECTOR = 1, FUSED = 2, DIVIDE = 4, ADD = 8 };

#define SUM(kind)                                                                                  \
    case Iop_Add##kind:                                                                            \
    case Iop_Sub##kind:
#define PRODUCT(kind) case Iop_Mul##kind:
#define QUOTIENT(kind)                                                                             \
    case Iop_Div##kind:                                                                            \
    case Iop_Sqrt##kind:

static struct flops flops(UInt lanes, UInt what)
{
    struct flops made = {lanes, (what & VECTOR) != 0, (what & FUSED) != 0, (what & DIVIDE) != 0,
                         (what & ADD) != 0};
    return made;
}

struct flops memsig_flops_of(IROp op)
{
    switch (op) {
        SUM(F64)
        SUM(F32)
        SUM(64F0x2)
        SUM(32F0x4)
        return flops(1, SCALAR | ADD);
        PRODUCT(F64)
        PRODUCT(F32)
        PRODUCT(64F0x2)
        PRODUCT(32F0x4)
        return flops(1, SCALAR);
        QUOTIENT(F64)
        QUOTIENT(F32)
        QUOTIENT(64F0x2)
        QUOTIENT(32F0x4)
    case Iop_RecipEst32F0x4:
    case Iop_RSqrtEst32F0x4:
        return flops(1, DIVIDE);
        SUM(64Fx2)
        return flops(2, VECTOR | ADD);
        PRODUCT(64Fx2)
        return flops(2, VECTOR);
        QUOTIENT(64Fx2)
        return flops(2, VECTOR | DIVIDE);
        SUM(32Fx4)
        SUM(64Fx4)
        return flops(4, VECTOR | ADD);
        PRODUCT(32Fx4)
        PRODUCT(64Fx4)
        return flops(4, VECTOR);
        QUOTIENT(32Fx4)
        QUOTIENT(64Fx4)
    case Iop_RecipEst32Fx4:
    case Iop_RSqrtEst32Fx4:
        return flops(4, VECTOR | DIVIDE);
        SUM(32Fx8)
        return flops(8, VECTOR | ADD);
        PRODUCT(32Fx8)
        return flops(8, VECTOR);
        QUOTIENT(32Fx8)
    case Iop_RecipEst32Fx8:
    case Iop_RSqrtEst32Fx8:
        return flops(8, VECTOR | DIVIDE);
    case Iop_MAddF64:
    case Iop_MSubF64:
    case Iop_MAddF32:
    case Iop_MSubF32:
        return flops(1, FUSED);
    default:
        return flops(0, SCALAR);
    }
}
