/* heap.h - a heap ordered by time. All 0 is an empty heap. */
#ifndef GPTL_POSTPROC_IOC_HEAP_H
#define GPTL_POSTPROC_IOC_HEAP_H

#include <stddef.h>
#include <stdint.h>

struct heap_item {
    int64_t time;
    uint64_t rank; /* tie-breaker at equal times, smaller first */
    void *what;
};

struct heap {
    struct heap_item *items; /* the first one has the earliest time */
    size_t n, room;
};

void heap_push(struct heap *heap, struct heap_item item);
void heap_pop(struct heap *heap);
/* Increase the time of the first item to TIME. */
void heap_later(struct heap *heap, int64_t time);

#endif
