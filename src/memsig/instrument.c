/*
 * instrument.c - what is added to the code of a block.
 *
 * At its begin and wherever it may be left, a counter. At each access, a comparison with the access
 * that is expected next and with the line that was used last, and a call only where one is not so:
 * with a call for each access everything takes twice as long. Blocks of the library are left as
 * they are, but for its starts and stops, at whose first instruction the registers hold a name.
 */
#include "blocks.h"
#include "dependent.h"
#include "flops.h"
#include "regions.h"
#include "repeated.h"

#include "libvex_guest_amd64.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_machine.h"

enum { MOST_SITES = 4096, MOST_PARTS = 4096, MOST_PLACES = 8192 };

/* An access as it stands in the block. */
struct access {
    const IRExpr *address, *guard; /* GUARD: whether it is made; NULL: always */
    UInt bytes;
    Bool store;
    struct repeated *repeated; /* it is one element of many; NULL: it is not */
};

/* An address as another one, and how far behind that it is. */
struct place {
    IRTemp from;
    ULong offset;
};

/* A pass over the statements of a block: the first one makes the plan, the second one the code. */
struct pass {
    IRSB *out; /* NULL: the first one */
    struct plan plan;
    struct block *block;
    UInt part, site;
    UInt fused;            /* operations of this instruction */
    struct place load_end; /* of what this instruction has loaded last */
    UInt load_site;
    IRTemp loaded;             /* the address that this instruction has loaded from */
    struct repeated *repeated; /* its accesses are elements of these … */
    UInt nrepeated;            /* … of which there were so many */
    IRExpr *left;              /* and how often it is to be repeated, with this time */
    Bool arithmetic; /* this instruction is counted among those of floating-point numbers */
    const struct dependent *dependent;
    const IRStmt *statement; /* that is looked at */
    Bool ended;              /* code may have left the block: what comes now is another part */
};

static struct part parts[MOST_PARTS];
static struct place places[MOST_PLACES]; /* of the values that are known */
static struct site sites[MOST_SITES];

/* ---- Code ----------------------------------------------------------------------------------- */

static IRExpr *number(ULong value)
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

static IRExpr *register_value(IRSB *out, Int offset)
{
    return assigned(out, Ity_I64, IRExpr_Get(offset, Ity_I64));
}

#define ADDRESS_OF(member) number((ULong)(UWord) & (member))

