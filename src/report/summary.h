/*
 * summary.h - the summary: one row a region, statistics of the times that threads spent in it.
 */
#ifndef GPTL_REPORT_SUMMARY_H
#define GPTL_REPORT_SUMMARY_H

#include <stdint.h>

#include "report/out.h"
#include "report/report.h"
#include "report/text.h"

/* The time of the thread with the most or the least. */
struct gptl_summary_extreme {
    uint64_t wall;
    int rank, thread;
};

/*
 * A region. Times are in nanoseconds. What it has can be merged with the row of other threads: the
 * sum of squares is taken about the mean, so that it stays exact where the times differ little.
 */
struct gptl_summary_row {
    const char *name;
    uint32_t processes, threads; /* that called it */
    uint64_t calls;              /* those that ended */
    uint64_t total;              /* as the others, with the time so far of calls that are open */
    uint64_t ended;              /* without that */
    double mean, squares;        /* of a thread; the sum of squared distances from the mean */
    int64_t *counters;           /* sums, by the slots of metrics; NULL: there are none */
    struct gptl_summary_extreme max, min;
};

struct gptl_summary {
    uint32_t processes, threads;   /* that measured anything */
    struct gptl_summary_row *rows; /* in the order in which a thread first started them */
    uint32_t nrows;
    int64_t *counters; /* of all rows */
};

/* Returns 0, or -1 when there is no memory. Free it also then. Names are those of PROFILE. */
int gptl_summary_make(struct gptl_summary *summary, const struct gptl_profile *profile);
void gptl_summary_free(struct gptl_summary *summary);

/* As text. Returns 0, or -1 when there is no memory. Errors of writing stay in OUT. */
int gptl_summary_write(struct gptl_out *out, const struct gptl_profile *profile,
                       const struct gptl_style *style);

#endif
