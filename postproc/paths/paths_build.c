/*
 * paths_build.c - builds a struct paths.
 *
 * The lookup of a path first tries the successor of the path found last, because lanes are mostly
 * alike, and then a hash table.
 */
#include "config.h"

#include "postproc/paths/paths_build.h"

#include <stdlib.h>
#include <string.h>

static uint64_t sum_of(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX - 1 : sum;
}

static uint32_t small_sum(uint32_t a, uint32_t b)
{
    uint32_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT32_MAX : sum;
}

void figures_add(struct figures *sum, const struct figures *more)
{
    sum->calls = sum_of(sum->calls, more->calls);
    sum->recurse = sum_of(sum->recurse, more->recurse);
    sum->total = sum_of(sum->total, more->total);
    sum->self = sum_of(sum->self, more->self);
    sum->max = more->max > sum->max ? more->max : sum->max;
    sum->min = more->min < sum->min ? more->min : sum->min;
    sum->error = sum_of(sum->error, more->error);
    sum->self_error = sum_of(sum->self_error, more->self_error);
    sum->open = small_sum(sum->open, more->open);
    sum->unstopped = small_sum(sum->unstopped, more->unstopped);
}

/*
 * Return ARRAY with space for an element of SIZE bytes after N, reallocated if necessary; NULL if
 * out of memory.
 */
static void *grown(void *array, uint32_t *room, uint32_t n, size_t size)
{
    if (n < *room)
        return array;
    uint32_t more = *room < 512 ? 1024 : *room < UINT32_MAX / 2 ? 2 * *room : UINT32_MAX - 1;
    array = more > n ? realloc(array, more * size) : NULL;
    if (array)
        *room = more;
    return array;
}

static size_t slot_of(const struct paths_builder *b, uint32_t parent, uint32_t region)
{
    uint64_t h = ((uint64_t)parent << 32 | region) * 0x9e3779b97f4a7c15;
    return (h ^ h >> 32) & b->mask;
}

static void put_slot(struct paths_builder *b, uint32_t path)
{
    const struct path *p = &b->paths->paths[path];
    size_t at = slot_of(b, p->parent, p->region);
    while (b->slots[at])
        at = (at + 1) & b->mask;
    b->slots[at] = path;
}

/* Grow the hash table so that at most half of its slots are used. */
static bool grow_slots(struct paths_builder *b)
{
    uint32_t n = b->paths->npaths;
    if (b->slots && n <= b->mask / 2)
        return true;
    uint32_t mask = b->slots ? 2 * b->mask + 1 : 1023;
    uint32_t *slots = calloc((size_t)mask + 1, sizeof *slots);
    if (!slots || n > UINT32_MAX / 4) {
        free(slots);
        return false;
    }
    free(b->slots);
    b->slots = slots;
    b->mask = mask;
    for (uint32_t i = 1; i < n; i++)
        if (b->paths->paths[i].region)
            put_slot(b, i);
    return true;
}

static uint32_t add_path(struct paths_builder *b, uint32_t parent, const struct path *like)
{
    struct paths *paths = b->paths;
    uint32_t n = paths->npaths, tail_room = b->path_room;
    uint32_t *tail = grown(b->tail, &tail_room, n, sizeof *tail);
    if (!tail)
        return 0;
    b->tail = tail;
    struct path *room = grown(paths->paths, &b->path_room, n, sizeof *room);
    if (!room)
        return 0;
    paths->paths = room;
    if (!grow_slots(b))
        return 0;
    paths->paths[n] = (struct path){.name = like->name,
                                    .function = like->function,
                                    .figures = FIGURES_NONE,
                                    .parent = parent,
                                    .region = like->region,
                                    .depth = n ? paths->paths[parent].depth + 1 : 0,
                                    .rest = like->rest};
    b->tail[n] = 0;
    paths->npaths++;
    if (like->region)
        put_slot(b, n);
    return n;
}

/* Allocate zeroed counts of part N. */
static bool add_values(struct paths_builder *b, uint32_t n)
{
    struct paths *paths = b->paths;
    if (!paths->counts)
        return true;
    size_t size = 2 * paths->counts->nslots * sizeof *paths->values;
    int64_t *values = grown(paths->values, &b->value_room, n, size);
    if (!values)
        return false;
    paths->values = values;
    memset(paths_counts(paths, n, COUNT_INCLUSIVE), 0, size);
    return true;
}

