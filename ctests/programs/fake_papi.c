/*
 * fake_papi.c - a libpapi with two counters, whose events A, B, C, D occur 1000 times per reading.
 * Multiplexed counts decrease at every other reading, as estimates may. M is machine-wide. With
 * FAKE_VERSION=old it is another release.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <papi.h>

enum { EVENTS = 5, SETS = 4096, HARDWARE = 2 };

static const char names[EVENTS][2] = {"A", "B", "C", "D", "M"};
static struct {
    int used, component, multiplex, n, code[EVENTS];
    long long reads;
} sets[SETS];
static int initialized;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int PAPI_library_init(int version)
{
    initialized = 1;
    return getenv("FAKE_VERSION") ? PAPI_VERSION_NUMBER(4, 2, 0, 0) : version;
}

int PAPI_is_initialized(void)
{
    return initialized;
}

int PAPI_thread_init(unsigned long (*id)(void))
{
    return id ? PAPI_OK : PAPI_EINVAL;
}

int PAPI_register_thread(void)
{
    return PAPI_OK;
}

int PAPI_unregister_thread(void)
{
    return PAPI_OK;
}

int PAPI_multiplex_init(void)
{
    return PAPI_OK;
}

char *PAPI_strerror(int error)
{
    static char text[32];
    snprintf(text, sizeof text, "fake error %d", error);
    return text;
}

int PAPI_event_name_to_code(const char *name, int *code)
{
    for (int i = 0; i < EVENTS; i++)
        if (strcmp(name, names[i]) == 0) {
            *code = (int)PAPI_NATIVE_MASK + i;
            return PAPI_OK;
        }
    return PAPI_ENOEVNT;
}

int PAPI_event_code_to_name(int code, char *name)
{
    int i = code - (int)PAPI_NATIVE_MASK;
    if (i < 0 || i >= EVENTS)
        return PAPI_ENOEVNT;
    strcpy(name, names[i]);
    return PAPI_OK;
}

int PAPI_query_event(int code)
{
    return code < 0 ? PAPI_ENOEVNT : PAPI_OK;
}

int PAPI_get_event_info(int code, PAPI_event_info_t *info)
{
    info->event_code = (unsigned)code;
    strcpy(info->units, "units");
    return PAPI_OK;
}

int PAPI_get_event_component(int code)
{
    return code == (int)PAPI_NATIVE_MASK + 4;
}

const PAPI_component_info_t *PAPI_get_component_info(int component)
{
    static PAPI_component_info_t info[2];
    strcpy(info[0].name, "perf_event");
    strcpy(info[1].name, "rapl");
    return &info[component];
}

int PAPI_num_components(void)
{
    return 2;
}

int PAPI_enum_event(int *code, int modifier)
{
    return code && modifier ? PAPI_ENOEVNT : PAPI_ENOEVNT;
}

int PAPI_enum_cmp_event(int *code, int modifier, int component)
{
    if (modifier == PAPI_ENUM_FIRST)
        return component == 0 ? PAPI_OK : PAPI_ENOEVNT;
    return ++*code < (int)PAPI_NATIVE_MASK + 4 ? PAPI_OK : PAPI_ENOEVNT;
}

int PAPI_create_eventset(int *set)
{
    pthread_mutex_lock(&lock);
    int i = 0;
    while (sets[i].used)
        i++;
    memset(&sets[i], 0, sizeof sets[i]);
    sets[i].used = 1;
    *set = i;
    pthread_mutex_unlock(&lock);
    return PAPI_OK;
}

int PAPI_assign_eventset_component(int set, int component)
{
    sets[set].component = component;
    return PAPI_OK;
}

int PAPI_set_multiplex(int set)
{
    sets[set].multiplex = 1;
    return PAPI_OK;
}

int PAPI_add_event(int set, int code)
{
    if (sets[set].n == HARDWARE && !sets[set].multiplex)
        return PAPI_ECNFLCT;
    sets[set].code[sets[set].n++] = code;
    return PAPI_OK;
}

int PAPI_start(int set)
{
    return sets[set].n ? PAPI_OK : PAPI_EINVAL;
}

int PAPI_stop(int set, long long *values)
{
    return set >= 0 && !values ? PAPI_OK : PAPI_EINVAL;
}

int PAPI_read(int set, long long *values)
{
    sets[set].reads++;
    for (int i = 0; i < sets[set].n; i++) {
        values[i] = 1000 * sets[set].reads;
        if (sets[set].multiplex && sets[set].reads % 2)
            values[i] = 1000000 - values[i];
    }
    return PAPI_OK;
}

int PAPI_cleanup_eventset(int set)
{
    sets[set].n = 0;
    return PAPI_OK;
}

int PAPI_destroy_eventset(int *set)
{
    sets[*set].used = 0;
    return PAPI_OK;
}

long long PAPI_get_real_nsec(void)
{
    return 0;
}
