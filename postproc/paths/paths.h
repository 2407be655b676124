/*
 * paths.h - the call paths of one or many profiles, merged: what gptl report and gptl diff show.
 *
 * A lane is one thread of one profile. A path is a list of regions, each started inside the one
 * before; it is there once for all lanes, and its parts say what each lane did there. Times are
 * nanoseconds, with the time so far of calls that are open. Calls that recursion led back to an
 * ancestor are in that ancestor's numbers, as in the profile; `edges` lists them.
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
    int rank; /* the profile's; -1: none */
    int thread;
    long process;                /* tells the profiles apart: rank, process number or position */
    char process_label[32];      /* the same in words: "rank 3" */
    char label[64];              /* "rank 3 thread 0", "thread 0": as much as tells lanes apart */
    uint32_t first_part, nparts; /* its parts, those of a path after those of its parent's */
};

/* What one lane did on one path, or what all did together. */
struct figures {
    uint64_t calls, recurse;
    uint64_t total;    /* inclusive */
    uint64_t self;     /* less the children's; 0 where crossed stops made that negative */
    uint64_t max, min; /* of a call; min is UINT64_MAX when none ended */
    /* How far the true times are from total and self at most, in 95 of 100 cases; 0: measured. */
    uint64_t error, self_error;
    uint32_t open, unstopped;
};

struct part {
    struct figures figures;
    const struct gptl_histogram *histogram; /* its ticks: bucket_tick of the copy; NULL: none */
    uint32_t lane;
    uint32_t path;
    uint32_t next; /* part of the same path, in the order of lanes; 0 ends */
    uint32_t node; /* of the copy that it is made of; 0: of several */
};

struct path {
    const char *name;
    const struct gptl_function *function; /* NULL: a region made by hand */
    struct figures figures;               /* of all lanes; of the root, the sum of its children */
    uint32_t parent;                      /* index; the root (index 0) is its own */
    uint32_t first_child, next_sibling;   /* 0 ends; in the order of first appearance */
    uint32_t parts;                       /* its first part; part 0 is no part */
    uint32_t
        region; /* same for all paths that end in the same region, from 1; 0: the root, (N more) */
    uint32_t depth; /* 0: the root */
    bool rest;      /* stands for paths that were left out for their number */
};

/* Calls that recursion led from one path back to another, which is on the way to it. */
struct edge {
    uint32_t from, to;
    uint64_t calls;
};

struct paths {
    uint32_t nlanes, npaths, nparts, nedges, nregions; /* regions are 1 to nregions */
    struct lane *lanes;
    struct path *paths;      /* parents before children */
    struct part *parts;      /* from 1 to nparts - 1, lane by lane; the root has one in each lane */
    struct edge *edges;      /* in the order of where they come from */
    struct counts *counts;   /* what was counted; NULL: nothing */
    int64_t *values;         /* of the parts, see paths_counts */
    struct made_name *names; /* those that are in no profile */
    /*
     * The one lane stands for all threads of a job, of whose ranks this says how they differ; NULL:
     * lanes are what they are.
     */
    const struct gptl_ranks_tree *ranks;
    bool partial; /* only some subtrees are left of it */
};

/* What a part counted, a value for each slot of counts. */
static inline int64_t *paths_counts(const struct paths *paths, uint32_t part, enum count_kind kind)
{
    return paths->values + (2 * (size_t)part + (size_t)kind) * paths->counts->nslots;
}

/*
 * What PART has itself of the metric in COLUMN, which was counted and not derived; of time if that is
 * below 0. Never negative.
 */
static inline uint64_t paths_weight(const struct paths *paths, uint32_t part, long column)
{
    if (column < 0)
        return paths->parts[part].figures.self;
    int64_t own = paths_counts(paths, part, COUNT_EXCLUSIVE)[paths->counts->columns[column].slot];
    return own > 0 ? (uint64_t)own : 0;
}

/* What has no calls and no time, to add to. */
#define FIGURES_NONE ((struct figures){.min = UINT64_MAX})

/* The path after AT, in an order where each stands before its children; 0: no more. */
uint32_t paths_next(const struct paths *paths, uint32_t at);

void figures_add(struct figures *sum, const struct figures *more);

/*
 * Merges PROFILES, which must stay. Regions made by hand are the same when their names are,
 * functions when they are the same one of the same program, or of two builds of it; see regions.h.
 * Paths that were never called, and lead to none that was, are left out. Returns 0, or -1 when
 * there is no memory; free it also then.
 */
int paths_make(struct paths *paths, const struct gptl_profile *const *profiles, int nprofiles);

/* The same of a job: PROFILE is what all did, RANKS how they differ. Both must stay. */
int paths_make_ranks(struct paths *paths, const struct gptl_profile *profile,
                     const struct gptl_ranks_tree *ranks);

/*
 * How long thread 0 of all processes was in no region, in seconds, and how long it was measured. Shares
 * of the root's time say nothing of that. Both are 0 where it is not known, or less than one part in
 * twenty.
 */
struct outside {
    double seconds, measured;
};

struct outside paths_outside(const struct paths *paths);

/* How ranks differ on PATH; NULL: not known, or lanes are what they are. */
const struct gptl_ranks_row *paths_row(const struct paths *paths, uint32_t path);

void paths_free(struct paths *paths);

/*
 * Keeps the KEEP paths of the longest inclusive time, with all that lead to them, and joins the
 * others of the same parent into one named "(N more)", where N says how many paths it stands for.
 * Its time is all self. Returns 0, or -1 when there is no memory, and then PATHS is as it was.
 */
int paths_keep(struct paths *paths, uint32_t keep);

/* The same for the largest of WEIGHT, which has a member for each path. */
int paths_keep_largest(struct paths *paths, uint32_t keep, const double *weight);

/*
 * Leaves the subtrees that begin with a region whose name PATTERN matches (fnmatch(3)), each now
 * started by the root; equal paths are joined. Returns 1, 0 when there is none, or -1 when there is
 * no memory; then PATHS is as it was.
 */
int paths_under(struct paths *paths, const char *pattern);

#endif
