/* edit.h - a machine that does not exist, made from one that does. */
#ifndef GPTL_POSTPROC_MAPS_EDIT_H
#define GPTL_POSTPROC_MAPS_EDIT_H

#include "postproc/machine/machine.h"

/*
 * Changes MACHINE by one edit, PART.WHAT=VALUE or PART.WHAT*=FACTOR, and notes that. Returns 0, or -1
 * after a message; then nothing is changed.
 *
 *   L1 … Ln, memory: .rate, .latency; of caches also .bytes and .associativity
 *   arithmetic:      .rate, .latency
 *   network:         .latency, .bandwidth
 */
int edit_machine(struct machine *machine, const char *edit);

#endif
