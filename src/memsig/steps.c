/*
 * steps.c - builds the steps of a block. Initial register values are in the registers' places. A
 * written register refers to the place of its new value, and moves copy it to the register's place
 * at every possible exit.
 */
#include "steps.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

enum { MOST_STEPS = 1 << 14, MOST_MOVES = 1 << 14, MOST_STRETCHES = 4096, WORD = 8, NO_SITE = -1 };

static struct step steps[MOST_STEPS];
static struct move moves[MOST_MOVES];
static struct stretch stretches[MOST_STRETCHES];
static struct steps made = {.steps = steps, .moves = moves, .stretches = stretches};

/* Current places of registers and temporaries. */
static UShort registers[STEPS_REGISTERS], temps[STEPS_TEMPS];
static UInt nfresh;

/* Ports occupied by the current instruction: a bit per kind, and the site of its last access. */
static UInt booked;
static Int booked_site;
static struct step *begun; /* start of the instruction, if one is open */

static UShort place_of_register(UInt word)
{
    return (UShort)(word + 1 < STEPS_REGISTERS ? word + 1 : 0);
}

static UShort place_of_temp(IRTemp temp)
{
    return (UShort)(STEPS_REGISTERS + temp);
}

static UShort fresh_place(void)
{
    nfresh = (nfresh + 1) % STEPS_FRESH;
    return (UShort)(STEPS_REGISTERS + STEPS_TEMPS + nfresh);
}

static UShort place_of(const IRExpr *value)
{
    if (!value || value->tag != Iex_RdTmp || value->Iex.RdTmp.tmp >= STEPS_TEMPS)
        return 0;
    return temps[value->Iex.RdTmp.tmp];
}

/*
 * Return whether the step occupies a port. A vector instruction has one operation per element, but
 * occupies its port once per kind; the same holds for an access.
 */
static Bool books(enum step_kind kind, UInt site)
{
    if (kind >= STEP_LOAD) {
        Bool other = booked_site != (Int)site;
        booked_site = (Int)site;
        return other;
    }
    if (kind < STEP_ADD)
        return kind > STEP_FREE;
    Bool first = !(booked >> kind & 1);
    booked |= 1U << kind;
    return first;
}

/* Append a step. A, B, C: places of its operands, 0 if always available. */
static void add(enum step_kind kind, UShort to, UShort a, UShort b, UShort c, UInt site)
{
    if (made.nsteps == MOST_STEPS)
        return;
    struct step step = {(UChar)kind, books(kind, site), to, (UShort)site, {a, b, c}};
    begun = kind <= STEP_BEGIN_INTEGER ? &steps[made.nsteps] : begun;
    steps[made.nsteps++] = step;
    if (begun && (is_of_vectors(kind) || kind == STEP_LOAD_FLOAT))
        begun->books = True;
}

/* Define temporary TO. A plain copy shares the place of its source. */
static void make(IRTemp to, enum step_kind kind, UShort a, UShort b, UShort c)
{
    UShort from[STEPS_SOURCES] = {a, b, c}, some[STEPS_SOURCES] = {0, 0, 0};
    UInt n = 0;
    for (UInt i = 0; i < STEPS_SOURCES; i++)
        if (from[i] != 0 && from[i] != some[0] && from[i] != some[1])
            some[n++] = from[i];
    temps[to] = kind == STEP_FREE && n < 2 ? some[0] : place_of_temp(to);
    if (temps[to] == place_of_temp(to))
        add(kind, temps[to], some[0], some[1], some[2], 0);
}

/* ---- Statements ----------------------------------------------------------------------------- */

/*
 * Read a register. A vector may consist of more parts than a step has sources; the last parts are
 * omitted.
 */
static void take_register(IRTemp to, UInt offset, UInt bytes)
{
    UShort from[STEPS_SOURCES] = {0, 0, 0};
    UInt n = 0, last = (offset + bytes - 1) / WORD;
    for (UInt word = offset / WORD; word <= last && word < STEPS_REGISTERS; word++)
        if (n < STEPS_SOURCES && (n == 0 || registers[word] != from[n - 1]))
            from[n++] = registers[word];
    make(to, STEP_FREE, from[0], from[1], from[2]);
}

