/*
 * steady.h - whether messages between two ranks take what they took before. The processors of a guest are cores
 * that share a cache now, and cores that do not some seconds later, as its host likes: a message takes three to
 * four times as long then, and what was measured in different states does not go together.
 */
#ifndef GPTL_POSTPROC_MAPS_STEADY_H
#define GPTL_POSTPROC_MAPS_STEADY_H

#include <stdbool.h>

/*
 * For all that follow, which both ranks call: this one is the FIRST, or else the other one is, whose number is
 * PEER. A small message there and back takes ROUND_TRIP seconds; 0: as long as the fastest one takes that is
 * found in SEARCH seconds. In all no more than PATIENCE seconds are waited.
 */
void steady_begin(bool first, int peer, double round_trip, double search, double patience);
/* Whether it takes as long now; always, when patience is spent. Both ranks get the same answer. */
bool steady_now(void);
/* Until it does. Returns how many seconds that took. */
double steady_wait(void);
/* Whether patience is spent. */
bool steady_given_up(void);

#endif
