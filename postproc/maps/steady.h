/*
 * steady.h - detects changes of the machine state that affect messages between two ranks. A guest's
 * processors are cores that share a cache now and cores that do not some seconds later, at the
 * discretion of the host: a message then takes two to four times as long, and measurements in
 * different states must not be combined.
 */
#ifndef GPTL_POSTPROC_MAPS_STEADY_H
#define GPTL_POSTPROC_MAPS_STEADY_H

#include <stdbool.h>

/*
 * Round trip times in seconds of a small message, and of a message of 16 KiB received into the
 * buffer it was sent from.
 */
struct steady_trips {
    double small, large;
};

/*
 * Begin, in both ranks. FIRST is true in one of them; PEER is the other rank. The reference state
 * is the fastest one found in SEARCH seconds. The total waiting time is at most PATIENCE seconds.
 */
void steady_begin(bool first, int peer, double search, double patience);
/* Set the reference state from another job; patience is unchanged. */
void steady_expect(struct steady_trips trips);
/*
 * Return whether the machine is in the reference state, or patience is exhausted. Both ranks get
 * the same answer.
 */
bool steady_now(void);
/* Wait for the reference state. Returns the seconds waited. */
double steady_wait(void);
/* Return whether patience is exhausted. */
bool steady_given_up(void);

#endif
