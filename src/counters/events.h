/*
 * events.h - the counted events: each event once, with a slot, in one set per component.
 *
 * Adding an event tests whether it can be counted together with the existing ones. Only
 * gptl_events_undo and gptl_events_forget change slots.
 */
#ifndef GPTL_COUNTERS_EVENTS_H
#define GPTL_COUNTERS_EVENTS_H

#include "counters/papi.h"

struct event {
    char *name, *description, *unit;
    uint32_t set;        /* index of the set */
    bool made_multiplex; /* adding this event made its set multiplexed */
};

struct event_set {
    int component;
    enum gptl_scope scope;
    bool multiplex;
    uint32_t n, capacity;
    int *code;
    uint32_t *slot;
};

struct events {
    uint32_t n, capacity;
    struct event *event; /* indexed by slot */
    uint32_t nsets;
    struct event_set *set;
};

const struct events *gptl_events(void);

/*
 * Return the slot of NAME, adding it if necessary; -1 if it cannot be counted, with the reason in
 * WHY.
 */
long gptl_events_add(const char *name, char *why, size_t whysize);
/* Remove all events but the first N. */
void gptl_events_undo(uint32_t n);
void gptl_events_forget(void);

/*
 * Return the shortest time in a region, in seconds, for which multiplexed estimates are reported.
 */
double gptl_events_least_seconds(const struct event_set *set);

#endif
