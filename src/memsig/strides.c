/*
 * strides.c - strides: distances from earlier accesses of the same instruction.
 *
 * While the stride is constant, no helper is called, and the count of its class follows from the
 * executions. When it changes, the nearest of the recent accesses determines the class.
 */
#include "memsig.h"
#include "neighbors.h"

/*
 * Upper ends of the stride classes. The class of one line is the last near class; the last class
 * contains far, but regular strides.
 */
const ULong memsig_ends[MEMSIG_ENDS] = {0,   8,   16,   32,   64,   128,
                                        256, 512, 1024, 2048, 4096, 1ULL << 40};
enum { NEAR = 4, FAR = MEMSIG_ENDS - 1 };
_Static_assert(MEMSIG_TOUCHED_BYTES == 64, "the end of the class of NEAR");

static ULong distance(ULong difference)
{
    return (Long)difference < 0 ? -difference : difference;
}

static inline UInt class_of(ULong d)
{
    if (d <= 8)
        return d > 0;
    if (d <= memsig_ends[FAR - 1])
        return 62 - (UInt)__builtin_clzll(d - 1);
    return d <= memsig_ends[FAR] ? FAR : MEMSIG_ENDS;
}

UInt memsig_class(ULong stride)
{
    return class_of(distance(stride));
}

/*
 * Return the kind by class. Near accesses fall into the line of the previous access or the next
 * line. Strides beyond a page are not prefetched, however regular they are.
 */
static inline UInt kind_of(const struct site *site, UInt class)
{
    if (site->kind == MEMSIG_DEPENDENT)
        return site->kind;
    return site->kind + MEMSIG_NEAR + (class > NEAR) + (class >= FAR);
}

void memsig_count(struct row *row, const struct site *site, UInt class, ULong accesses)
{
    row->strides[class] += accesses;
    row->kinds[kind_of(site, class)] += accesses;
}

/*
 * Classify an access that breaks its stride. If it is near another recent access, the instruction
 * works on several streams in turn.
 */
static inline UInt broken_class(struct site *site, Addr address, Bool *in_turn)
{
    ULong last = distance(address - site->last), nearest = last;
#pragma GCC unroll 4
    for (UInt i = 0; i < MEMSIG_NEARBY; i++) {
        ULong d = distance(address - site->nearby[i]);
        nearest = d < nearest ? d : nearest;
    }
    site->nearby[site->next_nearby] = site->last;
    site->next_nearby = (site->next_nearby + 1) % MEMSIG_NEARBY;
    *in_turn = last > MEMSIG_TOUCHED_BYTES && nearest <= MEMSIG_TOUCHED_BYTES;
    return nearest <= memsig_ends[FAR - 1] ? class_of(nearest) : MEMSIG_ENDS;
}

/*
 * Record an access. If it repeats the stride or is near the previous access, its line was
 * prefetched.
 */
VG_REGPARM(2) void memsig_access(struct site *site, Addr address)
{
    struct row *row = site->block->row;
    ULong stride = address - site->last;
    __builtin_prefetch((const void *)address); /* the program reads this address next */
    UInt class;
    Bool in_time = site->kind != MEMSIG_DEPENDENT;
    if (stride == site->stride) {
        class = memsig_class(stride);
    } else {
        ULong now = row->counts[site->part], before = now - 1 - site->run;
        Bool in_turn;
        class = broken_class(site, address, &in_turn);
        in_time &= class <= NEAR;
        if (memsig_counting) {
            row->noted.loads_in_turn += in_turn && site->kind == MEMSIG_LOAD;
            if (before > 0)
                memsig_count(row, site, memsig_class(site->stride), before);
            memsig_count(row, site, class, 1);
        }
        site->run = now;
        site->stride = stride;
    }
    Addr line = memsig_filter[address >> memsig_filter_shift & (memsig_filter_sets - 1)];
    ULong missing = 0;
    if (site->bytes > memsig_filter_line || address - line > memsig_filter_line - site->bytes)
        missing =
            memsig_reference(row, kind_of(site, class), class < MEMSIG_ENDS, address, site->bytes);
    site->waits = missing == 0 || (in_time && class < FAR) ? 0 : memsig_waits(address, missing);
}

VG_REGPARM(2) void memsig_guarded_access(struct site *site, Addr address)
{
    site->block->row->counts[site->part]++;
    memsig_access(site, address);
    site->last = address;
}
