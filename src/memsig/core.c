/*
 * core.c - simulates an out-of-order core. It issues instructions in order, limited by the issue
 * width, by taken jumps and by the size of the window. It executes each step when its operands are
 * available and a port is free. It retires instructions in order, when all steps are done. The time
 * of a block is the advance of retirement.
 *
 * Core time continues across threads and bursts: they use the current time and ignore gaps.
 */
#include "core.h"
#include "branches.h"
#include "steps.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

enum {
    FIRST = 1000000,   /* stretches simulated at the start, unless sampling is on */
    BURST = 50000,     /* stretches in each later burst */
    BETWEEN = 1600000, /* blocks between the starts of two bursts */
    TICKS = 64,        /* per cycle */
    RING = 2048,       /* instructions, more than any window */
    STORES = 1024,     /* tracked stored words */
    WORD = 8,
    CYCLES = 4096, /* horizon of the port schedule */
    WHOLE = 12     /* subdivisions of a cycle for port occupancy */
};

enum port {
    PORT_INTEGER,
    PORT_DIVIDE_INTEGER,
    PORT_ADD,
    PORT_MULTIPLY,
    PORT_DIVIDE,
    PORT_VECTOR,
    PORT_LOAD,
    PORT_STORE,
    PORTS
};
static const UChar ports[STEP_KINDS] = {
#define NUMBER(name)
#define STEP(name, port) [STEP_##name] = PORT_##port,
#include "core.def"
#undef NUMBER
#undef STEP
};

/*
 * A cycle of a port and the occupied part of it. FULL is a lower bound of the distance to the next
 * cycle with room.
 */
struct cycle {
    UInt number;
    UShort taken, full;
};

struct stored {
    Addr word;
    ULong at;
};

/*
 * Queues before the vector units. Vector steps enter one of two queues in program order; if a queue
 * is full, later steps wait too. Each queue is a heap of start times with the earliest first.
 */
enum { SIDES = 2, QUEUE = RING / SIDES };
struct queue {
    ULong begin[QUEUE];
};

/* Core state. Times are in ticks, except for the input parameters. */
struct core {
    UInt machine, levels;
    ULong cycle, issue, refill, jump, call, forward, window, window_integers, window_vectors,
        waiting_vectors;
    ULong latency[STEP_KINDS], wait[MEMSIG_LEVELS + 1];
    UShort parts[STEP_KINDS];

    ULong ready[STEPS_PLACES]; /* time at which the value of a place is available */
    ULong next;                /* earliest issue time of the next instruction */
    ULong jumped;              /* issue time of the last taken jump */
    ULong begun, done;         /* of the current instruction */
    UInt waits;                /* level that the current instruction waits for; 0: none */
    Bool writes_integer, writes_vector;
    ULong ended, charged; /* retirement time: in total; already charged to blocks */
    ULong ends[RING], integer_ends[RING], vector_ends[RING], n, nintegers, nvectors;
    struct stored stored[STORES];
    struct cycle cycles[PORTS][SIDES][CYCLES];
    UInt turn[PORTS];
    ULong queued; /* queue entry time of the latest step */
    struct queue queues[SIDES];
};

UInt memsig_cores_run = 1;
static UInt left = FIRST;                   /* remaining stretches of the burst */
static struct core *cores[MEMSIG_MACHINES]; /* by machine; NULL: no core model */

void memsig_run_cores_or_not(ULong dispatched)
{
    static ULong next = BETWEEN;
    if (!memsig_samples && dispatched < next)
        return;
    next = dispatched + BETWEEN;
    left = memsig_samples ? ~0U : BURST;
    if (!memsig_cores_run)
        memsig_missed_branches();
    memsig_cores_run = 1;
}

/* ---- Configuration --------------------------------------------------------------------------- */

static Bool take(const HChar **text, ULong *to)
{
    HChar *after;
    if (**text == '/')
        (*text)++;
    *to = VG_(strtoull10)(*text, &after);
    Bool taken = after != *text && *to < 1ULL << 40;
    *text = after;
    return taken;
}

static ULong ticks(const struct core *core, ULong picoseconds)
{
    return (picoseconds * TICKS + core->cycle / 2) / core->cycle;
}

