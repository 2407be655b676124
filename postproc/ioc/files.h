/* files.h - the files that a log is about, each path once. */
#ifndef GPTL_POSTPROC_IOC_FILES_H
#define GPTL_POSTPROC_IOC_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "postproc/ioc/map.h"

struct file {
    char *path;
    uint32_t kind;  /* enum gptl_ioc_file_kind */
    bool chosen;    /* by --file */
    bool in_memory; /* it is no file, but memory that has a name */
    int64_t end;    /* its size at the moment that the calls have come to; -1: unknown */
};

/* Number 0 is for calls of which no file is known. */
struct files {
    struct file *files;
    size_t n, room;
    struct map by_path;
    const char *glob; /* what --file says, or NULL */
};

void files_begin(struct files *files, const char *glob);
void files_free(struct files *files);

/*
 * Whether FILE is something of the system, or a way between processes: no file where a program keeps data.
 * Users look for the others.
 */
bool file_is_aside(const struct file *file);

/* The number of the file at PATH, of KIND if that was not known before. */
uint32_t files_number(struct files *files, const char *path, uint32_t kind);

#endif
