/* selector.h - which probes the operations and the metric need, and why. */
#ifndef GPTL_POSTPROC_IOSTACK_SELECTOR_H
#define GPTL_POSTPROC_IOSTACK_SELECTOR_H

#include <stdio.h>

#include "postproc/iostack/plan.h"

/* Sets `chosen` and `why` of each probe. Returns how many are chosen. */
size_t select_probes(struct plan *plan);
/*
 * Whether the logs of all chosen probes are read: a layer outside the ones that -T names is an error. Returns
 * 0, or -1 after messages.
 */
int check_traced(struct plan *plan);
void show_selection(const struct plan *plan, FILE *to);

#endif
