/* branches.h - simulated branch prediction. */
#ifndef GPTL_MEMSIG_BRANCHES_H
#define GPTL_MEMSIG_BRANCHES_H

#include "memsig.h"

/* Initialize the predictor, before any block runs. */
void memsig_begin_guessing(void);

/* Report a gap in the branch history. */
void memsig_missed_branches(void);

/* Return the predictor's index for the branch at ADDRESS. */
UInt memsig_branch_number(Addr address);

/* Record the outcome of branch NUMBER in BLOCK. Return whether it was mispredicted. */
Bool memsig_branch(const struct block *block, UInt number, Bool taken);

/*
 * Estimate the mispredictions among BRANCHES executions in ROW. A row without predictions uses the
 * ratio of the block's other regions.
 */
ULong memsig_guessed_wrong(const struct row *row, ULong branches);

#endif
