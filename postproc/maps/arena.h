/* arena.h - memory to measure, in small or huge pages. */
#ifndef GPTL_POSTPROC_MAPS_ARENA_H
#define GPTL_POSTPROC_MAPS_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "postproc/machine/machine.h"

struct arena {
    char *memory; /* aligned to the largest common huge page */
    size_t bytes;
    size_t at; /* end of the last partial sweep; the following lines were accessed long ago */
    void *map;
    size_t map_bytes;
};

/* Map memory. Returns 0, or -1 with errno. First touch places its pages near the writing thread. */
int arena_map(struct arena *arena, size_t bytes, enum machine_pages pages);
void arena_unmap(struct arena *arena);

/* Return whether the kernel reports that nearly all touched memory is in huge pages. */
bool arena_is_huge(const struct arena *arena);

/*
 * Link the first words of all lines of the first BYTES into one cycle in random order. AT gets the
 * starts of N chains, equally spaced in the cycle.
 */
void arena_link(struct arena *arena, size_t bytes, void **at, unsigned n);

/* Return whether arena_link links all lines of BYTES; of larger sets it links a random part. */
bool arena_links_all(size_t bytes);

#endif
