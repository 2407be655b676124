/* region_sums.c - sums of paths by their last region. */
#include "config.h"

#include "postproc/paths/region_sums.h"

#include <stdlib.h>
#include <string.h>

/*
 * Find the paths nested in another path of their region. OPEN counts, by region, its paths among
 * the ancestors of the current path.
 */
static void find_nested(const struct paths *paths, bool *nested, uint32_t *open)
{
    uint32_t at = 0, next;
    do {
        const struct path *path = &paths->paths[at];
        if (path->region)
            nested[at] = open[path->region]++ > 0;
        next = paths_next(paths, at);
        /* Leave the ancestors that do not lead to the next path. */
        uint32_t upto = next ? paths->paths[next].parent : 0;
        for (; at != upto; at = paths->paths[at].parent)
            if (paths->paths[at].region)
                open[paths->paths[at].region]--;
        at = next;
    } while (next);
}

/*
 * Find the spread over ranks of each region. In a complete tree it is the region's row; in a
 * partial tree it is known only if a single path of the region, with its row, remains.
 */
static void find_rows(struct region_sums *sums, const struct paths *paths)
{
    for (uint32_t i = 0; i <= paths->nregions; i++)
        sums->sums[i].spread = SPREAD_NONE;
    for (uint32_t i = 1; i < paths->npaths; i++) {
        const struct gptl_ranks_row *row = paths_row(paths, i);
        struct region_sum *sum = &sums->sums[paths->paths[i].region];
        if (paths->paths[i].region == 0 || sums->nested[i])
            continue;
        if (row && !paths->partial)
            sum->spread = spread_of_row(&paths->ranks->rows[row->region]);
        else if (row && !sum->several)
            sum->spread = spread_of_row(row);
        else
            sum->spread = SPREAD_NONE;
        sum->several = true;
    }
}

/* Add a lane. TOTALS and TOUCHED have space for one number per region. */
static void add_lane(struct region_sums *sums, const struct paths *paths, const struct lane *lane,
                     uint64_t *totals, uint32_t *touched)
{
    uint32_t ntouched = 0;
    for (uint32_t i = 1; i < lane->nparts; i++) {
        const struct part *part = &paths->parts[lane->first_part + i];
        const struct path *path = &paths->paths[part->path];
        struct figures figures = part->figures;
        if (sums->nested[part->path])
            figures.total = figures.error = 0;
        figures_add(&sums->sums[path->region].figures, &figures);
        if (sums->tallies && !sums->nested[part->path])
            tally_add(&sums->tallies[path->region][0], lane->first_part + i, COUNT_INCLUSIVE);
        if (sums->tallies)
            tally_add(&sums->tallies[path->region][1], lane->first_part + i, COUNT_EXCLUSIVE);
        if (totals[path->region] == UINT64_MAX) {
            touched[ntouched++] = path->region;
            totals[path->region] = 0;
        }
        if (__builtin_add_overflow(totals[path->region], figures.total, &totals[path->region]))
            totals[path->region] = UINT64_MAX - 1;
    }
    for (uint32_t i = 0; i < ntouched; i++) {
        spread_add(&sums->sums[touched[i]].spread, totals[touched[i]]);
        totals[touched[i]] = UINT64_MAX;
    }
}

static void add_lanes(struct region_sums *sums, const struct paths *paths, uint64_t *totals,
                      uint32_t *touched)
{
    for (uint32_t i = 0; i <= paths->nregions; i++) {
        sums->sums[i].figures = FIGURES_NONE;
        sums->sums[i].spread = SPREAD_NONE;
        totals[i] = UINT64_MAX;
    }
    for (uint32_t i = 1; i < paths->npaths; i++) {
        const struct path *path = &paths->paths[i];
        sums->sums[path->region].name = path->region ? path->name : "(rest)";
        sums->sums[path->region].function = path->function;
    }
    for (uint32_t i = 0; i < paths->nlanes; i++)
        add_lane(sums, paths, &paths->lanes[i], totals, touched);
}

static bool make_tallies(struct region_sums *sums, const struct paths *paths)
{
    size_t n = (size_t)paths->nregions + 1, nslots = paths->counts ? paths->counts->nslots : 0;
    if (!paths->counts)
        return true;
    sums->tallies = malloc(n * sizeof *sums->tallies);
    sums->values = calloc(2 * n, nslots * sizeof *sums->values);
    for (size_t i = 0; i < 2 * n && sums->tallies && sums->values; i++)
        tally_begin(&sums->tallies[i / 2][i % 2], paths, sums->values + i * nslots);
    return sums->tallies && sums->values;
}

int region_sums_make(struct region_sums *sums, const struct paths *paths)
{
    size_t n = (size_t)paths->nregions + 1;
    *sums = (struct region_sums){.sums = calloc(n, sizeof *sums->sums),
                                 .nested = calloc(paths->npaths, sizeof *sums->nested)};
    uint32_t *open = calloc(n, sizeof *open);
    uint64_t *totals = malloc(n * sizeof *totals);
    bool made = make_tallies(sums, paths) && sums->sums && sums->nested && open && totals;
    if (made) {
        find_nested(paths, sums->nested, open);
        add_lanes(sums, paths, totals, open);
        if (paths->ranks)
            find_rows(sums, paths);
    }
    free(open);
    free(totals);
    return made ? 0 : -1;
}

void region_sums_free(struct region_sums *sums)
{
    free(sums->sums);
    free(sums->nested);
    free(sums->tallies);
    free(sums->values);
    memset(sums, 0, sizeof *sums);
}
