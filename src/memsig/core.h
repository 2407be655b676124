/*
 * core.h - out-of-order cores of the described machines, simulated step by step: the time each
 * block takes, and the part of it spent waiting for cache lines.
 */
#ifndef GPTL_MEMSIG_CORE_H
#define GPTL_MEMSIG_CORE_H

#include "memsig.h"

/*
 * Whether cores run, 0 or 1; translated code reads it. A step is slower than the surrounding code,
 * so cores run only part of the time. Branch prediction follows the same flag.
 */
extern UInt memsig_cores_run;
/* Switch the cores on or off before the next blocks run; DISPATCHED blocks have run so far. */
void memsig_run_cores_or_not(ULong dispatched);

/* Parse the numbers of core.def for MACHINE, separated by slashes. False if they are invalid. */
Bool memsig_add_core(UInt machine, const HChar **text);

/*
 * Process the end of a stretch, a possible exit of BLOCK. Translated code passes twice the stretch
 * number, plus 1 if control leaves the block.
 */
VG_REGPARM(2) void memsig_leave_stretch(struct block *block, HWord number_and_leaves);

/*
 * Estimate the time of all executions of ROW: *PICOSECONDS without waits for lines, and the WAITS
 * for lines by level, from the second cache on. A row without timed executions uses the times of
 * the block's other regions. False if no estimate exists.
 */
Bool memsig_core_took(const struct row *row, UInt machine, ULong *picoseconds, ULong *waits);

#endif
