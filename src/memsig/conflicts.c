/*
 * conflicts.c - lines of a set of the first machine's first level that leave each other no room, as where arrays are
 * powers of two apart: those that were lost a moment ago, and those that come one after the other.
 */
#include "conflicts.h"

#include "pub_tool_mallocfree.h"

/* Lines that the level had not got, each with the number of that miss. */
enum { RECENT = 1 << 12 };
static struct recent {
    UInt line, miss;
} recent[RECENT];
static UInt nmisses;
static UInt half; /* of all lines of the level */

/* Of each set, how many lines it got one after the other, between which a few may come to other sets. */
enum { BETWEEN = 1 };
static struct crowd {
    UInt miss;        /* the number of the last one */
    UInt now, before; /* this time and the time before */
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
    Bool lost = n <= half && its->line == line; /* the former is seldom so: well foreseen */
    its->line = line;
    its->miss = nmisses;
    return lost ? n : 0;
}

/* The line that has come last is in SET. */
static inline struct crowd *join_crowd(ULong set)
{
    enum { PART = 16 }; /* of how many came before is forgotten each time */
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
    /* Where there are few sets, whatever comes is in the same one. */
    return most > first->ways && first->sets > 1 + BETWEEN ? most : 0;
}
