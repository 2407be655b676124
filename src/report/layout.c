/*
 * layout.c - the parents of regions, and the printed tree.
 *
 * With one parent chosen per region, the choices can form a cycle: A is called most often by B, and
 * B by A. First parents never form a cycle, because the first node of a region is created below an
 * older node. Therefore the oldest region of each cycle reverts to its first parent, until no cycle
 * remains.
 */
#include "config.h"

#include "report/layout.h"

#include <stdlib.h>
#include <string.h>

#include "gptl.h"

/* ---- Parents ------------------------------------------------------------------------------- */

int gptl_parents_new(struct gptl_parents *parents, const struct gptl_view *view)
{
    size_t n = (size_t)view->nregions + 1;
    *parents = (struct gptl_parents){
        .slot = malloc(n * sizeof *parents->slot),
        .calls = malloc(n * sizeof *parents->calls),
        .seen = calloc(n, sizeof *parents->seen),
    };
    return parents->slot && parents->calls && parents->seen ? 0 : -1;
}

void gptl_parents_free(struct gptl_parents *parents)
{
    free(parents->slot);
    free(parents->calls);
    free(parents->seen);
    memset(parents, 0, sizeof *parents);
}

static void add_calls(struct gptl_parents *parents, uint32_t region, uint32_t parent, int64_t calls)
{
    if (parent == region)
        return;
    if (parents->seen[parent] != region) {
        parents->seen[parent] = region;
        parents->calls[parent] = 0;
        parents->slot[parents->n++] = parent;
    }
    parents->calls[parent] = gptl_number_sum(parents->calls[parent], calls);
}

/*
 * Find the parents of region SLOT. A node's count contains the calls over back edges, which are
 * attributed to the edges' parents.
 */
void gptl_parents_find(struct gptl_parents *parents, const struct gptl_view *view, uint32_t slot)
{
    const struct gptl_node_copy *nodes = view->copy->nodes;
    parents->n = 0;
    for (uint32_t row = view->first[slot]; row; row = view->next[row]) {
        uint64_t calls = nodes[row].count;
        add_calls(parents, slot, view->slot[nodes[row].parent], (int64_t)calls);
        if (nodes[row].target != row)
            add_calls(parents, slot, view->slot[nodes[nodes[row].target].parent], (int64_t)-calls);
    }
}

uint64_t gptl_parents_calls(const struct gptl_parents *parents, uint32_t i)
{
    int64_t calls = parents->calls[parents->slot[i]];
    return calls > 0 ? (uint64_t)calls : 0;
}

/* ---- Choice of a parent ---------------------------------------------------------------------- */

static uint32_t first_parent(const struct gptl_view *view, uint32_t slot)
{
    return view->slot[view->copy->nodes[view->first[slot]].parent];
}

static uint32_t choose(const struct gptl_parents *parents, int method)
{
    if (parents->n == 0)
        return 0;
    uint32_t best = method == GPTLlast_parent ? parents->n - 1 : 0;
    for (uint32_t i = 1; i < parents->n && method == GPTLmost_frequent; i++)
        if (gptl_parents_calls(parents, i) > gptl_parents_calls(parents, best))
            best = i;
    return parents->slot[best];
}

/* Return the representative of X, after its cycle has been opened. */
static uint32_t find(uint32_t *standing, uint32_t x)
{
    while (standing[x] != x)
        x = standing[x] = standing[standing[x]];
    return x;
}

/*
 * Open all cycles. Follow the chosen parents upward from each region, with the path on a stack.
 * Reaching the path again closes a cycle: its regions are merged into the oldest one, which gets
 * its first parent and represents them from now on. Each region is therefore pushed and popped
 * once. WHERE[x] is the position of x, numbered consecutively over all stacks, so that positions on
 * earlier stacks are smaller.
 */
static void open_cycles(uint32_t *parent, const struct gptl_view *view, uint32_t *stack,
                        uint32_t *where, uint32_t *standing)
{
    uint32_t base = 1;
    for (uint32_t s = 0; s <= view->nregions; s++) {
        standing[s] = s;
        where[s] = 0;
    }
    for (uint32_t s = 1; s <= view->nregions; s++) {
        uint32_t top = 0, pushed = 0, at = s;
        while (at != 0 && !(where[at] && where[at] < base)) {
            if (!where[at]) {
                stack[top] = at;
                where[at] = base + top++;
                pushed++;
            } else {
                uint32_t from = where[at] - base, oldest = stack[from];
                for (uint32_t i = from + 1; i < top; i++)
                    oldest = stack[i] < oldest ? stack[i] : oldest;
                while (top > from)
                    standing[stack[--top]] = oldest;
                parent[oldest] = first_parent(view, oldest);
                stack[top++] = oldest;
                where[oldest] = base + from;
                at = oldest;
            }
            at = find(standing, parent[at]);
        }
        base += pushed;
    }
}

/* ---- Printed tree ---------------------------------------------------------------------------- */

static void link_children(struct gptl_layout *layout, const struct gptl_view *view)
{
    memset(layout->sibling, 0, layout->nitems * sizeof *layout->sibling);
    for (uint32_t i = layout->nitems - 1; i > 0; i--) {
        if (layout->full && !gptl_view_is_node(view, i))
            continue;
        layout->sibling[i] = layout->child[layout->parent[i]];
        layout->child[layout->parent[i]] = i;
    }
}

static int choose_parents(struct gptl_layout *layout, const struct gptl_view *view, int method)
{
    struct gptl_parents parents;
    if (gptl_parents_new(&parents, view)) {
        gptl_parents_free(&parents);
        return -1;
    }
    for (uint32_t s = 1; s <= view->nregions; s++) {
        gptl_parents_find(&parents, view, s);
        layout->several[s] = parents.n > 1;
        if (!layout->full)
            layout->parent[s] = choose(&parents, method);
    }
    if (!layout->full && method != GPTLfirst_parent)
        open_cycles(layout->parent, view, parents.slot, parents.seen, layout->sibling);
    gptl_parents_free(&parents);
    return 0;
}

int gptl_layout_make(struct gptl_layout *layout, const struct gptl_view *view, int method)
{
    bool full = method == GPTLfull_tree;
    uint32_t n = full ? view->copy->nnodes : view->nregions + 1;
    *layout = (struct gptl_layout){
        .nitems = n,
        .full = full,
        .parent = calloc(n, sizeof *layout->parent),
        .child = calloc(n, sizeof *layout->child),
        .sibling = calloc(n, sizeof *layout->sibling),
        .several = calloc((size_t)view->nregions + 1, 1),
    };
    if (!layout->parent || !layout->child || !layout->sibling || !layout->several ||
        choose_parents(layout, view, method))
        return -1;
    for (uint32_t i = 1; i < n && full; i++)
        layout->parent[i] = view->copy->nodes[i].parent;
    link_children(layout, view);
    return 0;
}

void gptl_layout_free(struct gptl_layout *layout)
{
    free(layout->parent);
    free(layout->child);
    free(layout->sibling);
    free(layout->several);
    memset(layout, 0, sizeof *layout);
}

void gptl_layout_next(const struct gptl_layout *layout, uint32_t *item, uint32_t *level)
{
    uint32_t at = *item;
    if (layout->child[at]) {
        *item = layout->child[at];
        ++*level;
        return;
    }
    while (at && !layout->sibling[at]) {
        at = layout->parent[at];
        --*level;
    }
    *item = at ? layout->sibling[at] : 0;
}
