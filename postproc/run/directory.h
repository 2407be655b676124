/*
 * directory.h - the directories of runs: creation, search for remaining ones, and collection of
 * results.
 */
#ifndef GPTL_POSTPROC_RUN_DIRECTORY_H
#define GPTL_POSTPROC_RUN_DIRECTORY_H

#include <limits.h>
#include <stdbool.h>

/*
 * Create the directory of a run of COMMAND. PATH is "" on failure, after a message: no data
 * survives a kill then.
 */
void run_directory_make(char *const command[], char path[PATH_MAX]);

/*
 * Call VISIT for DIRECTORY and each directory of the same name that a process may have used
 * elsewhere. Returns whether all calls returned true.
 */
bool run_directory_each(const char *directory, bool (*visit)(const char *directory, void *context),
                        void *context);

/* Return whether PATH is the directory of a run. */
bool run_directory_is_one(const char *path);

/*
 * Find the directory of the most recent run that left data here, within a batch job only of this
 * job; lists others on stderr. Returns false after a message of WHO.
 */
bool run_directory_find_left(const char *who, char path[PATH_MAX]);

/*
 * Store the at most N directories with data of the run in DIRECTORY, salvage files or reports, in
 * PATHS. Returns their number; 0 after a message.
 */
int run_directory_data(const char *directory, char **paths, int n);

/*
 * Move all results of the run in DIRECTORY to their destinations. Returns false if some had to
 * stay, after a message that names their location.
 */
bool run_collect(const char *directory);

#endif
