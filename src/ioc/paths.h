/* paths.h - the regions of the timing library that are open when a call is made. */
#ifndef GPTL_IOC_PATHS_H
#define GPTL_IOC_PATHS_H

#include <stdint.h>

#include "ioc/lane.h"

/* The call path of this thread, 0: none, or there is no timing library. L, if not NULL, remembers it. */
uint32_t gptl_ioc_path(struct gptl_ioc_lane *l);

/* All of them, the newest first. */
struct gptl_ioc_path {
    struct gptl_ioc_path *next_in_bucket, *next;
    uint32_t number, parent;
    const char *name;
};
const struct gptl_ioc_path *gptl_ioc_paths(void);

#endif
