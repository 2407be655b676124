/* trace_regions.c - computation of a thread by region since its last record. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/core.h"

#include "mpi/trace_stream.h"

struct region {
    const void *node; /* NULL: unused */
    uint64_t ns;      /* not recorded yet */
    uint32_t number;
};

/*
 * Hash table by the address of the node. Nodes are accessed only while the thread is in them,
 * because they do not outlive the measurement. Therefore everything to be recorded about them is
 * stored immediately.
 */
struct gptl_mpi_trace_regions {
    struct region *table;
    uint32_t room, used, told;         /* ROOM is a power of two */
    uint32_t *touched, ntouched;       /* places with unrecorded time */
    uint32_t measurement;              /* to which the nodes belong */
    struct gptl_mpi_trace_buffer news; /* records for the stream, which other threads may flush */
    uint64_t outside;                  /* time outside all regions */
    uint32_t latest;                   /* place found last */
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

/*
 * Assign a number to NODE and record it; AROUND is the number of the enclosing region, or 0. False
 * when out of memory.
 */
static bool tell(struct gptl_mpi_trace_regions *regions, const void *node, uint32_t around)
{
    if (2 * regions->used >= regions->room && !grow(regions))
        return false;
    struct region *one = &regions->table[place_of(regions->table, regions->room, node)];
    *one = (struct region){.node = node, .number = ++regions->told};
    regions->used++;
    gptl_mpi_trace_add_number(&regions->news, GPTL_TI_REGION);
    gptl_mpi_trace_add_number(&regions->news, one->number);
    gptl_mpi_trace_add_number(&regions->news, around);
    gptl_mpi_trace_add_text(&regions->news, gptl_core_node_name(node));
    return true;
}

/*
 * Return the place of NODE, or of the nearest enclosing node that fits into memory; ROOM if none
 * does. New nodes are recorded after their enclosing ones. These may be numerous, so they are
 * processed in groups of limited size.
 */
static uint32_t find(struct gptl_mpi_trace_regions *regions, const void *node)
{
    enum { SOME = 64 };
    for (;;) {
        const void *outermost[SOME], *at = node;
        uint32_t n = 0, place = regions->room;
        for (; at; at = gptl_core_node_parent(at)) {
            place = place_of(regions->table, regions->room, at);
            if (regions->table[place].node)
                break;
            outermost[n++ % SOME] = at;
        }
        uint32_t around = at ? regions->table[place].number : 0;
        if (n == 0)
            return at ? place : regions->room;
        for (uint32_t left = n; left > 0 && n - left < SOME; left--) {
            const void *next = outermost[(left - 1) % SOME];
            if (!tell(regions, next, around))
                return at ? place_of(regions->table, regions->room, at) : regions->room;
            at = next;
            around = regions->told;
        }
    }
}

static void tell_computed(struct gptl_mpi_trace_buffer *to, uint32_t number, uint64_t *ns)
{
    gptl_mpi_trace_add_number(to, GPTL_TI_COMPUTE);
    gptl_mpi_trace_add_number(to, number);
    gptl_mpi_trace_add_number(to, *ns);
    *ns = 0;
}

static void tell_all_computed(struct gptl_mpi_trace_regions *regions)
{
    if (regions->outside)
        tell_computed(&regions->news, 0, &regions->outside);
    while (regions->ntouched > 0) {
        struct region *one = &regions->table[regions->touched[--regions->ntouched]];
        tell_computed(&regions->news, one->number, &one->ns);
    }
}

/* Discard the nodes of the previous measurement; others may have their addresses now. */
static void begin_measurement(struct gptl_mpi_trace_regions *regions, uint32_t measurement)
{
    tell_all_computed(regions);
    memset(regions->table, 0, regions->room * sizeof *regions->table);
    regions->used = regions->latest = 0;
    regions->measurement = measurement;
}

void gptl_mpi_trace_computed(struct gptl_mpi_trace_regions *regions, const void *node, uint64_t ns)
{
    uint32_t measurement = gptl_core_measurement();
    if (measurement != regions->measurement)
        begin_measurement(regions, measurement);
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

void gptl_mpi_trace_tell_computed(struct gptl_mpi_trace_regions *regions,
                                  struct gptl_mpi_stream *stream)
{
    struct gptl_mpi_trace_buffer *news = &regions->news;
    tell_all_computed(regions);
    if (news->lost) /* an incomplete record */
        stream->out.lost = true;
    else
        gptl_mpi_trace_add(&stream->out, news->bytes, news->size);
    news->size = 0;
    news->lost = false;
}
