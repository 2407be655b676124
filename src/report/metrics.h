/* metrics.h - values of counters and derived metrics for the writers. */
#ifndef GPTL_REPORT_METRICS_H
#define GPTL_REPORT_METRICS_H

#include "report/out.h"
#include "report/report.h"

struct gptl_metric_value {
    enum {
        GPTL_VALUE_COUNTED, /* value is in COUNTED */
        GPTL_VALUE_REAL,    /* value is in REAL */
        GPTL_VALUE_NONE,    /* division by zero, or a meaningless sum */
        GPTL_VALUE_SHORT    /* estimated from too little time */
    } state;
    int64_t counted;
    double real;
};

/* Return whether a metric exists that is not refused. */
bool gptl_metrics_any(const struct gptl_profile *profile);

/*
 * Return metric I for calls with a total of NS nanoseconds and these COUNTERS (NULL: none). SUMMED:
 * sums over several threads, which are meaningful only for metrics of thread scope.
 */
struct gptl_metric_value gptl_metric_value(const struct gptl_profile *profile, uint32_t i,
                                           const int64_t *counters, double ns, bool summed);

/*
 * Print the value for programs; a counter is printed even if estimated from too little time. Print
 * nothing and return false without a value.
 */
bool gptl_metric_put(struct gptl_out *out, const struct gptl_profile *profile, uint32_t i,
                     const int64_t *counters, uint64_t ns);

/* Return "thread", "process" or "machine". */
const char *gptl_metric_scope(const struct gptl_metric *metric);

#endif
