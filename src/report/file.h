/*
 * file.h - report files, which appear under their names only when complete.
 */
#ifndef GPTL_REPORT_FILE_H
#define GPTL_REPORT_FILE_H

#include <stdbool.h>
#include <sys/types.h>

#include "report/out.h"

struct gptl_file {
    const char *function; /* for messages */
    char *path;
    char *temporary; /* file to rename at the end; NULL if written in place */
    bool append;     /* append to the existing OLD_SIZE bytes */
    off_t old_size;
    struct gptl_out *out;
};

/*
 * Open a report file. PATH NULL means stderr. Pipes and devices are written directly. Return 0, or
 * -1 after a reported error, with nothing to close.
 */
int gptl_file_open(struct gptl_file *file, const char *function, const char *path, bool append);

/* Close the file. If it is not COMPLETE, or writing fails, restore the previous contents. */
int gptl_file_close(struct gptl_file *file, bool complete);

#endif
