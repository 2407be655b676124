/* edit.h - edits a profile into a hypothetical machine. */
#ifndef GPTL_POSTPROC_MAPS_EDIT_H
#define GPTL_POSTPROC_MAPS_EDIT_H

#include "postproc/machine/machine.h"

/*
 * Change MACHINE by one edit, PART.WHAT=VALUE or PART.WHAT*=FACTOR, and record it. Returns 0, or -1
 * after a message; MACHINE is unchanged then.
 *
 *   L1 … Ln, memory: .rate, .latency; of caches also .bytes and .associativity
 *   arithmetic:      .rate, .latency
 *   network:         .latency, .bandwidth
 */
int edit_machine(struct machine *machine, const char *edit);

#endif
