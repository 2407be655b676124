/*
 * file.h - a report file: it appears under its name when it is complete, or not at all.
 */
#ifndef GPTL_REPORT_FILE_H
#define GPTL_REPORT_FILE_H

#include <stdbool.h>
#include <sys/types.h>

#include "report/out.h"

struct gptl_file {
    const char *function; /* for messages */
    char *path;
    char *temporary; /* to be renamed; NULL when written in place */
    bool append;     /* to what was there, OLD_SIZE bytes */
    off_t old_size;
    struct gptl_out *out;
};

/*
 * PATH NULL means stderr. Pipes and devices are written straight. Returns 0, or -1 after an error,
 * which has been reported; then there is nothing to close.
 */
int gptl_file_open(struct gptl_file *file, const char *function, const char *path, bool append);

/* Ends it; when it is not COMPLETE, or cannot be, what was there before is there again. */
int gptl_file_close(struct gptl_file *file, bool complete);

#endif
