/*
 * lookup.h - finding a child by what is remembered of it: its place after its sibling, the address of
 * its name, the cache. Inlined into the hot path, and into the slow one when a feature is on.
 */
#ifndef GPTL_CORE_LOOKUP_H
#define GPTL_CORE_LOOKUP_H

#include "core/thread.h"

#define GPTL_INLINED static inline __attribute__((always_inline))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Threads may share a handle, and one of them be just making it. */
GPTL_INLINED int gptl_lookup_handle(const int *handle)
{
    return __atomic_load_n(handle, __ATOMIC_RELAXED);
}

/* Whether the handle, if there is one, is the node's region's: one that is still 0 is no node's. */
GPTL_INLINED bool gptl_lookup_is_handle(const struct gptl_node *node, const int *handle)
{
    return !handle || node->id == (uint32_t)gptl_lookup_handle(handle);
}

/* Whether NAME is the literal that the node is known by. LENGTH is small or GPTL_NUL_ENDED. */
GPTL_INLINED bool gptl_lookup_is_literal(const struct gptl_node *node, const char *name,
                                         size_t length, const int *handle)
{
    return node->known == gptl_known_literal(name, length) && gptl_lookup_is_handle(node, handle);
}

/* Whether the name at an address where the node's short name was before is still the same. */
GPTL_INLINED bool gptl_lookup_is_unchanged(const struct gptl_node *node, const char *name,
                                           const int *handle)
{
#if GPTL_ADDRESS_SANITIZER
    return false; /* it reads on after a NUL, though never beyond where a name was */
#endif
    if ((node->known ^ (uintptr_t)name) != UINTPTR_MAX || !gptl_lookup_is_handle(node, handle))
        return false;
    size_t last = node->region->size - 8;
    return gptl_load64(name) == gptl_load64(node->region->name) &&
           gptl_load64(name + last) == gptl_load64(node->region->name + last);
}

/* Whether the node's name is NAME, by its bytes, which a function's address does not lead to. */
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

/* Whether the node is the one for NAME, whichever way that is known. */
GPTL_INLINED bool gptl_lookup_is_one(const struct gptl_node *node, const char *name, size_t length,
                                     const int *handle)
{
    bool may_be_literal = !gptl_length_is_counted(length) || length < GPTL_LITERAL_LENGTHS;
    return (may_be_literal && gptl_lookup_is_literal(node, name, length, handle)) ||
           gptl_lookup_is_named(node, name, length, handle);
}

/* The child in the cache for the name or handle, or NULL. */
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
 * Of the two slots that take turns what that one holds which seems to be for this HASH, not verified;
 * anything if none does. Chosen without a branch, as nothing foretells which one it is.
 */
GPTL_INLINED uint64_t gptl_lookup_likely(const struct gptl_thread *t, uint64_t hash)
{
    uint64_t *slot = gptl_cache_slot(t, hash), one = *slot, two = *gptl_cache_near(slot, 1);
    bool differs = (one ^ hash) >> GPTL_CACHE_SHIFT;
    return one ^ ((one ^ two) & -(uint64_t)differs);
}

/* Has what a call touches of the node come near while the clock is read. */
GPTL_INLINED void gptl_lookup_fetch(const struct gptl_node *node)
{
    __builtin_prefetch(node, 1);
}

#endif
