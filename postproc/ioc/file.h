/* file.h - results of gptl ioc file for a file, and its picture. */
#ifndef GPTL_POSTPROC_IOC_FILE_H
#define GPTL_POSTPROC_IOC_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "postproc/ioc/ioc.h"
#include "postproc/ioc/ranges.h"

/* An access to draw. */
struct point {
    uint64_t order;
    int64_t offset, bytes;
    uint32_t process;
    bool writes;
};

struct about {
    uint32_t file;
    uint64_t accesses;
    struct ranges read, written, current; /* CURRENT: read, and not written since */
};

/* Accesses of a process to a file. */
struct usage {
    uint32_t file, process;
    uint64_t reads, read, read_again, of_others, writes, written, overwritten, unknown;
    int64_t first, last;
};

struct view {
    struct ioc *ioc;
    struct rows rows;
    struct about *about;
    size_t nabout, about_room;
    struct usage *usage;
    size_t nusage, usage_room;
    struct map by_file, by_pair;
    struct point *points;
    size_t npoints, points_room;
    uint64_t least_hash; /* smallest hash of a drawn access */
};

/* Draw the picture. Returns 0, or -1 after a message. */
int file_draw(const struct view *view);

#endif
