/* branches.h - which branches a processor would have guessed wrong. */
#ifndef GPTL_MEMSIG_BRANCHES_H
#define GPTL_MEMSIG_BRANCHES_H

#include "memsig.h"

/* Before any block runs. */
void memsig_begin_guessing(void);

/* Some branches were not told of. */
void memsig_missed_branches(void);

/* Which of the guesser's numbers are of the branch at ADDRESS. */
UInt memsig_branch_number(Addr address);

/* In BLOCK the branch that NUMBER is of is taken, or not. Whether that was guessed wrong. */
Bool memsig_branch(const struct block *block, UInt number, Bool taken);

/* Of BRANCHES that ROW has, about so many were guessed wrong: as in other regions, where none were guessed. */
ULong memsig_guessed_wrong(const struct row *row, ULong branches);

#endif
