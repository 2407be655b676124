/* derived.h - the derived events that the library knows. */
#ifndef GPTL_COUNTERS_DERIVED_H
#define GPTL_COUNTERS_DERIVED_H

struct derived {
    int number; /* as GPTLsetoption takes it */
    const char *name, *description;
    const char *expression[2]; /* "" if there is no second */
};

/* Found by the name, in any case of letters, or by the number; or NULL. */
const struct derived *gptl_derived_find(const char *name);
const struct derived *gptl_derived_of(int number);

#endif
