/*
 * kinds.c - maps operations of Valgrind's intermediate representation to steps of a core. The
 * representation has several operations per instruction; operations that compute an address or a
 * condition as part of an instruction are not steps. A value becomes a step if another instruction,
 * a branch, or a stored value needs it.
 */
#include "flops.h"
#include "steps.h"

#include "libvex_guest_amd64.h"

static Bool needed[STEPS_TEMPS];      /* by other instructions */
static Bool in_vector[STEPS_TEMPS];   /* goes to a vector register */
static Bool from_vector[STEPS_TEMPS]; /* unmodified copy from a vector register */
static Bool of_flop[STEPS_TEMPS];     /* unmodified result of floating-point arithmetic */
static UInt instruction_of[STEPS_TEMPS];

static Bool is_known(const IRExpr *value)
{
    return value && value->tag == Iex_RdTmp && value->Iex.RdTmp.tmp < STEPS_TEMPS;
}

static Bool is_integer(IRType type)
{
    return type >= Ity_I1 && type <= Ity_I128;
}

static IROp operation_of(const IRExpr *value)
{
    switch (value->tag) {
    case Iex_Unop:
        return value->Iex.Unop.op;
    case Iex_Binop:
        return value->Iex.Binop.op;
    case Iex_Triop:
        return value->Iex.Triop.details->op;
    case Iex_Qop:
        return value->Iex.Qop.details->op;
    default:
        return Iop_INVALID;
    }
}

static Bool is_vector_register(Int offset)
{
    return offset >= (Int)offsetof(VexGuestAMD64State, guest_YMM0) &&
           offset < (Int)offsetof(VexGuestAMD64State, guest_YMM16);
}

/* ---- Needed values --------------------------------------------------------------------------- */

static void need(const IRExpr *value)
{
    if (is_known(value))
        needed[value->Iex.RdTmp.tmp] = True;
}

static void goes_to_vector(const IRExpr *value)
{
    if (is_known(value))
        in_vector[value->Iex.RdTmp.tmp] = True;
}

/* Classify unary operations: truncations and zero extensions cost nothing. */
static enum step_kind kind_of_unary(IROp op)
{
    switch (op) {
    case Iop_Not8:
    case Iop_Not16:
    case Iop_Not32:
    case Iop_Not64:
    case Iop_8Sto32:
    case Iop_8Sto64:
    case Iop_16Sto32:
    case Iop_16Sto64:
    case Iop_32Sto64:
    case Iop_Clz64:
    case Iop_Ctz64:
    case Iop_ClzNat64:
    case Iop_CtzNat64:
        return STEP_INTEGER;
    default:
        return STEP_FREE;
    }
}

/*
 * Mark VALUE, an operand of TO or an alias of it, as needed. An intermediate integer value within
 * an instruction is not a separate step.
 */
static void need_for(const IRSB *in, IRTemp to, Bool is_name, const IRExpr *value)
{
    if (!is_known(value))
        return;
    Bool other = instruction_of[value->Iex.RdTmp.tmp] != instruction_of[to];
    if (!is_integer(typeOfIRTemp(in->tyenv, to)) || (needed[to] && (is_name || other)))
        need(value);
}

/*
 * Mark the operands of VALUE as needed. Conditions depend on values computed by other instructions.
 */
