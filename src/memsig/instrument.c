/*
 * instrument.c - processes each block in two passes: the first counts its contents, the second
 * inserts code. The code has a counter at the block's start and after every possible exit, and the
 * code of code.c at each access.
 */
#include "blocks.h"
#include "branches.h"
#include "code.h"
#include "dependent.h"
#include "flops.h"
#include "integers.h"
#include "lanes.h"
#include "repeated.h"
#include "steps.h"

#include "libvex_guest_amd64.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_machine.h"

enum { MOST_SITES = 4096, MOST_PARTS = 4096, MOST_PLACES = 8192 };

/* An address expressed as another value plus an offset. */
struct place {
    IRTemp from;
    ULong offset;
};

/* A pass over the statements of a block: the first makes the plan, the second the code. */
struct pass {
    IRSB *out; /* NULL in the first pass */
    struct plan plan;
    struct block *block;
    UInt part, site, stretch;
    IRExpr *sites;         /* address of the block's sites */
    Addr instruction;      /* address of the current instruction */
    Addr next;             /* address of the following instruction */
    UInt fused;            /* fused operations of the current instruction */
    struct place load_end; /* end address of the current instruction's last load */
    UInt load_site;
    IRTemp loaded;             /* address operand of the current instruction's load */
    struct repeated *repeated; /* non-NULL: accesses are elements of these */
    UInt nrepeated;            /* number of elements so far */
    IRExpr *left;              /* repetitions left, including this one */
    Bool arithmetic;           /* the current instruction counts as floating-point */
    const struct dependent *dependent;
    const IRStmt *statement; /* the current statement */
    /* control may have left the block: the next statement starts another part */
    Bool ended;
};

static struct part parts[MOST_PARTS];
static struct place places[MOST_PLACES]; /* known addresses by temporary */
static struct site sites[MOST_SITES];

/* ---- Statements ----------------------------------------------------------------------------- */

static struct part *next_part(struct pass *pass)
{
    pass->part = pass->plan.nparts++;
    tl_assert(pass->plan.nparts < MOST_PARTS);
    if (!pass->out)
        VG_(memset)(&pass->plan.parts[pass->part], 0, sizeof *pass->plan.parts);
    return &pass->plan.parts[pass->part];
}

