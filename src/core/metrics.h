/*
 * metrics.h - what the values besides times are: names and such, kept where reports, also after a
 * kill, find them.
 */
#ifndef GPTL_CORE_METRICS_H
#define GPTL_CORE_METRICS_H

#include <stddef.h>
#include <stdint.h>

#include "core/core.h"

/* One block of kept pages; texts are places in what follows the rows. */
struct gptl_kept_metrics {
    uint32_t size; /* of it all */
    uint32_t n, nslots;
    uint32_t text_size; /* ends with NUL */
    uint32_t namounts;  /* of the slots, the last ones: see amounts.h */
    uint32_t unused;
    struct gptl_kept_metric {
        uint32_t kind, scope, shown, estimated, slot;
        uint32_t name, description, unit, component, expression, why;
        uint32_t lost;
        double least_seconds;
    } row[];
};

/* With the lock held. Keeps a copy instead of what was kept before; false: no memory. */
bool gptl_metrics_keep(const struct gptl_metrics *metrics, uint32_t namounts);
void gptl_metrics_forget(void);
/* What is kept, or NULL. */
const struct gptl_kept_metrics *gptl_metrics_kept(void);

/*
 * What KEPT says, whose SIZE bytes may hold anything. Returns 0; -1 when there is no memory. What
 * makes no sense gives no metrics.
 */
int gptl_metrics_read(const struct gptl_kept_metrics *kept, uint64_t size,
                      struct gptl_metrics *out);

#endif
