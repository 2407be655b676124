/* counters.c - public functions of the counter module, and PAPI's clock. */
#include "config.h"

#include "counters/counters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "gptl.h"

#include "counters/derived.h"
#include "counters/expression.h"
#include "counters/meter.h"
#include "counters/papi.h"

/* ---- Calls with the core's lock held --------------------------------------------------------- */

struct call {
    const char *name;
    int code;
    bool done;
    char text[PAPI_NAME_SIZE], why[PAPI_WHY_SIZE];
};

static void begin(void *argument)
{
    struct call *call = argument;
    call->done = gptl_papi_begin(call->why, sizeof call->why);
}

static void code_of(void *argument)
{
    static struct papi_event event; /* static because it is large; the lock is held */
    struct call *call = argument;
    call->done = gptl_papi_code_of(call->name, &call->code);
    if (!call->done)
        gptl_papi_find(call->name, &event, call->why, sizeof call->why);
}

static void name_of(void *argument)
{
    struct call *call = argument;
    if (!gptl_papi_begin(call->why, sizeof call->why))
        return;
    call->done = gptl_papi_name_of(call->code, call->text, sizeof call->text);
    if (!call->done)
        snprintf(call->why, sizeof call->why, "PAPI %s knows no event of this number here",
                 gptl_papi_version());
}

/* ---- Names and numbers --------------------------------------------------------------------- */

int GPTL_PAPIlibraryinit(void)
{
    struct call call = {.done = false};
    gptl_core_guarded(begin, &call);
    return call.done ? 0 : gptl_core_error("GPTL_PAPIlibraryinit", "%s", call.why);
}

int GPTLevent_name_to_code(const char *name, int *code)
{
    const char *function = "GPTLevent_name_to_code";
    if (!name || !code)
        return gptl_core_error(function, "an argument is NULL");
    const struct derived *derived = gptl_derived_find(name);
    struct call call = {.name = name};
    if (derived) {
        *code = derived->number;
        return 0;
    }
    gptl_core_guarded(code_of, &call);
    if (!call.done)
        return gptl_core_error(function, "the event \"%.200s\" is not known: %s", name, call.why);
    *code = call.code;
    return 0;
}

int GPTLevent_code_to_name(int code, char *name)
{
    enum { SIZE = 128 };
    const char *function = "GPTLevent_code_to_name";
    if (!name)
        return gptl_core_error(function, "an argument is NULL");
    const struct derived *derived = gptl_derived_of(code);
    struct call call = {.code = code};
    if (derived) {
        strcpy(name, derived->name);
        return 0;
    }
    gptl_core_guarded(name_of, &call);
    if (!call.done)
        return gptl_core_error(function, "the event %d is not known: %s", code, call.why);
    if (strlen(call.text) >= SIZE)
        return gptl_core_error(function, "the name of event %d is longer than %d bytes: %.200s",
                               code, SIZE - 1, call.text);
    strcpy(name, call.text);
    return 0;
}

/* ---- Values -------------------------------------------------------------------------------- */

static const struct gptl_metric *find(const struct gptl_metrics *metrics, const char *name,
                                      size_t length)
{
    for (uint32_t i = 0; i < metrics->n; i++)
        if (strlen(metrics->metric[i].name) == length &&
            strncasecmp(metrics->metric[i].name, name, length) == 0)
            return &metrics->metric[i];
    return NULL;
}

static long find_slot(void *argument, const char *name, size_t length, char *why, size_t whysize)
{
    const struct gptl_metric *metric = find(argument, name, length);
    if (metric && metric->kind == GPTL_METRIC_COUNTED)
        return (long)metric->slot;
    snprintf(why, whysize, "it is not counted");
    return -1;
}

/* Return the value of a metric that is not refused, or NaN if it is undefined in this region. */
static double value_of(const struct gptl_metrics *metrics, const struct gptl_metric *metric,
                       const int64_t *values, double seconds)
{
    struct gptl_expression expression = {.nsteps = 0};
    char why[PAPI_WHY_SIZE];
    if (metric->estimated && seconds < metric->least_seconds)
        return NAN;
    if (metric->kind == GPTL_METRIC_COUNTED)
        return metric->estimated && values[metric->slot] < 0 ? 0 : (double)values[metric->slot];
    if (!gptl_expression_read(&expression, metric->expression, NULL, find_slot, (void *)metrics,
                              why, sizeof why))
        return NAN;
    return gptl_expression_value(&expression, values, seconds);
}

static int get_value(const char *function, const struct gptl_metrics *metrics, const char *timer,
                     const char *event, int t, double *value)
{
    const struct gptl_metric *metric = find(metrics, event, strlen(event));
    if (!metric)
        return gptl_core_error(function,
                               "the event \"%.200s\" is not counted: it was not asked for", event);
    if (metric->kind == GPTL_METRIC_REFUSED)
        return gptl_core_error(function, "%.200s cannot be counted: %s", event, metric->why);
    int64_t *values = calloc((size_t)metrics->nslots + 1, sizeof *values);
    double seconds, found = NAN;
    int n = -1;
    if (!values)
        gptl_core_error(function, "no memory");
    else
        n = gptl_core_query(function, timer, t, values, metrics->nslots, &seconds);
    if (n >= 0)
        found = value_of(metrics, metric, values, seconds);
    free(values);
    if (n < 0)
        return -1;
    if (!isfinite(found))
        return gptl_core_error(function, "%.200s has no value in \"%.200s\": %s", event, timer,
                               metric->estimated && seconds < metric->least_seconds
                                   ? "it is an estimate, and this took too little time"
                                   : "there is nothing to divide by");
    *value = found;
    return 0;
}

int GPTLget_eventvalue(const char *timer, const char *event, int t, double *value)
{
    const char *function = "GPTLget_eventvalue";
    struct gptl_metrics metrics;
    if (!timer || !event || !value)
        return gptl_core_error(function, "an argument is NULL");
    if (gptl_core_metrics(&metrics))
        return gptl_core_error(function, "no memory");
    int rc = get_value(function, &metrics, timer, event, t, value);
    gptl_core_metrics_free(&metrics);
    return rc;
}

/* ---- Module interface ------------------------------------------------------------------------ */

static const char *unfit(void)
{
    static struct call call;
    gptl_core_guarded(begin, &call);
    return call.done ? NULL : call.why;
}

static void setup(void)
{
    static const struct gptl_clock clock = {GPTLpapitime,   "papitime", "PAPI_get_real_nsec",
                                            gptl_papi_time, 1e9,        unfit};
    gptl_core_set_meter(&gptl_counters_meter);
    gptl_core_add_clock(&clock);
}

const struct gptl_room gptl_counters_room = {.name = "counters", .setup = setup};
