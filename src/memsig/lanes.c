/*
 * lanes.c - values of vector registers that are put together out of parts.
 *
 * A scalar load clears a vector register and then puts a number into its first lane; what reads the
 * register next reads all of it. Valgrind keeps registers in memory, and a processor can't hand the bytes
 * of two stores that wait to one load: it waits until both are in its cache, a dozen cycles, in which the
 * rest of the loop waits as well. So the vector is made first, put as a whole, and who reads it in the
 * same block gets it from there.
 */
#include "lanes.h"

#include "libvex_guest_amd64.h"

enum { REGISTERS = 16, BYTES = 16, HALVES = 2 * REGISTERS, NEVER = -1 };

/* Half of a register of 32 bytes, which one of 16 bytes is. */
static struct half {
    IRExpr *value; /* that it holds; NULL: not known */
    Int put;       /* the statement that has put it and that nobody has seen yet; NEVER: none */
} halves[HALVES];

static const Int first = offsetof(VexGuestAMD64State, guest_YMM0);

static void forget(void)
{
    for (Int i = 0; i < HALVES; i++) {
        halves[i].value = NULL;
        halves[i].put = NEVER;
    }
}

static void see_all(void)
{
    for (Int i = 0; i < HALVES; i++)
        halves[i].put = NEVER;
}

/* The half that OFFSET is in; NULL: none. */
static struct half *half_at(Int offset)
{
    return offset >= first && offset < first + HALVES * BYTES ? &halves[(offset - first) / BYTES]
                                                              : NULL;
}

static Bool is_whole(Int offset, IRType type)
{
    return type == Ity_V128 && (offset - first) % BYTES == 0;
}

/* The registers of 16 bytes are in those of 32, so that what is read or written may be in two halves. */
static void touch(Int offset, IRType type, Bool written)
{
    for (Int at = offset; at < offset + sizeofIRType(type); at++) {
        struct half *half = half_at(at);
        if (!half)
            continue;
        half->put = NEVER;
        if (written)
            half->value = NULL;
    }
}

static Bool is_zero(const IRExpr *value)
{
    return value && value->tag == Iex_Const && value->Iex.Const.con->tag == Ico_V128 &&
           value->Iex.Const.con->Ico.V128 == 0;
}

static void put_whole(IRSB *out, Int offset, IRExpr *value)
{
    struct half *half = half_at(offset);
    /* What was put there before and that nobody has seen is not put at all. */
    if (half->put != NEVER)
        out->stmts[half->put] = IRStmt_NoOp();
    half->value = value;
    half->put = out->stmts_used;
    addStmtToIRSB(out, IRStmt_Put(offset, value));
}

static void take_put(IRSB *out, IRStmt *statement)
{
    Int offset = statement->Ist.Put.offset;
    IRExpr *data = statement->Ist.Put.data;
    IRType type = typeOfIRExpr(out->tyenv, data);
    struct half *half = half_at(offset);
    if (half && is_whole(offset, type)) {
        put_whole(out, offset, data);
    } else if (half && (offset - first) % BYTES == 0 && is_zero(half->value) &&
               (type == Ity_I64 || type == Ity_I32)) {
        IRTemp made = newIRTemp(out->tyenv, Ity_V128);
        IROp widen = type == Ity_I64 ? Iop_64UtoV128 : Iop_32UtoV128;
        addStmtToIRSB(out, IRStmt_WrTmp(made, IRExpr_Unop(widen, data)));
        put_whole(out, offset, IRExpr_RdTmp(made));
    } else {
        touch(offset, type, True);
        addStmtToIRSB(out, statement);
    }
}

static void take_get(IRSB *out, IRStmt *statement)
{
    const IRExpr *get = statement->Ist.WrTmp.data;
    IRTemp to = statement->Ist.WrTmp.tmp;
    struct half *half = half_at(get->Iex.Get.offset);
    if (half && half->value && is_whole(get->Iex.Get.offset, get->Iex.Get.ty)) {
        addStmtToIRSB(out, IRStmt_WrTmp(to, half->value));
        return;
    }
    touch(get->Iex.Get.offset, get->Iex.Get.ty, False);
    addStmtToIRSB(out, statement);
}

IRSB *memsig_join_lanes(const IRSB *in)
{
    IRSB *out = deepCopyIRSBExceptStmts(in);
    forget();
    for (Int i = 0; i < in->stmts_used; i++) {
        IRStmt *statement = in->stmts[i];
        if (statement->tag == Ist_Put) {
            take_put(out, statement);
            continue;
        }
        if (statement->tag == Ist_WrTmp && statement->Ist.WrTmp.data->tag == Iex_Get) {
            take_get(out, statement);
            continue;
        }
        if (statement->tag == Ist_PutI ||
            (statement->tag == Ist_Dirty && statement->Ist.Dirty.details->nFxState > 0))
            forget();
        if (statement->tag == Ist_Exit ||
            (statement->tag == Ist_WrTmp && statement->Ist.WrTmp.data->tag == Iex_GetI))
            see_all();
        addStmtToIRSB(out, statement);
    }
    return out;
}
