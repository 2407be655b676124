/*
 * requests.c - the requested events: first the ones of the option counters, then the ones set by
 * the program.
 */
#include "config.h"

#include "counters/requests.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"

static struct {
    char **name;
    uint32_t n, capacity;
} set;
static uint32_t changes;

static uint32_t hash(uint32_t h, const char *text)
{
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 16777619u;
    return h;
}

uint32_t gptl_requests_revision(void)
{
    const char *counters = gptl_core_string(GPTL_STR_COUNTERS);
    const char *derive = gptl_core_string(GPTL_STR_DERIVE);
    if (!*counters && !*derive && set.n == 0)
        return 0;
    uint32_t h = hash(hash(2166136261u + changes, counters) * 3, derive) +
                 (uint32_t)gptl_core_option(GPTL_OPT_MULTIPLEX);
    return h ? h : 1;
}

bool gptl_requests_set(const char *name, bool on)
{
    uint32_t i = 0;
    while (i < set.n && strcmp(set.name[i], name) != 0)
        i++;
    changes++;
    if (!on && i < set.n) {
        free(set.name[i]);
        memmove(&set.name[i], &set.name[i + 1], (--set.n - i) * sizeof *set.name);
    }
    if (!on || i < set.n)
        return true;
    if (set.n == set.capacity) {
        uint32_t capacity = set.capacity ? 2 * set.capacity : 16;
        char **names = realloc(set.name, capacity * sizeof *names);
        if (!names)
            return false;
        set.name = names;
        set.capacity = capacity;
    }
    set.name[set.n] = strdup(name);
    return set.name[set.n] && ++set.n;
}

void gptl_requests_forget(void)
{
    for (uint32_t i = 0; i < set.n; i++)
        free(set.name[i]);
    free(set.name);
    memset(&set, 0, sizeof set);
    changes++;
}

/* Names are separated by commas; surrounding blanks are ignored. */
void gptl_requests_each(void (*see)(void *arg, const char *name), void *arg)
{
    char *list = strdup(gptl_core_string(GPTL_STR_COUNTERS)), *rest = list, *name;
    while (list && (name = strsep(&rest, ","))) {
        while (isspace((unsigned char)*name))
            name++;
        size_t n = strlen(name);
        while (n > 0 && isspace((unsigned char)name[n - 1]))
            name[--n] = '\0';
        if (n > 0)
            see(arg, name);
    }
    free(list);
    for (uint32_t i = 0; i < set.n; i++)
        see(arg, set.name[i]);
}
