/*
 * dependent.c - finds loads that cannot start before the same load of the previous execution ends,
 * as in a traversal of a linked list.
 *
 * In a block that jumps to its own start, a register's final value may come from a load whose
 * address depends on the register's initial value. Such a load waits for itself. If an earlier load
 * accesses the same list element, that load brings in the line. Dependencies through memory or
 * across several blocks are not detected.
 */
#include "dependent.h"

#include "libvex_guest_amd64.h"

enum { REGISTERS = 16, MOST_TEMPS = 8192 };

/* Origin of a value as bit sets: initial registers, and loads. */
struct origin {
    UInt registers;
    ULong loads;
};

static struct origin temps[MOST_TEMPS], ends[REGISTERS], addresses[MEMSIG_DEPENDENT_LOADS];

static Int register_of(Int offset)
{
    Int first = offsetof(VexGuestAMD64State, guest_RAX);
    return offset >= first && offset < first + REGISTERS * 8 ? (offset - first) / 8 : -1;
}

static struct origin both(struct origin a, struct origin b)
{
    struct origin made = {a.registers | b.registers, a.loads | b.loads};
    return made;
}

static struct origin origin_of(const IRExpr *value)
{
    struct origin none = {0, 0};
    Int number;
    switch (value->tag) {
    case Iex_RdTmp:
        return value->Iex.RdTmp.tmp < MOST_TEMPS ? temps[value->Iex.RdTmp.tmp] : none;
    case Iex_Get:
        number = register_of(value->Iex.Get.offset);
        return number < 0 ? none : ends[number];
    case Iex_Unop:
        return origin_of(value->Iex.Unop.arg);
    case Iex_Binop:
        return both(origin_of(value->Iex.Binop.arg1), origin_of(value->Iex.Binop.arg2));
    case Iex_ITE:
        return both(origin_of(value->Iex.ITE.cond),
                    both(origin_of(value->Iex.ITE.iftrue), origin_of(value->Iex.ITE.iffalse)));
    default:
        return none;
    }
}

static Bool is(const IRConst *to, Addr start)
{
    return to->tag == Ico_U64 && to->Ico.U64 == start;
}

Bool memsig_is_loop(const IRSB *in, Addr start)
{
    if (in->next->tag == Iex_Const && is(in->next->Iex.Const.con, start))
        return True;
    for (Int i = 0; i < in->stmts_used; i++)
        if (in->stmts[i]->tag == Ist_Exit && is(in->stmts[i]->Ist.Exit.dst, start))
            return True;
    return False;
}

static void follow(const IRStmt *statement, struct dependent *found)
{
    if (statement->tag == Ist_Put) {
        Int number = register_of(statement->Ist.Put.offset);
        if (number >= 0)
            ends[number] = origin_of(statement->Ist.Put.data);
    }
    if (statement->tag != Ist_WrTmp || statement->Ist.WrTmp.tmp >= MOST_TEMPS)
        return;
    const IRExpr *value = statement->Ist.WrTmp.data;
    struct origin origin = origin_of(value);
    if (value->tag == Iex_Load) {
        origin = origin_of(value->Iex.Load.addr);
        if (found->n < MEMSIG_DEPENDENT_LOADS) {
            addresses[found->n] = origin;
            origin.loads |= 1ULL << found->n;
            found->loads[found->n++] = statement;
        }
    }
    temps[statement->Ist.WrTmp.tmp] = origin;
}

/* Return the first load of the same element as LOAD. */
static UInt first_of(UInt load)
{
    UInt first = 0;
    while (addresses[first].registers != addresses[load].registers ||
           addresses[first].loads != addresses[load].loads)
        first++;
    return first;
}

void memsig_find_dependent(struct dependent *found, const IRSB *in, Addr start)
{
    ULong waiting = 0;
    found->n = 0;
    if (!memsig_is_loop(in, start))
        return;
    for (Int i = 0; i < REGISTERS; i++) {
        ends[i].registers = 1u << i;
        ends[i].loads = 0;
    }
    for (Int i = 0; i < in->stmts_used; i++)
        follow(in->stmts[i], found);
    for (Int i = 0; i < REGISTERS; i++)
        for (UInt load = 0; load < found->n; load++)
            if ((ends[i].loads >> load & 1) && (addresses[load].registers >> i & 1))
                waiting |= 1ULL << first_of(load);
    UInt n = 0;
    for (UInt load = 0; load < found->n; load++)
        if (waiting >> load & 1)
            found->loads[n++] = found->loads[load];
    found->n = n;
}

Bool memsig_is_dependent(const struct dependent *found, const IRStmt *load)
{
    for (UInt i = 0; i < found->n; i++)
        if (found->loads[i] == load)
            return True;
    return False;
}
