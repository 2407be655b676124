/*
 * paths_select.c - reduces the paths to the largest ones, or to subtrees.
 *
 * Each path of the old tree is mapped to a path of the new tree, or to none; parts and edges follow
 * the mapping.
 */
#include "config.h"

#include "postproc/paths/paths.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/paths/paths_build.h"
#include "postproc/paths/regions.h"

#include "report/number.h"

#define NONE UINT32_MAX

struct selection {
    const struct paths *old;
    struct paths new;
    struct paths_builder b;
    uint32_t *to; /* by old path: the new path, or NONE */
    /* by old path: add all of its figures; otherwise its parent's figures already contain them */
    bool *whole;
    bool *
        /* by old path: its new path lacks children, so that all of its time is exclusive */
        all_self;
};

static int selection_init(struct selection *s, const struct paths *old)
{
    *s = (struct selection){.old = old,
                            .to = malloc(old->npaths * sizeof *s->to),
                            .whole = calloc(old->npaths, sizeof *s->whole),
                            .all_self = calloc(old->npaths, sizeof *s->all_self)};
    s->new.lanes = malloc(((size_t)old->nlanes + 1) * sizeof *s->new.lanes);
    if (!s->to || !s->whole || !s->all_self || !s->new.lanes)
        return -1;
    s->new.nlanes = old->nlanes;
    s->new.nregions = old->nregions;
    s->new.counts = old->counts;
    s->new.ranks = old->ranks;
    s->new.partial = old->partial;
    memcpy(s->new.lanes, old->lanes, old->nlanes * sizeof *old->lanes);
    for (uint32_t i = 0; i < old->nlanes; i++)
        s->new.lanes[i].first_part = s->new.lanes[i].nparts = 0;
    s->to[0] = 0;
    return paths_builder_init(&s->b, &s->new);
}

/* Add the counts of OLD to NEW, and to TOP unless that is 0. */
static void move_counts(struct selection *s, uint32_t old, uint32_t new, uint32_t top,
                        bool all_self)
{
    uint32_t n = s->new.counts ? s->new.counts->nslots : 0;
    for (int kind = 0; kind < 2 && n > 0; kind++) {
        const int64_t *from =
            paths_counts(s->old, old, all_self ? COUNT_INCLUSIVE : (enum count_kind)kind);
        int64_t *to = paths_counts(&s->new, new, (enum count_kind)kind);
        int64_t *all = paths_counts(&s->new, top, COUNT_INCLUSIVE);
        for (uint32_t i = 0; i < n; i++) {
            to[i] = gptl_number_sum(to[i], from[i]);
            if (top && kind == COUNT_INCLUSIVE)
                all[i] = gptl_number_sum(all[i], from[i]);
        }
    }
}

static int move_part(struct selection *s, const struct part *part)
{
    uint32_t to = s->to[part->path], top = 0, n = s->new.nparts, at;
    struct figures figures = part->figures;
    if (to == NONE || !s->whole[part->path])
        return 0;
    at = paths_builder_part(&s->b, to, part->lane);
    if (!at)
        return -1;
    s->new.parts[at].histogram = at == n ? part->histogram : NULL;
    s->new.parts[at].node = at == n ? part->node : 0;
    if (s->all_self[part->path]) {
        s->new.parts[at].node = 0;
        figures.self = figures.total;
        figures.self_error = figures.error;
        s->new.parts[at].histogram = NULL;
    }
    figures_add(&s->new.parts[at].figures, &figures);
    if (s->new.paths[to].parent == 0) {
        top = s->new.lanes[part->lane].first_part;
        figures_add(
            &s->new.parts[top].figures,
            &(struct figures){.total = figures.total, .error = figures.error, .min = UINT64_MAX});
    }
    move_counts(s, (uint32_t)(part - s->old->parts), at, top, s->all_self[part->path]);
    return 0;
}

static int move_parts(struct selection *s)
{
    const struct paths *old = s->old;
    for (uint32_t lane = 0; lane < old->nlanes; lane++) {
        const struct lane *from = &old->lanes[lane];
        if (!paths_builder_part(&s->b, 0, lane))
            return -1;
        for (uint32_t i = 1; i < from->nparts; i++)
            if (move_part(s, &old->parts[from->first_part + i]))
                return -1;
    }
    return 0;
}

/* Drop edges within merged paths and edges from or to omitted paths. */
static int move_edges(struct selection *s)
{
    for (uint32_t i = 0; i < s->old->nedges; i++) {
        const struct edge *edge = &s->old->edges[i];
        uint32_t from = s->to[edge->from], to = s->to[edge->to];
        bool joined = from != NONE && from == to && s->new.paths[to].rest;
        if (from != NONE && to != NONE && !joined &&
            paths_builder_edge(&s->b, from, to, edge->calls))
            return -1;
    }
    return 0;
}

/* Replace the old tree by the new one, or discard the new one unless DONE. */
static int selection_end(struct selection *s, struct paths *paths, bool done)
{
    if (done)
        done = move_parts(s) == 0 && move_edges(s) == 0;
    paths_builder_end(&s->b, done);
    free(s->to);
    free(s->whole);
    free(s->all_self);
    if (!done) {
        s->new.counts = NULL; /* owned by the old tree */
        paths_free(&s->new);
        return -1;
    }
    paths->counts = NULL;
    struct made_name **last = &s->new.names;
    while (*last)
        last = &(*last)->next;
    *last = paths->names;
    paths->names = NULL;
    paths_free(paths);
    *paths = s->new;
    return 0;
}

