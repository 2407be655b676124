/* plan.h - from what was asked for to what is counted, and what a report calls it. */
#ifndef GPTL_COUNTERS_PLAN_H
#define GPTL_COUNTERS_PLAN_H

#include "core/core.h"
#include "counters/derived.h"

/* Whether all events of one of its alternatives exist here; false: WHY tells which does not. */
bool gptl_plan_can_derive(const struct derived *derived, char *why, size_t whysize);

/* As struct gptl_meter has it. */
void gptl_plan_make(struct gptl_metrics *out);
void gptl_plan_forget(void);

#endif
