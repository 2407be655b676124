/*
 * neighbors.c - pairs of lines loaded from memory, by time. A line whose neighbor arrived within
 * the last half refill of the last cache is already there: the prefetcher loaded it along with its
 * neighbor.
 */
#include "neighbors.h"

#include "pub_tool_mallocfree.h"

enum { BITS = 16, PAIR_SHIFT = 7 }; /* 128 bytes */

struct pair {
    UInt number, came;
};

struct pairs {
    UInt now, most; /* lines loaded so far; number of lines after which a pair counts as evicted */
    struct pair pairs[1 << BITS];
};
static struct pairs *of[MEMSIG_MACHINES];

static struct pairs *new_pairs(const struct machine *machine)
{
    const struct cache *last = &machine->caches[machine->ncaches - 1];
    struct pairs *pairs = VG_(calloc)("memsig.pairs", 1, sizeof *pairs);
    pairs->most = (UInt)(last->bytes / last->line_bytes / 2);
    pairs->now = pairs->most;
    return pairs;
}

/* Return whether the neighbor of a line missing in all caches of MACHINE was loaded recently. */
static Bool neighbor_came(UInt machine, Addr address)
{
    if (!of[machine])
        of[machine] = new_pairs(&memsig_machines[machine]);
    struct pairs *pairs = of[machine];
    UInt number = (UInt)(address >> PAIR_SHIFT);
    struct pair *pair = &pairs->pairs[number * 0x9e3779b1U >> (32 - BITS)];
    Bool came = pair->number == number && pairs->now - pair->came < pairs->most;
    pair->number = number;
    pair->came = pairs->now++;
    return came;
}

ULong memsig_waits(Addr address, ULong missing)
{
    ULong waits = missing;
    for (UInt m = 0; m < memsig_nmachines; m++) {
        UInt most = (UInt)(missing >> MEMSIG_WAIT_BITS * m) & MEMSIG_WAIT_MASK;
        if (most == memsig_machines[m].ncaches && neighbor_came(m, address))
            waits -= 1ULL << MEMSIG_WAIT_BITS * m;
    }
    return waits;
}
