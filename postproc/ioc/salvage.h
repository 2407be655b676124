/* salvage.h - writes the calls of killed processes from their files to their logs. */
#ifndef GPTL_POSTPROC_IOC_SALVAGE_H
#define GPTL_POSTPROC_IOC_SALVAGE_H

#include <stdbool.h>

/* Return whether the file NAME, or a file starting with HEAD, is such a file. */
bool ioc_salvage_is_name(const char *name);
bool ioc_salvage_is_head(const char *head);

/*
 * Append the calls in the file PATH to the log of its process, or to LOG, and remove the file. WHO
 * prefixes messages. Returns 0, 1 if the process still runs, or -1 after an error; the file stays
 * then.
 */
int ioc_salvage_file(const char *who, const char *path, const char *log);

/*
 * Convert all such files in FOLDER. Returns their number, or -1 if a file had to stay. IS_TOLD:
 * also report the calls by log.
 */
int ioc_salvage_folder(const char *who, const char *folder, const char *log, bool is_told);

#endif
