/* names.h - regions: one object per kind and name, which lives as long as the process. */
#ifndef GPTL_CORE_NAMES_H
#define GPTL_CORE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/core.h"

/*
 * Whether the address sanitizer checks reads: then no read continues after a NUL, even within
 * mapped memory.
 */
#if defined(__SANITIZE_ADDRESS__)
#define GPTL_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#define GPTL_ADDRESS_SANITIZER __has_feature(address_sanitizer)
#else
#define GPTL_ADDRESS_SANITIZER 0
#endif

struct gptl_kept_function;

struct gptl_region {
    uint64_t hash;
    uint32_t id; /* id from 1, as in handles */
    /* bytes of the name including NUL; UINT32_MAX for the root, whose name matches no start */
    uint32_t size;
    struct gptl_region *next;            /* next region in the order of ids */
    struct gptl_kept_function *function; /* function of the region; NULL for another kind */
    uint32_t kind;                       /* enum gptl_kind */
    char name[];
};

struct gptl_name {
    const char *text;
    size_t length;
    enum gptl_kind kind; /* kind of the region */
};

uint64_t gptl_name_hash(struct gptl_name name);

/* Return whether the region has this name and kind. */
static inline bool gptl_name_is_of(struct gptl_name name, const struct gptl_region *region)
{
    return region->size == name.length + 1 && region->kind == name.kind &&
           memcmp(region->name, name.text, name.length) == 0;
}

/*
 * Return the region with this name and kind, created if necessary; NULL without memory. Takes the
 * lock.
 */
struct gptl_region *gptl_name_intern(struct gptl_name name, uint64_t hash);
/* Return the region with this name and kind; NULL if it does not exist. Takes the lock. */
struct gptl_region *gptl_name_find(struct gptl_name name, uint64_t hash);
/* Return the region with this id, or NULL. Takes the lock. */
struct gptl_region *gptl_name_by_id(uint32_t id);

/* The following functions require the lock. */
uint32_t gptl_name_count(void);
size_t gptl_name_bytes(void);

extern struct gptl_region gptl_region_root; /* region of every tree's root */

/*
 * Return whether the bytes at this address can never change: it lies in a read-only segment of the
 * program or of this library, where literals are. (Other libraries can be unloaded.)
 */
bool gptl_name_is_fixed(const char *text);
/* Find those segments; called once, when the library is loaded. */
void gptl_name_setup(void);

static inline uint64_t gptl_load64(const char *p)
{
    uint64_t v;
    memcpy(&v, p, 8);
    return v;
}

static inline uint32_t gptl_load32(const char *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
}

/*
 * Return whether SIZE bytes at A and B are equal. No call: names are short. Every read lies within
 * the first SIZE bytes, and only the read of the last eight bytes follows a difference.
 */
static inline __attribute__((always_inline)) bool gptl_bytes_equal(const char *a, const char *b,
                                                                   size_t size)
{
    if (__builtin_expect(size - 8 <= 8, 1))
        return gptl_load64(a) == gptl_load64(b) &&
               gptl_load64(a + size - 8) == gptl_load64(b + size - 8);
    if (size > 16) {
        size_t i = 0;
        for (; i + 8 < size; i += 8)
            if (gptl_load64(a + i) != gptl_load64(b + i))
                return false;
        return gptl_load64(a + size - 8) == gptl_load64(b + size - 8);
    }
    if (size >= 4)
        return gptl_load32(a) == gptl_load32(b) &&
               gptl_load32(a + size - 4) == gptl_load32(b + size - 4);
    for (size_t i = 0; i < size; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

/*
 * Return whether the NUL-terminated NAME equals the region's name. NAME may be shorter and end at
 * the end of mapped memory: where the compared bytes cross into another page, the comparison is
 * bytewise. It is always bytewise under the address sanitizer.
 */
static inline __attribute__((always_inline)) bool gptl_name_is(const struct gptl_region *r,
                                                               const char *name)
{
    size_t size = r->size;
#if !GPTL_ADDRESS_SANITIZER
    if (__builtin_expect(((uintptr_t)name & 4095) + size <= 4096, 1))
        return gptl_bytes_equal(name, r->name, size);
#endif
    for (size_t i = 0; i < size; i++)
        if (name[i] != r->name[i])
            return false;
    return true;
}

/*
 * Return whether the N bytes before any NUL are spaces: a fixed-size variable often contains more
 * spaces than name.
 */
static inline __attribute__((always_inline)) bool gptl_bytes_blank(const char *p, size_t n)
{
    const uint64_t blanks = 0x2020202020202020;
    size_t i = 0;
    while (i + 8 <= n && gptl_load64(p + i) == blanks)
        i += 8;
    if (n >= 8 && i + 8 > n && gptl_load64(p + n - 8) == blanks)
        return true;
    for (; i < n && p[i] != '\0'; i++)
        if (p[i] != ' ')
            return false;
    return true;
}

/*
 * Return whether NAME of LENGTH bytes equals the region's name; trailing spaces do not count and
 * NUL ends NAME.
 */
static inline __attribute__((always_inline)) bool gptl_name_is_padded(const struct gptl_region *r,
                                                                      const char *name,
                                                                      size_t length)
{
    size_t n = (size_t)r->size - 1;
    if (r->size < 2 || length < n || r->name[n - 1] == ' ' || !gptl_bytes_equal(name, r->name, n))
        return false;
    return gptl_bytes_blank(name + n, length - n);
}

#endif
