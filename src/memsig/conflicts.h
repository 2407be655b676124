/* conflicts.h - lines of a set of the first machine's first level that leave each other no room. */
#ifndef GPTL_MEMSIG_CONFLICTS_H
#define GPTL_MEMSIG_CONFLICTS_H

#include "memsig.h"

/* When all machines are there. */
void memsig_begin_conflicts(void);

/*
 * That level has not got LINE, by its number in memory, and gets it. Returns how many others came since it came last, if
 * they are at most half as many as there is room for: it would be there still if they were not all in a few of its sets.
 * Else 0.
 */
UInt memsig_came_since(UInt line);

/* It gets another line, to SET, which is in no conflict itself. */
void memsig_other_came(ULong set);

/*
 * The same line, which is in SET, after memsig_came_since, which returned CAME_BACK. Returns how many come to that one after
 * the other, if they are more than that has room for; else 0. When the first of them come, as many are expected as the
 * last time.
 */
UInt memsig_come_together(ULong set, UInt came_back);

#endif
