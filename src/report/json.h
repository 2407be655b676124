/*
 * json.h - the JSON report, described by doc/timing.schema.json.
 */
#ifndef GPTL_REPORT_JSON_H
#define GPTL_REPORT_JSON_H

#include "report/out.h"
#include "report/report.h"
#include "report/snapshot.h"

/* Return 0, or -1 when out of memory. Write errors stay in OUT. */
int gptl_json_write(struct gptl_out *out, const struct gptl_profile *profile);

/* ---- Internal interface ---------------------------------------------------------------------- */

/*
 * Print a comma, the key and a colon; unsuitable for the first member of an object. KEY is a
 * literal, printed unmodified.
 */
#define gptl_json_key(out, key) gptl_out_literal(out, ",\"" key "\":")

/* Print the separator of array elements on separate lines. */
void gptl_json_next_line(struct gptl_out *out, bool *any);

/*
 * Print the longest and shortest call in nanoseconds; null if no call is complete (MIN is
 * UINT64_MAX).
 */
void gptl_json_extremes(struct gptl_out *out, uint64_t max, uint64_t min);

/* Print CPU time in seconds. */
void gptl_json_microseconds(struct gptl_out *out, int64_t microseconds);

/* Print the values of all metrics in order as a member; nothing without metrics. */
void gptl_json_values(struct gptl_out *out, const struct gptl_profile *profile,
                      const int64_t *counters, uint64_t ns);

/* Print the members of a thread that contain its tree, each preceded by a comma. */
void gptl_json_nodes(struct gptl_out *out, const struct gptl_profile *profile,
                     const struct gptl_view *view);
void gptl_json_back_edges(struct gptl_out *out, const struct gptl_view *view);
void gptl_json_intervals(struct gptl_out *out, const struct gptl_view *view);

/* Print the members of the option dopr_callers likewise. Return 0, or -1 when out of memory. */
int gptl_json_callers(struct gptl_out *out, const struct gptl_profile *profile,
                      const struct gptl_view *view);

#endif
