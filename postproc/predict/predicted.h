/*
 * predicted.h - times of regions from prediction.json, matched with the paths of profiles.
 */
#ifndef GPTL_POSTPROC_PREDICT_PREDICTED_H
#define GPTL_POSTPROC_PREDICT_PREDICTED_H

#include <stdbool.h>
#include <stdint.h>

#include "postproc/paths/paths.h"

/* A region by its call path: the first is the unnamed root; parents precede children. */
struct predicted_region {
    char *name;
    uint32_t parent;
    double seconds;      /* inclusive, sum over all calls */
    double base_seconds; /* on the machine of comparison; 0: none */
};

struct predicted {
    char *machine;
    bool doubtful; /* the signature was sampled with too large an error */
    struct predicted_region *regions;
    uint32_t nregions;
};

/*
 * Read PATH, "-" for stdin. Returns 0, or -1 after a message prefixed with WHO; always free the
 * result.
 */
int predicted_read(struct predicted *predicted, const char *who, const char *path);
void predicted_free(struct predicted *predicted);

enum { PREDICTED_NONE = UINT32_MAX };

/*
 * Return the region of each path with equal names from the root on, or PREDICTED_NONE. The caller
 * frees the array; NULL if out of memory.
 */
uint32_t *predicted_match(const struct predicted_region *regions, uint32_t nregions,
                          const struct paths *paths);

#endif
