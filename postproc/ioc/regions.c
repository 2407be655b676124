/* regions.c - gptl ioc regions: I/O calls by region of the program. */
#include "config.h"

#include "postproc/ioc/regions.h"

#include <stdlib.h>
#include <string.h>

#include "postproc/commands.h"
#include "postproc/ioc/memory.h"

enum { MOST_LEVELS = 1024 };

/* ---- Paths --------------------------------------------------------------------------------- */

static uint64_t hash_of(uint32_t parent, const char *name)
{
    uint64_t hash = 14695981039346656037u ^ parent;
    hash *= 1099511628211u;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 1099511628211u;
    return hash;
}

/* Return the path of NAME in PARENT, as index + 1. */
static uint32_t path_in(struct io_regions *regions, uint32_t parent, const char *name)
{
    uint64_t *newest = map_put(&regions->by_name, hash_of(parent, name));
    for (uint32_t i = (uint32_t)*newest; i; i = regions->paths[i - 1].same)
        if (regions->paths[i - 1].parent == parent && strcmp(regions->paths[i - 1].name, name) == 0)
            return i;
    regions->paths =
        memory_room(regions->paths, &regions->room, regions->n + 1, sizeof *regions->paths);
    regions->paths[regions->n++] = (struct region_path){
        .name = memory_text(name), .parent = parent, .same = (uint32_t)*newest};
    *newest = regions->n;
    return (uint32_t)regions->n;
}

/* Return the path with the number in the process of CALL, or 0. */
static uint32_t path_of(struct io_regions *regions, const struct call *call)
{
    const struct section_name *levels[MOST_LEVELS];
    uint64_t *known = map_put(&regions->by_number, (uint64_t)call->process << 32 | call->path);
    uint32_t path = 0, number = call->path;
    int n = 0;
    if (*known)
        return (uint32_t)*known;
    /* Require smaller numbers for parents, because a damaged list could be cyclic. */
    while (number && n < MOST_LEVELS && (levels[n] = section_path(call->section, number))) {
        uint32_t parent = levels[n++]->parent;
        number = parent < number ? parent : 0;
    }
    while (n > 0)
        path = path_in(regions, path, levels[--n]->text);
    *known = path;
    return path;
}

void io_regions_add(struct io_regions *regions, const struct call *call)
{
    uint32_t path = call->path ? path_of(regions, call) : 0;
    struct region_path *sum = path ? &regions->paths[path - 1] : &regions->outside;
    sum->calls += call->n;
    if (call_is_read(call) && call->result >= 0) {
        sum->reads += call->n;
        sum->read += (uint64_t)call->read;
    }
    if (call->has_to && call->result >= 0) {
        sum->writes += call->n;
        sum->written += (uint64_t)call->written;
    }
    if (call->duration > 0 && !call_contains_others(call) &&
        sum->time <= INT64_MAX - call->duration)
        sum->time += call->duration;
}

void io_regions_free(struct io_regions *regions)
{
    for (size_t i = 0; i < regions->n; i++)
        free(regions->paths[i].name);
    free(regions->paths);
    map_free(&regions->by_name);
    map_free(&regions->by_number);
    *regions = (struct io_regions){0};
}

/* ---- Rows ---------------------------------------------------------------------------------- */

static const struct column columns[] = {
    {"time", "time s", false},   {"calls", "calls", false},   {"reads", "reads", false},
    {"writes", "writes", false}, {"read", "read", false},     {"written", "written", false},
    {"region", NULL, true},      {"path", "call path", true},
};

/* Return the names from the outermost on, separated by slashes. */
static char *text_of(const struct io_regions *regions, const struct region_path *path)
{
    size_t size = 1;
    const struct region_path *p = path;
    for (;; p = &regions->paths[p->parent - 1]) {
        size += strlen(p->name) + 1;
        if (!p->parent)
            break;
    }
    char *text = memory_zeros(size, 1), *at = text + size - 1;
    for (p = path;; p = &regions->paths[p->parent - 1]) {
        size_t n = strlen(p->name);
        memcpy(at -= n, p->name, n);
        if (!p->parent)
            break;
        *--at = '/';
    }
    memmove(text, at, strlen(at) + 1);
    return text;
}

static void put(struct rows *rows, const struct region_path *path, const char *region,
                const char *text)
{
    rows_seconds(rows, path->time);
    rows_number(rows, (int64_t)path->calls);
    rows_number(rows, (int64_t)path->reads);
    rows_number(rows, (int64_t)path->writes);
    rows_bytes(rows, (int64_t)path->read);
    rows_bytes(rows, (int64_t)path->written);
    rows_text(rows, region);
    rows_text(rows, text);
}

static int compare(const void *x, const void *y)
{
    const struct region_path *a = *(const struct region_path *const *)x;
    const struct region_path *b = *(const struct region_path *const *)y;
    if (a->time != b->time)
        return a->time > b->time ? -1 : 1;
    if (a->calls != b->calls)
        return a->calls > b->calls ? -1 : 1;
    return (a > b) - (a < b);
}

void io_regions_print(const struct io_regions *regions, struct gptl_out *out,
                      enum rows_format format, size_t n)
{
    struct rows rows;
    const struct region_path **order = memory_zeros(regions->n + 1, sizeof(void *));
    size_t used = 0;
    for (size_t i = 0; i < regions->n; i++)
        if (regions->paths[i].calls > 0)
            order[used++] = &regions->paths[i];
    if (regions->outside.calls > 0)
        order[used++] = &regions->outside;
    qsort(order, used, sizeof *order, compare);
    rows_begin(&rows, out, format, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < used && (n == 0 || i < n); i++) {
        bool outside = order[i] == &regions->outside;
        char *text = outside ? memory_text("(outside all regions)") : text_of(regions, order[i]);
        put(&rows, order[i], outside ? "" : order[i]->name, text);
        free(text);
    }
    rows_end(&rows);
    if (format == ROWS_TABLE && n > 0 && used > n)
        gptl_out_format(out, "%zu more call paths: `gptl ioc regions` shows them.\n", used - n);
    free(order);
}

/* ---- The tool ------------------------------------------------------------------------------ */

static void visit(void *to, const struct call *call)
{
    io_regions_add(to, call);
}

int ioc_regions(struct ioc *ioc)
{
    struct io_regions regions = {0};
    walk(&ioc->log, &ioc->selection, &ioc->files, false, visit, &regions);
    if (regions.n == 0) {
        static const char note[] = "no call is known to be of a region: record with "
                                   "GPTL_IO=detail=on, a program that has the timing library";
        log_add_text(&ioc->log, false, note, sizeof note - 1);
    }
    ioc_begin(ioc);
    if (ioc->format == ROWS_JSON)
        gptl_out_literal(ioc->out, ",\n\"rows\":[\n");
    io_regions_print(&regions, ioc->out, ioc->format, (size_t)ioc->top);
    if (ioc->format == ROWS_JSON)
        gptl_out_char(ioc->out, ']');
    ioc_end(ioc);
    io_regions_free(&regions);
    return GPTL_EXIT_DONE;
}
