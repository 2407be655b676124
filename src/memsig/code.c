/*
 * code.c - generates the instrumentation code of a block in Valgrind's intermediate representation.
 *
 * At each access, the code compares the address with the expected one and with the most recently
 * used line, and calls a helper only if a comparison fails: a call per access would double the run
 * time.
 */
#include "code.h"
#include "core.h"
#include "repeated.h"
#include "steps.h"

#include "pub_tool_machine.h"

IRExpr *memsig_number(ULong value)
{
    return IRExpr_Const(IRConst_U64(value));
}

static IRExpr *assigned(IRSB *out, IRType type, IRExpr *value)
{
    IRTemp to = newIRTemp(out->tyenv, type);
    addStmtToIRSB(out, IRStmt_WrTmp(to, value));
    return IRExpr_RdTmp(to);
}

static IRExpr *binary(IRSB *out, IROp op, IRExpr *a, IRExpr *b)
{
    return assigned(out, typeOfIRExpr(out->tyenv, IRExpr_Binop(op, a, b)), IRExpr_Binop(op, a, b));
}

static IRExpr *loaded(IRSB *out, IRType type, IRExpr *address)
{
    return assigned(out, type, IRExpr_Load(Iend_LE, type, address));
}

IRExpr *memsig_register(IRSB *out, Int offset)
{
    return assigned(out, Ity_I64, IRExpr_Get(offset, Ity_I64));
}

/*
 * Return the address BASE + OFFSET. It is used once, so it becomes an addressing mode and costs no
 * instruction.
 */
static IRExpr *at(IRSB *out, IRExpr *base, ULong offset)
{
    return binary(out, Iop_Add64, base, memsig_number(offset));
}

#define ADDRESS_OF(member) memsig_number((ULong)(UWord) & (member))

IRDirty *memsig_call(IRSB *out, const HChar *name, void *function, IRExpr **arguments,
                     IRExpr *guard)
{
    Int n = 0;
    while (arguments[n])
        n++;
    IRDirty *dirty = unsafeIRDirty_0_N(n, name, VG_(fnptr_to_fnentry)(function), arguments);
    if (guard)
        dirty->guard = guard;
    addStmtToIRSB(out, IRStmt_Dirty(dirty));
    return dirty;
}

void memsig_put_count(IRSB *out, const struct block *block, UInt part, IRExpr *times)
{
    IRExpr *row = loaded(out, Ity_I64, ADDRESS_OF(block->row));
    ULong offset = offsetof(struct row, counts) + part * sizeof(ULong);
    IRExpr *count = loaded(out, Ity_I64, at(out, row, offset));
    IRExpr *more = binary(out, Iop_Add64, count, times ? times : memsig_number(1));
    addStmtToIRSB(out, IRStmt_Store(Iend_LE, at(out, row, offset), more));
}

void memsig_put_begin(IRSB *out, struct block *block)
{
    IRExpr *own = memsig_number((ULong)(UWord)block);
    IRExpr *other = binary(out, Iop_CmpNE64, loaded(out, Ity_I64, ADDRESS_OF(memsig_last)), own);
    IRDirty *dirty =
        memsig_call(out, "memsig_begin_run", &memsig_begin_run, mkIRExprVec_1(own), other);
    dirty->mFx = Ifx_Modify;
    dirty->mAddr = ADDRESS_OF(block->row);
    dirty->mSize = sizeof block->row;
}

void memsig_put_check(IRSB *out, Addr address, Int offset_of_ip)
{
    IRExpr *stale = binary(out, Iop_CmpNE32, loaded(out, Ity_I32, ADDRESS_OF(memsig_stale)),
                           IRExpr_Const(IRConst_U32(0)));
    addStmtToIRSB(out, IRStmt_Exit(stale, Ijk_InvalICache, IRConst_U64(address), offset_of_ip));
}

void memsig_put_stretch(IRSB *out, const struct block *block, UInt stretch, const IRExpr *guard)
{
    if (memsig_only_caches || memsig_plain || !memsig_has_steps(block->steps, stretch))
        return;
    IRExpr *wanted = binary(out, Iop_CmpNE32, loaded(out, Ity_I32, ADDRESS_OF(memsig_cores_run)),
                            IRExpr_Const(IRConst_U32(0)));
    IRExpr *number_and_leaves = memsig_number(2ULL * stretch + 1);
    if (guard)
        number_and_leaves =
            binary(out, Iop_Or64, memsig_number(2ULL * stretch),
                   assigned(out, Ity_I64, IRExpr_Unop(Iop_1Uto64, deepCopyIRExpr(guard))));
    memsig_call(out, "memsig_leave_stretch", &memsig_leave_stretch,
                mkIRExprVec_2(memsig_number((ULong)(UWord)block), number_and_leaves), wanted);
}

IRExpr *memsig_put_sites(IRSB *out, const struct block *block)
{
    return loaded(out, Ity_I64, ADDRESS_OF(block->sites));
}

