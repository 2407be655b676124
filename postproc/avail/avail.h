/* avail.h - data of `gptl avail`: which events count on this machine. */
#ifndef GPTL_POSTPROC_AVAIL_H
#define GPTL_POSTPROC_AVAIL_H

#include <stdbool.h>
#include <stddef.h>

#include "core/core.h"
#include "report/out.h"

enum avail_state {
    AVAIL_COUNTS, /* VALUE is the count after LOAD */
    AVAIL_ZERO,   /* starts without error, but no load changes it */
    AVAIL_CANNOT  /* does not start; WHY is the reason */
};
enum { AVAIL_STATES = 3 };

struct avail_event {
    char *name;
    bool listed; /* listed by PAPI */
    bool wanted; /* selected by the user; otherwise tried for a derived event */
    bool tried;
    enum avail_state state;
    enum gptl_scope scope;
    long long value;
    const char *load;
    const char *component; /* component that counts it; "unknown" if undetermined */
    char *description, *why;
};

struct avail_derived {
    const char *name, *description;
    const char *expression; /* the computable expression, or the first one */
    bool can;
    char why[128]; /* the missing event */
};

struct avail {
    struct avail_event *event;
    size_t n, size;
    struct avail_derived *derived;
    size_t nderived;
    bool no_memory;
};

/* Return the event named NAME, adding it if new; NULL if out of memory. */
struct avail_event *avail_event(struct avail *avail, const char *name, size_t length);
bool avail_is_preset(const struct avail_event *event);
/* Determine the state of EVENT unless it is known. */
void avail_try(struct avail *avail, struct avail_event *event);
/* Determine which derived events selected by MATCHES can be computed. */
void avail_derive(struct avail *avail, bool (*matches)(const char *name, const char *pattern),
                  const char *pattern);
void avail_free(struct avail *avail);

/* ---- Loads --------------------------------------------------------------------------------- */

/* An activity that events may count; runs a fraction of a millisecond. */
struct avail_load {
    const char *what;
    void (*run)(void);
    bool slow; /* only for events that are not counted per thread */
};
/* Return load I, or NULL after the last. */
const struct avail_load *avail_load(size_t i);

/* ---- Output -------------------------------------------------------------------------------- */

void avail_text(struct gptl_out *out, const struct avail *avail);
void avail_json(struct gptl_out *out, const struct avail *avail);
/* Return "counts", "reads 0" or "cannot start". */
const char *avail_state(enum avail_state state);

#endif