int paths_builder_init(struct paths_builder *b, struct paths *paths)
{
    *b = (struct paths_builder){.paths = paths};
    paths->npaths = 0;
    paths->nparts = 1;
    add_path(b, 0, &(struct path){.name = ""});
    paths->parts = grown(NULL, &b->part_room, 0, sizeof *paths->parts);
    if (paths->npaths == 0 || !paths->parts || !add_values(b, 0))
        return -1;
    memset(paths->parts, 0, sizeof *paths->parts);
    return 0;
}

static bool is_it(const struct paths_builder *b, uint32_t path, uint32_t parent, uint32_t region)
{
    const struct path *p = &b->paths->paths[path];
    return p->parent == parent && p->region == region && path;
}

uint32_t paths_builder_path(struct paths_builder *b, uint32_t parent, const struct path *like)
{
    if (!like->region)
        return add_path(b, parent, like);
    uint32_t next = b->last + 1;
    if (next < b->paths->npaths && is_it(b, next, parent, like->region))
        return b->last = next;
    for (size_t at = slot_of(b, parent, like->region); b->slots[at]; at = (at + 1) & b->mask)
        if (is_it(b, b->slots[at], parent, like->region))
            return b->last = b->slots[at];
    return b->last = add_path(b, parent, like);
}

uint32_t paths_builder_part(struct paths_builder *b, uint32_t path, uint32_t lane)
{
    struct paths *paths = b->paths;
    uint32_t tail = b->tail[path], n = paths->nparts;
    if (tail && paths->parts[tail].lane == lane)
        return tail;
    struct part *parts = grown(paths->parts, &b->part_room, n, sizeof *parts);
    if (!parts)
        return 0;
    paths->parts = parts;
    if (!add_values(b, n))
        return 0;
    paths->parts[n] = (struct part){.figures = FIGURES_NONE, .lane = lane, .path = path};
    if (tail)
        paths->parts[tail].next = n;
    else
        paths->paths[path].parts = n;
    b->tail[path] = n;
    paths->nparts++;
    struct lane *of = &paths->lanes[lane];
    if (of->nparts++ == 0)
        of->first_part = n;
    return n;
}

int paths_builder_edge(struct paths_builder *b, uint32_t from, uint32_t to, uint64_t calls)
{
    struct paths *paths = b->paths;
    struct edge *edges = grown(paths->edges, &b->edge_room, paths->nedges, sizeof *edges);
    if (!edges)
        return -1;
    paths->edges = edges;
    paths->edges[paths->nedges++] = (struct edge){from, to, calls};
    return 0;
}

/* ---- Completion ---------------------------------------------------------------------------- */

static int compare_edges(const void *left, const void *right)
{
    const struct edge *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

static void join_edges(struct paths *paths)
{
    uint32_t n = 0;
    if (paths->nedges)
        qsort(paths->edges, paths->nedges, sizeof *paths->edges, compare_edges);
    for (uint32_t i = 0; i < paths->nedges; i++) {
        struct edge *edge = &paths->edges[i];
        if (n && compare_edges(edge, &paths->edges[n - 1]) == 0)
            paths->edges[n - 1].calls = sum_of(paths->edges[n - 1].calls, edge->calls);
        else
            paths->edges[n++] = *edge;
    }
    paths->nedges = n;
}

static void sum_and_link(struct paths *paths)
{
    for (uint32_t i = 1; i < paths->nparts; i++)
        figures_add(&paths->paths[paths->parts[i].path].figures, &paths->parts[i].figures);
    for (uint32_t i = paths->npaths; i-- > 1;) {
        struct path *path = &paths->paths[i], *parent = &paths->paths[path->parent];
        path->next_sibling = parent->first_child;
        parent->first_child = i;
    }
    join_edges(paths);
}

void paths_builder_end(struct paths_builder *b, bool done)
{
    if (done)
        sum_and_link(b->paths);
    free(b->tail);
    free(b->slots);
}
