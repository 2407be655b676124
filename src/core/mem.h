/*
 * mem.h - memory of the core: whole pages from the kernel, never malloc.
 *
 * A host's malloc may itself be profiled, so the core does not call it. Memory that a report needs
 * is "kept": with the option salvage it is in a file that survives a kill of the process.
 */
#ifndef GPTL_CORE_MEM_H
#define GPTL_CORE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Return zeroed pages, charged to the budget; NULL when the budget or the system is exhausted. */
void *gptl_mem_pages(size_t size);
void *gptl_mem_kept_pages(size_t size);
/* Free pages of either kind; SIZE is the allocated size. */
void gptl_mem_free(void *pages, size_t size);

/*
 * Select whether allocation also makes the kernel provide the pages. Otherwise the first write
 * causes page faults, which would be charged to a region, and which a counter may count.
 */
void gptl_mem_prefault(bool on);

/* Return the bytes in use by the whole library. */
size_t gptl_mem_used(void);
/* Return whether SIZE more bytes leave at least 1/PARTS of the budget free. */
bool gptl_mem_allows(size_t size, unsigned parts);

/* Test hook: if not negative, the number of allocations that succeed before one fails. */
extern long gptl_mem_fail_after;

/*
 * Objects that live until the whole arena is freed, in blocks of doubling size, so that the blocks
 * are few and every object can be visited. An arena of one kind of object is an array in parts.
 */
struct gptl_block {
    struct gptl_block *next;
    size_t size; /* bytes of the pages, this header included */
    size_t used; /* bytes of objects after the header */
    size_t pad[5];
};

struct gptl_arena {
    struct gptl_block *first, *last;
};

/* Return zeroed memory, or NULL. ALIGN is a power of two, at most 64. */
void *gptl_arena_alloc(struct gptl_arena *arena, size_t size, size_t align);
void gptl_arena_free(struct gptl_arena *arena);
size_t gptl_arena_bytes(const struct gptl_arena *arena);

#endif
