/*
 * files.h - what is remembered of a file from one call to the next. It stays as long as the process lives, since ids
 * come again, and so it is found without a lock.
 */
#ifndef GPTL_IOSTACK_LAYERS_FILES_H
#define GPTL_IOSTACK_LAYERS_FILES_H

#include <stdatomic.h>
#include <stdint.h>

struct gptl_layers_file {
    struct gptl_layers_file *next;
    int layer;
    uint64_t id;
    atomic_uint_least64_t name; /* as a number in logs; 0: not asked for yet */
    atomic_uint_least64_t opening;
    atomic_uint_least64_t
        collectives; /* calls so far that all processes that have opened it have made */
};

/* What LAYER knows as ID; NULL: nothing is remembered of it. */
struct gptl_layers_file *gptl_layers_file(int layer, uint64_t id);
/* The same, made if need be; NULL: no memory. */
struct gptl_layers_file *gptl_layers_file_made(int layer, uint64_t id);
/* It is opened anew, within a span. What is opened here only, and not by MPI-IO below, need not be remembered. */
void gptl_layers_file_opened(int layer, uint64_t id);

/* The number of a collective call on it, of the OPENING: the first is 1, or 2 where opening it was one. */
static inline uint64_t gptl_layers_file_collective(struct gptl_layers_file *file, uint64_t *opening)
{
    *opening = atomic_load_explicit(&file->opening, memory_order_relaxed);
    return atomic_fetch_add_explicit(&file->collectives, 1, memory_order_relaxed) + 1;
}

#endif