/* Return the distance of ADDRESS from the most recently used line of its set. */
static IRExpr *put_distance(IRSB *out, IRExpr *address)
{
    IRExpr *set =
        binary(out, Iop_Shr64, address, IRExpr_Const(IRConst_U8((UChar)(memsig_filter_shift - 3))));
    IRExpr *offset =
        binary(out, Iop_And64, set, memsig_number((memsig_filter_sets - 1) * sizeof(Addr)));
    IRExpr *line = loaded(out, Ity_I64, at(out, offset, (ULong)(UWord)memsig_filter));
    return binary(out, Iop_Sub64, address, line);
}

/* Test whether SITE's access at ADDRESS leaves the most recently used line of its set. */
static IRExpr *put_line_test(IRSB *out, const struct site *site, IRExpr *address)
{
    IRExpr *within = binary(out, Iop_CmpLE64U, put_distance(out, address),
                            memsig_number(memsig_filter_line - site->bytes));
    return assigned(out, Ity_I1, IRExpr_Unop(Iop_Not1, within));
}

/*
 * Test whether SITE's access leaves its line, or ADDRESS differs from the expected one; OWN is the
 * site's offset in the site array. Values that are zero in the common case are combined and
 * tested once, which takes fewer instructions than two conditions.
 */
static IRExpr *put_both_tests(IRSB *out, const struct site *site, IRExpr *address, IRExpr *sites,
                              ULong own)
{
    IRExpr *begin = put_distance(out, address);
    IRExpr *end = binary(out, Iop_Add64, begin, memsig_number(site->bytes - 1));
    IRExpr *lines = binary(out, Iop_And64, binary(out, Iop_Or64, begin, end),
                           memsig_number(-(ULong)memsig_filter_line));
    IRExpr *last = loaded(out, Ity_I64, at(out, sites, own + offsetof(struct site, last)));
    IRExpr *stride = loaded(out, Ity_I64, at(out, sites, own + offsetof(struct site, stride)));
    IRExpr *off = binary(out, Iop_Sub64, binary(out, Iop_Sub64, address, last), stride);
    return assigned(out, Ity_I1, IRExpr_Unop(Iop_CmpNEZ64, binary(out, Iop_Or64, lines, off)));
}

/*
 * Convert an element access to the access of a piece, performed when the element starts a new
 * piece.
 */
static void put_repeated(IRSB *out, struct access *access)
{
    struct repeated *repeated = access->repeated;
    IRExpr *piece = binary(out, Iop_And64, deepCopyIRExpr(access->address),
                           memsig_number(-(ULong)MEMSIG_PIECE));
    IRExpr *other =
        binary(out, Iop_CmpNE64, piece, loaded(out, Ity_I64, ADDRESS_OF(repeated->piece)));
    IRExpr *first =
        binary(out, Iop_CmpNE64, access->left, loaded(out, Ity_I64, ADDRESS_OF(repeated->left)));
    access->address = piece;
    access->guard = binary(out, Iop_Or1, first, other);
    addStmtToIRSB(out, IRStmt_Store(Iend_LE, ADDRESS_OF(repeated->piece), piece));
    addStmtToIRSB(out, IRStmt_Store(Iend_LE, ADDRESS_OF(repeated->left),
                                    binary(out, Iop_Sub64, access->left, memsig_number(1))));
}

static void put_guarded(IRSB *out, const struct site *site, IRExpr **arguments, const IRExpr *guard)
{
    if (memsig_plain)
        memsig_put_count(out, site->block, site->part,
                         assigned(out, Ity_I64, IRExpr_Unop(Iop_1Uto64, deepCopyIRExpr(guard))));
    else if (memsig_only_caches)
        memsig_call(out, "memsig_guarded_cached", &memsig_guarded_cached, arguments,
                    deepCopyIRExpr(guard));
    else
        memsig_call(out, "memsig_guarded_access", &memsig_guarded_access, arguments,
                    deepCopyIRExpr(guard));
}

void memsig_put_access(IRSB *out, IRExpr *sites, struct site *site, struct access *access)
{
    if (access->repeated)
        put_repeated(out, access);
    IRExpr *address = deepCopyIRExpr(access->address);
    IRExpr **arguments = mkIRExprVec_2(memsig_number((ULong)(UWord)site), address);
    const Bool testable = site->bytes <= memsig_filter_line;
    const ULong own = (ULong)((Addr)site - (Addr)site->block->sites);
    if (access->guard) {
        put_guarded(out, site, arguments, access->guard);
    } else if (memsig_plain) {
        return;
    } else if (memsig_only_caches) {
        memsig_call(out, "memsig_cached", &memsig_cached, arguments,
                    testable ? put_line_test(out, site, address) : NULL);
    } else {
        memsig_call(out, "memsig_access", &memsig_access, arguments,
                    testable ? put_both_tests(out, site, address, sites, own) : NULL);
        addStmtToIRSB(
            out, IRStmt_Store(Iend_LE, at(out, sites, own + offsetof(struct site, last)), address));
    }
}
