/*
 * paths.h - the merged call paths of one or many profiles: the data of gptl report and gptl diff.
 *
 * A lane is one thread of one profile. A path is a list of regions, each started inside the
 * previous one. A path exists once for all lanes, and its parts hold the values of each lane. Times
 * are nanoseconds and include the time so far of open calls. Calls over a back edge (recursion to
 * an ancestor) are counted in the ancestor, as in the profile; `edges` lists them.
 */
#ifndef GPTL_POSTPROC_PATHS_H
#define GPTL_POSTPROC_PATHS_H

#include <stdbool.h>
#include <stdint.h>

#include "postproc/paths/counts.h"

#include "ranks/tree.h"
#include "report/report.h"

struct lane {
    const struct gptl_profile *profile;
    const struct gptl_copy *copy;
    int rank; /* rank of the profile, or -1 */
    int thread;
    long process;           /* distinguishes the profiles: rank, process number or position */
    char process_label[32]; /* the same as text: "rank 3" */
    /* "rank 3 thread 0", "thread 0": enough to distinguish the lanes */
    char label[64];
    uint32_t first_part, nparts; /* its parts; parents precede children */
};

/* Values of one lane on one path, or of all lanes. */
struct figures {
    uint64_t calls, recurse;
    uint64_t total;    /* inclusive */
    uint64_t self;     /* exclusive; 0 where crossed stops made it negative */
    uint64_t max, min; /* duration of a call; min is UINT64_MAX if no call ended */
    /* Half widths of the 95 % confidence intervals of total and self; 0: measured. */
    uint64_t error, self_error;
    uint32_t open, unstopped;
};

struct part {
    struct figures figures;
    const struct gptl_histogram *histogram; /* in ticks of bucket_tick of the copy; may be NULL */
    uint32_t lane;
    uint32_t path;
    uint32_t next; /* next part of the same path, in the order of lanes; 0 ends */
    uint32_t node; /* node of the copy; 0: several nodes */
};

struct path {
    const char *name;
    const struct gptl_function *function; /* NULL: a manually defined region */
    /* sums over all lanes; of the root, the sum of its children */
    struct figures figures;
    uint32_t parent;                    /* index; the root (index 0) is its own parent */
    uint32_t first_child, next_sibling; /* 0 ends; in the order of first appearance */
    uint32_t parts;                     /* first part; index 0 is unused */
    uint32_t
        region; /* shared by all paths that end in the same region, from 1; 0: the root, (N more) */
    uint32_t depth; /* 0 for the root */
    bool rest;      /* represents omitted paths */
};

/* Calls over a back edge from a path to one of its ancestors. */
struct edge {
    uint32_t from, to;
    uint64_t calls;
};

struct paths {
    uint32_t nlanes, npaths, nparts, nedges, nregions; /* regions are numbered from 1 to nregions */
    struct lane *lanes;
    struct path *paths; /* parents before children */
    /* from 1 to nparts - 1, lane by lane; the root has one part in each lane */
    struct part *parts;
    struct edge *edges;      /* sorted by source */
    struct counts *counts;   /* metrics; NULL: none were counted */
    int64_t *values;         /* counts of the parts, see paths_counts */
    struct made_name *names; /* generated names, absent from the profiles */
    /*
     * Statistics over the ranks of a job, whose only lane represents all threads; NULL: lanes are
     * threads.
     */
    const struct gptl_ranks_tree *ranks;
    bool partial; /* contains only some subtrees */
};

/* Return the counts of a part, one value per slot. */
static inline int64_t *paths_counts(const struct paths *paths, uint32_t part, enum count_kind kind)
{
    return paths->values + (2 * (size_t)part + (size_t)kind) * paths->counts->nslots;
}

/*
 * Return the exclusive count of PART in the counted (not derived) metric COLUMN, or its exclusive
 * time if COLUMN is negative. Never negative.
 */
static inline uint64_t paths_weight(const struct paths *paths, uint32_t part, long column)
{
    if (column < 0)
        return paths->parts[part].figures.self;
    int64_t own = paths_counts(paths, part, COUNT_EXCLUSIVE)[paths->counts->columns[column].slot];
    return own > 0 ? (uint64_t)own : 0;
}

/* Neutral element of figures_add. */
#define FIGURES_NONE ((struct figures){.min = UINT64_MAX})

/* Return the path after AT in an order in which parents precede children, or 0 at the end. */
uint32_t paths_next(const struct paths *paths, uint32_t at);

void figures_add(struct figures *sum, const struct figures *more);

/*
 * Merge PROFILES, which PATHS borrows. Manually defined regions are equal if their names are equal.
 * Functions are equal if they are the same function of the same program or of two builds of it; see
 * regions.h. Paths without calls in their subtree are omitted. Returns 0, or -1 if out of memory;
 * always free the result.
 */
int paths_make(struct paths *paths, const struct gptl_profile *const *profiles, int nprofiles);

/*
 * Make the paths of a job from PROFILE, the sum of all ranks, and RANKS, the statistics over them.
 * PATHS borrows both.
 */
int paths_make_ranks(struct paths *paths, const struct gptl_profile *profile,
                     const struct gptl_ranks_tree *ranks);

/*
 * Time of thread 0 of all processes outside all regions, and measured time, in seconds. Shares of
 * the root's time exclude it. Both are 0 if unknown, or if the time outside is less than one
 * twentieth.
 */
struct outside {
    double seconds, measured;
};

struct outside paths_outside(const struct paths *paths);

/* Return the statistics over ranks for PATH, or NULL if unknown or if lanes are threads. */
const struct gptl_ranks_row *paths_row(const struct paths *paths, uint32_t path);

void paths_free(struct paths *paths);

/*
 * Keep the KEEP paths with the longest inclusive time and their ancestors, and merge the other
 * children of each parent into one path named "(N more)", where N is the number of paths it
 * represents. Its time is all exclusive. Returns 0, or -1 if out of memory; PATHS is unchanged
 * then.
 */
int paths_keep(struct paths *paths, uint32_t keep);

/* Keep the paths with the largest WEIGHT (by path), as paths_keep does. */
int paths_keep_largest(struct paths *paths, uint32_t keep, const double *weight);

/*
 * Keep only the subtrees that begin with a region whose name matches PATTERN (fnmatch(3)), as
 * children of the root; equal paths are merged. Returns 1, 0 if no region matches, or -1 if out of
 * memory; PATHS is unchanged unless 1 is returned.
 */
int paths_under(struct paths *paths, const char *pattern);

#endif
