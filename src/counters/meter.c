/*
 * meter.c - the event sets of threads: opened at a thread's first start, read at each start and
 * stop, closed at thread exit.
 *
 * An event of process or machine scope has one set in the process, owned by the first thread. Sets
 * in several threads would count the same events, compete for counters, and with software-defined
 * events restart whenever one of them starts.
 */
#include "config.h"

#include "counters/meter.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "counters/derived.h"
#include "counters/events.h"
#include "counters/plan.h"
#include "counters/requests.h"

/* ---- Process and machine scope --------------------------------------------------------------- */

enum { COMPONENTS = 64 };

static struct {
    bool open;
    int set;
    uint32_t n;
} shared[COMPONENTS]; /* indexed by component */
static pthread_t shared_owner;
static bool has_shared;

static enum papi_result open_shared(const struct event_set *set, char *why, size_t whysize)
{
    if (set->component < 0 || set->component >= COMPONENTS)
        return PAPI_FAILED;
    if (shared[set->component].open && shared[set->component].n == set->n)
        return PAPI_COUNTS;
    int opened;
    if (shared[set->component].open)
        gptl_papi_close(shared[set->component].set);
    enum papi_result result =
        gptl_papi_open(set->component, set->code, set->n, set->multiplex, &opened, why, whysize);
    shared[set->component].open = result == PAPI_COUNTS;
    shared[set->component].set = opened;
    shared[set->component].n = set->n;
    shared_owner = pthread_self();
    has_shared = true;
    return result;
}

static const char *read_shared(int component, long long *values, uint32_t n)
{
    const char *why = NULL;
    gptl_core_lock();
    if (shared[component].open && shared[component].n == n)
        why = gptl_papi_read(shared[component].set, values);
    gptl_core_unlock();
    return why;
}

static void close_shared(bool own)
{
    for (int i = 0; i < COMPONENTS; i++) {
        if (shared[i].open && own)
            gptl_papi_close(shared[i].set);
        shared[i].open = false;
    }
    has_shared = false;
}

/* ---- Thread scope ---------------------------------------------------------------------------- */

struct opened {
    struct opened *next, **link; /* in ALL_OPENED */
    /* generation of this process: sets opened by a parent are not usable */
    uint32_t life;
    uint32_t nsets;
    struct {
        int id;            /* handle of the set */
        int component;     /* component of a shared set, or -1 */
        bool lost;         /* became unreadable */
        uint32_t n, first; /* size, and index of the first value in LAST */
        uint32_t *slot;    /* slot of each value */
    } * set;
    long long *last; /* last values, kept when a set becomes unreadable */
    uint32_t *slots;
};

static uint32_t life;
/*
 * Global list, so that leak checkers find the sets: memory referenced only from thread-local
 * storage would be reported as lost.
 */
static struct opened *all_opened;

static void free_opened(struct opened *opened)
{
    if (opened->link)
        *opened->link = opened->next;
    if (opened->next)
        opened->next->link = opened->link;
    free(opened->set);
    free(opened->last);
    free(opened->slots);
    free(opened);
}

static struct opened *new_opened(const struct events *all)
{
    struct opened *opened = calloc(1, sizeof *opened);
    if (!opened)
        return NULL;
    opened->life = life;
    opened->set = calloc(all->nsets + 1, sizeof *opened->set);
    opened->last = calloc((size_t)all->n + 1, sizeof *opened->last);
    opened->slots = calloc((size_t)all->n + 1, sizeof *opened->slots);
    if (opened->set && opened->last && opened->slots) {
        opened->next = all_opened;
        opened->link = &all_opened;
        if (opened->next)
            opened->next->link = &opened->next;
        all_opened = opened;
        return opened;
    }
    free_opened(opened);
    return NULL;
}

static void *open_meter(void)
{
    static bool told;
    const struct events *all = gptl_events();
    struct opened *opened = new_opened(all);
    uint32_t first = 0;
    for (uint32_t i = 0; opened && i < all->nsets; i++) {
        const struct event_set *from = &all->set[i];
        char why[PAPI_WHY_SIZE] = "there is no counter left for it";
        if (from->n == 0)
            continue;
        bool is_shared = from->scope != GPTL_SCOPE_THREAD;
        int id = -1;
        enum papi_result result = is_shared ? open_shared(from, why, sizeof why)
                                            : gptl_papi_open(from->component, from->code, from->n,
                                                             from->multiplex, &id, why, sizeof why);
        if (result != PAPI_COUNTS) {
            if (!told)
                gptl_core_error("counters", "a thread counts no events of %s: %s",
                                gptl_papi_component(from->component), why);
            told = true;
            for (uint32_t k = 0; k < from->n; k++)
                gptl_core_lost(from->slot[k]);
            continue;
        }
        memcpy(opened->slots + first, from->slot, from->n * sizeof *from->slot);
        opened->set[opened->nsets].id = id;
        opened->set[opened->nsets].component = is_shared ? from->component : -1;
        opened->set[opened->nsets].n = from->n;
        opened->set[opened->nsets].first = first;
        opened->set[opened->nsets++].slot = opened->slots + first;
        first += from->n;
    }
    return opened;
}

