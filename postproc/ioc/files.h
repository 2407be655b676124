/* files.h - the files that occur in a log, each once, regardless of its names. */
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
    char *path; /* first path, or the path after a rename */
    struct file_identity identity;
    uint32_t kind;  /* enum gptl_ioc_file_kind */
    bool chosen;    /* selected by --file */
    bool in_memory; /* named memory rather than a file */
    int64_t end;    /* size at the current call; -1: unknown */
};

/* A path, and the file that it last denoted. */
struct file_name {
    char *path;
    uint32_t file;
};

/* Number 0 represents calls with an unknown file. */
struct files {
    struct file *files;
    size_t n, room;
    struct file_name *names;
    size_t nnames, names_room;
    struct map by_path;               /* most recent name of each path */
    struct map by_identity, by_place; /* by_identity: one host; by_place: path and inode */
    const char *glob;                 /* pattern of --file, or NULL */
};

void files_begin(struct files *files, const char *glob);
void files_free(struct files *files);

/*
 * Return whether FILE belongs to the system or connects processes, rather than being a data file,
 * which users look for.
 */
bool file_is_aside(const struct file *file);

/*
 * Return the number of the file at PATH. Without an inode, it is the last file with that path. A
 * file of another host is the same if path and inode are equal: device numbers differ between
 * hosts.
 */
uint32_t files_number(struct files *files, const char *path, uint32_t kind,
                      const struct file_identity *identity);
/* Record that FILE was renamed to the path of TO. */
void files_renamed(struct files *files, uint32_t file, uint32_t to);

#endif
