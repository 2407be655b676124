/* region_sums.h - sums of paths by their last region. */
#ifndef GPTL_POSTPROC_REGION_SUMS_H
#define GPTL_POSTPROC_REGION_SUMS_H

#include "postproc/paths/metric.h"
#include "postproc/paths/paths.h"

/*
 * Sum of a region. A path nested in a path of the same region adds no inclusive time, because the
 * outer path includes it. Row 0 sums up the paths that represent omitted paths.
 */
struct region_sum {
    const char *name;
    const struct gptl_function *function;
    struct figures figures;
    struct spread spread;
    bool several; /* during construction: the region has several paths */
};

struct region_sums {
    struct region_sum *sums;    /* of regions 0 to paths->nregions; name is NULL without a path */
    bool *nested;               /* by path: whether it is below another path of its region */
    struct tally (*tallies)[2]; /* by region, inclusive and exclusive; NULL: nothing was counted */
    int64_t *values;            /* storage of the tallies */
};

/* Compute the sums. Returns 0, or -1 if out of memory; always free the result. */
int region_sums_make(struct region_sums *sums, const struct paths *paths);
void region_sums_free(struct region_sums *sums);

#endif
