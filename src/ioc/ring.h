/*
 * ring.h - the ring of chunks, as those see it who write a section of it: the process itself, or a
 * tool that has it from the salvage file of one that was killed.
 */
#ifndef GPTL_IOC_RING_H
#define GPTL_IOC_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "ioc/format.h"

enum { GPTL_IOC_CHUNK_RECORDS = 256 };

struct gptl_ioc_slot {
    atomic_bool taken; /* a lane fills it */
    bool dirty;        /* it has been filled before */
    uint16_t written;  /* records that a section has already */
    uint16_t planned;  /* those that it will have when the one that is being written is whole */
};

struct gptl_ioc_ring {
    struct gptl_ioc_record *records;
    struct gptl_ioc_slot *slots;
    uint32_t nslots;
};

static inline struct gptl_ioc_record *gptl_ioc_chunk(const struct gptl_ioc_ring *ring,
                                                     uint32_t slot)
{
    return ring->records + (uint64_t)slot * GPTL_IOC_CHUNK_RECORDS;
}

/*
 * The records of a slot that no section has yet: how many, the first, and a start record that stands
 * for what is before it.
 */
uint32_t gptl_ioc_ring_new(const struct gptl_ioc_ring *ring, uint32_t slot,
                           const struct gptl_ioc_record **first, struct gptl_ioc_record *start);

#endif
