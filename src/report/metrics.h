/* metrics.h - the values of counters and of what is derived from them, for the writers. */
#ifndef GPTL_REPORT_METRICS_H
#define GPTL_REPORT_METRICS_H

#include "report/out.h"
#include "report/report.h"

struct gptl_metric_value {
    enum {
        GPTL_VALUE_COUNTED, /* COUNTED is it */
        GPTL_VALUE_REAL,    /* REAL is it */
        GPTL_VALUE_NONE,    /* nothing to divide by, or a sum that means nothing */
        GPTL_VALUE_SHORT    /* estimated, from too little time to mean anything */
    } state;
    int64_t counted;
    double real;
};

/* Whether there is one that is not refused. */
bool gptl_metrics_any(const struct gptl_profile *profile);

/*
 * Metric I of calls that took NS nanoseconds together and counted COUNTERS (NULL: nothing). SUMMED:
 * they are of several threads, which cannot be added up for all scopes.
 */
struct gptl_metric_value gptl_metric_value(const struct gptl_profile *profile, uint32_t i,
                                           const int64_t *counters, double ns, bool summed);

/*
 * Writes that value for a program to read, a counter also if it is an estimate from too little time.
 * Returns false, having written nothing, when there is none.
 */
bool gptl_metric_put(struct gptl_out *out, const struct gptl_profile *profile, uint32_t i,
                     const int64_t *counters, uint64_t ns);

/* "thread", "process" or "machine". */
const char *gptl_metric_scope(const struct gptl_metric *metric);

#endif