static void need_parts(const IRSB *in, IRTemp to, const IRExpr *value)
{
    switch (value->tag) {
    case Iex_Unop:
        need_for(in, to, kind_of_unary(value->Iex.Unop.op) == STEP_FREE, value->Iex.Unop.arg);
        if (value->Iex.Unop.op == Iop_64UtoV128 || value->Iex.Unop.op == Iop_32UtoV128 ||
            value->Iex.Unop.op == Iop_ReinterpI64asF64 ||
            value->Iex.Unop.op == Iop_ReinterpI32asF32)
            goes_to_vector(value->Iex.Unop.arg);
        break;
    case Iex_Binop:
        need_for(in, to, False, value->Iex.Binop.arg1);
        need_for(in, to, False, value->Iex.Binop.arg2);
        if (value->Iex.Binop.op == Iop_64HLtoV128) {
            goes_to_vector(value->Iex.Binop.arg1);
            goes_to_vector(value->Iex.Binop.arg2);
        }
        break;
    case Iex_Triop:
        need(value->Iex.Triop.details->arg2);
        need(value->Iex.Triop.details->arg3);
        break;
    case Iex_Qop:
        need(value->Iex.Qop.details->arg2);
        need(value->Iex.Qop.details->arg3);
        need(value->Iex.Qop.details->arg4);
        break;
    case Iex_ITE:
        need(value->Iex.ITE.cond);
        need_for(in, to, False, value->Iex.ITE.iftrue);
        need_for(in, to, False, value->Iex.ITE.iffalse);
        break;
    case Iex_RdTmp:
        need_for(in, to, True, value);
        break;
    case Iex_CCall:
        for (Int i = 0; value->Iex.CCall.args[i]; i++)
            need(value->Iex.CCall.args[i]);
        break;
    default:
        break;
    }
}

/*
 * Mark a value written to a register, except for the stack pointer, which a core tracks without
 * computing it.
 */
static void need_register(const IRStmt *put)
{
    const Int offset = put->Ist.Put.offset;
    if (is_vector_register(offset))
        goes_to_vector(put->Ist.Put.data);
    if (offset != (Int)offsetof(VexGuestAMD64State, guest_RSP))
        need(put->Ist.Put.data);
}

/* Record the properties of TO, whose value is VALUE: a copy or a new value. */
static void note(const IRSB *in, IRTemp to, const IRExpr *value)
{
    const IRExpr *same = value->tag == Iex_Unop ? value->Iex.Unop.arg : value;
    needed[to] = in_vector[to] = False;
    from_vector[to] = !is_integer(typeOfIRTemp(in->tyenv, to)) ||
                      (value->tag == Iex_Get && is_vector_register(value->Iex.Get.offset)) ||
                      (is_known(same) && from_vector[same->Iex.RdTmp.tmp]);
    of_flop[to] = memsig_flops_of(operation_of(value)).lanes > 0 ||
                  (is_known(same) && of_flop[same->Iex.RdTmp.tmp]);
}

void memsig_kinds_begin(const IRSB *in)
{
    UInt instruction = 0;
    for (Int i = 0; i < in->stmts_used; i++) {
        const IRStmt *statement = in->stmts[i];
        instruction += statement->tag == Ist_IMark;
        if (statement->tag == Ist_WrTmp && statement->Ist.WrTmp.tmp < STEPS_TEMPS) {
            instruction_of[statement->Ist.WrTmp.tmp] = instruction;
            note(in, statement->Ist.WrTmp.tmp, statement->Ist.WrTmp.data);
        }
    }
    for (Int i = in->stmts_used; i-- > 0;) {
        const IRStmt *statement = in->stmts[i];
        if (statement->tag == Ist_Put)
            need_register(statement);
        else if (statement->tag == Ist_Store)
            need(statement->Ist.Store.data);
        else if (statement->tag == Ist_StoreG)
            need(statement->Ist.StoreG.details->data);
        else if (statement->tag == Ist_Exit)
            need(statement->Ist.Exit.guard);
        else if (statement->tag == Ist_WrTmp && statement->Ist.WrTmp.tmp < STEPS_TEMPS)
            need_parts(in, statement->Ist.WrTmp.tmp, statement->Ist.WrTmp.data);
    }
}

/* ---- Kinds ---------------------------------------------------------------------------------- */

static enum step_kind kind_of_flop(IROp op)
{
    struct flops flops = memsig_flops_of(op);
    if (flops.divide)
        return STEP_DIVIDE;
    if (flops.fused)
        return STEP_MULTIPLY_ADD;
    switch (op) {
    case Iop_MulF64:
    case Iop_MulF32:
    case Iop_Mul64F0x2:
    case Iop_Mul32F0x4:
    case Iop_Mul64Fx2:
    case Iop_Mul32Fx4:
    case Iop_Mul64Fx4:
    case Iop_Mul32Fx8:
        return STEP_MULTIPLY;
    default:
        return STEP_ADD;
    }
}

