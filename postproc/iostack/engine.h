/* engine.h - builds and runs what is instrumented, and finds the logs. */
#ifndef GPTL_POSTPROC_IOSTACK_ENGINE_H
#define GPTL_POSTPROC_IOSTACK_ENGINE_H

#include "postproc/iostack/plan.h"
#include "postproc/iostack/trees.h"

/* Sets what commands find in their environment: where copies are, and where logs go. */
int engine_prepare(const struct plan *plan, const struct trees *trees, const char *folder);
/*
 * Runs COMMAND by sh; what it prints goes to FOLDER/NAME.out. Returns 0; or -1 after a message with the
 * end of that. No process that it started is left.
 */
int engine_run(const char *folder, const char *name, const char *command);
/* The files that -T names, all logs in the folder of logs if it names none. Returns 0, or -1. */
int engine_logs(struct plan *plan, const char *folder, struct words *logs);
/*
 * Removes what an earlier run has left: what -T names, and all logs in a folder of our own.
 * Returns 0; or -1 after a message: there are logs which may be of anybody.
 */
int engine_remove_logs(struct plan *plan, const char *folder);

#endif