static IRDirty *call(IRSB *out, const HChar *name, void *function, IRExpr **arguments,
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

/* One more, or as many as TIMES is. */
static void put_count(const struct pass *pass, IRExpr *times)
{
    IRExpr *row = loaded(pass->out, Ity_I64, ADDRESS_OF(pass->block->row));
    IRExpr *count = binary(pass->out, Iop_Add64, row,
                           number(offsetof(struct row, counts) + pass->part * sizeof(ULong)));
    IRExpr *more =
        binary(pass->out, Iop_Add64, loaded(pass->out, Ity_I64, count), times ? times : number(1));
    addStmtToIRSB(pass->out, IRStmt_Store(Iend_LE, count, more));
}

static void put_begin(const struct pass *pass)
{
    IRSB *out = pass->out;
    IRExpr *region = loaded(out, Ity_I32, ADDRESS_OF(memsig_region));
    IRExpr *own = loaded(out, Ity_I32, ADDRESS_OF(pass->block->region));
    IRExpr *other = binary(out, Iop_CmpNE32, region, own);
    IRDirty *dirty = call(out, "memsig_switch_row", &memsig_switch_row,
                          mkIRExprVec_1(number((ULong)(UWord)pass->block)), other);
    dirty->mFx = Ifx_Modify;
    dirty->mAddr = ADDRESS_OF(pass->block->row);
    dirty->mSize = sizeof pass->block->row;
    put_count(pass, NULL);
}

/* Leaves a block that is to be translated anew, before it does anything. */
static void put_check(IRSB *out, Addr address, Int offset_of_ip)
{
    IRExpr *stale = binary(out, Iop_CmpNE32, loaded(out, Ity_I32, ADDRESS_OF(memsig_stale)),
                           IRExpr_Const(IRConst_U32(0)));
    addStmtToIRSB(out, IRStmt_Exit(stale, Ijk_InvalICache, IRConst_U64(address), offset_of_ip));
}

/* Whether SITE at ADDRESS is not where it is expected. */
static IRExpr *put_stride_test(IRSB *out, struct site *site, IRExpr *address)
{
    IRExpr *stride = binary(out, Iop_Sub64, address, loaded(out, Ity_I64, ADDRESS_OF(site->last)));
    return binary(out, Iop_CmpNE64, stride, loaded(out, Ity_I64, ADDRESS_OF(site->stride)));
}

/* Whether SITE at ADDRESS is in another line than the one that was used last in its set. */
static IRExpr *put_line_test(IRSB *out, const struct site *site, IRExpr *address)
{
    IRExpr *set =
        binary(out, Iop_Shr64, address, IRExpr_Const(IRConst_U8((UChar)(memsig_filter_shift - 3))));
    IRExpr *offset = binary(out, Iop_And64, set, number((memsig_filter_sets - 1) * sizeof(Addr)));
    IRExpr *line =
        loaded(out, Ity_I64, binary(out, Iop_Add64, offset, number((ULong)(UWord)memsig_filter)));
    return binary(out, Iop_CmpLT64U, number(memsig_filter_line - site->bytes),
                  binary(out, Iop_Sub64, address, line));
}

/* Makes ACCESS that of a piece, which is made when the element is in another one than that before. */
static void put_repeated(const struct pass *pass, struct access *access)
{
    IRSB *out = pass->out;
    struct repeated *repeated = access->repeated;
    IRExpr *piece =
        binary(out, Iop_And64, deepCopyIRExpr(access->address), number(-(ULong)MEMSIG_PIECE));
    IRExpr *other =
        binary(out, Iop_CmpNE64, piece, loaded(out, Ity_I64, ADDRESS_OF(repeated->piece)));
    IRExpr *first =
        binary(out, Iop_CmpNE64, pass->left, loaded(out, Ity_I64, ADDRESS_OF(repeated->left)));
    access->address = piece;
    access->guard = binary(out, Iop_Or1, first, other);
    addStmtToIRSB(out, IRStmt_Store(Iend_LE, ADDRESS_OF(repeated->piece), piece));
    addStmtToIRSB(out, IRStmt_Store(Iend_LE, ADDRESS_OF(repeated->left),
                                    binary(out, Iop_Sub64, pass->left, number(1))));
}

static void put_guarded(const struct pass *pass, IRExpr **arguments, const IRExpr *guard)
{
    if (memsig_plain)
        put_count(pass,
                  assigned(pass->out, Ity_I64, IRExpr_Unop(Iop_1Uto64, deepCopyIRExpr(guard))));
    else if (memsig_only_caches)
        call(pass->out, "memsig_guarded_cached", &memsig_guarded_cached, arguments,
             deepCopyIRExpr(guard));
    else
        call(pass->out, "memsig_guarded_access", &memsig_guarded_access, arguments,
             deepCopyIRExpr(guard));
}

static void put_access(const struct pass *pass, struct access *access)
{
    IRSB *out = pass->out;
    struct site *site = &pass->block->sites[pass->site];
    if (access->repeated)
        put_repeated(pass, access);
    IRExpr *address = deepCopyIRExpr(access->address), *guard = NULL;
    IRExpr **arguments = mkIRExprVec_2(number((ULong)(UWord)site), address);
    if (access->guard) {
        put_guarded(pass, arguments, access->guard);
        return;
    }
    if (memsig_plain)
        return;
    if (site->bytes <= memsig_filter_line)
        guard = put_line_test(out, site, address);
    if (memsig_only_caches) {
        call(out, "memsig_cached", &memsig_cached, arguments, guard);
        return;
    }
    if (guard)
        guard = binary(out, Iop_Or1, put_stride_test(out, site, address), guard);
    call(out, "memsig_access", &memsig_access, arguments, guard);
    addStmtToIRSB(out, IRStmt_Store(Iend_LE, ADDRESS_OF(site->last), address));
}

/* ---- Statements ----------------------------------------------------------------------------- */

static struct part *next_part(struct pass *pass)
{
    pass->part = pass->plan.nparts++;
    tl_assert(pass->plan.nparts < MOST_PARTS);
    if (!pass->out)
        VG_(memset)(&pass->plan.parts[pass->part], 0, sizeof *pass->plan.parts);
    return &pass->plan.parts[pass->part];
}

/* The part that a statement is in, of which there is more to count. */
static struct part *part_now(struct pass *pass)
{
    if (pass->ended) {
        pass->ended = False;
        next_part(pass);
        if (pass->out)
            put_count(pass, NULL);
    }
    return &pass->plan.parts[pass->part];
}

static struct place place_of(const IRExpr *address)
{
    struct place none = {IRTemp_INVALID, 0};
    if (address->tag != Iex_RdTmp || address->Iex.RdTmp.tmp >= MOST_PLACES)
        return none;
    return places[address->Iex.RdTmp.tmp];
}

static void keep_place(IRTemp temp, const IRExpr *value)
{
    struct place own = {temp, 0};
    if (temp >= MOST_PLACES)
        return;
    if (value->tag == Iex_Binop && value->Iex.Binop.op == Iop_Add64 &&
        value->Iex.Binop.arg1->tag == Iex_RdTmp && value->Iex.Binop.arg2->tag == Iex_Const) {
        struct place before = place_of(value->Iex.Binop.arg1);
        if (before.from != IRTemp_INVALID) {
            own = before;
            own.offset += value->Iex.Binop.arg2->Iex.Const.con->Ico.U64;
        }
    }
    places[temp] = own;
}

/* Whether a load is the next part of the one before: of a fused instruction, a load for each lane. */
static Bool goes_on(struct pass *pass, const struct access *access)
{
    struct place at = place_of(access->address);
    Bool load = !access->guard && !access->store && !access->repeated;
    Bool same = load && at.from != IRTemp_INVALID && pass->load_end.from == at.from &&
                pass->load_end.offset == at.offset;
    pass->load_end.from = load ? at.from : IRTemp_INVALID;
    pass->load_end.offset = at.offset + access->bytes;
    if (!same) {
        pass->load_site = pass->site;
    } else if (!pass->out) {
        pass->plan.sites[pass->load_site].bytes += access->bytes;
        pass->plan.parts[pass->part].load_bytes += access->bytes;
    }
    return same;
}

static void plan_access(struct pass *pass, const struct access *access, struct part *own,
                        struct part *part)
{
    struct site *site = &pass->plan.sites[pass->site];
    tl_assert(pass->site + 1 < MOST_SITES);
    VG_(memset)(site, 0, sizeof *site);
    site->part = pass->part;
    site->bytes = access->repeated ? MEMSIG_PIECE : access->bytes;
    site->kind = access->store                                           ? MEMSIG_STORE
                 : memsig_is_dependent(pass->dependent, pass->statement) ? MEMSIG_DEPENDENT
                                                                         : MEMSIG_LOAD;
    *(access->store ? &part->stores : &part->loads) += 1;
    /* A piece has as many bytes as elements, and an instruction as many pieces as it begins with. */
    part = access->repeated ? own : part;
    *(access->store ? &part->store_bytes : &part->load_bytes) += access->bytes;
}

static void take_access(struct pass *pass, struct access *access)
{
    struct part *part = part_now(pass), *own_part = part;
    UInt own = pass->part;
    if (goes_on(pass, access))
        return;
    if (access->guard || access->repeated)
        part = next_part(pass);
    if (pass->out)
        put_access(pass, access);
    else
        plan_access(pass, access, own_part, part);
    if (access->repeated && pass->nrepeated == 1 && !pass->out)
        part->instructions++;
    pass->part = own;
    pass->plan.nsites = ++pass->site;
}

static void take(struct pass *pass, const IRExpr *address, const IRExpr *guard, UInt bytes,
                 Bool store)
{
    struct access access = {address, guard, bytes, store, NULL};
    if (guard && guard->tag == Iex_Const) {
        if (!guard->Iex.Const.con->Ico.U1)
            return;
        access.guard = NULL;
    }
    if (pass->repeated && !guard && pass->nrepeated < 2)
        access.repeated = &pass->repeated[pass->nrepeated++];
    if (bytes > 0)
        take_access(pass, &access);
    if (!store && address->tag == Iex_RdTmp)
        pass->loaded = address->Iex.RdTmp.tmp;
}

static void count_flops(struct pass *pass, IROp op)
{
    struct flops flops = memsig_flops_of(op);
    if (flops.lanes == 0)
        return;
    struct part *part = part_now(pass);
    if (pass->out)
        return;
    if (!flops.divide && !pass->arithmetic) {
        part->float_instructions++;
        pass->arithmetic = True;
    }
    if (flops.fused) {
        part->flops_fused += 2 * flops.lanes;
        pass->fused += 2 * flops.lanes;
    } else {
        *(flops.vector ? &part->flops_vector : &part->flops_scalar) += flops.lanes;
        part->divides += flops.divide ? flops.lanes : 0;
    }
}

/* A fused instruction is one operation for each lane. */
static void end_instruction(struct pass *pass)
{
    struct part *part = &pass->plan.parts[pass->part];
    if (!pass->out)
        *(pass->fused > 2 ? &part->flops_vector : &part->flops_scalar) += pass->fused;
    pass->fused = 0;
    pass->arithmetic = False;
}

static void take_value(struct pass *pass, const IRExpr *value)
{
    switch (value->tag) {
    case Iex_Load:
        take(pass, value->Iex.Load.addr, NULL, (UInt)sizeofIRType(value->Iex.Load.ty), False);
        break;
    case Iex_Unop:
        count_flops(pass, value->Iex.Unop.op);
        break;
    case Iex_Binop:
        count_flops(pass, value->Iex.Binop.op);
        break;
    case Iex_Triop:
        count_flops(pass, value->Iex.Triop.details->op);
        break;
    case Iex_Qop:
        count_flops(pass, value->Iex.Qop.details->op);
        break;
    default:
        break;
    }
}

static UInt size_of(const struct pass *pass, const IRSB *in, const IRExpr *value)
{
    (void)pass;
    return (UInt)sizeofIRType(typeOfIRExpr(in->tyenv, value));
}

/* What is changed by comparing: it was loaded by an operation before, or is by this one. */
static void take_cas(struct pass *pass, const IRSB *in, const IRCAS *cas)
{
    UInt bytes = size_of(pass, in, cas->dataLo) * (cas->dataHi ? 2 : 1);
    if (cas->addr->tag != Iex_RdTmp || cas->addr->Iex.RdTmp.tmp != pass->loaded)
        take(pass, cas->addr, NULL, bytes, False);
    take(pass, cas->addr, NULL, bytes, True);
}

static void take_call(struct pass *pass, const IRDirty *dirty)
{
    if (dirty->mFx == Ifx_Read || dirty->mFx == Ifx_Modify)
        take(pass, dirty->mAddr, dirty->guard, (UInt)dirty->mSize, False);
    if (dirty->mFx == Ifx_Write || dirty->mFx == Ifx_Modify)
        take(pass, dirty->mAddr, dirty->guard, (UInt)dirty->mSize, True);
}

static UInt bytes_of_conversion(IRLoadGOp op)
{
    switch (op) {
    case ILGop_IdentV128:
        return 16;
    case ILGop_Ident64:
        return 8;
    case ILGop_16Uto32:
    case ILGop_16Sto32:
        return 2;
    case ILGop_8Uto32:
    case ILGop_8Sto32:
        return 1;
    default:
        return 4;
    }
}

/* Only what is left on purpose: an exit for a fault is not taken, as far as numbers go. */
static Bool leaves(const IRStmt *statement)
{
    IRJumpKind kind = statement->Ist.Exit.jk;
    return kind == Ijk_Boring || kind == Ijk_Call || kind == Ijk_Ret;
}

static void begin_instruction(struct pass *pass, const IRStmt *mark)
{
    struct part *part = part_now(pass);
    pass->loaded = pass->load_end.from = IRTemp_INVALID;
    pass->nrepeated = 0;
    pass->repeated = memsig_repeated(mark->Ist.IMark.addr, mark->Ist.IMark.len);
    if (!pass->out)
        part->instructions += pass->repeated ? 0 : 1;
    else if (pass->repeated)
        pass->left = register_value(pass->out, offsetof(VexGuestAMD64State, guest_RCX));
}

static void take_statement(struct pass *pass, const IRSB *in, const IRStmt *statement)
{
    switch (statement->tag) {
    case Ist_IMark:
        end_instruction(pass);
        begin_instruction(pass, statement);
        break;
    case Ist_WrTmp:
        take_value(pass, statement->Ist.WrTmp.data);
        keep_place(statement->Ist.WrTmp.tmp, statement->Ist.WrTmp.data);
        break;
    case Ist_Store:
        take(pass, statement->Ist.Store.addr, NULL, size_of(pass, in, statement->Ist.Store.data),
             True);
        break;
    case Ist_StoreG:
        take(pass, statement->Ist.StoreG.details->addr, statement->Ist.StoreG.details->guard,
             size_of(pass, in, statement->Ist.StoreG.details->data), True);
        break;
    case Ist_LoadG:
        take(pass, statement->Ist.LoadG.details->addr, statement->Ist.LoadG.details->guard,
             bytes_of_conversion(statement->Ist.LoadG.details->cvt), False);
        break;
    case Ist_CAS:
        take_cas(pass, in, statement->Ist.CAS.details);
        break;
    case Ist_Dirty:
        take_call(pass, statement->Ist.Dirty.details);
        break;
    case Ist_Exit:
        pass->ended = pass->ended || leaves(statement);
        break;
    default:
        break;
    }
}

static void run_pass(struct pass *pass, const IRSB *in, Int first)
{
    next_part(pass);
    pass->loaded = pass->load_end.from = IRTemp_INVALID;
    if (pass->out)
        put_begin(pass);
    for (Int i = first; i < in->stmts_used; i++) {
        pass->statement = in->stmts[i];
        take_statement(pass, in, in->stmts[i]);
        if (pass->out)
            addStmtToIRSB(pass->out, in->stmts[i]);
    }
    end_instruction(pass);
}

/* ---- Blocks --------------------------------------------------------------------------------- */

/* The library, whose work is not the program's; its functions where they are linked statically. */
static Bool is_own(DiEpoch epoch, Addr address)
{
    const HChar *found;
    if (VG_(get_objname)(epoch, address, &found) &&
        VG_(strncmp)(VG_(basename)(found), "libgptl", 7) == 0)
        return True;
    return VG_(get_fnname)(epoch, address, &found) &&
           (VG_(strncmp)(found, "GPTL", 4) == 0 || VG_(strncmp)(found, "gptl_", 5) == 0);
}

/* At the first instruction of a function that starts or stops a region. */
static void put_entry(IRSB *out, const struct entry *entry)
{
    static const Int registers[] = {
        offsetof(VexGuestAMD64State, guest_RDI), offsetof(VexGuestAMD64State, guest_RSI),
        offsetof(VexGuestAMD64State, guest_RDX), offsetof(VexGuestAMD64State, guest_RSP)};
    HWord *const to[] = {&memsig_arguments.first, &memsig_arguments.second, &memsig_arguments.third,
                         &memsig_arguments.stack_pointer};
    for (UInt i = 0; i < sizeof to / sizeof *to; i++)
        addStmtToIRSB(out, IRStmt_Store(Iend_LE, number((ULong)(UWord)to[i]),
                                        register_value(out, registers[i])));
    call(out, entry->name, entry->helper, mkIRExprVec_0(), NULL);
}

static Bool is_wrapper(DiEpoch epoch, Addr address, const HChar **name)
{
    return VG_(get_fnname_if_entry)(epoch, address, name) && VG_(strncmp)(*name, "MPI_", 4) == 0;
}

/* A block of the library of MPI's wrappers: where one begins, and where one may end. */
static void put_wrapper(IRSB *out, const IRSB *in, Int first, DiEpoch epoch, Addr address)
{
    const HChar *name;
    const Int rsp = offsetof(VexGuestAMD64State, guest_RSP);
    if (is_wrapper(epoch, address, &name)) {
        struct name *kept = memsig_name(name, (UInt)VG_(strlen)(name));
        call(out, "memsig_enter_wrapper", &memsig_enter_wrapper,
             mkIRExprVec_2(number((ULong)(UWord)kept), register_value(out, rsp)), NULL);
    }
    for (; first < in->stmts_used; first++)
        addStmtToIRSB(out, in->stmts[first]);
    if (in->jumpkind == Ijk_Ret)
        call(out, "memsig_leave_wrapper", &memsig_leave_wrapper,
             mkIRExprVec_1(register_value(out, rsp)), NULL);
}

/* A block of the library: its work is not counted. */
static void put_own(IRSB *out, const IRSB *in, Int first, DiEpoch epoch, Addr address)
{
    const HChar *function, *object;
    if (VG_(get_objname)(epoch, address, &object) &&
        VG_(strncmp)(VG_(basename)(object), "libgptl_mpi", 11) == 0) {
        put_wrapper(out, in, first, epoch, address);
        return;
    }
    const struct entry *entry =
        VG_(get_fnname_if_entry)(epoch, address, &function) ? memsig_entry_of(function) : NULL;
    if (entry)
        put_entry(out, entry);
    for (; first < in->stmts_used; first++)
        addStmtToIRSB(out, in->stmts[first]);
}

IRSB *memsig_instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                        const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
                        IRType host_word)
{
    DiEpoch epoch = VG_(current_DiEpoch)();
    Addr address = closure->readdr;
    Int first = 0;
    (void)extents;
    (void)host;
    (void)host_word;
    tl_assert(guest_word == Ity_I64);
    IRSB *out = deepCopyIRSBExceptStmts(in);
    for (; first < in->stmts_used && in->stmts[first]->tag != Ist_IMark; first++)
        addStmtToIRSB(out, in->stmts[first]);
    if (is_own(epoch, address)) {
        put_own(out, in, first, epoch, address);
        return out;
    }
    static struct dependent dependent;
    if (!memsig_only_caches)
        memsig_find_dependent(&dependent, in, address);
    struct pass plan = {.plan = {.parts = parts, .sites = sites}, .dependent = &dependent};
    run_pass(&plan, in, first);
    struct pass code = {.out = out,
                        .plan = {.parts = parts, .sites = sites},
                        .block = memsig_block_at(address, &plan.plan)};
    if (memsig_samples)
        put_check(out, closure->nraddr, layout->offset_IP);
    run_pass(&code, in, first);
    return out;
}
