/*
 * conflicts.c - detects conflict misses in the first machine's first level, as with arrays at
 * power-of-two distances: lines that were evicted a moment ago, and lines of one set that miss
 * consecutively.
 */
#include "conflicts.h"

#include "pub_tool_mallocfree.h"

/* Recent misses: line and sequence number. */
enum { RECENT = 1 << 12 };
static struct recent {
    UInt line, miss;
} recent[RECENT];
static UInt nmisses;
static UInt half; /* half the capacity of the level in lines */

/*
 * Length of each set's series of misses; a series tolerates up to BETWEEN misses in other sets
 * between two misses of this set.
 */
enum { BETWEEN = 1 };
static struct crowd {
    UInt miss;        /* sequence number of the last miss */
    UInt now, before; /* length of the current and of the previous series */
} * crowds;

void memsig_begin_conflicts(void)
{
    const struct cache *first = &memsig_machines[0].caches[0];
    if (memsig_nmachines == 0)
        return;
    half = (UInt)(first->bytes / first->line_bytes / 2);
    crowds = VG_(calloc)("memsig.crowds", first->sets, sizeof *crowds);
}

UInt memsig_came_since(UInt line)
{
    struct recent *its = &recent[(line ^ line / RECENT) % RECENT];
    UInt n = ++nmisses - its->miss;
    /* the first condition is rarely true, so it predicts well */
    Bool lost = n <= half && its->line == line;
    its->line = line;
    its->miss = nmisses;
    return lost ? n : 0;
}

/* Extend or start SET's series with the latest miss. */
static inline struct crowd *join_crowd(ULong set)
{
    enum { PART = 16 }; /* the expected length decays by 1/PART per series */
    struct crowd *its = &crowds[set];
    if (nmisses - its->miss > 1 + BETWEEN) {
        its->before -= (its->before + PART - 1) / PART;
        if (its->now > its->before)
            its->before = its->now;
        its->now = 0;
    }
    its->miss = nmisses;
    its->now++;
    return its;
}

void memsig_other_came(ULong set)
{
    nmisses++;
    join_crowd(set);
}

UInt memsig_come_together(ULong set, UInt came_back)
{
    const struct cache *first = &memsig_machines[0].caches[0];
    const struct crowd *its = join_crowd(set);
    UInt most = its->now > its->before ? its->now : its->before;
    if (came_back > 0 && came_back < most)
        most = came_back;
    /* with few sets, consecutive misses share a set by chance */
    return most > first->ways && first->sets > 1 + BETWEEN ? most : 0;
}
