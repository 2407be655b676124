/*
 * trace_reused.c - memory that data comes into, and that the process gave data from before.
 *
 * Where one process of a node copies from the memory of another, it keeps the lines of that in its cache. So it takes
 * longer to write there the next time, unless the program writes in between, which then takes the program longer. It
 * seldom does: what would be written is lost. A few buffers are remembered, by where they begin.
 */
#include "config.h"

#include <stdatomic.h>

#include "mpi/trace.h"

enum {
    LEAST = 4096, /* smaller ones are copied twice, by a buffer of MPI's between */
    BITS = 10,
};

/* Two threads may mix up two of them: then a number is wrong. */
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
