/* lane_tree.c - the call tree of one lane, in time proportional to the number of its parts. */
#include "config.h"

#include "postproc/paths/lane_tree.h"

#include <stdlib.h>
#include <string.h>

int lane_tree_init(struct lane_tree *tree, const struct paths *paths)
{
    size_t most = 1;
    for (uint32_t i = 0; i < paths->nlanes; i++)
        if (paths->lanes[i].nparts > most)
            most = paths->lanes[i].nparts;
    *tree = (struct lane_tree){.paths = paths,
                               .of_path = malloc(paths->npaths * sizeof *tree->of_path),
                               .first_child = malloc(most * sizeof *tree->first_child),
                               .next_sibling = malloc(most * sizeof *tree->next_sibling),
                               .parent = malloc(most * sizeof *tree->parent)};
    return tree->of_path && tree->first_child && tree->next_sibling && tree->parent ? 0 : -1;
}

void lane_tree_free(struct lane_tree *tree)
{
    free(tree->of_path);
    free(tree->first_child);
    free(tree->next_sibling);
    free(tree->parent);
    memset(tree, 0, sizeof *tree);
}

void lane_tree_make(struct lane_tree *tree, const struct lane *lane)
{
    const struct part *parts = tree->paths->parts;
    tree->first_part = lane->first_part;
    for (uint32_t i = 0; i < lane->nparts; i++) {
        tree->of_path[parts[lane->first_part + i].path] = lane->first_part + i;
        tree->first_child[i] = tree->next_sibling[i] = tree->parent[i] = 0;
    }
    for (uint32_t i = lane->nparts; i-- > 1;) {
        uint32_t path = parts[lane->first_part + i].path;
        uint32_t parent = tree->of_path[tree->paths->paths[path].parent];
        tree->parent[i] = parent;
        tree->next_sibling[i] = tree->first_child[parent - lane->first_part];
        tree->first_child[parent - lane->first_part] = lane->first_part + i;
    }
}

uint32_t lane_tree_next(const struct lane_tree *tree, uint32_t part)
{
    uint32_t first = tree->first_part;
    if (tree->first_child[part - first])
        return tree->first_child[part - first];
    while (part != first && !tree->next_sibling[part - first])
        part = tree->parent[part - first];
    return part == first ? 0 : tree->next_sibling[part - first];
}
