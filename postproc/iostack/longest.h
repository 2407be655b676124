/* longest.h - of many items those few that took longest. */
#ifndef GPTL_POSTPROC_IOSTACK_LONGEST_H
#define GPTL_POSTPROC_IOSTACK_LONGEST_H

#include <stddef.h>
#include <stdint.h>

#include "postproc/ioc/heap.h"

struct longest {
    struct heap heap; /* the shortest of them is on top: it goes when a longer one comes */
    size_t most, size;
    uint64_t seen;
};

/* MOST items of SIZE bytes. */
void longest_begin(struct longest *longest, size_t most, size_t size);
void longest_free(struct longest *longest);
void longest_add(struct longest *longest, int64_t time, const void *item);
/* When all were added: hands each to PUT, the longest first, of equal ones that which was added first. */
void longest_each(struct longest *longest, void (*put)(void *to, const void *item), void *to);

#endif
