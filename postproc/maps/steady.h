/*
 * steady.h - whether messages between two ranks take what they took before. The processors of a guest are cores
 * that share a cache now, and cores that do not some seconds later, as its host likes: a message takes two to
 * four times as long then, and what was measured in different states does not go together.
 */
#ifndef GPTL_POSTPROC_MAPS_STEADY_H
#define GPTL_POSTPROC_MAPS_STEADY_H

#include <stdbool.h>

/* Seconds there and back of a small message, and of one of 16 KiB that comes back to where it was sent from. */
struct steady_trips {
    double small, large;
};

/*
 * For all that follow, which both ranks call: this one is the FIRST, or else the other one is, whose number is
 * PEER. The state is the fastest one that is found in SEARCH seconds. In all no more than PATIENCE seconds are waited.
 */
void steady_begin(bool first, int peer, double search, double patience);
/* The state is one that was found in another job, and patience is what it was. */
void steady_expect(struct steady_trips trips);
/* Whether it is in that state; always, when patience is spent. Both ranks get the same answer. */
bool steady_now(void);
/* Until it is. Returns how many seconds that took. */
double steady_wait(void);
/* Whether patience is spent. */
bool steady_given_up(void);

#endif
