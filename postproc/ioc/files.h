/* files.h - the files that a log is about, each once, whichever names it has. */
#ifndef GPTL_POSTPROC_IOC_FILES_H
#define GPTL_POSTPROC_IOC_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "postproc/ioc/map.h"

struct file_identity {
    const char *host;
    uint64_t device, inode, birth; /* inode 0: unknown */
};

struct file {
    char *path; /* the first one, or what it was renamed to */
    struct file_identity identity;
    uint32_t kind;  /* enum gptl_ioc_file_kind */
    bool chosen;    /* by --file */
    bool in_memory; /* it is no file, but memory that has a name */
    int64_t end;    /* its size at the moment that the calls have come to; -1: unknown */
};

/* A path, and what it stood for when it was met. */
struct file_name {
    char *path;
    uint32_t file;
};

/* Number 0 is for calls of which no file is known. */
struct files {
    struct file *files;
    size_t n, room;
    struct file_name *names;
    size_t nnames, names_room;
    struct map by_path;               /* the newest name of each path */
    struct map by_identity, by_place; /* of one host; by path and inode */
    const char *glob;                 /* what --file says, or NULL */
};

void files_begin(struct files *files, const char *glob);
void files_free(struct files *files);

/*
 * Whether FILE is something of the system, or a way between processes: no file where a program keeps data.
 * Users look for the others.
 */
bool file_is_aside(const struct file *file);

/*
 * The number of the file at PATH. Of an unknown inode, it is what the path stood for last; a file of another
 * host is the same if path and inode are: device numbers differ.
 */
uint32_t files_number(struct files *files, const char *path, uint32_t kind,
                      const struct file_identity *identity);
/* FILE has the path of TO from now on. */
void files_renamed(struct files *files, uint32_t file, uint32_t to);

#endif
