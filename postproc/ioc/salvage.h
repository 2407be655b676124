/* salvage.h - the calls of processes that were killed: from the files they left into their logs. */
#ifndef GPTL_POSTPROC_IOC_SALVAGE_H
#define GPTL_POSTPROC_IOC_SALVAGE_H

#include <stdbool.h>

/* Whether the file NAME, or one that begins with HEAD, is one. */
bool ioc_salvage_is_name(const char *name);
bool ioc_salvage_is_head(const char *head);

/*
 * Appends what the process that left the file PATH had recorded to its log, or to LOG, and removes the
 * file. WHO begins the messages. Returns 0, 1 when its process still runs, -1 after an error; then the
 * file stays.
 */
int ioc_salvage_file(const char *who, const char *path, const char *log);

/*
 * All such files in FOLDER. Returns how many were there, or -1 when one had to stay. IS_TOLD: also says
 * what went to which log.
 */
int ioc_salvage_folder(const char *who, const char *folder, const char *log, bool is_told);

#endif