/* Return the current part, starting a new one after an exit. */
static struct part *part_now(struct pass *pass)
{
    if (pass->ended) {
        pass->ended = False;
        next_part(pass);
        if (pass->out)
            memsig_put_count(pass->out, pass->block, pass->part, NULL);
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

/*
 * Return whether a load continues the previous one: a fused vector instruction loads each lane
 * separately.
 */
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
    /* Bytes are counted per element; accesses and instructions are counted per piece. */
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
        memsig_put_access(pass->out, pass->sites, &pass->block->sites[pass->site], access);
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
    struct access access = {address, guard, bytes, store, NULL, pass->left};
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

/* A fused instruction counts one operation per lane. */
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

/*
 * Count a compare-and-swap: a store, and a load unless an earlier operation of the instruction
 * loaded the value.
 */
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

/* Return whether an exit is intentional; exits for faults are treated as never taken. */
static Bool leaves(const IRStmt *statement)
{
    IRJumpKind kind = statement->Ist.Exit.jk;
    return kind == Ijk_Boring || kind == Ijk_Call || kind == Ijk_Ret;
}

/*
 * Classify the control flow to TO; 0: unknown target. A repeat of a string instruction is not a
 * jump.
 */
static enum step_jump jump_to(const struct pass *pass, IRJumpKind kind, Addr to)
{
    if (kind == Ijk_Call || kind == Ijk_Ret)
        return STEP_CALLS;
    return pass->repeated || to == pass->next ? STEP_GOES_ON : STEP_JUMPS;
}

static enum step_jump jump_behind(const struct pass *pass, const IRSB *in)
{
    return jump_to(pass, in->jumpkind,
                   in->next->tag == Iex_Const ? (Addr)in->next->Iex.Const.con->Ico.U64 : 0);
}

/* End a stretch: the steps since the previous possible exit are executed here. */
static void end_stretch(struct pass *pass, const IRExpr *guard, Bool branch, enum step_jump jump)
{
    if (pass->out)
        memsig_put_stretch(pass->out, pass->block, pass->stretch, guard);
    else
        memsig_steps_leave(guard, branch ? memsig_branch_number(pass->instruction) + 1 : 0, jump);
    pass->stretch++;
}

/*
 * Process an exit. A repeated string instruction exits to its own start; it counts as one branch
 * without prediction.
 */
static void take_exit(struct pass *pass, const IRStmt *exit)
{
    struct part *part = part_now(pass);
    if (!leaves(exit))
        return;
    Bool branch = exit->Ist.Exit.jk == Ijk_Boring && !pass->repeated;
    if (!pass->out)
        part->branches += branch;
    end_stretch(pass, exit->Ist.Exit.guard, branch,
                jump_to(pass, exit->Ist.Exit.jk, (Addr)exit->Ist.Exit.dst->Ico.U64));
    pass->ended = True;
}

static void begin_instruction(struct pass *pass, const IRStmt *mark)
{
    struct part *part = part_now(pass);
    pass->loaded = pass->load_end.from = IRTemp_INVALID;
    pass->nrepeated = 0;
    pass->instruction = mark->Ist.IMark.addr;
    pass->next = mark->Ist.IMark.addr + mark->Ist.IMark.len;
    pass->repeated = memsig_repeated(mark->Ist.IMark.addr, mark->Ist.IMark.len);
    if (!pass->out && !pass->repeated) {
        Bool integer = memsig_writes_integer(mark->Ist.IMark.addr, mark->Ist.IMark.len);
        part->instructions++;
        part->integer_instructions += integer;
        memsig_steps_instruction(integer);
    } else if (pass->out && pass->repeated) {
        pass->left = memsig_register(pass->out, offsetof(VexGuestAMD64State, guest_RCX));
    }
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
        take_exit(pass, statement);
        break;
    default:
        break;
    }
}

static void begin_block(struct pass *pass)
{
    memsig_put_begin(pass->out, pass->block);
    pass->sites = memsig_put_sites(pass->out, pass->block);
    memsig_put_count(pass->out, pass->block, pass->part, NULL);
}

static void run_pass(struct pass *pass, const IRSB *in, Int first)
{
    next_part(pass);
    pass->loaded = pass->load_end.from = IRTemp_INVALID;
    if (pass->out)
        begin_block(pass);
    for (Int i = first; i < in->stmts_used; i++) {
        pass->statement = in->stmts[i];
        UInt site = pass->site;
        take_statement(pass, in, in->stmts[i]);
        if (pass->out)
            addStmtToIRSB(pass->out, in->stmts[i]);
        else if (!pass->repeated)
            memsig_steps_statement(in, in->stmts[i], pass->site > site ? site : pass->load_site);
    }
    end_instruction(pass);
    if (!pass->ended)
        end_stretch(pass, NULL, False, jump_behind(pass, in));
    else if (!pass->out)
        memsig_steps_left(jump_behind(pass, in));
}

/* ---- Blocks --------------------------------------------------------------------------------- */

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
    in = memsig_join_lanes(in);
    IRSB *out = deepCopyIRSBExceptStmts(in);
    for (; first < in->stmts_used && in->stmts[first]->tag != Ist_IMark; first++)
        addStmtToIRSB(out, in->stmts[first]);
    if (memsig_is_own(epoch, address)) {
        memsig_put_own(out, in, first, epoch, address);
        return out;
    }
    static struct dependent dependent;
    struct pass plan = {.plan = {.parts = parts, .sites = sites}, .dependent = &dependent};
    if (!memsig_only_caches)
        memsig_find_dependent(&dependent, in, address);
    memsig_steps_begin(in);
    run_pass(&plan, in, first);
    plan.plan.steps = memsig_steps_end();
    struct pass code = {.out = out,
                        .plan = {.parts = parts, .sites = sites},
                        .block = memsig_block_at(address, &plan.plan)};
    if (memsig_samples)
        memsig_put_check(out, closure->nraddr, layout->offset_IP);
    run_pass(&code, in, first);
    return out;
}
