/* temporary.h - directories that are removed at exit. */
#ifndef GPTL_POSTPROC_TEMPORARY_H
#define GPTL_POSTPROC_TEMPORARY_H

#include <stdbool.h>

enum { TEMPORARY_PATH = 4096 };

/* Create a directory NAME.XXXXXX in TMPDIR. Returns false after a message prefixed with WHO. */
bool temporary_folder(const char *who, const char *name, char path[TEMPORARY_PATH]);

#endif
