/* branches.h - which branches a processor would have guessed wrong. */
#ifndef GPTL_MEMSIG_BRANCHES_H
#define GPTL_MEMSIG_BRANCHES_H

#include "memsig.h"

/*
 * It is asked for a part of the time, since a guess takes longer than the code around it: 0 or 1, read by translated
 * code.
 */
extern UInt memsig_guesses;

/* Before any block runs. */
void memsig_begin_guessing(void);

/* DISPATCHED blocks have run, and some are about to. */
void memsig_guess_or_not(ULong dispatched);

/* Which of the guesser's numbers are of the branch at ADDRESS. */
UInt memsig_branch_number(Addr address);

/* In BLOCK a branch is taken, or not; called by translated code with twice its number, and 1 more if it is. */
VG_REGPARM(2) void memsig_branch(const struct block *block, HWord number_and_taken);

/* Of BRANCHES that ROW has, about so many were guessed wrong: as in other regions, where none were guessed. */
ULong memsig_guessed_wrong(const struct row *row, ULong branches);

#endif
