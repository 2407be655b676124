/* derived.h - the predefined derived events. */
#ifndef GPTL_COUNTERS_DERIVED_H
#define GPTL_COUNTERS_DERIVED_H

struct derived {
    int number; /* number for GPTLsetoption */
    const char *name, *description;
    const char *expression[2]; /* "" without an alternative */
};

/* Find a derived event by name, ignoring case, or by number; NULL if it is unknown. */
const struct derived *gptl_derived_find(const char *name);
const struct derived *gptl_derived_of(int number);
/* Return derived event I, or NULL past the last. */
const struct derived *gptl_derived_at(int i);

#endif
