/* arena.c - allocates the memory that measurements access. */
#include "config.h"

#include "postproc/maps/arena.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "postproc/maps/kernels.h"

enum { HUGE = 2 << 20 };

int arena_map(struct arena *arena, size_t bytes, enum machine_pages pages)
{
    size_t whole = (bytes + HUGE - 1) / HUGE * HUGE;
    arena->map_bytes = whole + HUGE;
    arena->map = mmap(NULL, arena->map_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (arena->map == MAP_FAILED)
        return -1;
    uintptr_t at = (uintptr_t)arena->map;
    arena->memory = (char *)arena->map + (HUGE - at % HUGE) % HUGE;
    arena->bytes = bytes;
    /* A kernel without huge pages rejects both and provides small pages. */
    madvise(arena->memory, whole, pages == MACHINE_HUGE ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    return 0;
}

void arena_unmap(struct arena *arena)
{
    if (arena->map)
        munmap(arena->map, arena->map_bytes);
    *arena = (struct arena){0};
}

bool arena_is_huge(const struct arena *arena)
{
    char line[512];
    unsigned long from, to;
    double there = 0, huge = 0, kilobytes;
    bool inside = false;
    FILE *maps = fopen("/proc/self/smaps", "re");
    if (!maps)
        return false;
    while (fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
            inside = from <= (uintptr_t)arena->memory && (uintptr_t)arena->memory < to;
        else if (inside && sscanf(line, "Rss: %lf", &kilobytes) == 1)
            there = kilobytes;
        else if (inside && sscanf(line, "AnonHugePages: %lf", &kilobytes) == 1)
            huge = kilobytes;
    }
    fclose(maps);
    return huge > 0 && huge >= 0.9 * there;
}

/* ---- Chains -------------------------------------------------------------------------------- */

/* Return a permutation of the numbers of BITS bits. */
static uint64_t mix(uint64_t n, unsigned bits)
{
    uint64_t mask = ((uint64_t)1 << bits) - 1;
    for (int i = 0; i < 3; i++) {
        n = (n * 0x9e3779b97f4a7c15u + 0x7f4a7c15u) & mask;
        n ^= n >> (bits / 2 + 1);
    }
    return n;
}

/* Return a permutation of the numbers below LINES, skipping larger ones. */
static uint64_t place_of(uint64_t n, uint64_t lines, unsigned bits)
{
    do
        n = mix(n, bits);
    while (n >= lines);
    return n;
}

/*
 * Samples visit some hundred thousand lines. Linking all lines of a larger set would take seconds
 * (one write to memory each) without changing the samples, because the linked lines are also spread
 * over the whole set.
 */
enum { MOST_LINKED = 1 << 20 };

bool arena_links_all(size_t bytes)
{
    return bytes <= (size_t)MOST_LINKED * 2 * KERNEL_LINE;
}

void arena_link(struct arena *arena, size_t bytes, void **at, unsigned n)
{
    uint64_t lines = bytes / KERNEL_LINE, next = 0;
    unsigned bits = 2;
    while ((uint64_t)1 << bits < lines)
        bits++;
    uint64_t linked = arena_links_all(bytes) ? lines : MOST_LINKED;
    char *line = arena->memory + place_of(0, lines, bits) * KERNEL_LINE, *first = line;
    for (uint64_t i = 0; i < linked; i++) {
        if (next < n && i == next * linked / n)
            at[next++] = line;
        char *to =
            i + 1 < linked ? arena->memory + place_of(i + 1, lines, bits) * KERNEL_LINE : first;
        *(void **)(void *)line = to;
        line = to;
    }
    for (; next < n; next++)
        at[next] = first;
}
