/*
 * chains.c - arithmetic that cannot begin before the execution before has ended its own: a sum, to which
 * each turn of a loop adds.
 *
 * Of a block that jumps to its own begin, the number that a vector register has at the end may have come out of
 * operations on what the same register had at the begin: so many of them wait for each other in each execution. What
 * goes through memory, through several registers in turn, or through several blocks, is not seen.
 */
#include "chains.h"
#include "dependent.h"
#include "flops.h"

#include "libvex_guest_amd64.h"

enum { REGISTERS = 16, LANE_BYTES = 8, LANES = 4 * REGISTERS, MOST_TEMPS = 8192, NONE = -1 };

/* Of a value, for each register that it comes out of: 1 + the operations since that, at most; 0: it does not. */
struct chain {
    UChar since[REGISTERS];
};

static struct chain temps[MOST_TEMPS], lanes[LANES];
static const struct chain none;

static struct chain longer(struct chain a, struct chain b)
{
    for (Int i = 0; i < REGISTERS; i++)
        if (b.since[i] > a.since[i])
            a.since[i] = b.since[i];
    return a;
}

static struct chain with_operation(struct chain chain)
{
    for (Int i = 0; i < REGISTERS; i++)
        if (chain.since[i] > 0 && chain.since[i] < 0xff)
            chain.since[i]++;
    return chain;
}

static Int lane_at(Int offset)
{
    Int lane = (offset - (Int)offsetof(VexGuestAMD64State, guest_YMM0)) / LANE_BYTES;
    return offset < (Int)offsetof(VexGuestAMD64State, guest_YMM0) || lane >= LANES ? NONE : lane;
}

static struct chain chain_of(const IRExpr *value);

/* Of what is made of A, B and C by OP. */
static struct chain made(IROp op, const IRExpr *a, const IRExpr *b, const IRExpr *c)
{
    struct chain chain = longer(chain_of(a), chain_of(b));
    if (c)
        chain = longer(chain, chain_of(c));
    return memsig_flops_of(op).lanes > 0 ? with_operation(chain) : chain;
}

/* How numbers are rounded is the first argument of operations with three and four, and in no chain. */
static struct chain chain_of(const IRExpr *value)
{
    switch (value->tag) {
    case Iex_RdTmp:
        return value->Iex.RdTmp.tmp < MOST_TEMPS ? temps[value->Iex.RdTmp.tmp] : none;
    case Iex_Get:
        return lane_at(value->Iex.Get.offset) == NONE ? none
                                                      : lanes[lane_at(value->Iex.Get.offset)];
    case Iex_Unop:
        return made(value->Iex.Unop.op, value->Iex.Unop.arg, value->Iex.Unop.arg, NULL);
    case Iex_Binop:
        return made(value->Iex.Binop.op, value->Iex.Binop.arg1, value->Iex.Binop.arg2, NULL);
    case Iex_Triop:
        return made(value->Iex.Triop.details->op, value->Iex.Triop.details->arg2,
                    value->Iex.Triop.details->arg3, NULL);
    case Iex_Qop:
        return made(value->Iex.Qop.details->op, value->Iex.Qop.details->arg2,
                    value->Iex.Qop.details->arg3, value->Iex.Qop.details->arg4);
    case Iex_ITE:
        return longer(chain_of(value->Iex.ITE.iftrue), chain_of(value->Iex.ITE.iffalse));
    default:
        return none;
    }
}

static void follow(const IRSB *in, const IRStmt *statement)
{
    if (statement->tag == Ist_WrTmp && statement->Ist.WrTmp.tmp < MOST_TEMPS)
        temps[statement->Ist.WrTmp.tmp] = chain_of(statement->Ist.WrTmp.data);
    if (statement->tag != Ist_Put)
        return;
    const IRExpr *value = statement->Ist.Put.data;
    struct chain chain = chain_of(value);
    Int bytes = sizeofIRType(typeOfIRExpr(in->tyenv, value));
    for (Int at = 0; at < bytes; at += LANE_BYTES) {
        Int lane = lane_at(statement->Ist.Put.offset + at);
        if (lane != NONE)
            lanes[lane] = chain;
    }
}

UInt memsig_chained(const IRSB *in, Addr start)
{
    UInt most = 0;
    if (!memsig_is_loop(in, start))
        return 0;
    for (Int i = 0; i < LANES; i++) {
        lanes[i] = none;
        lanes[i].since[i * REGISTERS / LANES] = 1;
    }
    for (Int i = 0; i < in->stmts_used; i++)
        follow(in, in->stmts[i]);
    for (Int i = 0; i < LANES; i++) {
        UInt since = lanes[i].since[i * REGISTERS / LANES];
        most = since > most + 1 ? since - 1 : most;
    }
    return most;
}
