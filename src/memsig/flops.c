/*
 * flops.c - classifies floating-point operations of Valgrind's intermediate representation.
 *
 * Scalar instructions of SSE and AVX are operations on the first lane ("F0x2"). A fused vector
 * instruction becomes one scalar MAdd per lane, and other fused operations negate operands: the
 * caller must count the operations of an instruction to classify it. Comparisons, minima,
 * conversions and sign changes are not flops.
 */
#include "flops.h"

enum { SCALAR = 0, VECTOR = 1, FUSED = 2, DIVIDE = 4 };

#define THREE(kind)                                                                                \
    case Iop_Add##kind:                                                                            \
    case Iop_Sub##kind:                                                                            \
    case Iop_Mul##kind:
#define TWO(kind)                                                                                  \
    case Iop_Div##kind:                                                                            \
    case Iop_Sqrt##kind:

static struct flops flops(UInt lanes, UInt what)
{
    struct flops made = {lanes, (what & VECTOR) != 0, (what & FUSED) != 0, (what & DIVIDE) != 0};
    return made;
}

struct flops memsig_flops_of(IROp op)
{
    switch (op) {
        THREE(F64)
        THREE(F32)
        THREE(64F0x2)
        THREE(32F0x4)
        return flops(1, SCALAR);
        TWO(F64)
        TWO(F32)
        TWO(64F0x2)
        TWO(32F0x4)
    case Iop_RecipEst32F0x4:
    case Iop_RSqrtEst32F0x4:
        return flops(1, DIVIDE);
        THREE(64Fx2)
        return flops(2, VECTOR);
        TWO(64Fx2)
        return flops(2, VECTOR | DIVIDE);
        THREE(32Fx4)
        THREE(64Fx4)
        return flops(4, VECTOR);
        TWO(32Fx4)
        TWO(64Fx4)
    case Iop_RecipEst32Fx4:
    case Iop_RSqrtEst32Fx4:
        return flops(4, VECTOR | DIVIDE);
        THREE(32Fx8)
        return flops(8, VECTOR);
        TWO(32Fx8)
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
