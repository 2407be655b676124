/* longest.h - the few items with the longest times. */
#ifndef GPTL_POSTPROC_IOSTACK_LONGEST_H
#define GPTL_POSTPROC_IOSTACK_LONGEST_H

#include <stddef.h>
#include <stdint.h>

#include "postproc/ioc/heap.h"

struct longest {
    struct heap heap; /* the shortest item is on top and is replaced by a longer one */
    size_t most, size;
    uint64_t seen;
};

/* Keep at most MOST items of SIZE bytes. */
void longest_begin(struct longest *longest, size_t most, size_t size);
void longest_free(struct longest *longest);
void longest_add(struct longest *longest, int64_t time, const void *item);
/*
 * After all additions: pass each item to PUT, longest first, and equal ones in order of addition.
 */
void longest_each(struct longest *longest, void (*put)(void *to, const void *item), void *to);

#endif