static Bool take_step(struct core *core, const HChar **text, enum step_kind kind)
{
    ULong latency, busy;
    if (!take(text, &latency) || !take(text, &busy))
        return False;
    ULong parts = (busy * WHOLE + core->cycle / 2) / core->cycle;
    core->latency[kind] = ticks(core, latency);
    core->parts[kind] = (UShort)(parts < 1 ? 1 : parts > CYCLES ? CYCLES : parts);
    return True;
}

static ULong within(ULong window, ULong least)
{
    return window < least ? least : window > RING ? RING : window;
}

static Bool take_core(struct core *core, const HChar **text)
{
#define NUMBER(name)                                                                               \
    if (!take(text, &core->name) || core->cycle == 0)                                              \
        return False;
#define STEP(name, port)                                                                           \
    if (!take_step(core, text, STEP_##name))                                                       \
        return False;
#include "core.def"
#undef NUMBER
#undef STEP
    for (UInt level = 1; level <= core->levels; level++) {
        if (!take(text, &core->wait[level]))
            return False;
        core->wait[level] = ticks(core, core->wait[level]);
    }
    core->issue = ticks(core, core->issue);
    core->refill = ticks(core, core->refill);
    core->jump = ticks(core, core->jump);
    core->call = ticks(core, core->call);
    core->forward = ticks(core, core->forward);
    core->window = within(core->window, 1);
    core->window_integers = within(core->window_integers, 1);
    core->window_vectors = within(core->window_vectors, 1);
    core->waiting_vectors = within(core->waiting_vectors, SIDES);
    return True;
}

Bool memsig_add_core(UInt machine, const HChar **text)
{
    struct core *core = VG_(calloc)("memsig.core", 1, sizeof *core);
    core->machine = machine;
    core->levels = memsig_machines[machine].ncaches;
    cores[machine] = core;
    return take_core(core, text);
}

/* ---- Steps ---------------------------------------------------------------------------------- */

static inline ULong later(ULong a, ULong b)
{
    return a > b ? a : b;
}

static inline struct cycle *cycle_of(struct cycle *cycles, ULong number)
{
    struct cycle *cycle = &cycles[number % CYCLES];
    if (cycle->number != (UInt)number) {
        cycle->number = (UInt)number;
        cycle->taken = 0;
        cycle->full = 1;
    }
    return cycle;
}

/*
 * Return the first cycle from NUMBER on with room. Path compression: every cycle on the way gets a
 * link to the result.
 */
static inline ULong cycle_with_room(struct cycle *cycles, ULong number)
{
    ULong first = number;
    struct cycle *cycle;
    while ((cycle = cycle_of(cycles, number))->taken >= WHOLE)
        number += cycle->full;
    for (ULong at = first, next; at < number; at = next) {
        struct cycle *full = cycle_of(cycles, at);
        next = at + full->full;
        full->full = (UShort)(number - at < CYCLES ? number - at : CYCLES - 1);
    }
    return number;
}

/* Return the first cycle of a sequence that can hold a step of more than one cycle (PARTS). */
static ULong cycles_with_room(struct cycle *cycles, UInt parts, ULong number)
{
    for (ULong at = number;;) {
        number = cycle_with_room(cycles, at);
        UInt room = WHOLE - cycle_of(cycles, number)->taken;
        for (at = number + 1; room < parts && cycle_of(cycles, at)->taken == 0; at++)
            room += WHOLE;
        if (room >= parts)
            return number;
    }
}

/* Reserve PARTS on the port with these CYCLES for a step ready at TIME; return its start time. */
static inline ULong take_cycles(struct cycle *cycles, UInt parts, ULong time)
{
    ULong number = parts > WHOLE ? cycles_with_room(cycles, parts, time / TICKS)
                                 : cycle_with_room(cycles, time / TICKS);
    struct cycle *cycle = cycle_of(cycles, number);
    time = later(time, number * TICKS);
    for (UInt room = WHOLE - cycle->taken; parts > room; room = WHOLE) {
        cycle->taken = WHOLE;
        parts -= room;
        cycle = cycle_of(cycles, ++number);
    }
    cycle->taken = (UShort)(cycle->taken + parts);
    return time;
}

static inline ULong take_port(struct core *core, UInt kind, ULong time)
{
    return take_cycles(core->cycles[ports[kind]][0], core->parts[kind], time);
}

/*
 * Reserve one of two units of a kind if a step occupies it for less than a cycle; otherwise only
 * one unit exists.
 */
static inline ULong take_unit(struct core *core, UInt kind, UInt side, ULong time)
{
    UInt parts = core->parts[kind];
    return parts < WHOLE ? take_cycles(core->cycles[ports[kind]][side], SIDES * parts, time)
                         : take_cycles(core->cycles[ports[kind]][0], parts, time);
}

/* ---- Queues --------------------------------------------------------------------------------- */

static inline UInt next_side(struct core *core, UInt kind)
{
    return core->turn[ports[kind]]++ % SIDES;
}

/* Return the time at which a step that arrives at TIME enters the queue. */
static inline ULong enter(struct core *core, UInt side, ULong time)
{
    core->queued = later(later(core->queued, core->queues[side].begin[0]), time);
    return core->queued;
}

/*
 * Replace the earliest entry of the heap; a started step leaves the queue only when its slot is
 * needed.
 */
static inline void begin_at(struct core *core, UInt side, ULong time)
{
    ULong *begin = core->queues[side].begin;
    UInt room = (UInt)(core->waiting_vectors / SIDES), at = 0, next;
    for (; (next = 2 * at + 1) < room; at = next) {
        next += next + 1 < room && begin[next + 1] < begin[next];
        if (begin[next] >= time)
            break;
        begin[at] = begin[next];
    }
    begin[at] = time;
}

static inline void end_instruction(struct core *core, struct row *row)
{
    if (core->done > core->ended) {
        ULong stall = core->done - core->ended;
        if (core->waits > 0) {
            ULong most = core->wait[core->waits];
            row->waited[memsig_machines[core->machine].first_found + core->waits - 1] +=
                stall < most ? stall : most;
        }
        core->ended = core->done;
    }
    core->ends[core->n++ % RING] = core->ended;
    if (core->writes_integer)
        core->integer_ends[core->nintegers++ % RING] = core->ended;
    if (core->writes_vector)
        core->vector_ends[core->nvectors++ % RING] = core->ended;
}

static inline void begin_instruction(struct core *core, const struct step *step)
{
    ULong next = later(core->next + core->issue, core->ends[(core->n - core->window) % RING]);
    core->writes_integer = step->kind == STEP_BEGIN_INTEGER;
    core->writes_vector = step->books;
    if (core->writes_integer)
        next = later(next, core->integer_ends[(core->nintegers - core->window_integers) % RING]);
    if (core->writes_vector)
        next = later(next, core->vector_ends[(core->nvectors - core->window_vectors) % RING]);
    core->next = core->begun = core->done = next;
    core->waits = 0;
}

/*
 * Return and clear the level that SITE's access waits for; the next access sets it again if it
 * misses.
 */
static inline UInt take_wait(const struct core *core, struct site *site)
{
    const UInt shift = MEMSIG_WAIT_BITS * core->machine;
    UInt level = (UInt)(site->waits >> shift) & MEMSIG_WAIT_MASK;
    site->waits &= ~((ULong)MEMSIG_WAIT_MASK << shift);
    return level;
}

static inline void store(struct core *core, struct site *site, const struct step *step)
{
    ULong time = take_port(core, step->kind, later(core->begun, core->ready[step->from[0]]));
    ULong data = core->ready[step->from[1]];
    if (step->kind == STEP_STORE_FLOAT && step->books) {
        UInt side = next_side(core, step->kind);
        data = later(data, enter(core, side, core->begun));
        begin_at(core, side, data);
    }
    time = later(time, data);
    for (UInt at = 0; at < site->bytes; at += WORD) {
        Addr word = (site->last + at) / WORD;
        struct stored *stored = &core->stored[word % STORES];
        stored->word = word;
        stored->at = time;
    }
    core->done = later(core->done, time);
    take_wait(core, site); /* a store never waits for its line */
}

/* Return the completion time of a load that starts by TIME. */
static inline ULong load(struct core *core, struct site *site, ULong time)
{
    const Addr word = site->last / WORD;
    const struct stored *stored = &core->stored[word % STORES];
    UInt level = take_wait(core, site);
    time += core->wait[level];
    if (level > 0 && time > core->done)
        core->waits = level;
    return stored->word == word ? later(time, stored->at + core->forward) : time;
}

static inline void do_step(struct core *core, struct block *block, const struct step *step)
{
    struct site *site = &block->sites[step->site];
    if (step->kind >= STEP_STORE) {
        store(core, site, step);
        return;
    }
    ULong time = core->begun;
    for (UInt i = 0; i < STEPS_SOURCES; i++)
        time = later(time, core->ready[step->from[i]]);
    if (step->books && is_of_vectors(step->kind)) {
        UInt side = next_side(core, step->kind);
        time = take_unit(core, step->kind, side, later(time, enter(core, side, core->begun)));
        begin_at(core, side, time);
    } else if (step->books) {
        time = take_port(core, step->kind, time);
    }
    time += core->latency[step->kind];
    if (step->kind >= STEP_LOAD)
        time = load(core, site, time);
    core->ready[step->to] = time;
    core->done = later(core->done, time);
}

/* ---- Stretches ------------------------------------------------------------------------------ */

static void run(struct core *core, struct block *block, const struct step *step,
                const struct step *end)
{
    Bool open = False;
    for (; step < end; step++) {
        if (step->kind > STEP_BEGIN_INTEGER) {
            do_step(core, block, step);
            continue;
        }
        if (open)
            end_instruction(core, block->row);
        begin_instruction(core, step);
        open = True;
    }
    if (open)
        end_instruction(core, block->row);
    block->row->took[core->machine] += core->ended - core->charged;
    core->charged = core->ended;
}

static void leave(struct core *core, const struct move *move, const struct move *end)
{
    for (; move < end; move++)
        core->ready[move->to] = core->ready[move->from];
}

/* Delay the instructions after a jump: taken jumps are separated by a minimum interval. */
static void go_on(struct core *core, enum step_jump jump)
{
    if (jump == STEP_GOES_ON)
        return;
    core->jumped =
        later(core->jumped + (jump == STEP_CALLS ? core->call : core->jump), core->begun);
    core->next = later(core->next + core->issue, core->jumped) - core->issue;
}

VG_REGPARM(2) void memsig_leave_stretch(struct block *block, HWord number_and_leaves)
{
    const UInt number = (UInt)(number_and_leaves >> 1);
    const Bool leaves = number_and_leaves & 1;
    const struct steps *all = block->steps;
    const struct stretch *stretch = &all->stretches[number];
    const UInt from = number > 0 ? stretch[-1].end : 0;
    const UInt from_moves = number > 0 ? stretch[-1].end_of_moves : 0;
    const Bool wrong = stretch->branch > 0 && memsig_branch(block, stretch->branch - 1U, leaves);
    for (UInt m = 0; m < memsig_nmachines; m++) {
        struct core *core = cores[m];
        if (!core)
            continue;
        run(core, block, all->steps + from, all->steps + stretch->end);
        if (wrong)
            core->next =
                later(core->next, later(core->begun, core->ready[stretch->guard]) + core->refill);
        if (leaves || stretch->last) {
            go_on(core, (enum step_jump)(leaves ? stretch->leaves : stretch->stays));
            leave(core, all->moves + from_moves, all->moves + stretch->end_of_moves);
        }
    }
    block->row->timed += number == 0;
    memsig_cores_run = --left > 0;
}

/* ---- Results --------------------------------------------------------------------------------- */

Bool memsig_core_took(const struct row *row, UInt machine, ULong *picoseconds, ULong *waits)
{
    const struct core *core = cores[machine];
    const struct row *known = row;
    for (const struct row *other = row->block->rows; other && known->timed == 0;
         other = other->next)
        known = other->timed > 0 ? other : known;
    if (!core || known->timed == 0)
        return False;
    const ULong *waited = &known->waited[memsig_machines[machine].first_found];
    double times = (double)row->counts[0] / (double)known->timed,
           own = (double)known->took[machine];
    for (UInt level = 1; level <= core->levels; level++) {
        double wait = (double)waited[level - 1];
        own -= wait;
        /* The location of lines differs between regions, so waits are not transferred. */
        waits[level - 1] = known == row && core->wait[level] > 0
                               ? (ULong)(times * wait / (double)core->wait[level] + 0.5)
                               : 0;
    }
    *picoseconds = (ULong)(times * own * (double)core->cycle / TICKS + 0.5);
    *picoseconds += *picoseconds == 0;
    return True;
}