/*
 * Write a register. A value from another register's place gets a separate place, because a move
 * could read the place after an earlier move overwrote it. A partial write merges with the rest.
 */
static void put_register(UInt offset, UInt bytes, const IRExpr *data)
{
    UShort from = place_of(data);
    UInt first = offset / WORD, last = (offset + bytes - 1) / WORD;
    Bool is_part = bytes < WORD / 2;
    if (last >= STEPS_REGISTERS)
        return;
    if (is_part || (from > 0 && from < STEPS_REGISTERS)) {
        UShort to = fresh_place();
        add(STEP_FREE, to, from, is_part ? registers[first] : 0, 0, 0);
        from = to;
    }
    for (UInt word = first; word <= last; word++)
        registers[word] = from;
}

/* Combine four elements to a vector, at no cost. */
static void put_together(IRTemp to, const IRQop *four)
{
    UShort last = place_of(four->arg4);
    make(to, STEP_FREE, place_of(four->arg1), place_of(four->arg2), place_of(four->arg3));
    if (last == 0 || last == temps[to])
        return;
    add(STEP_FREE, place_of_temp(to), temps[to], last, 0, 0);
    temps[to] = place_of_temp(to);
}

static void take_call(IRTemp to, IRExpr *const *arguments)
{
    UShort from[STEPS_SOURCES] = {0, 0, 0};
    UInt n = 0;
    for (; *arguments; arguments++)
        if (place_of(*arguments) != 0 && n < STEPS_SOURCES)
            from[n++] = place_of(*arguments);
    make(to, STEP_INTEGER, from[0], from[1], from[2]);
}

static void load(IRTemp to, enum step_kind kind, UShort a, UShort b, UShort c, UInt site)
{
    if (to >= STEPS_TEMPS)
        return;
    temps[to] = place_of_temp(to);
    add(kind, temps[to], a, b, c, site);
}

/*
 * Define a temporary by an expression. The first argument of operations with three and four
 * operands is the rounding mode, which is always available.
 */
static void take_value(const IRSB *in, IRTemp to, const IRExpr *v, UInt site)
{
    enum step_kind kind = memsig_kind_of(in, to, v);
    switch (v->tag) {
    case Iex_Get:
        take_register(to, (UInt)v->Iex.Get.offset, (UInt)sizeofIRType(v->Iex.Get.ty));
        break;
    case Iex_Load:
        load(to, kind, place_of(v->Iex.Load.addr), 0, 0, site);
        break;
    case Iex_Unop:
        make(to, kind, place_of(v->Iex.Unop.arg), 0, 0);
        break;
    case Iex_Binop:
        make(to, kind, place_of(v->Iex.Binop.arg1), place_of(v->Iex.Binop.arg2), 0);
        break;
    case Iex_Triop:
        make(to, kind, place_of(v->Iex.Triop.details->arg2), place_of(v->Iex.Triop.details->arg3),
             0);
        break;
    case Iex_Qop:
        if (v->Iex.Qop.details->op == Iop_64x4toV256)
            put_together(to, v->Iex.Qop.details);
        else
            make(to, kind, place_of(v->Iex.Qop.details->arg2), place_of(v->Iex.Qop.details->arg3),
                 place_of(v->Iex.Qop.details->arg4));
        break;
    case Iex_ITE:
        make(to, kind, place_of(v->Iex.ITE.cond), place_of(v->Iex.ITE.iftrue),
             place_of(v->Iex.ITE.iffalse));
        break;
    case Iex_CCall:
        take_call(to, v->Iex.CCall.args);
        break;
    default:
        temps[to] = place_of(v);
        break;
    }
}

