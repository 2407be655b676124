/* inserter.h - puts the chosen probes of a configuration into copies of the trees. */
#ifndef GPTL_POSTPROC_IOSTACK_INSERTER_H
#define GPTL_POSTPROC_IOSTACK_INSERTER_H

#include "postproc/iostack/plan.h"
#include "postproc/iostack/trees.h"

/*
 * FOLDER gets the copies; DRY: what would be put in is printed as a difference, and nothing written.
 * Returns 0, or -1 after messages, and then nothing was written.
 */
int insert_probes(struct plan *plan, struct trees *trees, const char *folder, bool dry);

#endif
