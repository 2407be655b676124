/* inserter.h - inserts the selected probes of a configuration into copies of the trees. */
#ifndef GPTL_POSTPROC_IOSTACK_INSERTER_H
#define GPTL_POSTPROC_IOSTACK_INSERTER_H

#include "postproc/iostack/plan.h"
#include "postproc/iostack/trees.h"

/*
 * Insert the probes into copies in FOLDER; with DRY, print the insertions as a diff without
 * writing. Returns 0, or -1 after messages; nothing is written then.
 */
int insert_probes(struct plan *plan, struct trees *trees, const char *folder, bool dry);

#endif
