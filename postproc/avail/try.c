/*
 * try.c - counts an event while a load should increment it. A successful start does not prove that
 * an event counts: emulators and hypervisors accept events that they never count.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/derived.h"
#include "counters/expression.h"
#include "counters/papi.h"
#include "postproc/avail/avail.h"

struct avail_event *avail_event(struct avail *avail, const char *name, size_t length)
{
    for (size_t i = 0; i < avail->n; i++)
        if (strlen(avail->event[i].name) == length &&
            memcmp(avail->event[i].name, name, length) == 0)
            return &avail->event[i];
    char *copy = strndup(name, length);
    if (copy && avail->n == avail->size) {
        size_t size = avail->size ? 2 * avail->size : 256;
        struct avail_event *event = reallocarray(avail->event, size, sizeof *event);
        if (event) {
            avail->event = event;
            avail->size = size;
        }
    }
    if (!copy || avail->n == avail->size) {
        free(copy);
        avail->no_memory = true;
        return NULL;
    }
    avail->event[avail->n] = (struct avail_event){.name = copy, .component = ""};
    return &avail->event[avail->n++];
}

static void free_event(struct avail_event *event)
{
    free(event->name);
    free(event->description);
    free(event->why);
}

void avail_free(struct avail *avail)
{
    for (size_t i = 0; i < avail->n; i++)
        free_event(&avail->event[i]);
    free(avail->event);
    free(avail->derived);
    *avail = (struct avail){0};
}

bool avail_is_preset(const struct avail_event *event)
{
    return strncmp(event->name, "PAPI_", 5) == 0;
}

/* ---- One event ----------------------------------------------------------------------------- */

static void keep(struct avail *avail, char **to, const char *text)
{
    *to = strdup(text);
    avail->no_memory |= !*to;
}

/* Run loads until one increments the event. */
static void move(struct avail_event *event, int set)
{
    bool readable = true;
    const struct avail_load *load;
    for (size_t i = 0; readable && event->value == 0 && (load = avail_load(i)); i++) {
        if (load->slow && event->scope == GPTL_SCOPE_THREAD)
            continue;
        load->run();
        readable = !gptl_papi_read(set, &event->value);
        event->load = load->what;
    }
    event->state = event->value != 0 && readable ? AVAIL_COUNTS : AVAIL_ZERO;
}

void avail_try(struct avail *avail, struct avail_event *event)
{
    struct papi_event found;
    char why[PAPI_WHY_SIZE] = "";
    int set, code;
    if (event->tried)
        return;
    event->tried = true;
    event->state = AVAIL_CANNOT;
    event->component = avail_is_preset(event) ? "perf_event" : "unknown";
    if (event->listed && !gptl_papi_code_of(event->name, &code)) {
        keep(avail, &event->why, "PAPI lists it, and does not know it by its name");
        return;
    }
    if (!gptl_papi_find(event->name, &found, why, sizeof why)) {
        keep(avail, &event->why, why);
        return;
    }
    event->component = gptl_papi_component(found.component);
    event->scope = gptl_papi_scope(found.component, event->name);
    keep(avail, &event->description, found.description);
    switch (gptl_papi_open(found.component, &found.code, 1, false, &set, why, sizeof why)) {
    case PAPI_COUNTS:
        move(event, set);
        gptl_papi_close(set);
        break;
    case PAPI_CONFLICT:
        keep(avail, &event->why,
             "its counter is taken, by the kernel's NMI watchdog (kernel.nmi_watchdog) or another "
             "profiler, or it needs more counters than there are");
        break;
    case PAPI_FAILED:
        keep(avail, &event->why, *why ? why : "PAPI does not tell why");
        break;
    }
}

/* ---- Derived events ------------------------------------------------------------------------ */

struct finder {
    struct avail *avail;
    char why[sizeof((struct avail_derived *)0)->why]; /* without the position in the expression */
};

/* Return the index of an event in an expression, or -1 if it does not count. */
static long find_counting(void *arg, const char *name, size_t length, char *why, size_t whysize)
{
    struct finder *finder = arg;
    struct avail_event *event = avail_event(finder->avail, name, length);
    if (event)
        avail_try(finder->avail, event);
    if (event && event->state == AVAIL_COUNTS)
        return event - finder->avail->event;
    snprintf(finder->why, sizeof finder->why, "%.*s %s", (int)length, name,
             event && event->state == AVAIL_ZERO ? "starts but reads 0" : "cannot start");
    snprintf(why, whysize, "%s", finder->why);
    return -1;
}

static void derive(struct avail *avail, struct avail_derived *derived, const char *second)
{
    static struct gptl_expression expression;
    struct finder finder = {.avail = avail};
    char why[256];
    derived->can = gptl_expression_read(&expression, derived->expression, NULL, find_counting,
                                        &finder, why, sizeof why);
    memcpy(derived->why, finder.why, sizeof derived->why);
    if (!derived->can && *second &&
        gptl_expression_read(&expression, second, NULL, find_counting, &finder, why, sizeof why)) {
        derived->can = true;
        derived->expression = second;
    }
}

void avail_derive(struct avail *avail, bool (*matches)(const char *name, const char *pattern),
                  const char *pattern)
{
    const struct derived *known;
    for (int i = 0; (known = gptl_derived_at(i)); i++) {
        struct avail_derived *derived =
            reallocarray(avail->derived, avail->nderived + 1, sizeof *derived);
        if (!derived) {
            avail->no_memory = true;
            return;
        }
        avail->derived = derived;
        if (!matches(known->name, pattern))
            continue;
        derived += avail->nderived++;
        *derived = (struct avail_derived){.name = known->name,
                                          .description = known->description,
                                          .expression = known->expression[0]};
        derive(avail, derived, known->expression[1]);
    }
}
