/* longest.c - the few items with the longest times. */
#include "config.h"

#include "postproc/iostack/longest.h"

#include <stdlib.h>
#include <string.h>

#include "postproc/ioc/memory.h"

void longest_begin(struct longest *longest, size_t most, size_t size)
{
    *longest = (struct longest){.most = most, .size = size};
}

void longest_free(struct longest *longest)
{
    for (size_t i = 0; i < longest->heap.n; i++)
        free(longest->heap.items[i].what);
    free(longest->heap.items);
    *longest = (struct longest){0};
}

void longest_add(struct longest *longest, int64_t time, const void *item)
{
    struct heap *heap = &longest->heap;
    uint64_t rank = UINT64_MAX - longest->seen++;
    void *place;
    if (heap->n < longest->most) {
        place = memory_zeros(1, longest->size);
    } else if (heap->n > 0 && time > heap->items[0].time) {
        place = heap->items[0].what;
        heap_pop(heap);
    } else {
        return;
    }
    memcpy(place, item, longest->size);
    heap_push(heap, (struct heap_item){time, rank, place});
}

void longest_each(struct longest *longest, void (*put)(void *to, const void *item), void *to)
{
    size_t n = longest->heap.n;
    void **items = memory_zeros(n + 1, sizeof *items);
    for (size_t i = n; i > 0; i--) {
        items[i - 1] = longest->heap.items[0].what;
        heap_pop(&longest->heap);
    }
    for (size_t i = 0; i < n; i++) {
        put(to, items[i]);
        free(items[i]);
    }
    free(items);
}
