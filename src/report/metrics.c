/* metrics.c - counted values of nodes, and values derived from them. */
#include "config.h"

#include "report/metrics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static long find(void *arg, const char *name, size_t length, char *why, size_t whysize)
{
    const struct gptl_metrics *metrics = arg;
    for (uint32_t i = 0; i < metrics->n; i++) {
        const struct gptl_metric *metric = &metrics->metric[i];
        if (metric->kind == GPTL_METRIC_COUNTED && strlen(metric->name) == length &&
            memcmp(metric->name, name, length) == 0)
            return (long)metric->slot;
    }
    snprintf(why, whysize, "%.*s is not counted", (int)(length < 100 ? length : 100), name);
    return -1;
}

int gptl_report_prepare_metrics(struct gptl_profile *profile)
{
    struct gptl_metrics *metrics = &profile->metrics;
    bool any = false;
    for (uint32_t i = 0; i < metrics->n; i++)
        any |= metrics->metric[i].kind == GPTL_METRIC_DERIVED;
    if (!any)
        return 0;
    profile->expressions = gptl_report_alloc(profile, metrics->n * sizeof *profile->expressions);
    if (!profile->expressions)
        return -1;
    for (uint32_t i = 0; i < metrics->n; i++) {
        struct gptl_metric *metric = &metrics->metric[i];
        char why[512];
        if (metric->kind != GPTL_METRIC_DERIVED ||
            gptl_expression_read(&profile->expressions[i], metric->expression, NULL, find, metrics,
                                 why, sizeof why))
            continue;
        metric->kind = GPTL_METRIC_REFUSED;
        metric->why = gptl_report_keep(profile, why, strlen(why));
        if (!metric->why)
            return -1;
    }
    return 0;
}

bool gptl_metrics_any(const struct gptl_profile *profile)
{
    for (uint32_t i = 0; i < profile->metrics.n; i++)
        if (profile->metrics.metric[i].kind != GPTL_METRIC_REFUSED)
            return true;
    return false;
}

const char *gptl_metric_scope(const struct gptl_metric *metric)
{
    static const char *const names[] = {"thread", "process", "machine"};
    return names[metric->scope];
}

/* Sums over several threads are meaningful only for events counted per thread. */
struct gptl_metric_value gptl_metric_value(const struct gptl_profile *profile, uint32_t i,
                                           const int64_t *counters, double ns, bool summed)
{
    const struct gptl_metric *metric = &profile->metrics.metric[i];
    double seconds = ns * 1e-9;
    if (metric->kind == GPTL_METRIC_REFUSED || (summed && metric->scope != GPTL_SCOPE_THREAD))
        return (struct gptl_metric_value){GPTL_VALUE_NONE, 0, 0};
    if (metric->estimated && seconds < metric->least_seconds)
        return (struct gptl_metric_value){GPTL_VALUE_SHORT, 0, 0};
    if (metric->kind == GPTL_METRIC_COUNTED)
        return (struct gptl_metric_value){GPTL_VALUE_COUNTED, counters ? counters[metric->slot] : 0,
                                          0};
    double real =
        counters ? gptl_expression_value(&profile->expressions[i], counters, seconds) : NAN;
    return (struct gptl_metric_value){isfinite(real) ? GPTL_VALUE_REAL : GPTL_VALUE_NONE, 0, real};
}

bool gptl_metric_put(struct gptl_out *out, const struct gptl_profile *profile, uint32_t i,
                     const int64_t *counters, uint64_t ns)
{
    const struct gptl_metric *metric = &profile->metrics.metric[i];
    struct gptl_metric_value value = gptl_metric_value(profile, i, counters, (double)ns, false);
    if (metric->kind == GPTL_METRIC_COUNTED) {
        int64_t counted = counters ? counters[metric->slot] : 0;
        if (counted < 0)
            gptl_out_char(out, '-');
        gptl_out_uint(out, counted < 0 ? 0 - (uint64_t)counted : (uint64_t)counted);
        return true;
    }
    if (value.state != GPTL_VALUE_REAL)
        return false;
    gptl_out_real(out, value.real);
    return true;
}
