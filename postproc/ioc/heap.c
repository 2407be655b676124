/* heap.c - a binary heap ordered by time. */
#include "config.h"

#include "postproc/ioc/heap.h"

#include <stdbool.h>

#include "postproc/ioc/memory.h"

static bool is_before(const struct heap_item *a, const struct heap_item *b)
{
    return a->time != b->time ? a->time < b->time : a->rank < b->rank;
}

static void sink(struct heap *heap, size_t i)
{
    struct heap_item item = heap->items[i];
    for (size_t child; (child = 2 * i + 1) < heap->n; i = child) {
        if (child + 1 < heap->n && is_before(&heap->items[child + 1], &heap->items[child]))
            child++;
        if (!is_before(&heap->items[child], &item))
            break;
        heap->items[i] = heap->items[child];
    }
    heap->items[i] = item;
}

void heap_push(struct heap *heap, struct heap_item item)
{
    heap->items = memory_room(heap->items, &heap->room, heap->n + 1, sizeof *heap->items);
    size_t i = heap->n++;
    for (; i > 0 && is_before(&item, &heap->items[(i - 1) / 2]); i = (i - 1) / 2)
        heap->items[i] = heap->items[(i - 1) / 2];
    heap->items[i] = item;
}

void heap_pop(struct heap *heap)
{
    heap->items[0] = heap->items[--heap->n];
    if (heap->n > 0)
        sink(heap, 0);
}

void heap_later(struct heap *heap, int64_t time)
{
    heap->items[0].time = time;
    sink(heap, 0);
}
