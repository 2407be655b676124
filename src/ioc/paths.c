/*
 * paths.c - numbers the call paths of the timing library.
 *
 * The process may or may not contain libgptl, so its functions are weak here. It returns nodes,
 * which live as long as a measurement; names of regions live as long as the process.
 */
#include "config.h"

#include "ioc/paths.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "ioc/kept.h"
#include "posix/apart.h"
#include "posix/raw.h"

/* Access to the innermost open region of this thread in libgptl; see core/core.h. */
extern const void *gptl_core_here(void) __attribute__((weak));
extern const void *gptl_core_node_parent(const void *node) __attribute__((weak));
extern const char *gptl_core_node_name(const void *node) __attribute__((weak));
extern uint32_t gptl_core_measurement(void) __attribute__((weak));

enum { NBUCKETS = 4096, NPATHS = 1 << 16, MOST_DEPTH = 128 };

static _Atomic(struct gptl_ioc_path *) buckets[NBUCKETS];
static _Atomic(struct gptl_ioc_path *) all;
static struct gptl_ioc_path *_Atomic memory;
static atomic_uint npaths;

const struct gptl_ioc_path *gptl_ioc_paths(void)
{
    return atomic_load(&all);
}

static uint32_t hash_of(uint32_t parent, const char *name)
{
    uint32_t h = parent * 2654435761u;
    while (*name)
        h = (h ^ (unsigned char)*name++) * 16777619u;
    return (h ^ h >> 15) % NBUCKETS;
}

static struct gptl_ioc_path *new_path(void)
{
    struct gptl_ioc_path *paths = atomic_load(&memory), *empty = NULL;
    if (!paths) {
        paths = gptl_posix_is_sealed ? NULL : gptl_raw_pages(NPATHS * sizeof *paths);
        if (!paths)
            return NULL;
        if (!atomic_compare_exchange_strong(&memory, &empty, paths)) {
            gptl_raw_free(paths, NPATHS * sizeof *paths);
            paths = empty;
        }
    }
    uint32_t i = atomic_fetch_add(&npaths, 1);
    if (i >= NPATHS)
        return NULL;
    paths[i].number = i + 1;
    return &paths[i];
}

static uint32_t number_of(uint32_t parent, const char *name)
{
    _Atomic(struct gptl_ioc_path *) *bucket = &buckets[hash_of(parent, name)];
    struct gptl_ioc_path *first = atomic_load(bucket), *fresh = NULL;
    for (;;) {
        for (struct gptl_ioc_path *p = first; p; p = p->next_in_bucket)
            if (p->parent == parent && strcmp(p->name, name) == 0)
                return p->number;
        if (!fresh && !(fresh = new_path()))
            return parent;
        fresh->parent = parent;
        fresh->name = name;
        fresh->next_in_bucket = first;
        if (atomic_compare_exchange_weak(bucket, &first, fresh))
            break;
    }
    struct gptl_ioc_path *newest = atomic_load(&all);
    do
        fresh->next = newest;
    while (!atomic_compare_exchange_weak(&all, &newest, fresh));
    gptl_ioc_kept_path(fresh);
    return fresh->number;
}

static __attribute__((noinline)) uint32_t find_path(const void *node)
{
    char *room = gptl_posix_scratch_take();
    const void **way = (const void **)(void *)room;
    int n = 0;
    uint32_t number = 0;
    if (!room)
        return 0;
    for (; node && n < MOST_DEPTH; node = gptl_core_node_parent(node))
        way[n++] = node;
    while (n > 0)
        number = number_of(number, gptl_core_node_name(way[--n]));
    gptl_posix_scratch_give(room);
    return number;
}

uint32_t gptl_ioc_path(struct gptl_ioc_lane *l)
{
    const void *node = gptl_core_here ? gptl_core_here() : NULL;
    if (!node)
        return 0;
    if (!l)
        return find_path(node);
    uint32_t measurement = gptl_core_measurement ? gptl_core_measurement() : 0;
    if (node != l->node || measurement != l->measurement) {
        l->path = find_path(node);
        l->node = node;
        l->measurement = measurement;
    }
    return l->path;
}
