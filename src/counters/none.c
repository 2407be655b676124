/* none.c - replaces papi.c in a library built without PAPI's headers. */
#include "config.h"

#include <stdio.h>

#include "counters/papi.h"

bool gptl_papi_begin(char *why, size_t whysize)
{
    snprintf(why, whysize, "this library was built without PAPI");
    return false;
}

const char *gptl_papi_version(void)
{
    return "";
}

bool gptl_papi_find(const char *name, struct papi_event *out, char *why, size_t whysize)
{
    (void)name;
    (void)out;
    return gptl_papi_begin(why, whysize);
}

bool gptl_papi_find_code(int code, struct papi_event *out, char *why, size_t whysize)
{
    (void)code;
    (void)out;
    return gptl_papi_begin(why, whysize);
}

bool gptl_papi_name_of(int code, char *name, size_t size)
{
    (void)code;
    (void)name;
    (void)size;
    return false;
}

bool gptl_papi_code_of(const char *name, int *code)
{
    (void)name;
    (void)code;
    return false;
}

void gptl_papi_each_name(bool (*see)(void *arg, const char *name), void *arg)
{
    (void)see;
    (void)arg;
}

const char *gptl_papi_component(int component)
{
    (void)component;
    return "";
}

enum gptl_scope gptl_papi_scope(int component, const char *event)
{
    (void)component;
    (void)event;
    return GPTL_SCOPE_THREAD;
}

enum papi_result gptl_papi_open(int component, const int *codes, uint32_t n, bool multiplex,
                                int *set, char *why, size_t whysize)
{
    (void)component;
    (void)codes;
    (void)n;
    (void)multiplex;
    (void)set;
    gptl_papi_begin(why, whysize);
    return PAPI_FAILED;
}

void gptl_papi_close(int set)
{
    (void)set;
}

void gptl_papi_thread_ends(void) {}

const char *gptl_papi_read(int set, long long *values)
{
    (void)set;
    (void)values;
    return "";
}

gptl_direct_read *gptl_papi_reader(void)
{
    return NULL;
}

const char *gptl_papi_why_lost(int set, int rc)
{
    (void)set;
    (void)rc;
    return "";
}

uint64_t gptl_papi_time(void)
{
    return 0;
}
