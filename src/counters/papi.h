/*
 * papi.h - the counters' interface to PAPI, without PAPI's types. papi.c implements it with
 * libpapi, which is loaded when an event is requested; none.c implements it for builds without
 * PAPI.
 *
 * Callers hold the core's lock, except for gptl_papi_read and gptl_papi_time.
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

/* Load and start PAPI, and start it again in a forked child. Return false with a reason in WHY. */
bool gptl_papi_begin(char *why, size_t whysize);
/*
 * Return whether PAPI still runs. After the program has shut PAPI down, PAPI would read freed
 * memory.
 */
bool gptl_papi_is_on(void);
/* Return the version, for instance "7.0.0", after a successful start. */
const char *gptl_papi_version(void);

/* Look up an event by name or by code. Return false, with a reason in WHY, if it is uncountable. */
bool gptl_papi_find(const char *name, struct papi_event *out, char *why, size_t whysize);
bool gptl_papi_find_code(int code, struct papi_event *out, char *why, size_t whysize);
/* Translate a code to a name or a name to a code, even if the event cannot be counted here. */
bool gptl_papi_name_of(int code, char *name, size_t size);
bool gptl_papi_code_of(const char *name, int *code);

/*
 * Call SEE for the names of all events until it returns false. Events that require an attribute
 * include it.
 */
void gptl_papi_each_name(bool (*see)(void *arg, const char *name), void *arg);

const char *gptl_papi_component(int component);
/* Return the scope of the component's events; EVENT is the name of one of them. */
enum gptl_scope gptl_papi_scope(int component, const char *event);

enum papi_result {
    PAPI_COUNTS,
    PAPI_CONFLICT, /* these events cannot be counted at the same time */
    PAPI_FAILED
};

/*
 * Start counting N events of a component for the calling thread; *SET is the handle for
 * gptl_papi_read and gptl_papi_close. MULTIPLEX: time-share the counters.
 */
enum papi_result gptl_papi_open(int component, const int *codes, uint32_t n, bool multiplex,
                                int *set, char *why, size_t whysize);
/* Stop and release a set. Do not call this in a forked child for a set that its parent opened. */
void gptl_papi_close(int set);
/* Declare that the calling thread stops counting for good. */
void gptl_papi_thread_ends(void);

/* Read the values; NULL, or the reason why the set is unreadable. errno is preserved. */
const char *gptl_papi_read(int set, long long *values);

/* Return a direct read function: it returns 0, or an error code and may change errno. */
gptl_direct_read *gptl_papi_reader(void);
/* Explain such an error code; call this before errno changes. */
const char *gptl_papi_why_lost(int set, int rc);

/* Return nanoseconds since an arbitrary origin; valid after gptl_papi_begin. */
uint64_t gptl_papi_time(void);

#endif
