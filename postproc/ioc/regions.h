/*
 * regions.h - which regions of the program made the calls: what each call path of the timing library
 * read and wrote. Paths of all processes are one where their names are. All 0 is an empty one.
 */
#ifndef GPTL_POSTPROC_IOC_REGIONS_H
#define GPTL_POSTPROC_IOC_REGIONS_H

#include <stddef.h>
#include <stdint.h>

#include "postproc/ioc/ioc.h"
#include "postproc/ioc/map.h"

struct region_path {
    char *name;      /* of the innermost region */
    uint32_t parent; /* index + 1 of the path around it, 0: none */
    uint32_t same;   /* index + 1 of another one of the same hash, 0: none */
    uint64_t calls, reads, writes, read, written;
    int64_t time; /* nanoseconds in calls */
};

struct io_regions {
    struct region_path *paths;
    size_t n, room;
    struct map by_name;         /* by a hash of parent and name: the newest, as same */
    struct map by_number;       /* by process and number there: index + 1 */
    struct region_path outside; /* of all regions */
};

/* The number of a process's call path means the same in all its sections. */
void io_regions_add(struct io_regions *regions, const struct call *call);
/* Rows of the N paths of most time, or all if 0. */
void io_regions_print(const struct io_regions *regions, struct gptl_out *out,
                      enum rows_format format, size_t n);
void io_regions_free(struct io_regions *regions);

#endif
