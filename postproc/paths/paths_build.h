/*
 * paths_build.h - builds a struct paths: paths are found or added, and parts are added lane by
 * lane, parents before children.
 */
#ifndef GPTL_POSTPROC_PATHS_BUILD_H
#define GPTL_POSTPROC_PATHS_BUILD_H

#include "postproc/paths/paths.h"

struct paths_builder {
    struct paths *paths;
    uint32_t *tail;  /* by path: its last part */
    uint32_t *slots; /* hash table of paths by parent and region */
    uint32_t mask;   /* number of slots less 1 */
    uint32_t path_room, part_room, edge_room, value_room;
    uint32_t last; /* path found last */
};

/*
 * Start building PATHS, which has lanes and counts and is otherwise empty. Returns 0, or -1 if out
 * of memory.
 */
int paths_builder_init(struct paths_builder *b, struct paths *paths);

/*
 * Return the path below PARENT that ends in the region of LIKE, which supplies name and function of
 * a new path. Region 0 is always new. Returns 0 if out of memory.
 */
uint32_t paths_builder_path(struct paths_builder *b, uint32_t parent, const struct path *like);

/* Return the part of PATH in LANE, or 0 if out of memory. Lanes must not decrease between calls. */
uint32_t paths_builder_part(struct paths_builder *b, uint32_t path, uint32_t lane);

/* Add an edge. Returns -1 if out of memory. */
int paths_builder_edge(struct paths_builder *b, uint32_t from, uint32_t to, uint64_t calls);

/* Sum and link the added data if DONE, and free the builder. */
void paths_builder_end(struct paths_builder *b, bool done);

#endif
