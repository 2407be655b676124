/*
 * events.h - the events that are counted: each once, with its slot, in a set for each component.
 *
 * An event is added by counting it on trial together with those that are there. Slots do not change
 * but by gptl_events_undo and gptl_events_forget.
 */
#ifndef GPTL_COUNTERS_EVENTS_H
#define GPTL_COUNTERS_EVENTS_H

#include "counters/papi.h"

struct event {
    char *name, *description, *unit;
    uint32_t set;        /* place of its component's */
    bool made_multiplex; /* since it came, they count in turn */
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
    struct event *event; /* by slot */
    uint32_t nsets;
    struct event_set *set;
};

const struct events *gptl_events(void);

/* The slot of NAME, which is added if need be; -1: it cannot be counted, WHY tells why not. */
long gptl_events_add(const char *name, char *why, size_t whysize);
/* Only N are left. */
void gptl_events_undo(uint32_t n);
void gptl_events_forget(void);

/* Estimates: fewer seconds than these in a region are too few. */
double gptl_events_least_seconds(const struct event_set *set);

#endif
