/* ring.c - finds the records of a chunk that are in no section. */
#include "config.h"

#include "ioc/ring.h"

static uint32_t used_records(const struct gptl_ioc_record *chunk)
{
    uint32_t n = 0;
    while (n < GPTL_IOC_CHUNK_RECORDS && gptl_ioc_type(&chunk[n]) != GPTL_IOC_NONE)
        n++;
    return n;
}

uint32_t gptl_ioc_ring_new(const struct gptl_ioc_ring *ring, uint32_t slot,
                           const struct gptl_ioc_record **first, struct gptl_ioc_record *start)
{
    const struct gptl_ioc_record *chunk = gptl_ioc_chunk(ring, slot);
    uint32_t written = ring->slots[slot].written, n;
    *start = (struct gptl_ioc_record){GPTL_IOC_START, 0, 0};
    if (!ring->slots[slot].dirty || (n = used_records(chunk)) <= written)
        return 0;
    /* Earlier records determine the thread and the time. */
    for (uint32_t i = 0; i < written; i++) {
        if (gptl_ioc_type(&chunk[i]) == GPTL_IOC_START)
            *start = chunk[i];
        else if (gptl_ioc_type(&chunk[i]) <= GPTL_IOC_OTHER &&
                 gptl_ioc_bits(&chunk[i]) != GPTL_IOC_LONG_GAP)
            start->data += gptl_ioc_bits(&chunk[i]);
        else if (gptl_ioc_type(&chunk[i]) == GPTL_IOC_EXTENSION &&
                 gptl_ioc_kind(&chunk[i]) == GPTL_IOC_GAP)
            start->data += chunk[i].data;
    }
    *first = chunk + written;
    return n - written;
}
