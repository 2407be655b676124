/*
 * paths_build.h - how a struct paths is put together: paths are found or added, and parts come lane
 * by lane, those of a path after those of its parent's.
 */
#ifndef GPTL_POSTPROC_PATHS_BUILD_H
#define GPTL_POSTPROC_PATHS_BUILD_H

#include "postproc/paths/paths.h"

struct paths_builder {
    struct paths *paths;
    uint32_t *tail;  /* of each path: its last part */
    uint32_t *slots; /* hash table of paths by parent and region */
    uint32_t mask;   /* number of slots less 1 */
    uint32_t path_room, part_room, edge_room, value_room;
    uint32_t last; /* the path that was found last */
};

/* PATHS has its lanes and counts and is otherwise empty. Returns 0, or -1 when there is no memory. */
int paths_builder_init(struct paths_builder *b, struct paths *paths);

/*
 * The path below PARENT that ends in the region of LIKE, which gives its name and function if it is
 * new. Region 0 is always new. Returns 0 when there is no memory.
 */
uint32_t paths_builder_path(struct paths_builder *b, uint32_t parent, const struct path *like);

/* The part of PATH in LANE, which is that of the call before or a later one; 0: no memory. */
uint32_t paths_builder_part(struct paths_builder *b, uint32_t path, uint32_t lane);

/* Returns -1 when there is no memory. */
int paths_builder_edge(struct paths_builder *b, uint32_t from, uint32_t to, uint64_t calls);

/* Sums and links what was added, and frees the builder; with DONE false only the latter. */
void paths_builder_end(struct paths_builder *b, bool done);

#endif
