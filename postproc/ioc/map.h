/* map.h - numbers by number: a table that grows. All 0 is an empty one. */
#ifndef GPTL_POSTPROC_IOC_MAP_H
#define GPTL_POSTPROC_IOC_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_entry {
    uint64_t key, value;
    bool used;
};

struct map {
    struct map_entry *entries; /* SIZE of them, used or not */
    size_t used, size;
};

/* The value of KEY, or NULL; good until something is put. */
uint64_t *map_find(const struct map *map, uint64_t key);
/* The same, and 0 for one that is new. */
uint64_t *map_put(struct map *map, uint64_t key);
void map_free(struct map *map);

#endif
