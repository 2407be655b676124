/* selector.h - selects the probes that the operations and the metric need, with reasons. */
#ifndef GPTL_POSTPROC_IOSTACK_SELECTOR_H
#define GPTL_POSTPROC_IOSTACK_SELECTOR_H

#include <stdio.h>

#include "postproc/iostack/plan.h"

/* Set `chosen` and `why` of each probe. Returns the number of selected probes. */
size_t select_probes(struct plan *plan);
/*
 * Check that the logs of all selected probes are read: layers outside the range of -T are errors.
 * Returns 0, or -1 after messages.
 */
int check_traced(struct plan *plan);
void show_selection(const struct plan *plan, FILE *to);

#endif
