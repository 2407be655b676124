/* trace_regions.c - what a thread has computed in which region since its last record. */
#include "config.h"

#include <stdlib.h>

#include "mpi/trace_stream.h"

struct region {
    const void *node; /* NULL: none */
    uint64_t ns;      /* not told yet */
    uint32_t number;  /* 0: not told at all */
};

/* A table by the address of the node; with the numbers of those of which there is something to tell. */
struct gptl_mpi_trace_regions {
    struct region *table;
    uint32_t room, used, told; /* room is a power of two */
    uint32_t *touched, ntouched;
    uint64_t outside; /* of all regions */
    uint32_t latest;  /* place of the one that was found last */
};

enum { FIRST_ROOM = 64 };

struct gptl_mpi_trace_regions *gptl_mpi_trace_regions_new(void)
{
    struct gptl_mpi_trace_regions *regions = calloc(1, sizeof *regions);
    if (!regions)
        return NULL;
    regions->room = FIRST_ROOM;
    regions->table = calloc(FIRST_ROOM, sizeof *regions->table);
    regions->touched = calloc(FIRST_ROOM, sizeof *regions->touched);
    if (regions->table && regions->touched)
        return regions;
    free(regions->table);
    free(regions->touched);
    free(regions);
    return NULL;
}

static uint32_t place_of(const struct region *table, uint32_t room, const void *node)
{
    uint32_t i = (uint32_t)((uint64_t)(uintptr_t)node * 0x9e3779b97f4a7c15u >> 32);
    while (table[i & (room - 1)].node && table[i & (room - 1)].node != node)
        i++;
    return i & (room - 1);
}

static bool grow(struct gptl_mpi_trace_regions *regions)
{
    uint32_t room = 2 * regions->room;
    struct region *table = calloc(room, sizeof *table);
    uint32_t *touched = calloc(room, sizeof *touched);
    if (!table || !touched) {
        free(table);
        free(touched);
        return false;
    }
    regions->ntouched = 0;
    for (uint32_t i = 0; i < regions->room; i++) {
        const struct region *one = &regions->table[i];
        if (!one->node)
            continue;
        uint32_t at = place_of(table, room, one->node);
        table[at] = *one;
        if (one->ns)
            touched[regions->ntouched++] = at;
    }
    free(regions->table);
    free(regions->touched);
    regions->table = table;
    regions->touched = touched;
    regions->room = room;
    return true;
}

/* The place of NODE, or of the nearest one around it that there is memory for; room: of none. */
static uint32_t find(struct gptl_mpi_trace_regions *regions, const void *node)
{
    for (; node; node = gptl_core_node_parent(node)) {
        uint32_t at = place_of(regions->table, regions->room, node);
        if (regions->table[at].node)
            return at;
        if (2 * regions->used >= regions->room) {
            if (!grow(regions))
                continue;
            at = place_of(regions->table, regions->room, node);
        }
        regions->table[at].node = node;
        regions->used++;
        return at;
    }
    return regions->room;
}

void gptl_mpi_trace_computed(struct gptl_mpi_trace_regions *regions, const void *node, uint64_t ns)
{
    uint32_t at = regions->latest;
    if (ns == 0)
        return;
    if (!node || regions->table[at].node != node)
        at = node ? find(regions, node) : regions->room;
    if (at == regions->room) {
        regions->outside += ns;
        return;
    }
    regions->latest = at;
    if (regions->table[at].ns == 0)
        regions->touched[regions->ntouched++] = at;
    regions->table[at].ns += ns;
}

/* The number of NODE in the table; 0: it has none yet. */
static uint32_t told_number(const struct gptl_mpi_trace_regions *regions, const void *node)
{
    return regions->table[place_of(regions->table, regions->room, node)].number;
}

static uint32_t tell(struct gptl_mpi_trace_regions *regions, struct gptl_mpi_stream *stream,
                     const void *node, uint32_t around)
{
    uint32_t at = find(regions, node);
    if (at == regions->room || regions->table[at].node != node)
        return around;
    regions->table[at].number = ++regions->told;
    gptl_mpi_trace_put(stream, GPTL_TI_REGION);
    gptl_mpi_trace_put(stream, regions->told);
    gptl_mpi_trace_put(stream, around);
    gptl_mpi_trace_put_text(stream, gptl_core_node_name(node));
    return regions->told;
}

/* Tells a region, and before it those around it, which may be very many. */
static uint32_t number_of(struct gptl_mpi_trace_regions *regions, struct gptl_mpi_stream *stream,
                          const void *node)
{
    size_t n = 0;
    uint32_t number = 0;
    for (const void *at = node; at && !told_number(regions, at); at = gptl_core_node_parent(at))
        n++;
    const void **path = malloc((n + 1) * sizeof *path);
    if (!path)
        return 0;
    const void *at = node;
    for (size_t i = n; i > 0; i--, at = gptl_core_node_parent(at))
        path[i - 1] = at;
    if (at)
        number = told_number(regions, at);
    for (size_t i = 0; i < n; i++)
        number = tell(regions, stream, path[i], number);
    free(path);
    return number;
}

void gptl_mpi_trace_tell_computed(struct gptl_mpi_trace_regions *regions,
                                  struct gptl_mpi_stream *stream)
{
    if (regions->outside) {
        gptl_mpi_trace_put(stream, GPTL_TI_COMPUTE);
        gptl_mpi_trace_put(stream, 0);
        gptl_mpi_trace_put(stream, regions->outside);
        regions->outside = 0;
    }
    while (regions->ntouched > 0) {
        struct region *one = &regions->table[regions->touched[--regions->ntouched]];
        const void *node = one->node;
        uint64_t ns = one->ns;
        one->ns = 0;
        uint32_t number = one->number ? one->number : number_of(regions, stream, node);
        gptl_mpi_trace_put(stream, GPTL_TI_COMPUTE);
        gptl_mpi_trace_put(stream, number);
        gptl_mpi_trace_put(stream, ns);
    }
}