void memsig_steps_instruction(Bool writes_integer)
{
    booked = 0;
    booked_site = NO_SITE;
    add(writes_integer ? STEP_BEGIN_INTEGER : STEP_BEGIN, 0, 0, 0, 0, 0);
}

void memsig_steps_statement(const IRSB *in, const IRStmt *s, UInt site)
{
    switch (s->tag) {
    case Ist_WrTmp:
        if (s->Ist.WrTmp.tmp < STEPS_TEMPS)
            take_value(in, s->Ist.WrTmp.tmp, s->Ist.WrTmp.data, site);
        break;
    case Ist_Put:
        put_register((UInt)s->Ist.Put.offset,
                     (UInt)sizeofIRType(typeOfIRExpr(in->tyenv, s->Ist.Put.data)), s->Ist.Put.data);
        break;
    case Ist_Store:
        add(memsig_kind_of_store(in, s->Ist.Store.data), 0, place_of(s->Ist.Store.addr),
            place_of(s->Ist.Store.data), 0, site);
        break;
    case Ist_StoreG:
        add(memsig_kind_of_store(in, s->Ist.StoreG.details->data), 0,
            place_of(s->Ist.StoreG.details->addr), place_of(s->Ist.StoreG.details->data),
            place_of(s->Ist.StoreG.details->guard), site);
        break;
    case Ist_LoadG:
        load(s->Ist.LoadG.details->dst, STEP_LOAD, place_of(s->Ist.LoadG.details->addr),
             place_of(s->Ist.LoadG.details->guard), place_of(s->Ist.LoadG.details->alt), site);
        break;
    case Ist_CAS:
        load(s->Ist.CAS.details->oldLo, STEP_LOAD, place_of(s->Ist.CAS.details->addr),
             place_of(s->Ist.CAS.details->dataLo), place_of(s->Ist.CAS.details->expdLo), site);
        break;
    case Ist_Dirty:
        if (s->Ist.Dirty.details->tmp < STEPS_TEMPS)
            temps[s->Ist.Dirty.details->tmp] = 0;
        break;
    default:
        break;
    }
}

void memsig_steps_leave(const IRExpr *guard, UInt branch, enum step_jump jump)
{
    tl_assert(made.nstretches < MOST_STRETCHES);
    for (UInt word = 0; word < STEPS_REGISTERS; word++)
        if (registers[word] != place_of_register(word) && made.nmoves < MOST_MOVES) {
            struct move move = {place_of_register(word), registers[word]};
            moves[made.nmoves++] = move;
        }
    struct stretch stretch = {.end = made.nsteps,
                              .end_of_moves = made.nmoves,
                              .guard = place_of(guard),
                              .branch = (UShort)branch,
                              .leaves = (UChar)jump,
                              .last = !guard};
    stretches[made.nstretches++] = stretch;
}

void memsig_steps_left(enum step_jump jump)
{
    stretches[made.nstretches - 1].last = True;
    stretches[made.nstretches - 1].stays = (UChar)jump;
}

/* ---- Whole block ----------------------------------------------------------------------------- */

void memsig_steps_begin(const IRSB *in)
{
    made.nsteps = made.nmoves = made.nstretches = nfresh = 0;
    for (UInt word = 0; word < STEPS_REGISTERS; word++)
        registers[word] = place_of_register(word);
    begun = NULL;
    memsig_kinds_begin(in);
}

const struct steps *memsig_steps_end(void)
{
    return &made;
}

static void *copy(const void *from, SizeT bytes)
{
    void *to = VG_(malloc)("memsig.steps", bytes + 1);
    VG_(memcpy)(to, from, bytes);
    return to;
}

struct steps *memsig_steps_copy(const struct steps *of)
{
    struct steps *to = copy(of, sizeof *of);
    to->steps = copy(of->steps, of->nsteps * sizeof *of->steps);
    to->moves = copy(of->moves, of->nmoves * sizeof *of->moves);
    to->stretches = copy(of->stretches, of->nstretches * sizeof *of->stretches);
    return to;
}
