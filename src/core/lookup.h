/*
 * lookup.h - search for a child by remembered properties: its position after its sibling, the
 * address of its name, the cache. Inlined into the fast path, and into the slow path when a feature
 * is active.
 */
#ifndef GPTL_CORE_LOOKUP_H
#define GPTL_CORE_LOOKUP_H

#include "core/thread.h"

#define GPTL_INLINED static inline __attribute__((always_inline))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Load a handle. Threads may share it while one of them initializes it. */
GPTL_INLINED int gptl_lookup_handle(const int *handle)
{
    return __atomic_load_n(handle, __ATOMIC_RELAXED);
}

/*
 * Return whether HANDLE, if given, belongs to the node's region; a handle that is still 0 belongs
 * to no region.
 */
GPTL_INLINED bool gptl_lookup_is_handle(const struct gptl_node *node, const int *handle)
{
    return !handle || node->id == (uint32_t)gptl_lookup_handle(handle);
}

/* Return whether NAME is the literal recorded for the node. LENGTH is small or GPTL_NUL_ENDED. */
GPTL_INLINED bool gptl_lookup_is_literal(const struct gptl_node *node, const char *name,
                                         size_t length, const int *handle)
{
    return node->known == gptl_known_literal(name, length) && gptl_lookup_is_handle(node, handle);
}

/*
 * Return whether the bytes at NAME still equal the node's short name, which was found at this
 * address before.
 */
GPTL_INLINED bool gptl_lookup_is_unchanged(const struct gptl_node *node, const char *name,
                                           const int *handle)
{
#if GPTL_ADDRESS_SANITIZER
    /* the comparison reads past a NUL, though never beyond the extent of an earlier name */
    return false;
#endif
    if ((node->known ^ (uintptr_t)name) != UINTPTR_MAX || !gptl_lookup_is_handle(node, handle))
        return false;
    size_t last = node->region->size - 8;
    return gptl_load64(name) == gptl_load64(node->region->name) &&
           gptl_load64(name + last) == gptl_load64(node->region->name + last);
}

/*
 * Return whether the node's name equals NAME bytewise; always false for the address of a function.
 */
GPTL_INLINED bool gptl_lookup_is_named(const struct gptl_node *node, const char *name,
                                       size_t length, const int *handle)
{
    if (length == GPTL_FUNCTION || node->region->kind != gptl_length_kind(length) ||
        !gptl_lookup_is_handle(node, handle))
        return false;
    if (gptl_length_is_counted(length))
        return gptl_name_is_padded(node->region, name, length);
    return gptl_name_is(node->region, name);
}

/* Return whether the node is the one for NAME, compared by literal or bytewise. */
GPTL_INLINED bool gptl_lookup_is_one(const struct gptl_node *node, const char *name, size_t length,
                                     const int *handle)
{
    bool may_be_literal = !gptl_length_is_counted(length) || length < GPTL_LITERAL_LENGTHS;
    return (may_be_literal && gptl_lookup_is_literal(node, name, length, handle)) ||
           gptl_lookup_is_named(node, name, length, handle);
}

/* Return the child in the cache for the name or handle, or NULL. */
GPTL_INLINED struct gptl_node *gptl_lookup_cached(struct gptl_thread *t, struct gptl_node *parent,
                                                  const char *name, size_t length,
                                                  const int *handle)
{
    uint64_t key = handle ? (uint64_t)gptl_lookup_handle(handle) << 4 : (uint64_t)(uintptr_t)name;
    uint64_t hash = gptl_cache_hash(parent, key), *slot = gptl_cache_slot(t, hash);
    for (int i = 0; i < GPTL_CACHE_LINE; i++) {
        uint64_t entry = *gptl_cache_near(slot, i);
        struct gptl_node *node = gptl_cache_node(entry);
        if (gptl_cache_is_entry(entry, hash) && node->parent == parent &&
            gptl_lookup_is_one(node, name, length, handle))
            return node;
    }
    return NULL;
}

/*
 * Return the entry whose tag matches HASH, unverified, from the first two slots of the line; an
 * arbitrary one if none matches. Selected without a branch, as no predictor can learn which slot
 * matches.
 */
GPTL_INLINED uint64_t gptl_lookup_likely(const struct gptl_thread *t, uint64_t hash)
{
    uint64_t *slot = gptl_cache_slot(t, hash), one = *slot, two = *gptl_cache_near(slot, 1);
    bool differs = (one ^ hash) >> GPTL_CACHE_SHIFT;
    return one ^ ((one ^ two) & -(uint64_t)differs);
}

/* Prefetch the part of the node that a call touches while the clock is being read. */
GPTL_INLINED void gptl_lookup_fetch(const struct gptl_node *node)
{
    __builtin_prefetch(node, 1);
}

#endif
