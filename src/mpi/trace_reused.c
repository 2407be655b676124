/*
 * trace_reused.c - memory that receives data after the process sent data from it.
 *
 * If one process of a node copies from another's memory, it keeps those lines in its cache. The
 * next write there by the owner takes longer, unless the program writes in between, which then
 * takes the program longer. Programs rarely do, because the written data would be lost. A few
 * buffers are remembered, by their start addresses.
 */
#include "config.h"

#include <stdatomic.h>

#include "mpi/trace.h"

enum {
    LEAST = 4096, /* smaller messages are copied twice, through a buffer of MPI */
    BITS = 10,
};

/* Two threads may mix up two entries; then a recorded number is wrong. */
static struct {
    _Atomic uintptr_t buffer; /* 0: none */
    _Atomic int64_t bytes;
} given[1 << BITS];

static size_t place_of(const void *buffer)
{
    return (uintptr_t)buffer * 0x9e3779b97f4a7c15u >> (64 - BITS);
}

void gptl_mpi_trace_gives(struct gptl_mpi_trace_memory from)
{
    if (from.bytes < LEAST || !from.buffer)
        return;
    size_t i = place_of(from.buffer);
    atomic_store_explicit(&given[i].bytes, from.bytes, memory_order_relaxed);
    atomic_store_explicit(&given[i].buffer, (uintptr_t)from.buffer, memory_order_relaxed);
}

void gptl_mpi_trace_takes(struct gptl_mpi_trace_call *call, struct gptl_mpi_trace_memory to)
{
    if (to.bytes < LEAST || !to.buffer)
        return;
    size_t i = place_of(to.buffer);
    if (atomic_load_explicit(&given[i].buffer, memory_order_relaxed) != (uintptr_t)to.buffer)
        return;
    int64_t bytes = atomic_load_explicit(&given[i].bytes, memory_order_relaxed);
    atomic_store_explicit(&given[i].buffer, 0, memory_order_relaxed);
    call->reused = (uint64_t)(bytes < to.bytes ? bytes : to.bytes);
}

void gptl_mpi_trace_moved(struct gptl_mpi_trace_call *call, struct gptl_mpi_amount amount,
                          const void *from, const void *to)
{
    if (from != MPI_IN_PLACE)
        gptl_mpi_trace_gives((struct gptl_mpi_trace_memory){from, amount.sent});
    if (to != MPI_IN_PLACE)
        gptl_mpi_trace_takes(call, (struct gptl_mpi_trace_memory){to, amount.received});
}
