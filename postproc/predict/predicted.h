/*
 * predicted.h - the times of regions out of prediction.json, and the paths of profiles that they belong
 * to.
 */
#ifndef GPTL_POSTPROC_PREDICT_PREDICTED_H
#define GPTL_POSTPROC_PREDICT_PREDICTED_H

#include <stdbool.h>
#include <stdint.h>

#include "postproc/paths/paths.h"

/* A region by its path: the first is the root, which has no name; others stand behind their parents. */
struct predicted_region {
    char *name;
    uint32_t parent;
    double seconds;      /* inclusive, all calls */
    double base_seconds; /* on the machine that it is compared with; 0: none */
};

struct predicted {
    char *machine;
    bool doubtful; /* the signature was sampled, with an error that is too large */
    struct predicted_region *regions;
    uint32_t nregions;
};

/* Reads PATH, "-" for stdin. Returns 0, or -1 after a message that WHO begins; free it in both cases. */
int predicted_read(struct predicted *predicted, const char *who, const char *path);
void predicted_free(struct predicted *predicted);

enum { PREDICTED_NONE = UINT32_MAX };

/*
 * The region of each path, or PREDICTED_NONE: those of the same names from the root on. To be freed;
 * NULL when there is no memory.
 */
uint32_t *predicted_match(const struct predicted_region *regions, uint32_t nregions,
                          const struct paths *paths);

#endif
