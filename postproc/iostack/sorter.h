/*
 * sorter.h - sorts many items of one size in bounded memory: runs are sorted, stored in a temporary
 * file, and merged. A failure to store them ends the program with a message.
 */
#ifndef GPTL_POSTPROC_IOSTACK_SORTER_H
#define GPTL_POSTPROC_IOSTACK_SORTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sort_key {
    uint64_t a, b, c;
};

/* NULL: items keep the order of addition. */
typedef struct sort_key sort_key_of(const void *item);

struct sort_run {
    uint64_t at, left; /* start and number of the remaining items in the file */
    char *buffer;
    size_t used, filled;
    struct sort_key key; /* key of the first item in the buffer */
};

struct sorter {
    size_t size, room, n; /* item size; capacity and number of items in memory */
    sort_key_of *key_of;
    char *items;
    int fd; /* temporary file; -1: not created yet */
    uint64_t written, total;
    struct sort_run *runs;
    size_t nruns, runs_room, *heap, nheap;
    struct sort_entry *order;
    size_t next; /* next item in memory */
};

void sorter_begin(struct sorter *sorter, size_t size, sort_key_of *key_of);
void sorter_add(struct sorter *sorter, const void *item);
/* Sort the items, after all additions; sorter_next then returns them in order. */
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
