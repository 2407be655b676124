/* avail.h - what `gptl avail` finds out: which events count here. */
#ifndef GPTL_POSTPROC_AVAIL_H
#define GPTL_POSTPROC_AVAIL_H

#include <stdbool.h>
#include <stddef.h>

#include "core/core.h"
#include "report/out.h"

enum avail_state {
    AVAIL_COUNTS, /* VALUE is what it was after LOAD */
    AVAIL_ZERO,   /* starts without error, and no load moves it */
    AVAIL_CANNOT  /* WHY tells why it does not start */
};
enum { AVAIL_STATES = 3 };

struct avail_event {
    char *name;
    bool listed; /* by PAPI, without being asked for it */
    bool wanted; /* else it was tried because something is derived from it */
    bool tried;
    enum avail_state state;
    enum gptl_scope scope;
    long long value;
    const char *load;
    const char *component; /* that counts it; "unknown" where that cannot be told */
    char *description, *why;
};

struct avail_derived {
    const char *name, *description;
    const char *expression; /* the one that can be computed; otherwise the first */
    bool can;
    char why[128]; /* which event is missing */
};

struct avail {
    struct avail_event *event;
    size_t n, size;
    struct avail_derived *derived;
    size_t nderived;
    bool no_memory;
};

/* The event of this name, which is added if it is new; NULL when there is no memory. */
struct avail_event *avail_event(struct avail *avail, const char *name, size_t length);
bool avail_is_preset(const struct avail_event *event);
/* Finds out its state, unless that is known. */
void avail_try(struct avail *avail, struct avail_event *event);
/* Which derived events can be computed, of those that MATCHES wants. */
void avail_derive(struct avail *avail, bool (*matches)(const char *name, const char *pattern),
                  const char *pattern);
void avail_free(struct avail *avail);

/* ---- Loads --------------------------------------------------------------------------------- */

/* What a program may do that is counted, each for a part of a millisecond. */
struct avail_load {
    const char *what;
    void (*run)(void);
    bool slow; /* only for what others may count for this process */
};
/* The I-th, NULL past the last. */
const struct avail_load *avail_load(size_t i);

/* ---- What it prints ------------------------------------------------------------------------ */

void avail_text(struct gptl_out *out, const struct avail *avail);
void avail_json(struct gptl_out *out, const struct avail *avail);
/* "counts", "reads 0", "cannot start". */
const char *avail_state(enum avail_state state);

#endif
