/* paths.h - the open regions of the timing library at a call. */
#ifndef GPTL_IOC_PATHS_H
#define GPTL_IOC_PATHS_H

#include <stdint.h>

#include "ioc/lane.h"

/*
 * Return the number of this thread's call path, or 0 without an open region or a timing library. L,
 * if not NULL, caches it.
 */
uint32_t gptl_ioc_path(struct gptl_ioc_lane *l);

/* List of all call paths, newest first. */
struct gptl_ioc_path {
    struct gptl_ioc_path *next_in_bucket, *next;
    uint32_t number, parent;
    const char *name;
};
const struct gptl_ioc_path *gptl_ioc_paths(void);

#endif
