/*
 * files.h - persistent information about files. Entries live as long as the process, because ids
 * recur; therefore lookups need no lock.
 */
#ifndef GPTL_IOSTACK_LAYERS_FILES_H
#define GPTL_IOSTACK_LAYERS_FILES_H

#include <stdatomic.h>
#include <stdint.h>

struct gptl_layers_file {
    struct gptl_layers_file *next;
    int layer;
    uint64_t id;
    atomic_uint_least64_t name; /* number in logs; 0: not determined yet */
    atomic_uint_least64_t opening;
    atomic_uint_least64_t collectives; /* collective calls so far by all processes that opened it */
};

/* Return the file with this ID in LAYER; NULL if it is unknown. */
struct gptl_layers_file *gptl_layers_file(int layer, uint64_t id);
/* Return it, creating it if necessary; NULL when out of memory. */
struct gptl_layers_file *gptl_layers_file_made(int layer, uint64_t id);
/*
 * Record a new opening, within a span. A file opened only by this process, without MPI-IO below,
 * need not be recorded.
 */
void gptl_layers_file_opened(int layer, uint64_t id);

/*
 * Return the number of the next collective call on the file, and its OPENING. The first is 1, or 2
 * if the opening was collective.
 */
static inline uint64_t gptl_layers_file_collective(struct gptl_layers_file *file, uint64_t *opening)
{
    *opening = atomic_load_explicit(&file->opening, memory_order_relaxed);
    return atomic_fetch_add_explicit(&file->collectives, 1, memory_order_relaxed) + 1;
}

#endif
