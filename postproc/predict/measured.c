/* measured.c - what was measured of the regions of a prediction: paths of profiles, by their names. */
#include "config.h"

#include "postproc/predict/prediction.h"

#include <stdio.h>
#include <stdlib.h>

#include "postproc/predict/predicted.h"
#include "postproc/read/inputs.h"

static int no_memory(const char *who)
{
    fprintf(stderr, "%s: there is not enough memory for what was measured\n", who);
    return -1;
}

/* The regions of the signature, by their paths; names stay the signature's. */
static struct predicted_region *make_regions(const struct signature *signature)
{
    struct predicted_region *regions = calloc((size_t)signature->nregions + 1, sizeof *regions);
    for (uint32_t i = 0; regions && i < signature->nregions; i++) {
        regions[i].name = signature->regions[i].name;
        regions[i].parent = signature->regions[i].parent;
    }
    return regions;
}

static int take(struct prediction *prediction, const struct paths *paths)
{
    struct predicted_region *regions = make_regions(prediction->signature);
    uint32_t *match =
        regions ? predicted_match(regions, prediction->signature->nregions, paths) : NULL;
    for (uint32_t i = 0; match && i < paths->npaths; i++) {
        if (match[i] == PREDICTED_NONE)
            continue;
        prediction->measured[match[i]].seconds += 1e-9 * (double)paths->paths[i].figures.total;
        prediction->measured[match[i]].known = true;
    }
    free(regions);
    free(match);
    return match ? 0 : -1;
}

static int take_profiles(struct prediction *prediction, const char *who,
                         const struct inputs *inputs)
{
    struct paths paths;
    const struct gptl_profile *const *profiles =
        (const struct gptl_profile *const *)inputs->profiles;
    int result = paths_make(&paths, profiles, inputs->nprofiles);
    if (result == 0)
        result = take(prediction, &paths);
    if (result)
        no_memory(who);
    paths_free(&paths);
    return result;
}

int prediction_measure(struct prediction *prediction, const char *who, char *const *arguments,
                       int narguments)
{
    struct inputs inputs;
    prediction->measured =
        calloc((size_t)prediction->signature->nregions + 1, sizeof *prediction->measured);
    if (!prediction->measured)
        return no_memory(who);
    int result = inputs_find(&inputs, who, arguments, narguments);
    inputs.takes_summaries = false;
    if (result == 0)
        result = inputs_read(&inputs, who, 0);
    if (result == 0)
        result = take_profiles(prediction, who, &inputs);
    inputs_free(&inputs);
    return result;
}
