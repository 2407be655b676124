/*
 * metrics.h - descriptions of the values other than time, kept where reports find them, even after
 * a kill.
 */
#ifndef GPTL_CORE_METRICS_H
#define GPTL_CORE_METRICS_H

#include <stddef.h>
#include <stdint.h>

#include "core/core.h"

/* One block of kept pages. A text is an offset into the bytes after the rows. */
struct gptl_kept_metrics {
    uint32_t size; /* bytes of the block */
    uint32_t n, nslots;
    uint32_t text_size; /* bytes of the texts; the last byte is NUL */
    uint32_t namounts;  /* number of the slots of amounts, which are the last ones; see amounts.h */
    uint32_t unused;
    struct gptl_kept_metric {
        uint32_t kind, scope, shown, estimated, slot;
        uint32_t name, description, unit, component, expression, why;
        uint32_t lost;
        double least_seconds;
    } row[];
};

/*
 * Keep a copy of METRICS in place of the previous one. Return false without memory. Requires the
 * lock.
 */
bool gptl_metrics_keep(const struct gptl_metrics *metrics, uint32_t namounts);
void gptl_metrics_forget(void);
/* Return the kept block, or NULL. */
const struct gptl_kept_metrics *gptl_metrics_kept(void);

/*
 * Decode KEPT, whose SIZE bytes may contain anything. Return 0; -1 without memory. Invalid data
 * yield an empty result.
 */
int gptl_metrics_read(const struct gptl_kept_metrics *kept, uint64_t size,
                      struct gptl_metrics *out);

#endif
