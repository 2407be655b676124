/* agree.h - compares the bytes of each file between strace and a log. */
#ifndef GPTL_POSTPROC_IOC_AGREE_H
#define GPTL_POSTPROC_IOC_AGREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "postproc/ioc/map.h"

/* Bytes of one file, by strace and by the log. */
struct agree_file {
    const char *path;       /* one of its paths */
    uint64_t device, inode; /* 0: the file no longer exists */
    size_t same;            /* index of another entry for the same file, or its own index */
    uint64_t read[2], written[2];
    bool is_inside; /* libc reads it internally: the log may have fewer bytes */
};

enum agree_side { BY_STRACE, BY_LOG };

struct agree_name {
    char *path;
    size_t file;
};

struct agree {
    struct agree_file *files;
    struct agree_name *names;
    size_t n, room, nnames, names_room;
    struct map by_path, by_inode;
};

/* Add bytes of a file. Paths of the same existing file are merged. */
void agree_add(struct agree *agree, enum agree_side side, const char *path, bool writes,
               uint64_t bytes);
/* Declare two paths as names of one file. */
void agree_same(struct agree *agree, const char *path, const char *other);
/* Mark a file that libc reads internally. */
void agree_inside(struct agree *agree, const char *path);
/* Print the files that differ. Returns their number; deleted files count as one file. */
size_t agree_print(struct agree *agree);
void agree_free(struct agree *agree);

#endif
