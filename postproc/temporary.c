/* temporary.c - directories that are removed at exit. */
#include "config.h"

#include "postproc/temporary.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool temporary_folder(const char *who, const char *name, char path[TEMPORARY_PATH])
{
    const char *place = getenv("TMPDIR");
    snprintf(path, TEMPORARY_PATH, "%.4000s/%.64s.XXXXXX", place && *place ? place : "/tmp", name);
    if (mkdtemp(path))
        return true;
    fprintf(stderr, "%s: cannot make %s: %s; set TMPDIR to a folder that has room\n", who, path,
            strerror(errno));
    return false;
}
