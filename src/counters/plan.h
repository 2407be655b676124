/* plan.h - maps the requested events to counted events and to the metrics of a report. */
#ifndef GPTL_COUNTERS_PLAN_H
#define GPTL_COUNTERS_PLAN_H

#include "core/core.h"
#include "counters/derived.h"

/* Return whether all events of one alternative exist here; if not, WHY names the missing one. */
bool gptl_plan_can_derive(const struct derived *derived, char *why, size_t whysize);

/* Implements the callback of struct gptl_meter. */
void gptl_plan_make(struct gptl_metrics *out);
void gptl_plan_forget(void);

#endif
