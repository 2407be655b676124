/* map.h - growing hash table from numbers to numbers. All 0 is an empty map. */
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
    struct map_entry *entries; /* SIZE entries, used or not */
    size_t used, size;
};

/* Return the value of KEY, valid until the next insertion, or NULL. */
uint64_t *map_find(const struct map *map, uint64_t key);
/* Return the value of KEY, inserted with 0 if new. */
uint64_t *map_put(struct map *map, uint64_t key);
void map_free(struct map *map);

#endif