static Bool is_conversion(IROp op)
{
    switch (op) {
    case Iop_F64toI32S:
    case Iop_F64toI64S:
    case Iop_F64toI32U:
    case Iop_F64toI64U:
    case Iop_I32StoF64:
    case Iop_I64StoF64:
    case Iop_I64UtoF64:
    case Iop_I32UtoF64:
    case Iop_F32toI32S:
    case Iop_F32toI64S:
    case Iop_I32StoF32:
    case Iop_I64StoF32:
    case Iop_F32toF64:
    case Iop_F64toF32:
    case Iop_CmpF64:
    case Iop_CmpF32:
    case Iop_RoundF64toInt:
    case Iop_RoundF32toInt:
    case Iop_I32StoF32x4:
    case Iop_F32toI32Sx4:
        return True;
    default:
        return False;
    }
}

static enum step_kind kind_of_binary(IROp op, Bool is_needed)
{
    switch (op) {
    case Iop_Mul16:
    case Iop_Mul32:
    case Iop_Mul64:
    case Iop_MullS32:
    case Iop_MullS64:
    case Iop_MullU32:
    case Iop_MullU64:
        return STEP_MULTIPLY_INTEGER;
    case Iop_DivModU64to32:
    case Iop_DivModS64to32:
    case Iop_DivModU128to64:
    case Iop_DivModS128to64:
    case Iop_DivU64:
    case Iop_DivS64:
    case Iop_DivU32:
    case Iop_DivS32:
        return STEP_DIVIDE_INTEGER;
    case Iop_8HLto16:
    case Iop_16HLto32:
    case Iop_32HLto64:
    case Iop_64HLto128:
        return STEP_FREE;
    default:
        return is_needed ? STEP_INTEGER : STEP_FREE;
    }
}

/*
 * Classify the construction of a vector: from separate results of one instruction it costs nothing;
 * otherwise it is a move instruction.
 */
static enum step_kind kind_of_vector(IROp op, const IRExpr *first)
{
    switch (op) {
    case Iop_64HLtoV128:
        return is_known(first) && !of_flop[first->Iex.RdTmp.tmp] ? STEP_VECTOR : STEP_FREE;
    case Iop_SetV128lo64:
    case Iop_SetV128lo32:
    case Iop_V128HLtoV256:
        return STEP_FREE;
    default:
        return STEP_VECTOR;
    }
}

enum step_kind memsig_kind_of(const IRSB *in, IRTemp to, const IRExpr *value)
{
    IRType type = typeOfIRTemp(in->tyenv, to);
    IROp op = operation_of(value);
    if (value->tag == Iex_Load)
        return is_integer(type) && !in_vector[to] ? STEP_LOAD : STEP_LOAD_FLOAT;
    if (value->tag == Iex_CCall)
        return STEP_INTEGER;
    if (value->tag == Iex_ITE)
        return !is_integer(type) ? STEP_VECTOR : needed[to] ? STEP_INTEGER : STEP_FREE;
    if (op == Iop_INVALID)
        return STEP_FREE;
    if (memsig_flops_of(op).lanes > 0)
        return kind_of_flop(op);
    if (is_conversion(op))
        return STEP_CONVERT;
    if (value->tag == Iex_Unop)
        return needed[to] ? kind_of_unary(op) : STEP_FREE;
    if (is_integer(type))
        return kind_of_binary(op, needed[to]);
    return type == Ity_V128 || type == Ity_V256 ? kind_of_vector(op, value->Iex.Binop.arg1)
                                                : STEP_FREE;
}

enum step_kind memsig_kind_of_store(const IRSB *in, const IRExpr *value)
{
    Bool is_float = !is_integer(typeOfIRExpr(in->tyenv, value)) ||
                    (is_known(value) && from_vector[value->Iex.RdTmp.tmp]);
    return is_float ? STEP_STORE_FLOAT : STEP_STORE;
}
