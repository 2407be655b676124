/*
 * papi.h - what the counters need of PAPI, and nothing of its types: papi.c has it from libpapi,
 * which is loaded when an event is asked for; none.c says that the library was built without.
 *
 * All but gptl_papi_read and gptl_papi_time are called with the core's lock held.
 */
#ifndef GPTL_COUNTERS_PAPI_H
#define GPTL_COUNTERS_PAPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/core.h"

enum { PAPI_WHY_SIZE = 512, PAPI_NAME_SIZE = 1024 };

struct papi_event {
    int code, component;
    char name[PAPI_NAME_SIZE], description[PAPI_NAME_SIZE], unit[64];
};

/* Loads and starts PAPI, in a forked child anew. False: WHY tells why not. */
bool gptl_papi_begin(char *why, size_t whysize);
/* Whether the program has not shut PAPI down meanwhile: then PAPI reads memory that it gave back. */
bool gptl_papi_is_on(void);
/* "7.0.0", once it has begun. */
const char *gptl_papi_version(void);

/* The event of this name, or number. False: WHY tells why it cannot be counted. */
bool gptl_papi_find(const char *name, struct papi_event *out, char *why, size_t whysize);
bool gptl_papi_find_code(int code, struct papi_event *out, char *why, size_t whysize);
/* Only what a number is called, also if it cannot be counted here. */
bool gptl_papi_name_of(int code, char *name, size_t size);
bool gptl_papi_code_of(const char *name, int *code);

/* The names of all events, with attributes where they need one, for as long as SEE returns true. */
void gptl_papi_each_name(bool (*see)(void *arg, const char *name), void *arg);

const char *gptl_papi_component(int component);
/* What the component's events count, EVENT being the name of one. */
enum gptl_scope gptl_papi_scope(int component, const char *event);

enum papi_result {
    PAPI_COUNTS,   /* … */
    PAPI_CONFLICT, /* these events cannot be counted at the same time */
    PAPI_FAILED
};

/*
 * Begins to count N events of a component for the calling thread; *SET is what gptl_papi_read and
 * gptl_papi_close take. MULTIPLEX: in turn.
 */
enum papi_result gptl_papi_open(int component, const int *codes, uint32_t n, bool multiplex,
                                int *set, char *why, size_t whysize);
/* Not in a forked child for what its parent opened. */
void gptl_papi_close(int set);
/* The calling thread will not count any more. */
void gptl_papi_thread_ends(void);

/* NULL, or why it cannot be read any more. errno is left as it is. */
const char *gptl_papi_read(int set, long long *values);

/* The same at once: 0, or another number, and then errno may be another. */
gptl_direct_read *gptl_papi_reader(void);
/* What that means, before errno changes. */
const char *gptl_papi_why_lost(int set, int rc);

/* Nanoseconds since some moment; after gptl_papi_begin. */
uint64_t gptl_papi_time(void);

#endif
