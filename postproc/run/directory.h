/* directory.h - the directories of runs: making one, finding those that are left, moving results out. */
#ifndef GPTL_POSTPROC_RUN_DIRECTORY_H
#define GPTL_POSTPROC_RUN_DIRECTORY_H

#include <limits.h>
#include <stdbool.h>

/*
 * Makes the directory of a run of COMMAND; PATH is "" where none can be made, after a message that says so:
 * then nothing survives a kill.
 */
void run_directory_make(char *const command[], char path[PATH_MAX]);

/*
 * Calls VISIT for DIRECTORY and each directory of the same name that a process may have used beside it.
 * Returns whether all calls returned true.
 */
bool run_directory_each(const char *directory, bool (*visit)(const char *directory, void *context),
                        void *context);

/* Whether PATH is the directory of a run. */
bool run_directory_is_one(const char *path);

/*
 * The directory of the run that left data here most recently, of this batch job if this is one; names the
 * others on stderr. False after a message of WHO where there is none.
 */
bool run_directory_find_left(const char *who, char path[PATH_MAX]);

/*
 * Names in PATHS the directories that have data of the run in DIRECTORY, salvage files or reports, at most N.
 * Returns how many; 0 after a message.
 */
int run_directory_data(const char *directory, char **paths, int n);

/*
 * Moves all results of the run in DIRECTORY to where they belong. Returns false where some had to stay,
 * after a sentence that names where they are.
 */
bool run_collect(const char *directory);

#endif
