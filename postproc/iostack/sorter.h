/*
 * sorter.h - many items of one size in order, in bounded memory: runs are sorted and kept in a temporary
 * file, and merged. What cannot be kept there ends the program, after a message.
 */
#ifndef GPTL_POSTPROC_IOSTACK_SORTER_H
#define GPTL_POSTPROC_IOSTACK_SORTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sort_key {
    uint64_t a, b, c;
};

/* NULL: items stay in the order in which they were added. */
typedef struct sort_key sort_key_of(const void *item);

struct sort_run {
    uint64_t at, left; /* items in the file, from which one on and how many */
    char *buffer;
    size_t used, filled;
    struct sort_key key; /* of the first one in the buffer */
};

struct sorter {
    size_t size, room, n; /* of an item; items that fit in memory, and that are there */
    sort_key_of *key_of;
    char *items;
    int fd; /* of the temporary file; -1: none yet */
    uint64_t written, total;
    struct sort_run *runs;
    size_t nruns, runs_room, *heap, nheap;
    struct sort_entry *order;
    size_t next; /* of those in memory */
};

void sorter_begin(struct sorter *sorter, size_t size, sort_key_of *key_of);
void sorter_add(struct sorter *sorter, const void *item);
/* All are there; now they can be had in order. */
void sorter_sort(struct sorter *sorter);
bool sorter_next(struct sorter *sorter, void *item);
void sorter_free(struct sorter *sorter);

static inline int sort_key_compare(const struct sort_key *x, const struct sort_key *y)
{
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    if (x->b != y->b)
        return x->b < y->b ? -1 : 1;
    return x->c < y->c ? -1 : x->c > y->c;
}

#endif
