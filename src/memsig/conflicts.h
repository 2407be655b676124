/* conflicts.h - detects conflict misses in the first level of the first machine. */
#ifndef GPTL_MEMSIG_CONFLICTS_H
#define GPTL_MEMSIG_CONFLICTS_H

#include "memsig.h"

/* Initialize, after all machines are known. */
void memsig_begin_conflicts(void);

/*
 * Record a miss of LINE, a line number. Return the number of misses since LINE's last miss if it is
 * at most half the capacity in lines, since then the line was lost only because the misses fall
 * into few sets. Else return 0.
 */
UInt memsig_came_since(UInt line);

/* Record a miss in SET that is not a candidate for a conflict. */
void memsig_other_came(ULong set);

/*
 * Continue the miss recorded by memsig_came_since, which returned CAME_BACK; the line belongs to
 * SET. Return the number of consecutive misses in this set if it exceeds the associativity, else 0.
 * The first misses of a series count with the length of the previous series.
 */
UInt memsig_come_together(ULong set, UInt came_back);

#endif
