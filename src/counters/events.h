/*
 * events.h - the events that are counted: each once, with its slot, in a set for each component.
 *
 * An event is added by counting it on trial together with those that are there. Slots do not change
 * but by events_undo and events_forget.
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

const struct events *events(void);

/* The slot of NAME, which is added if need be; -1: it cannot be counted, WHY tells why not. */
long events_add(const char *name, char *why, size_t whysize);
/* Only N are left. */
void events_undo(uint32_t n);
void events_forget(void);

/* Estimates: fewer seconds than these in a region are too few. */
double events_least_seconds(const struct event_set *set);

#endif
