/* derived.c - the predefined derived events: derived.def as a table. */
#include "config.h"

#include "counters/derived.h"

#include <stddef.h>
#include <strings.h>

#include "gptl.h"

static const struct derived table[] = {
#define DERIVED(name, description, expression, second)                                             \
    {GPTL_##name, "GPTL_" #name, description, {expression, second}},
#include "counters/derived.def"
#undef DERIVED
};

enum { N = sizeof table / sizeof *table };

const struct derived *gptl_derived_find(const char *name)
{
    for (int i = 0; i < N; i++)
        if (strcasecmp(name, table[i].name) == 0)
            return &table[i];
    return NULL;
}

const struct derived *gptl_derived_of(int number)
{
    for (int i = 0; i < N; i++)
        if (table[i].number == number)
            return &table[i];
    return NULL;
}

const struct derived *gptl_derived_at(int i)
{
    return i < N ? &table[i] : NULL;
}
