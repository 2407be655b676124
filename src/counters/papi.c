/* papi.c - loads and starts libpapi, and looks up its events. */
#include "config.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "counters/descriptors.h"
#include "counters/library.h"
#include "counters/nearest.h"
#include "counters/papi.h"
#include "counters/perf.h"
#include "symbols/library.h"

struct gptl_papi gptl_papi;
bool gptl_papi_is_guest;

static struct {
    bool loaded;
    pid_t pid; /* process that started PAPI, 0: none */
    char version[32];
} state;

/* ---- The library --------------------------------------------------------------------------- */

/*
 * Load libpapi in the version of its headers: PAPI's interface may change in any release.
 */
static bool load(char *why, size_t whysize)
{
    char name[64];
    snprintf(name, sizeof name, "libpapi.so.%d.%d", PAPI_VERSION_MAJOR(PAPI_VERSION),
             PAPI_VERSION_MINOR(PAPI_VERSION));
    void *library = NULL;
#ifdef PAPI_FOLDER
    char path[sizeof PAPI_FOLDER + sizeof name];
    snprintf(path, sizeof path, "%s%s", PAPI_FOLDER, name);
    library = gptl_library_open(path);
#endif
    if (!library)
        library = gptl_library_open(name);
    if (!library)
        library = gptl_library_open("libpapi.so");
    if (!library) {
        snprintf(
            why, whysize,
            "there is no %s where this program runs; install PAPI %d.%d, or name its folder in "
            "LD_LIBRARY_PATH",
            name, PAPI_VERSION_MAJOR(PAPI_VERSION), PAPI_VERSION_MINOR(PAPI_VERSION));
        return false;
    }
#define FIND(function)                                                                             \
    *(void **)&gptl_papi.function = gptl_library_find(library, "PAPI_" #function);                 \
    if (!gptl_papi.function) {                                                                     \
        snprintf(why, whysize,                                                                     \
                 "%s has no PAPI_" #function ": it is not the PAPI %d.%d that this "               \
                 "library was built for",                                                          \
                 name, PAPI_VERSION_MAJOR(PAPI_VERSION), PAPI_VERSION_MINOR(PAPI_VERSION));        \
        return false;                                                                              \
    }
    GPTL_PAPI_FUNCTIONS(FIND)
#undef FIND
    gptl_descriptors_raise(gptl_library_find(library, "PAPI_read"));
    return true;
}

static unsigned long thread_id(void)
{
    return (unsigned long)pthread_self();
}

static bool start(char *why, size_t whysize)
{
    enum { FILES = 4 }; /* PAPI exits if it cannot open this many files */
    if (!gptl_perf_has_files(FILES, why, whysize))
        return false;
    gptl_papi_is_guest = state.pid == 0 && gptl_papi.is_initialized() != PAPI_NOT_INITED;
    int version = gptl_papi.library_init(PAPI_VER_CURRENT);
    if (version != PAPI_VER_CURRENT) {
        if (version > 0)
            snprintf(why, whysize,
                     "libpapi is of version %d.%d, and this library was built for %d.%d",
                     PAPI_VERSION_MAJOR(version), PAPI_VERSION_MINOR(version),
                     PAPI_VERSION_MAJOR(PAPI_VERSION), PAPI_VERSION_MINOR(PAPI_VERSION));
        else
            snprintf(why, whysize, "PAPI does not start: %s%s", gptl_papi.strerror(version),
                     version == PAPI_EINVAL
                         ? "; libpapi may be of another version than this library "
                           "was built for"
                         : "");
        return false;
    }
    if (!gptl_papi_is_guest)
        gptl_papi.thread_init(thread_id);
    state.pid = getpid();
    snprintf(state.version, sizeof state.version, "%d.%d.%d", PAPI_VERSION_MAJOR(PAPI_VERSION),
             PAPI_VERSION_MINOR(PAPI_VERSION), PAPI_VERSION_REVISION(PAPI_VERSION));
    return true;
}

/*
 * Start PAPI with a failure message preset: PAPI may call exit() during its initialization, and a
 * second start from an exit handler would deadlock.
 */
static bool start_once(char *failure, size_t size)
{
    snprintf(failure, size, "PAPI has ended the process as it started");
    bool started = start(failure, size);
    if (started)
        *failure = '\0';
    return started;
}

bool gptl_papi_is_on(void)
{
    return gptl_papi.is_initialized() != PAPI_NOT_INITED;
}

/*
 * Start PAPI. A failure is final. A forked child, or a program that has shut PAPI down, gets a new
 * start.
 */
bool gptl_papi_begin(char *why, size_t whysize)
{
    static char failure[PAPI_WHY_SIZE];
    bool begun = state.pid && state.pid == getpid() && gptl_papi_is_on();
    if (!begun && !*failure && (state.loaded || (state.loaded = load(failure, sizeof failure))))
        begun = start_once(failure, sizeof failure);
    if (begun) {
        gptl_papi.register_thread(); /* PAPI finds no names in an unregistered thread */
        return true;
    }
    snprintf(why, whysize, "%s", failure);
    return false;
}

const char *gptl_papi_version(void)
{
    return state.version;
}

uint64_t gptl_papi_time(void)
{
    return (uint64_t)gptl_papi.get_real_nsec();
}

/* ---- Components ---------------------------------------------------------------------------- */

const char *gptl_papi_component(int component)
{
    const PAPI_component_info_t *info = gptl_papi.get_component_info(component);
    return info ? info->name : "";
}

/*
 * Return the scope of a component's events by the component's name, because PAPI reports "thread"
 * for components that report nothing. Events of an unknown component are not summed over threads.
 */
enum gptl_scope gptl_papi_scope(int component, const char *event)
{
    static const char *const threads[] = {"perf_event", "perfctr", "perfmon", "perfmon2", "appio"};
    static const char *const processes[] = {"sde", "io"};
    const char *name = gptl_papi_component(component);
    if (strstr(event, ":cpu="))
        return GPTL_SCOPE_MACHINE;
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
        if (strcmp(name, threads[i]) == 0)
            return GPTL_SCOPE_THREAD;
    for (size_t i = 0; i < sizeof processes / sizeof *processes; i++)
        if (strcmp(name, processes[i]) == 0)
            return GPTL_SCOPE_PROCESS;
    return GPTL_SCOPE_MACHINE;
}

/* ---- Events -------------------------------------------------------------------------------- */

static bool is_preset(int code)
{
    return (unsigned)code & PAPI_PRESET_MASK && !((unsigned)code & PAPI_NATIVE_MASK);
}

/* Write the reason why the component named in an event name is disabled, or "" if it is enabled. */
static void why_disabled(const char *name, bool preset, char *why, size_t whysize)
{
    why[0] = '\0';
    for (int i = 0; i < gptl_papi.num_components(); i++) {
        const PAPI_component_info_t *info = gptl_papi.get_component_info(i);
        if (!info || !info->disabled)
            continue;
        size_t length = strlen(info->name);
        bool own = strncmp(name, info->name, length) == 0 && name[length] == ':';
        bool perf = strcmp(info->name, "perf_event") == 0;
        if (!own && !(perf && (preset || strncmp(name, "perf", 4) == 0)))
            continue;
        if (!perf || !gptl_perf_why_not(why, whysize))
            snprintf(why, whysize, "PAPI's component %s is switched off: %s", info->name,
                     info->disabled_reason);
    }
}

/* Return whether PAPI contains the component named by the first LENGTH characters of NAME. */
static bool has_component(const char *name, size_t length)
{
    for (int i = 0; i < gptl_papi.num_components(); i++) {
        const PAPI_component_info_t *info = gptl_papi.get_component_info(i);
        if (info && strlen(info->name) == length && strncmp(info->name, name, length) == 0)
            return true;
    }
    return false;
}

static void why_unknown(const char *name, char *why, size_t whysize)
{
    const char *colons = strstr(name, ":::");
    int length = colons && colons - name < 100 ? (int)(colons - name) : 0;
    why_disabled(name, false, why, whysize);
    if (!*why && length && !has_component(name, (size_t)length))
        snprintf(why, whysize, "the libpapi here was built without the component %.*s", length,
                 name);
    size_t n = strlen(why);
    char names[256];
    if (!gptl_nearest_names(name, names, sizeof names))
        snprintf(why + n, whysize - n, "%sPAPI %s knows no such event here", n ? "; " : "",
                 state.version);
    else
        snprintf(why + n, whysize - n, "%sPAPI %s knows no such event here; did you mean %s?",
                 n ? "; " : "", state.version, names);
}

bool gptl_papi_find(const char *name, struct papi_event *out, char *why, size_t whysize)
{
    int code;
    if (!gptl_papi_begin(why, whysize))
        return false;
    if (strstr(name, ":period=") || strstr(name, ":freq=")) {
        snprintf(why, whysize,
                 "with period= or freq= an event sends a signal now and then: leave that out");
        return false;
    }
    if (strlen(name) < PAPI_NAME_SIZE && gptl_papi.event_name_to_code(name, &code) == PAPI_OK)
        return gptl_papi_find_code(code, out, why, whysize);
    why_unknown(name, why, whysize);
    return false;
}

bool gptl_papi_find_code(int code, struct papi_event *out, char *why, size_t whysize)
{
    static PAPI_event_info_t info; /* static because it is large; the lock is held */
    if (!gptl_papi_begin(why, whysize))
        return false;
    if (!gptl_papi_name_of(code, out->name, sizeof out->name)) {
        snprintf(why, whysize, "PAPI %s knows no event of this number here", state.version);
        return false;
    }
    int rc = gptl_papi.query_event(code);
    if (rc != PAPI_OK) {
        why_disabled(out->name, is_preset(code), why, whysize);
        if (!*why && is_preset(code) && rc == PAPI_ENOEVNT)
            snprintf(why, whysize, "this processor has nothing that PAPI knows to count it with");
        else if (!*why)
            snprintf(why, whysize, "PAPI says: %s", gptl_papi.strerror(rc));
        return false;
    }
    memset(&info, 0, sizeof info);
    gptl_papi.get_event_info(code, &info);
    out->code = code;
    out->component = gptl_papi.get_event_component(code);
    snprintf(out->description, sizeof out->description, "%.*s", PAPI_NAME_SIZE - 1,
             *info.long_descr ? info.long_descr : info.short_descr);
    snprintf(out->unit, sizeof out->unit, "%.63s", info.units);
    return true;
}

bool gptl_papi_name_of(int code, char *name, size_t size)
{
    char text[PAPI_HUGE_STR_LEN] = "", why[PAPI_WHY_SIZE];
    if (!gptl_papi_begin(why, sizeof why) || gptl_papi.event_code_to_name(code, text) != PAPI_OK ||
        !*text)
        return false;
    snprintf(name, size, "%s", text);
    return true;
}

bool gptl_papi_code_of(const char *name, int *code)
{
    char why[PAPI_WHY_SIZE];
    return gptl_papi_begin(why, sizeof why) && strlen(name) < PAPI_NAME_SIZE &&
           gptl_papi.event_name_to_code(name, code) == PAPI_OK;
}

static bool see_code(int code, bool (*see)(void *, const char *), void *arg)
{
    char name[PAPI_HUGE_STR_LEN] = "";
    return gptl_papi.event_code_to_name(code, name) != PAPI_OK || see(arg, name);
}

/*
 * Report a native event. An event that requires an attribute is reported once per attribute without
 * a numeric value.
 */
static bool see_native(int code, int component, bool (*see)(void *, const char *), void *arg)
{
    char name[PAPI_HUGE_STR_LEN] = "";
    int same;
    if (gptl_papi.event_code_to_name(code, name) != PAPI_OK)
        return true;
    if (gptl_papi.event_name_to_code(name, &same) == PAPI_OK ||
        gptl_papi.enum_cmp_event(&code, PAPI_NTV_ENUM_UMASKS, component) != PAPI_OK)
        return see(arg, name);
    do
        if (gptl_papi.event_code_to_name(code, name) == PAPI_OK && !strchr(name, '=') &&
            !see(arg, name))
            return false;
    while (gptl_papi.enum_cmp_event(&code, PAPI_NTV_ENUM_UMASKS, component) == PAPI_OK);
    return true;
}

void gptl_papi_each_name(bool (*see)(void *arg, const char *name), void *arg)
{
    int code = (int)PAPI_PRESET_MASK;
    if (gptl_papi.enum_event(&code, PAPI_ENUM_FIRST) == PAPI_OK)
        do
            if (!see_code(code, see, arg))
                return;
        while (gptl_papi.enum_event(&code, PAPI_ENUM_EVENTS) == PAPI_OK);
    for (int i = 0; i < gptl_papi.num_components(); i++) {
        const PAPI_component_info_t *info = gptl_papi.get_component_info(i);
        code = (int)PAPI_NATIVE_MASK;
        if (!info || info->disabled ||
            gptl_papi.enum_cmp_event(&code, PAPI_ENUM_FIRST, i) != PAPI_OK)
            continue;
        do
            if (!see_native(code, i, see, arg))
                return;
        while (gptl_papi.enum_cmp_event(&code, PAPI_ENUM_EVENTS, i) == PAPI_OK);
    }
}
