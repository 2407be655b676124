/*
 * mem.h - memory of the core: whole pages from the kernel, never malloc.
 *
 * A host's malloc may itself be profiled, so nothing here calls it. Memory that a report is made
 * from is "kept": with the option salvage it lies in a file that outlives a killed process.
 */
#ifndef GPTL_CORE_MEM_H
#define GPTL_CORE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed pages, charged to the budget. NULL when the budget or the system has no more. */
void *gptl_mem_pages(size_t size);
void *gptl_mem_kept_pages(size_t size);
/* Takes either kind; size as asked for. */
void gptl_mem_free(void *pages, size_t size);

/*
 * Whether pages are made as they are taken, by the kernel: then a region in which the library
 * writes to them for the first time is not charged with page faults, which may be what it counts.
 */
void gptl_mem_prefault(bool on);

/* Bytes in use by the whole library. */
size_t gptl_mem_used(void);
/* Whether SIZE more bytes leave at least one part in PARTS of the budget free. */
bool gptl_mem_allows(size_t size, unsigned parts);

/* Test hook: when not negative, so many more allocations succeed, and then one fails. */
extern long gptl_mem_fail_after;

/*
 * Objects that live until the whole arena is freed, in blocks of doubling size, so that there are
 * few blocks and every object can be visited. An arena of one kind of object is an array in parts.
 */
struct gptl_block {
    struct gptl_block *next;
    size_t size; /* of the pages, this header included */
    size_t used; /* bytes of objects after the header */
    size_t pad[5];
};

struct gptl_arena {
    struct gptl_block *first, *last;
};

/* ALIGN is a power of two, at most 64. Zeroed. NULL when there is no memory. */
void *gptl_arena_alloc(struct gptl_arena *arena, size_t size, size_t align);
void gptl_arena_free(struct gptl_arena *arena);
size_t gptl_arena_bytes(const struct gptl_arena *arena);

#endif
