/* arena.h - the memory that is measured, in small or huge pages. */
#ifndef GPTL_POSTPROC_MAPS_ARENA_H
#define GPTL_POSTPROC_MAPS_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "postproc/machine/machine.h"

struct arena {
    char *memory; /* aligned to the largest huge page that is common */
    size_t bytes;
    size_t
        at; /* where the last one who went over it in parts stopped: what is behind is long ago */
    void *map;
    size_t map_bytes;
};

/* Returns 0, or -1 with errno. Its pages come when they are written, near to who does that. */
int arena_map(struct arena *arena, size_t bytes, enum machine_pages pages);
void arena_unmap(struct arena *arena);

/* Whether nearly all of it that has been written is in huge pages, by what the kernel says. */
bool arena_is_huge(const struct arena *arena);

/*
 * Makes the first words of all lines of the first BYTES one cycle in random order, and AT where
 * N chains begin, equally far from each other.
 */
void arena_link(struct arena *arena, size_t bytes, void **at, unsigned n);

/* Whether arena_link links all lines of so many bytes. Of larger sets it links a part, at random places. */
bool arena_links_all(size_t bytes);

#endif
