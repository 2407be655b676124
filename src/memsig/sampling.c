/*
 * sampling.c - simulates accesses only in bursts; between them, blocks are translated to count
 * executions only. The first half of a burst warms the caches without counting; the first burst
 * starts with the program, whose caches are empty. The ratios found in bursts are scaled to all
 * executions of a block.
 *
 * Time is measured in blocks. The distance between bursts is random, to avoid synchronization with
 * the program. The error estimate compares each burst with its prediction from the previous bursts:
 * the executions of blocks are exact, only their hits are sampled.
 */
#include "memsig.h"

#include "libvex_guest_amd64.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_machine.h"

enum { PART = 10 }; /* one block in PART is in a burst */

struct burst {
    double accesses, off;
};

ULong memsig_burst = 10000000;
UInt memsig_stale;
static struct burst *bursts;
static UInt nbursts, room;
static enum { FILLING, COUNTING, RESTING } phase;
static ULong phase_end;

/*
 * Force retranslation. Translations can only be discarded between blocks, which Valgrind does for
 * an instruction that reports modified code. The next block exits with that jump kind and reports
 * the full address range.
 */
static void translate_anew(ThreadId tid, Bool plain)
{
    static const ULong everything[2] = {0, ~0ULL >> 1};
    VG_(set_shadow_regs_area)
    (tid, 0, offsetof(VexGuestAMD64State, guest_CMSTART), sizeof(ULong),
     (const UChar *)&everything[0]);
    VG_(set_shadow_regs_area)
    (tid, 0, offsetof(VexGuestAMD64State, guest_CMLEN), sizeof(ULong),
     (const UChar *)&everything[1]);
    memsig_plain = plain;
    memsig_stale = 1;
}

/* Return the misses of the first machine's first level. */
static ULong missed(const struct row *row)
{
    ULong n = 0;
    for (UInt kind = 0; memsig_nmachines > 0 && kind < MEMSIG_KINDS; kind++)
        for (UInt i = 0; i < memsig_machines[0].ncaches; i++)
            n += row->found[kind * memsig_nfound + i];
    return n;
}

static void begin_counting(void)
{
    for (struct block *block = memsig_blocks; block; block = block->next) {
        memsig_flush(block);
        for (struct row *row = block->rows; row; row = row->next) {
            VG_(memcpy)(row->mark, row->counts, block->nparts * sizeof *row->mark);
            row->missed_before = missed(row);
        }
    }
    memsig_counting = True;
}

/*
 * Add a row's accesses in this burst, and the deviation of its misses from the prediction of
 * earlier bursts.
 */
static void end_row(struct burst *burst, const struct block *block, struct row *row)
{
    double before = 0, now = 0;
    for (UInt i = 0; i < block->nparts; i++) {
        const struct part *part = &block->parts[i];
        ULong n = row->counts[i] - row->mark[i];
        before += (double)row->simulated[i] * (part->loads + part->stores);
        now += (double)n * (part->loads + part->stores);
        row->simulated[i] += n;
    }
    burst->accesses += now;
    if (before > 0)
        burst->off +=
            (double)(missed(row) - row->missed_before) - now * (double)row->missed_before / before;
}

static void end_counting(void)
{
    struct burst burst = {0, 0};
    for (struct block *block = memsig_blocks; block; block = block->next) {
        memsig_flush(block);
        for (struct row *row = block->rows; row; row = row->next)
            end_row(&burst, block, row);
    }
    memsig_counting = False;
    if (nbursts == room) {
        room = 2 * room + 64;
        bursts = VG_(realloc)("memsig.bursts", bursts, room * sizeof *bursts);
    }
    bursts[nbursts++] = burst;
}

void memsig_begin_sampling(void)
{
    phase = COUNTING;
    phase_end = memsig_burst;
}

void memsig_sample(ThreadId tid, ULong dispatched)
{
    static UInt seed = 1;
    if (dispatched < phase_end)
        return;
    switch (phase) {
    case FILLING:
        begin_counting();
        phase = COUNTING;
        phase_end = dispatched + memsig_burst / 2;
        break;
    case COUNTING:
        end_counting();
        translate_anew(tid, True);
        phase = RESTING;
        phase_end =
            dispatched + (PART - 1) * memsig_burst / 1024 * (512 + VG_(random)(&seed) % 1024);
        break;
    case RESTING:
        translate_anew(tid, False);
        phase = FILLING;
        phase_end = dispatched + memsig_burst / 2;
        break;
    }
}

void memsig_end_sampling(void)
{
    if (phase == COUNTING)
        end_counting();
    phase = RESTING;
    phase_end = ~0ULL;
}

void memsig_clear_bursts(void)
{
    nbursts = 0;
}

/* Return the fraction of accesses in blocks that never ran in a burst; their hits are unknown. */
static double unknown_share(void)
{
    double all = 0, unknown = 0;
    for (const struct block *block = memsig_blocks; block; block = block->next)
        for (const struct row *row = block->rows; row; row = row->next) {
            double known = 0, accesses = 0;
            for (UInt i = 0; i < block->nparts; i++) {
                UInt each = block->parts[i].loads + block->parts[i].stores;
                accesses += (double)row->counts[i] * each;
                known += (double)row->simulated[i] * each;
            }
            all += accesses;
            unknown += known > 0 ? 0 : accesses;
        }
    return all > 0 ? unknown / all : 0;
}

double memsig_sampling_error(void)
{
    double accesses = 0, squares = 0;
    for (UInt i = 0; i < nbursts; i++) {
        accesses += bursts[i].accesses;
        squares += bursts[i].off * bursts[i].off;
    }
    if (nbursts < 2 || accesses <= 0)
        return -1;
    double unknown = unknown_share();
    return __builtin_sqrt(squares * nbursts / (nbursts - 1) / (accesses * accesses) +
                          unknown * unknown);
}
