/*
 * read_edges.c - reads the back edges of a thread. In a copy, edges are rows between the rows of
 * nodes in the order of creation, which breaks ties in sorting.
 */
#include "config.h"

#include "postproc/read/read_nodes.h"

#include <stdlib.h>

/* ---- Rows ---------------------------------------------------------------------------------- */

/*
 * Number the nodes depth first, so that descendants are a range and an ancestor test takes constant
 * time in a tree of any depth.
 */
static bool number_nodes(struct read_thread *t)
{
    const struct gptl_node_copy *nodes = t->copy->nodes;
    uint32_t n = t->copy->nnodes;
    t->first = calloc(n, sizeof *t->first);
    t->last = calloc(n, sizeof *t->last);
    uint32_t *next = calloc(n, sizeof *next);
    bool done = t->first && t->last && next;
    for (uint32_t i = n - 1; done && i > 0; i--) /* numbers of descendants */
        t->last[nodes[i].parent] += t->last[i] + 1;
    for (uint32_t i = 0; done && i < n; i++) {
        uint32_t below = t->last[i];
        if (i > 0) {
            t->first[i] = next[nodes[i].parent];
            next[nodes[i].parent] += below + 1;
        }
        next[i] = t->first[i] + 1;
        t->last[i] = t->first[i] + below;
    }
    free(next);
    if (!done)
        reader_no_memory(t->reader);
    return done;
}

/*
 * Find the rows of an edge. Returns false if the edge is within a removed subtree, or after a
 * message if it is invalid.
 */
static bool find_rows(struct read_thread *t, struct read_edge *edge)
{
    struct place from, to;
    if (!read_place(t, "a back edge is from", edge->from, &from) ||
        !read_place(t, "a back edge leads to", edge->to, &to) || to.cut)
        return false;
    if (!t->first && !number_nodes(t))
        return false;
    uint32_t row = read_tree_row(&t->tree, from), target = read_tree_row(&t->tree, to);
    if (target == 0 || t->first[row] < t->first[target] || t->first[row] > t->last[target]) {
        json_fail(t->json, "a back edge leads from node %u to %u, which is not above it",
                  edge->from, edge->to);
        return false;
    }
    edge->from = row;
    edge->to = target;
    return true;
}

