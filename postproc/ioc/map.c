/* map.c - hash table from numbers to numbers. */
#include "config.h"

#include "postproc/ioc/map.h"

#include <stdlib.h>

#include "postproc/ioc/memory.h"

/* All bits of the key affect the hash, so that consecutive and strided keys spread equally. */
static size_t place_of(const struct map *map, uint64_t key)
{
    key ^= key >> 32;
    key *= 0x9e3779b97f4a7c15u;
    key ^= key >> 29;
    return (size_t)key & (map->size - 1);
}

static struct map_entry *entry_of(const struct map *map, uint64_t key)
{
    size_t i = place_of(map, key);
    while (map->entries[i].used && map->entries[i].key != key)
        i = (i + 1) & (map->size - 1);
    return &map->entries[i];
}

uint64_t *map_find(const struct map *map, uint64_t key)
{
    if (map->size == 0)
        return NULL;
    struct map_entry *entry = entry_of(map, key);
    return entry->used ? &entry->value : NULL;
}

static void grow(struct map *map)
{
    struct map old = *map;
    map->size = old.size ? 2 * old.size : 16;
    map->entries = memory_zeros(map->size, sizeof *map->entries);
    for (size_t i = 0; i < old.size; i++)
        if (old.entries[i].used)
            *entry_of(map, old.entries[i].key) = old.entries[i];
    free(old.entries);
}

uint64_t *map_put(struct map *map, uint64_t key)
{
    if (3 * map->used >= 2 * map->size)
        grow(map);
    struct map_entry *entry = entry_of(map, key);
    if (!entry->used) {
        *entry = (struct map_entry){.key = key, .used = true};
        map->used++;
    }
    return &entry->value;
}

void map_free(struct map *map)
{
    free(map->entries);
    *map = (struct map){0};
}
