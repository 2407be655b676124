/*
 * core.h - cores of the machines that are described, simulated step by step: what a block takes of a core, and how much
 * of that it waits for lines.
 */
#ifndef GPTL_MEMSIG_CORE_H
#define GPTL_MEMSIG_CORE_H

#include "memsig.h"

/*
 * Cores run a part of the time, since a step takes longer than the code around it: 0 or 1, read by translated code.
 * Branches are guessed as long.
 */
extern UInt memsig_cores_run;
/* DISPATCHED blocks have run, and some are about to. */
void memsig_run_cores_or_not(ULong dispatched);

/* What core.def has, of MACHINE, as numbers between slashes. False: it cannot be. */
Bool memsig_add_core(UInt machine, const HChar **text);

/*
 * Code has come to where it may leave BLOCK, at the end of a stretch; called by translated code with twice its number,
 * and 1 more if it leaves.
 */
VG_REGPARM(2) void memsig_leave_stretch(struct block *block, HWord number_and_leaves);

/*
 * What all executions of ROW took: picoseconds in which the core of MACHINE waited for no line, and waits for lines by
 * where they were, from the second cache on. As in other regions, where none was timed. False: that is not known.
 */
Bool memsig_core_took(const struct row *row, UInt machine, ULong *picoseconds, ULong *waits);

#endif
