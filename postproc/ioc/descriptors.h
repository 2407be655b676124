/*
 * descriptors.h - what each descriptor of a process is: its file, and the offset that the next plain
 * read or write goes to. Duplicates share it.
 */
#ifndef GPTL_POSTPROC_IOC_DESCRIPTORS_H
#define GPTL_POSTPROC_IOC_DESCRIPTORS_H

#include <stdint.h>

#include "postproc/ioc/map.h"

struct description {
    uint32_t file; /* its number in struct files */
    uint32_t flags;
    uint32_t users;   /* descriptors; 0: it is free */
    int64_t position; /* -1: unknown */
};

struct descriptors {
    struct description *descriptions; /* the first one is for what is not known */
    size_t n, room;
    uint32_t *free;
    size_t nfree, free_room;
    struct map open; /* descriptor to the number of its description; 0: none */
    int32_t last;    /* was looked up, and is */
    uint32_t last_number;
};

void descriptors_begin(struct descriptors *descriptors);
void descriptors_free(struct descriptors *descriptors);

/* Never NULL: one without a file where nothing is known. Good until something is opened. */
struct description *descriptors_of(struct descriptors *descriptors, int32_t fd);
void descriptors_open(struct descriptors *descriptors, int32_t fd, uint32_t file, uint32_t flags,
                      int64_t position);
void descriptors_duplicate(struct descriptors *descriptors, int32_t from, int32_t to);
/* All from FIRST to LAST. */
void descriptors_close(struct descriptors *descriptors, int32_t first, int64_t last);

#endif
