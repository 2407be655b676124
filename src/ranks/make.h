/*
 * make.h - internal interface of the files that build the tree of one rank: intermediate data.
 */
#ifndef GPTL_RANKS_MAKE_H
#define GPTL_RANKS_MAKE_H

#include "ranks/tree.h"
#include "report/report.h"

/* A row under construction. The first cells are the regions in order; paths follow. */
struct cell {
    struct gptl_ranks_row row;
    uint32_t parent; /* parent cell of a path, or NONE */
    uint32_t first_child, next_sibling;
    bool called;       /* in the current thread */
    bool open;         /* in the current thread */
    uint64_t calls;    /* completed calls in the current thread */
    uint64_t ended;    /* nanoseconds of completed calls */
    uint64_t wall;     /* nanoseconds in the current thread */
    uint64_t usr, sys; /* microseconds in the current thread */
    uint64_t cpu[2];   /* user and system microseconds of all threads */
};

enum { NONE = UINT32_MAX };

/* The identity of a region number of the profile. */
struct key {
    struct gptl_ranks_key of;
    uint32_t number;
    uint32_t used; /* position in the order of first use, from 1 */
};

struct maker {
    const struct gptl_profile *profile;
    int rank;
    bool cpu;
    uint32_t nslots;
    struct key *keys; /* sorted region keys */
    uint32_t nregions;
    uint32_t *region; /* index in KEYS by region number */
    uint32_t highest; /* highest region number */
    uint32_t nused;   /* regions encountered in the threads so far */
    struct cell *cells;
    int64_t *counters; /* per cell: sums of all threads, then of the current thread */
    uint32_t ncells, room;
    uint32_t *hash; /* hash table of paths by parent and region; entries are cells */
    uint32_t mask;
    uint32_t *cell_of; /* path of each node of the copy */
    uint32_t *order;   /* paths in final order */
    struct gptl_ranks_tree *tree;
    uint32_t *metric; /* index in the profile of each metric of the tree */
};

static inline int64_t *counters_of(const struct maker *m, uint32_t cell)
{
    return m->counters + (size_t)cell * 2 * m->nslots;
}

/* Build the tree from the cells. Return 0, or -1 when out of memory. */
int gptl_ranks_make_tree(struct maker *m);

#endif
