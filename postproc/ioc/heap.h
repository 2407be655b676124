/* heap.h - who is first in time. All 0 is an empty one. */
#ifndef GPTL_POSTPROC_IOC_HEAP_H
#define GPTL_POSTPROC_IOC_HEAP_H

#include <stddef.h>
#include <stdint.h>

struct heap_item {
    int64_t time;
    uint64_t rank; /* of two with the same time the smaller one is first */
    void *what;
};

struct heap {
    struct heap_item *items; /* the first one is the first in time */
    size_t n, room;
};

void heap_push(struct heap *heap, struct heap_item item);
void heap_pop(struct heap *heap);
/* The first one's time is now another, later one. */
void heap_later(struct heap *heap, int64_t time);

#endif
