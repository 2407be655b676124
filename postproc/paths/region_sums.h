/* region_sums.h - paths summed up by the region that they end in. */
#ifndef GPTL_POSTPROC_REGION_SUMS_H
#define GPTL_POSTPROC_REGION_SUMS_H

#include "postproc/paths/metric.h"
#include "postproc/paths/paths.h"

/*
 * A path below another of the same region adds no inclusive time, as that has it already. Paths
 * that stand for others are not of their regions: they are row 0.
 */
struct region_sum {
    const char *name;
    const struct gptl_function *function;
    struct figures figures;
    struct spread spread;
    bool several; /* while it is made: paths of it were seen */
};

struct region_sums {
    struct region_sum *sums; /* of regions 0 to paths->nregions; name NULL: no path ends there */
    bool *nested;            /* of each path: whether it lies below another of its region */
    struct tally (
        *tallies)[2]; /* of each region, inclusive and exclusive; NULL: nothing was counted */
    int64_t *values;  /* theirs */
};

/* Returns 0, or -1 when there is no memory; free it also then. */
int region_sums_make(struct region_sums *sums, const struct paths *paths);
void region_sums_free(struct region_sums *sums);

#endif
