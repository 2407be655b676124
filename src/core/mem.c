/*
 * mem.c - pages and arenas, under one budget.
 *
 * The budget counts reserved address space rather than touched memory, so that it is never
 * exceeded.
 */
#include "config.h"

#include "core/mem.h"

#include <stdatomic.h>
#include <sys/mman.h>

#include "core/core.h"
#include "core/race_checkers.h"
#include "core/salvage.h"

enum { PAGE = 4096, FIRST_BLOCK = 4 * PAGE, LARGEST_BLOCK = 256 * PAGE };

static _Atomic size_t used;
static atomic_bool prefault;
long gptl_mem_fail_after = -1;

static size_t rounded(size_t size)
{
    return (size + PAGE - 1) & ~(size_t)(PAGE - 1);
}

bool gptl_mem_allows(size_t size, unsigned parts)
{
    size_t budget = (size_t)gptl_core_option(GPTL_OPT_BUDGET);
    return atomic_load_explicit(&used, memory_order_relaxed) + size <= budget - budget / parts;
}

/* Charge SIZE bytes to the budget. Return false if less is left. */
static bool charge(size_t size)
{
    if (gptl_mem_fail_after >= 0 && gptl_mem_fail_after-- == 0) {
        gptl_mem_fail_after = -1;
        return false;
    }
    size_t before = atomic_load(&used);
    do {
        if (before + size > (size_t)gptl_core_option(GPTL_OPT_BUDGET))
            return false;
    } while (!atomic_compare_exchange_weak(&used, &before, before + size));
    return true;
}

static void *charged(void *pages, size_t size)
{
    if (!pages)
        atomic_fetch_sub_explicit(&used, size, memory_order_relaxed);
    return pages;
}

void gptl_mem_prefault(bool on)
{
    prefault = on;
}

/*
 * Make the kernel provide the pages now, if requested. Kernels before 5.14 need a write: otherwise
 * the caller's region would have the page faults.
 */
static void *made(void *pages, size_t size)
{
    enum { POPULATE_WRITE = 23 };
    if (pages)
        gptl_race_checkers_ignore(pages, size);
    if (pages && prefault && madvise(pages, size, POPULATE_WRITE) != 0)
        for (size_t at = 0; at < size; at += PAGE)
            ((volatile char *)pages)[at] = 0;
    return pages;
}

static void *anonymous(size_t size)
{
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

void *gptl_mem_pages(size_t size)
{
    size = rounded(size);
    return charge(size) ? made(charged(anonymous(size), size), size) : NULL;
}

void *gptl_mem_kept_pages(size_t size)
{
    size = rounded(size);
    if (!charge(size))
        return NULL;
    void *pages = gptl_salvage_pages(size);
    return made(charged(pages ? pages : anonymous(size), size), size);
}

void gptl_mem_free(void *pages, size_t size)
{
    if (!pages)
        return;
    size = rounded(size);
    gptl_salvage_forget(pages);
    munmap(pages, size);
    atomic_fetch_sub_explicit(&used, size, memory_order_relaxed);
}

size_t gptl_mem_used(void)
{
    return atomic_load_explicit(&used, memory_order_relaxed);
}

static struct gptl_block *new_block(struct gptl_arena *arena, size_t size)
{
    size_t pages = FIRST_BLOCK;
    if (arena->last && arena->last->size < LARGEST_BLOCK)
        pages = 2 * arena->last->size;
    else if (arena->last)
        pages = LARGEST_BLOCK;
    while (pages < size + sizeof(struct gptl_block))
        pages *= 2;

    /* The last part of the budget is reserved for the states of further threads. */
    while (pages / 2 >= size + sizeof(struct gptl_block) && pages > FIRST_BLOCK &&
           !gptl_mem_allows(pages, 16))
        pages /= 2;
    struct gptl_block *block = gptl_mem_allows(pages, 16) ? gptl_mem_kept_pages(pages) : NULL;
    if (!block)
        return NULL;
    block->size = pages;
    if (arena->last)
        arena->last->next = block;
    else
        arena->first = block;
    arena->last = block;
    return block;
}

void *gptl_arena_alloc(struct gptl_arena *arena, size_t size, size_t align)
{
    struct gptl_block *block = arena->last;
    size_t room = block ? block->size - sizeof *block : 0;
    size_t at = block ? (block->used + align - 1) & ~(align - 1) : 0;
    if (!block || at > room || size > room - at) {
        block = new_block(arena, size);
        if (!block)
            return NULL;
        at = 0;
    }
    block->used = at + size;
    return (char *)(block + 1) + at;
}

void gptl_arena_free(struct gptl_arena *arena)
{
    for (struct gptl_block *block = arena->first, *next; block; block = next) {
        next = block->next;
        gptl_mem_free(block, block->size);
    }
    arena->first = arena->last = NULL;
}

size_t gptl_arena_bytes(const struct gptl_arena *arena)
{
    size_t bytes = 0;
    for (const struct gptl_block *block = arena->first; block; block = block->next)
        bytes += block->size;
    return bytes;
}
