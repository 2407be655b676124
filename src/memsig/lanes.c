/*
 * lanes.c - combines partial writes of vector registers.
 *
 * A scalar load clears a vector register and then writes its first lane; the next reader loads the
 * full register. Valgrind keeps guest registers in memory, and a processor cannot forward two
 * pending stores to one load. The load would wait a dozen cycles until both stores reach the cache,
 * and stall the rest of the loop. Therefore this pass builds the vector first, writes it with one
 * Put, and forwards it to readers in the same block.
 */
#include "lanes.h"

#include "libvex_guest_amd64.h"

enum { REGISTERS = 16, BYTES = 16, HALVES = 2 * REGISTERS, NEVER = -1 };

/* Half of a 32-byte register; the lower half is a 16-byte register. */
static struct half {
    IRExpr *value; /* current value; NULL: unknown */
    Int put;       /* statement of the last Put if nothing has read it; NEVER: none */
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

/* Return the half that contains OFFSET, or NULL. */
static struct half *half_at(Int offset)
{
    return offset >= first && offset < first + HALVES * BYTES ? &halves[(offset - first) / BYTES]
                                                              : NULL;
}

static Bool is_whole(Int offset, IRType type)
{
    return type == Ity_V128 && (offset - first) % BYTES == 0;
}

/*
 * Update all halves covered by a read or write. 16-byte registers alias 32-byte registers, so an
 * access may cover two halves.
 */
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
    /* An unread earlier Put is dead. */
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
