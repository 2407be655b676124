/*
 * predicted_match.c - matches paths of a profile with regions of a prediction by the names in the
 * path.
 */
#include "config.h"

#include "postproc/predict/predicted.h"

#include <stdlib.h>
#include <string.h>

/* A region, sorted by parent and name for the lookup. */
struct place {
    uint32_t parent;
    const char *name;
    uint32_t region;
};

static int compare(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    return strcmp(x->name, y->name);
}

static uint32_t find(const struct place *places, uint32_t n, uint32_t parent, const char *name)
{
    struct place wanted = {parent, name, 0};
    const struct place *found = NULL;
    if (parent != PREDICTED_NONE && n > 0)
        found = bsearch(&wanted, places, n, sizeof *places, compare);
    return found ? found->region : PREDICTED_NONE;
}

uint32_t *predicted_match(const struct predicted_region *regions, uint32_t nregions,
                          const struct paths *paths)
{
    struct place *places = malloc(((size_t)nregions + 1) * sizeof *places);
    uint32_t *match = malloc(paths->npaths * sizeof *match), n = 0;
    if (!places || !match) {
        free(places);
        free(match);
        return NULL;
    }
    for (uint32_t i = 1; i < nregions; i++)
        places[n++] = (struct place){regions[i].parent, regions[i].name, i};
    qsort(places, n, sizeof *places, compare);
    match[0] = nregions > 0 ? 0 : PREDICTED_NONE;
    for (uint32_t i = 1; i < paths->npaths; i++) {
        const struct path *path = &paths->paths[i];
        /* A path that represents omitted paths does not match any region. */
        match[i] = path->rest ? PREDICTED_NONE : find(places, n, match[path->parent], path->name);
    }
    free(places);
    return match;
}