static int by_rows(const void *a, const void *b)
{
    const struct read_edge *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

static int by_calls(const void *a, const void *b)
{
    const struct read_edge *x = a, *y = b;
    if (x->calls != y->calls)
        return x->calls > y->calls ? -1 : 1;
    return by_rows(a, b);
}

/*
 * Reduce the edges of a cut tree: merge edges from the same rest, and keep only the most frequent.
 */
static void cut_edges(struct read_thread *t)
{
    uint32_t n = 0;
    if (t->nedges == 0)
        return;
    qsort(t->edges, t->nedges, sizeof *t->edges, by_rows);
    for (uint32_t i = 1; i < t->nedges; i++) {
        if (by_rows(&t->edges[n], &t->edges[i]) == 0)
            t->edges[n].calls += t->edges[i].calls;
        else
            t->edges[++n] = t->edges[i];
    }
    t->nedges = n + 1;
    if (t->nedges <= t->tree.keep)
        return;
    qsort(t->edges, t->nedges, sizeof *t->edges, by_calls);
    t->nedges = t->tree.keep;
    qsort(t->edges, t->nedges, sizeof *t->edges, by_rows);
}

/* ---- Reading ------------------------------------------------------------------------------- */

static void add_edge(struct read_thread *t, const struct read_edge *edge)
{
    if (t->nedges == t->edge_room) {
        size_t room = t->edge_room ? 2 * (size_t)t->edge_room : 64;
        struct read_edge *edges =
            room <= LARGEST_ID ? realloc(t->edges, room * sizeof *edges) : NULL;
        if (!edges) {
            reader_no_memory(t->reader);
            return;
        }
        t->edges = edges;
        t->edge_room = (uint32_t)room;
    }
    t->edges[t->nedges++] = *edge;
    if (t->has_nodes && t->tree.cut && t->nedges > 2 * (uint64_t)t->tree.keep + 1000)
        cut_edges(t);
}

static void read_edge(struct read_thread *t)
{
    static const char *const members[] = {"id", "from", "to", "calls"};
    struct read_edge edge = {0};
    const char *key;
    int next = 0;
    unsigned seen = 0;
    json_object(t->json);
    while ((key = json_key(t->json))) {
        int member = reader_member(key, members, 4, &next);
        seen |= 1u << member;
        if (member == 4)
            json_skip(t->json);
        else if (member == 3)
            edge.calls = json_uint(t->json, MOST_CALLS);
        else
            *(member == 0   ? &edge.id
              : member == 1 ? &edge.from
                            : &edge.to) = (uint32_t)json_uint(t->json, LARGEST_ID);
    }
    if ((seen & 14) != 14)
        json_fail(t->json, "a back edge must have \"from\", \"to\" and \"calls\"");
    if (!json_failed(t->json) && (!t->has_nodes || find_rows(t, &edge)))
        add_edge(t, &edge);
}

void read_edges(struct read_thread *t)
{
    if (t->nedges > 0)
        json_fail(t->json, "this thread has \"back_edges\" twice");
    t->edges_by_id = !t->has_nodes;
    json_array(t->json);
    while (json_element(t->json))
        read_edge(t);
}

/* ---- Completion ---------------------------------------------------------------------------- */

/* Return whether the ids of the edges define their positions between the nodes. */
static bool have_places(const struct read_thread *t)
{
    const struct gptl_copy *copy = t->copy;
    uint32_t row = 0;
    if (t->tree.cut || !t->tree.ascending)
        return false;
    for (uint32_t i = 0; i < t->nedges; i++) {
        const struct read_edge *edge = &t->edges[i];
        if (edge->id <= copy->ids[edge->from] || (i > 0 && edge->id <= edge[-1].id))
            return false;
        while (row < copy->nnodes && copy->ids[row] < edge->id)
            row++;
        if (row < copy->nnodes && copy->ids[row] == edge->id)
            return false;
    }
    return true;
}

static bool make_room(struct read_thread *t)
{
    struct gptl_copy *copy = t->copy;
    size_t n = (size_t)copy->nnodes + t->nedges;
    struct gptl_node_copy *nodes = realloc(copy->nodes, n * sizeof *nodes);
    if (!nodes)
        return false;
    copy->nodes = nodes;
    uint32_t *ids = realloc(copy->ids, n * sizeof *ids);
    if (!ids)
        return false;
    copy->ids = ids;
    return true;
}

/* Move rows to make space for the edges, from the last row on. TO gets the new row of each node. */
static void merge(struct read_thread *t, uint32_t *to)
{
    struct gptl_copy *copy = t->copy;
    uint32_t left = copy->nnodes, edges = t->nedges;
    while (left + edges > 0) {
        uint32_t row = left + edges - 1;
        if (edges > 0 && copy->ids[left - 1] < t->edges[edges - 1].id) {
            const struct read_edge *edge = &t->edges[--edges];
            copy->nodes[row] = (struct gptl_node_copy){
                .count = edge->calls, .min = UINT64_MAX, .parent = edge->from, .target = edge->to};
            copy->ids[row] = edge->id;
        } else {
            to[--left] = row;
            copy->nodes[row] = copy->nodes[left];
            copy->ids[row] = copy->ids[left];
        }
    }
}

/* Update references to rows. */
static void refer(struct read_thread *t, const uint32_t *to)
{
    struct gptl_copy *copy = t->copy;
    copy->nnodes += t->nedges;
    for (uint32_t row = 1; row < copy->nnodes; row++) {
        struct gptl_node_copy *node = &copy->nodes[row];
        node->parent = to[node->parent];
        node->target = to[node->target];
        if (node->target != row) {
            node->name = copy->nodes[node->target].name;
            node->region = copy->nodes[node->target].region;
        }
    }
    for (uint32_t i = 0; i < copy->nintervals; i++)
        for (uint32_t k = 0; k < copy->intervals[i].nrows; k++)
            copy->intervals[i].rows[k].node = to[copy->intervals[i].rows[k].node];
}

void read_edges_end(struct read_thread *t)
{
    if (t->edges_by_id) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < t->nedges; i++)
            if (find_rows(t, &t->edges[i]))
                t->edges[n++] = t->edges[i];
        t->nedges = n;
    }
    if (t->tree.cut)
        cut_edges(t);
    if (t->nedges == 0 || json_failed(t->json))
        return;
    bool placed = have_places(t);
    for (uint32_t i = 0; !placed && i < t->nedges; i++)
        t->edges[i].id = t->tree.largest_id + 1 + i;
    uint32_t *to = malloc(t->copy->nnodes * sizeof *to);
    if (to && make_room(t)) {
        merge(t, to);
        refer(t, to);
    } else {
        reader_no_memory(t->reader);
    }
    free(to);
}
