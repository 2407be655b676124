/*
 * regions.h - I/O calls by region: bytes read and written in each call path of the timing library.
 * Paths of all processes are merged by name. All 0 is empty.
 */
#ifndef GPTL_POSTPROC_IOC_REGIONS_H
#define GPTL_POSTPROC_IOC_REGIONS_H

#include <stddef.h>
#include <stdint.h>

#include "postproc/ioc/ioc.h"
#include "postproc/ioc/map.h"

struct region_path {
    char *name;      /* innermost region */
    uint32_t parent; /* index + 1 of the enclosing path, 0: none */
    uint32_t same;   /* index + 1 of the next path with the same hash, 0: none */
    uint64_t calls, reads, writes, read, written;
    int64_t time; /* nanoseconds in calls */
};

struct io_regions {
    struct region_path *paths;
    size_t n, room;
    /* by hash of parent and name: the most recent path, linked by same */
    struct map by_name;
    struct map by_number;       /* by process and its path number: index + 1 */
    struct region_path outside; /* calls outside all regions */
};

/* Add a call. The number of a process's call path is the same in all its sections. */
void io_regions_add(struct io_regions *regions, const struct call *call);
/* Print the N paths with the most time, or all if N is 0. */
void io_regions_print(const struct io_regions *regions, struct gptl_out *out,
                      enum rows_format format, size_t n);
void io_regions_free(struct io_regions *regions);

#endif