/* ---- Largest paths ------------------------------------------------------------------------- */

struct weighed {
    double weight;
    uint32_t path;
};

static int heavier_first(const void *left, const void *right)
{
    const struct weighed *a = left, *b = right;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return (a->path > b->path) - (a->path < b->path);
}

/* Mark the KEEP heaviest paths and their ancestors. Returns -1 if out of memory. */
static int mark_heaviest(const struct paths *paths, uint32_t keep, const double *weight,
                         bool *marked)
{
    struct weighed *order = malloc(paths->npaths * sizeof *order);
    if (!order)
        return -1;
    for (uint32_t i = 1; i < paths->npaths; i++)
        order[i] = (struct weighed){weight[i], i};
    qsort(order + 1, paths->npaths - 1, sizeof *order, heavier_first);
    for (uint32_t i = 1; i < paths->npaths && i <= keep; i++)
        marked[order[i].path] = true;
    free(order);
    for (uint32_t i = paths->npaths; i-- > 1;)
        if (marked[i])
            marked[paths->paths[i].parent] = true;
    marked[0] = true;
    return 0;
}

/*
 * Count, for each kept path, its omitted descendants that no kept descendant counts. A single
 * omitted path is kept instead, because its replacement would take the same space.
 */
static void count_others(const struct paths *paths, bool *kept, uint32_t *others)
{
    for (uint32_t i = paths->npaths; i-- > 1;)
        if (!kept[i])
            others[paths->paths[i].parent] += 1 + others[i];
    for (uint32_t i = 1; i < paths->npaths; i++)
        if (!kept[i] && kept[paths->paths[i].parent] && others[paths->paths[i].parent] == 1) {
            kept[i] = true;
            others[paths->paths[i].parent] = 0;
        }
}

/* Add the path that represents N others below PARENT. Returns 0 if out of memory. */
static uint32_t add_rest(struct selection *s, uint32_t parent, uint32_t n)
{
    enum { SIZE = 24 };
    struct made_name *name = malloc(sizeof *name + SIZE);
    if (!name)
        return 0;
    snprintf(name->text, SIZE, "(%u more)", n);
    name->next = s->new.names;
    s->new.names = name;
    return paths_builder_path(&s->b, parent, &(struct path){.name = name->text, .rest = true});
}

/*
 * Map the kept paths. OTHERS becomes, by kept path, the path that represents its omitted
 * descendants.
 */
static int map_kept(struct selection *s, const bool *kept, uint32_t *others)
{
    const struct paths *old = s->old;
    for (uint32_t i = 1; i < old->npaths; i++)
        if (kept[i]) {
            s->to[i] = paths_builder_path(&s->b, s->to[old->paths[i].parent], &old->paths[i]);
            s->whole[i] = true;
            if (!s->to[i])
                return -1;
        }
    for (uint32_t i = 0; i < old->npaths; i++)
        if (kept[i] && others[i]) {
            others[i] = add_rest(s, s->to[i], others[i]);
            if (!others[i])
                return -1;
        }
    for (uint32_t i = 1; i < old->npaths; i++) {
        uint32_t parent = old->paths[i].parent;
        if (kept[i])
            continue;
        s->whole[i] = s->all_self[i] = kept[parent];
        s->to[i] = kept[parent] ? others[parent] : s->to[parent];
    }
    return 0;
}

int paths_keep_largest(struct paths *paths, uint32_t keep, const double *weight)
{
    struct selection s;
    if (paths->npaths - 1 <= keep)
        return 0;
    bool *kept = calloc(paths->npaths, sizeof *kept);
    uint32_t *others = calloc(paths->npaths, sizeof *others);
    int result = kept && others ? mark_heaviest(paths, keep, weight, kept) : -1;
    if (result == 0) {
        count_others(paths, kept, others);
        result = selection_init(&s, paths);
        if (result == 0)
            result = map_kept(&s, kept, others);
        result = selection_end(&s, paths, result == 0);
    }
    free(kept);
    free(others);
    return result;
}

int paths_keep(struct paths *paths, uint32_t keep)
{
    if (paths->npaths - 1 <= keep)
        return 0;
    double *weight = malloc(paths->npaths * sizeof *weight);
    if (!weight)
        return -1;
    for (uint32_t i = 0; i < paths->npaths; i++)
        weight[i] = (double)paths->paths[i].figures.total;
    int result = paths_keep_largest(paths, keep, weight);
    free(weight);
    return result;
}

/* ---- Subtrees ------------------------------------------------------------------------------ */

int paths_under(struct paths *paths, const char *pattern)
{
    struct selection s;
    bool any = false;
    int result = selection_init(&s, paths);
    s.new.partial = true;
    for (uint32_t i = 1; i < paths->npaths && result == 0; i++) {
        const struct path *path = &paths->paths[i];
        uint32_t parent = path->parent;
        bool inside = parent && s.to[parent] != NONE;
        bool begins =
            !inside && (strcmp(pattern, path->name) == 0 || fnmatch(pattern, path->name, 0) == 0);
        s.to[i] = NONE;
        if (inside || begins) {
            any = s.whole[i] = true;
            s.to[i] = paths_builder_path(&s.b, inside ? s.to[parent] : 0, path);
            result = s.to[i] ? 0 : -1;
        }
    }
    bool failed = result != 0;
    result = selection_end(&s, paths, !failed && any);
    return result == 0 ? 1 : failed || any ? -1 : 0;
}
