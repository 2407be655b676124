/* temporary.h - folders that are gone when a command has ended. */
#ifndef GPTL_POSTPROC_TEMPORARY_H
#define GPTL_POSTPROC_TEMPORARY_H

#include <stdbool.h>

enum { TEMPORARY_PATH = 4096 };

/* Makes a folder NAME.XXXXXX in TMPDIR. Returns whether that went well; else after a message that WHO begins. */
bool temporary_folder(const char *who, const char *name, char path[TEMPORARY_PATH]);

#endif
