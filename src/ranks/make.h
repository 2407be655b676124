/*
 * make.h - between the files that make the tree of one rank: what they know of it before it is one.
 */
#ifndef GPTL_RANKS_MAKE_H
#define GPTL_RANKS_MAKE_H

#include "ranks/tree.h"
#include "report/report.h"

/* A row before all are known. The first ones are the regions, in their order; then come paths. */
struct cell {
    struct gptl_ranks_row row;
    uint32_t parent; /* of a path: its cell, or NONE */
    uint32_t first_child, next_sibling;
    bool called;       /* by the thread that is being added */
    bool open;         /* in that thread */
    uint64_t calls;    /* of it that ended, … */
    uint64_t ended;    /* … and their nanoseconds */
    uint64_t wall;     /* its nanoseconds, … */
    uint64_t usr, sys; /* … and microseconds */
    uint64_t cpu[2];   /* the latter of all threads */
};

enum { NONE = UINT32_MAX };

/* What one region number of the profile is. */
struct key {
    struct gptl_ranks_key of;
    uint32_t number;
    uint32_t used; /* its place in the order of first use, from 1 */
};

struct maker {
    const struct gptl_profile *profile;
    int rank;
    bool cpu;
    uint32_t nslots;
    struct key *keys; /* sorted: the regions */
    uint32_t nregions;
    uint32_t *region; /* of each number: its place among them */
    uint32_t highest; /* number */
    uint32_t nused;   /* regions that have been met in the threads */
    struct cell *cells;
    int64_t *counters; /* of each cell: of all threads, then of the one that is being added */
    uint32_t ncells, room;
    uint32_t *hash; /* of paths, by parent and region: cells */
    uint32_t mask;
    uint32_t *cell_of; /* of each node of the copy: its path */
    uint32_t *order;   /* of paths, as they will stand */
    struct gptl_ranks_tree *tree;
    uint32_t *metric; /* of each metric of the tree: its place in the profile */
};

static inline int64_t *counters_of(const struct maker *m, uint32_t cell)
{
    return m->counters + (size_t)cell * 2 * m->nslots;
}

/* Makes the tree of the cells. Returns 0, or -1 when there is no memory. */
int gptl_ranks_make_tree(struct maker *m);

#endif
