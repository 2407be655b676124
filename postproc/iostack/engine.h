/* engine.h - builds and runs instrumented programs, and finds their logs. */
#ifndef GPTL_POSTPROC_IOSTACK_ENGINE_H
#define GPTL_POSTPROC_IOSTACK_ENGINE_H

#include "postproc/iostack/plan.h"
#include "postproc/iostack/trees.h"

/* Set the environment of commands: directories of copies and of logs. */
int engine_prepare(const struct plan *plan, const struct trees *trees, const char *folder);
/*
 * Run COMMAND by sh with its output in FOLDER/NAME.out. Returns 0, or -1 after a message with the
 * end of the output. All processes that it started have ended.
 */
int engine_run(const char *folder, const char *name, const char *command);
/* Find the files named by -T, or all logs in the directory of logs. Returns 0, or -1. */
int engine_logs(struct plan *plan, const char *folder, struct words *logs);
/*
 * Remove the logs of an earlier run: files named by -T, and all logs in our own directory. Returns
 * 0, or -1 after a message if logs of unknown origin exist.
 */
int engine_remove_logs(struct plan *plan, const char *folder);

#endif
