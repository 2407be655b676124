/* agree.h - whether strace and a log tell the same number of bytes of each file. */
#ifndef GPTL_POSTPROC_IOC_AGREE_H
#define GPTL_POSTPROC_IOC_AGREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "postproc/ioc/map.h"

/* Bytes of one file, by strace and by the log. */
struct agree_file {
    const char *path;       /* one of them */
    uint64_t device, inode; /* 0: there is no such file now */
    size_t same;            /* another one that is this file as well, or itself */
    uint64_t read[2], written[2];
    bool is_inside; /* libc reads it unseen: the log may have less */
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

/* Paths of one file are one, as far as there is such a file now. */
void agree_add(struct agree *agree, enum agree_side side, const char *path, bool writes,
               uint64_t bytes);
/* Both paths were names of one file. */
void agree_same(struct agree *agree, const char *path, const char *other);
/* For one that libc itself reads. */
void agree_inside(struct agree *agree, const char *path);
/* Prints the files that differ. Returns how many; what is gone by now counts as one file. */
size_t agree_print(struct agree *agree);
void agree_free(struct agree *agree);

#endif