/* ---- Unreadable events ----------------------------------------------------------------------- */

static atomic_bool told;

static void say_lost(const char *event, const char *why)
{
    if (!atomic_exchange(&told, true))
        gptl_core_error("counters", "%s cannot be read any more: %s", event, why);
}

/* Mark N slots of the events as lost. */
static void lose(const uint32_t *slot, uint32_t n, const char *why)
{
    gptl_core_lock();
    for (uint32_t i = 0; i < n; i++)
        gptl_core_lost(slot[i]);
    if (n && slot[0] < gptl_events()->n)
        say_lost(gptl_events()->event[slot[0]].name, why);
    gptl_core_unlock();
}

/* Mark all events of a thread with one set as lost. */
static void lost(int number, int rc)
{
    if (atomic_load_explicit(&told, memory_order_relaxed))
        return;
    const char *why = gptl_papi_why_lost(number, rc);
    gptl_core_lock();
    for (uint32_t i = 0; i < gptl_events()->n; i++)
        lose(&i, 1, why);
    gptl_core_unlock();
}

static void read_meter(void *argument, int64_t *values)
{
    struct opened *opened = argument;
    for (uint32_t i = 0; i < opened->nsets; i++) {
        long long *last = opened->last + opened->set[i].first;
        const uint32_t *slot = opened->set[i].slot;
        uint32_t n = opened->set[i].n;
        const char *why = opened->set[i].component < 0
                              ? gptl_papi_read(opened->set[i].id, last)
                              : read_shared(opened->set[i].component, last, n);
        if (why && !opened->set[i].lost)
            lose(slot, n, why);
        opened->set[i].lost |= why != NULL;
        for (uint32_t k = 0; k < n; k++)
            values[slot[k]] = last[k];
    }
}

/* Return the direct reader in the usual case: one set of the thread contains all events. */
static gptl_direct_read *direct(void *argument, int *number)
{
    const struct opened *opened = argument;
    uint32_t n = gptl_events()->n;
    if (opened->nsets != 1 || opened->set[0].component >= 0 || opened->set[0].n != n)
        return NULL;
    for (uint32_t k = 0; k < n; k++)
        if (opened->set[0].slot[k] != k)
            return NULL;
    *number = opened->set[0].id;
    return gptl_papi_reader();
}

/*
 * Close a thread's sets. PAPI's data of the thread stays until thread exit, because the program may
 * use PAPI as well.
 */
static void close_meter(void *argument, bool exits)
{
    struct opened *opened = argument;
    if (opened->life == life) {
        for (uint32_t i = 0; i < opened->nsets; i++)
            if (opened->set[i].component < 0)
                gptl_papi_close(opened->set[i].id);
        if (exits && (!has_shared || !pthread_equal(shared_owner, pthread_self())))
            gptl_papi_thread_ends();
    }
    free_opened(opened);
}

/* ---- Requests -------------------------------------------------------------------------------- */

static int set(const char *function, int number, bool on)
{
    char why[PAPI_WHY_SIZE];
    static struct papi_event event; /* static because it is large; the lock is held */
    const struct derived *derived = gptl_derived_of(number);
    const char *name = derived ? derived->name : event.name;
    if (on && derived && !gptl_plan_can_derive(derived, why, sizeof why))
        return gptl_core_error(function, "%s cannot be counted: %s", name, why);
    if (!derived && !gptl_papi_find_code(number, &event, why, sizeof why)) {
        if (!gptl_papi_name_of(number, event.name, sizeof event.name))
            return gptl_core_error(function, "the event %d cannot be counted: %s", number, why);
        return gptl_core_error(function, "%s cannot be counted: %s", name, why);
    }
    if (gptl_requests_set(name, on))
        return 0;
    return gptl_core_error(function, "no memory for the event %s", name);
}

static void forked(void)
{
    atomic_store(&told, false);
    life++;
    close_shared(false);
    gptl_plan_forget();
}

static void end(void)
{
    atomic_store(&told, false);
    close_shared(true);
    gptl_plan_forget();
    gptl_requests_forget();
}

const struct gptl_meter gptl_counters_meter = {
    .wanted = gptl_requests_revision,
    .plan = gptl_plan_make,
    .open = open_meter,
    .read = read_meter,
    .close = close_meter,
    .direct = direct,
    .lost = lost,
    .set = set,
    .forked = forked,
    .end = end,
};
