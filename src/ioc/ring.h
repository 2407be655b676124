/*
 * ring.h - the ring of chunks for the writer of a section: the process itself, or a tool that reads
 * it from the salvage file of a killed process.
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
    uint16_t written;  /* number of records in earlier sections */
    uint16_t planned;  /* value of `written` after the section in progress */
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
 * Find the records of a slot that are in no section. Return their number, the first, and a start
 * record that replaces the earlier ones.
 */
uint32_t gptl_ioc_ring_new(const struct gptl_ioc_ring *ring, uint32_t slot,
                           const struct gptl_ioc_record **first, struct gptl_ioc_record *start);

#endif
