/*
 * json.h - the JSON report, described by doc/timing.schema.json.
 */
#ifndef GPTL_REPORT_JSON_H
#define GPTL_REPORT_JSON_H

#include "report/out.h"
#include "report/report.h"
#include "report/snapshot.h"

/* Returns 0, or -1 when there is no memory. Errors of writing stay in OUT. */
int gptl_json_write(struct gptl_out *out, const struct gptl_profile *profile);

/* ---- Between the files of this section ------------------------------------------------------ */

/* A member: a comma unless it is the first, the key, a colon. KEY is a literal, as is. */
#define gptl_json_key(out, key) gptl_out_literal(out, ",\"" key "\":")

/* Between the elements of an array that stand on lines of their own. */
void gptl_json_next_line(struct gptl_out *out, bool *any);

/* Longest, shortest, in nanoseconds: null when no call has ended, MIN being UINT64_MAX. */
void gptl_json_extremes(struct gptl_out *out, uint64_t max, uint64_t min);

/* CPU time, in seconds. */
void gptl_json_microseconds(struct gptl_out *out, int64_t microseconds);

/* The values of all metrics, in their order, as a member; nothing if there are none. */
void gptl_json_values(struct gptl_out *out, const struct gptl_profile *profile,
                      const int64_t *counters, uint64_t ns);

/* The members of a thread that hold its tree, the first with a comma before it. */
void gptl_json_nodes(struct gptl_out *out, const struct gptl_profile *profile,
                     const struct gptl_view *view);
void gptl_json_back_edges(struct gptl_out *out, const struct gptl_view *view);
void gptl_json_intervals(struct gptl_out *out, const struct gptl_view *view);

/* The same, of the option dopr_callers. Returns 0, or -1 when there is no memory. */
int gptl_json_callers(struct gptl_out *out, const struct gptl_profile *profile,
                      const struct gptl_view *view);

#endif
