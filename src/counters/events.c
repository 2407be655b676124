/* events.c - the counted events. */
#include "config.h"

#include "counters/events.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/descriptor.h"

static struct events all;

const struct events *gptl_events(void)
{
    return &all;
}

/* ---- Sets ---------------------------------------------------------------------------------- */

static struct event_set *set_of(int component, enum gptl_scope scope)
{
    for (uint32_t i = 0; i < all.nsets; i++)
        if (all.set[i].component == component && all.set[i].scope == scope)
            return &all.set[i];
    struct event_set *sets = realloc(all.set, (all.nsets + 1) * sizeof *sets);
    if (!sets)
        return NULL;
    all.set = sets;
    sets[all.nsets] = (struct event_set){.component = component, .scope = scope};
    return &sets[all.nsets++];
}

/*
 * Return whether another set of this component is in use. PAPI runs one set per component and
 * thread.
 */
static bool is_with_others(const struct event_set *set)
{
    for (uint32_t i = 0; i < all.nsets; i++)
        if (all.set[i].component == set->component && all.set[i].scope != set->scope &&
            all.set[i].n > 0)
            return true;
    return false;
}

static bool room_in_set(struct event_set *set)
{
    if (set->n < set->capacity)
        return true;
    uint32_t capacity = set->capacity ? 2 * set->capacity : 8;
    int *code = realloc(set->code, capacity * sizeof *code);
    if (code)
        set->code = code;
    uint32_t *slot = realloc(set->slot, capacity * sizeof *slot);
    if (slot)
        set->slot = slot;
    if (code && slot)
        set->capacity = capacity;
    return code && slot;
}

static void name_others(const struct event_set *set, char *text, size_t size)
{
    size_t n = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < set->n && n < size; i++)
        n += (size_t)snprintf(text + n, size - n, "%s%s", i ? ", " : "",
                              all.event[set->slot[i]].name);
}

static enum papi_result count_once(const struct event_set *set, uint32_t n, bool multiplex,
                                   char *why, size_t whysize)
{
    int opened;
    enum papi_result result =
        gptl_papi_open(set->component, set->code, n, multiplex, &opened, why, whysize);
    if (result == PAPI_COUNTS)
        gptl_papi_close(opened);
    return result;
}

/* Test whether the event at the end of the set can be counted with the others. */
static bool try_last(struct event_set *set, bool *made_multiplex, char *why, size_t whysize)
{
    bool allowed = gptl_core_option(GPTL_OPT_MULTIPLEX);
    enum papi_result result = count_once(set, set->n + 1, set->multiplex, why, whysize);
    *made_multiplex = false;
    if (result == PAPI_CONFLICT && !set->multiplex && allowed && set->n > 0) {
        *made_multiplex = true;
        result = count_once(set, set->n + 1, true, why, whysize);
    }
    if (result != PAPI_CONFLICT)
        return result == PAPI_COUNTS;
    char others[300];
    name_others(set, others, sizeof others);
    if (set->n == 0)
        snprintf(why, whysize, "there is no counter for it here");
    else
        snprintf(why, whysize, "there is no counter left for it beside %s; %s", others,
                 allowed ? "they cannot be counted in turn either: ask for fewer"
                         : "ask for fewer, or let them count in turn: multiplex=on");
    return false;
}

/* ---- Events -------------------------------------------------------------------------------- */

static void free_event(struct event *event)
{
    free(event->name);
    free(event->description);
    free(event->unit);
}

static bool room_for_event(void)
{
    if (all.n < all.capacity)
        return true;
    uint32_t capacity = all.capacity ? 2 * all.capacity : 16;
    struct event *event = realloc(all.event, capacity * sizeof *event);
    if (!event)
        return false;
    all.event = event;
    all.capacity = capacity;
    return true;
}

static bool put(const struct papi_event *found, struct event_set *set, bool made_multiplex)
{
    struct event *event = &all.event[all.n];
    *event = (struct event){strdup(found->name), strdup(found->description), strdup(found->unit),
                            (uint32_t)(set - all.set), made_multiplex};
    if (!event->name || !event->description || !event->unit) {
        free_event(event);
        return false;
    }
    set->multiplex |= made_multiplex;
    set->slot[set->n++] = all.n++;
    return true;
}

/*
 * Refresh the event codes. Enumerating libpfm's events, which the search for similar names does,
 * makes PAPI forget native codes.
 */
static void renew_codes(void)
{
    for (uint32_t i = 0; i < all.nsets; i++)
        for (uint32_t k = 0; k < all.set[i].n; k++)
            gptl_papi_code_of(all.event[all.set[i].slot[k]].name, &all.set[i].code[k]);
}

long gptl_events_add(const char *name, char *why, size_t whysize)
{
    static struct papi_event found; /* static because it is large; the lock is held */
    for (uint32_t i = 0; i < all.n; i++)
        if (strcmp(all.event[i].name, name) == 0)
            return (long)i;
    if (!gptl_papi_find(name, &found, why, whysize)) {
        renew_codes();
        return -1;
    }
    for (uint32_t i = 0; i < all.n; i++) /* PAPI may return a longer name */
        if (strcmp(all.event[i].name, found.name) == 0)
            return (long)i;
    struct event_set *set = set_of(found.component, gptl_papi_scope(found.component, found.name));
    bool room = set && room_in_set(set) && room_for_event(), made_multiplex;
    if (room && is_with_others(set)) {
        snprintf(why, whysize,
                 "PAPI does not count what a thread does and what a "
                 "whole processor does (:cpu=) together");
        return -1;
    }
    if (room) {
        set->code[set->n] = found.code;
        if (!try_last(set, &made_multiplex, why, whysize))
            return -1;
        if (put(&found, set, made_multiplex))
            return (long)all.n - 1;
    }
    snprintf(why, whysize, "there is no memory");
    return -1;
}

void gptl_events_undo(uint32_t n)
{
    while (all.n > n) {
        struct event *event = &all.event[--all.n];
        struct event_set *set = &all.set[event->set];
        set->n--;
        set->multiplex &= !event->made_multiplex;
        free_event(event);
    }
}

void gptl_events_forget(void)
{
    gptl_events_undo(0);
    for (uint32_t i = 0; i < all.nsets; i++) {
        free(all.set[i].code);
        free(all.set[i].slot);
    }
    free(all.set);
    free(all.event);
    memset(&all, 0, sizeof all);
}

/* ---- Estimates ----------------------------------------------------------------------------- */

/* Return the period after which the kernel rotates multiplexed event groups, in seconds. */
static double switch_seconds(void)
{
    double ms = 4; /* the kernel's default */
    int fd = gptl_descriptor_open("/sys/bus/event_source/devices/cpu/perf_event_mux_interval_ms",
                                  O_RDONLY, 0);
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (file && (fscanf(file, "%lf", &ms) != 1 || !(ms > 0)))
        ms = 4;
    if (file)
        fclose(file);
    return ms * 1e-3;
}

/*
 * Return the time for ten rotations of each event: then its sample is representative. The estimate
 * assumes that each event counts alone.
 */
double gptl_events_least_seconds(const struct event_set *set)
{
    enum { TURNS = 10 };
    return set->multiplex ? TURNS * set->n * switch_seconds() : 0;
}
