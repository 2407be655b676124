/*
 * descriptors.h - the open descriptors of a process: the file of each, and the offset of the next
 * plain read or write. Duplicates share it.
 */
#ifndef GPTL_POSTPROC_IOC_DESCRIPTORS_H
#define GPTL_POSTPROC_IOC_DESCRIPTORS_H

#include <stdint.h>

#include "postproc/ioc/map.h"

struct description {
    uint32_t file; /* number in struct files */
    uint32_t flags;
    uint32_t users;   /* number of descriptors; 0: unused */
    int64_t position; /* -1: unknown */
};

struct descriptors {
    struct description *descriptions; /* the first one represents unknown descriptors */
    size_t n, room;
    uint32_t *free;
    size_t nfree, free_room;
    struct map open; /* maps descriptors to numbers of descriptions; 0: none */
    int32_t last;    /* last successful lookup */
    uint32_t last_number;
};

void descriptors_begin(struct descriptors *descriptors);
void descriptors_free(struct descriptors *descriptors);

/*
 * Return the description of FD, never NULL: one without a file if unknown. Valid until the next
 * open.
 */
struct description *descriptors_of(struct descriptors *descriptors, int32_t fd);
void descriptors_open(struct descriptors *descriptors, int32_t fd, uint32_t file, uint32_t flags,
                      int64_t position);
void descriptors_duplicate(struct descriptors *descriptors, int32_t from, int32_t to);
/* Close the descriptors from FIRST to LAST. */
void descriptors_close(struct descriptors *descriptors, int32_t first, int64_t last);

#endif
