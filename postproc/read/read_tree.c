/*
 * read_tree.c - the tree of a thread, cut during reading.
 *
 * Each id has a word: two bits for its state, and the number of a row or an id. A removed node
 * refers to its parent's id, and later, to shorten the lookup, to the id of a kept ancestor. So the
 * word of a node stays valid when its ancestors are removed as well.
 */
#include "config.h"

#include "postproc/read/read_tree.h"

#include <stdlib.h>
#include <string.h>

#include "report/number.h"

#define KIND (UINT32_C(3) << 30)
#define KEPT (UINT32_C(1) << 30)  /* with its row */
#define CUT (UINT32_C(2) << 30)   /* with the id of its parent */
#define BELOW (UINT32_C(3) << 30) /* with the id of an ancestor; the parent was removed too */

enum { HISTOGRAMS = 10000 }; /* histograms per tree after a cut: 100 MB */

/* Number of excess nodes that makes the cost of a cut worthwhile. Fuzzers lower it to test cuts. */
#ifndef READ_TREE_SLACK
#define READ_TREE_SLACK 1000
#endif

bool read_tree_begin(struct read_tree *tree, struct gptl_copy *copy, uint32_t keep,
                     uint32_t ncounters)
{
    *tree = (struct read_tree){
        .copy = copy, .keep = keep, .room = 64, .ncounters = ncounters, .ascending = true};
    copy->ncounters = ncounters;
    copy->nodes = calloc(tree->room, sizeof *copy->nodes);
    copy->ids = calloc(tree->room, sizeof *copy->ids);
    tree->rests = keep ? calloc(tree->room, sizeof *tree->rests) : NULL;
    if (!copy->nodes || !copy->ids || (keep && !tree->rests))
        return false;
    copy->nodes[0] = (struct gptl_node_copy){.name = "", .min = UINT64_MAX};
    copy->nnodes = 1;
    return node_ids_set(&tree->places, 0, KEPT);
}

static void free_counters(struct read_tree *tree)
{
    for (uint32_t row = 0; tree->rests && row < tree->copy->nnodes; row++)
        free(tree->rests[row].extra.counters);
    tree->ended = true;
}

void read_tree_free(struct read_tree *tree)
{
    node_ids_free(&tree->places);
    if (!tree->ended)
        free_counters(tree);
    free(tree->rests);
    *tree = (struct read_tree){0};
}

/* ---- Ids ----------------------------------------------------------------------------------- */

bool read_tree_find(struct read_tree *tree, uint32_t id, struct place *place)
{
    uint32_t own = node_ids_get(&tree->places, id), word = own, at = id;
    if (!own)
        return false;
    while ((word & KIND) != KEPT) {
        at = word & ~KIND;
        word = node_ids_get(&tree->places, at);
    }
    *place = (struct place){.row = word & ~KIND, .cut = (own & KIND) != KEPT};
    place->below = place->cut && ((own & KIND) == BELOW || (own & ~KIND) != at);
    /* Path compression: all visited ids refer to the result, so that the next lookup is short. */
    for (word = own; (word & KIND) != KEPT && (word & ~KIND) != at;) {
        uint32_t up = word & ~KIND;
        node_ids_set(&tree->places, id, BELOW | at);
        id = up;
        word = node_ids_get(&tree->places, id);
    }
    return true;
}

/* ---- Rests --------------------------------------------------------------------------------- */

static void add_calls(struct rest *rest, const struct gptl_node_copy *node, uint64_t untimed)
{
    struct gptl_node_copy *sum = &rest->node;
    if (!rest->any)
        sum->min = UINT64_MAX;
    rest->any = true;
    rest->untimed += untimed;
    sum->count += node->count;
    sum->recurse += node->recurse;
    sum->unstopped += node->unstopped;
    if (node->max > sum->max)
        sum->max = node->max;
    if (node->min < sum->min)
        sum->min = node->min;
}

static uint64_t untimed_of(const struct gptl_node_copy *node, const struct gptl_extra_copy *extra)
{
    return extra && extra->timed && extra->timed < node->count ? node->count - extra->timed : 0;
}

static bool add_counters(struct rest *sum, const int64_t *counters, uint32_t n)
{
    if (!sum->extra.counters)
        sum->extra.counters = calloc(n, sizeof *sum->extra.counters);
    for (uint32_t i = 0; i < n && sum->extra.counters; i++)
        sum->extra.counters[i] = gptl_number_sum(sum->extra.counters[i], counters[i]);
    return sum->extra.counters;
}

/* Add the time of a removed node whose parent is kept. */
static void add_time(struct rest *sum, const struct gptl_node_copy *node,
                     const struct gptl_extra_copy *extra)
{
    sum->node.total += node->total;
    sum->node.open_ticks += node->open_ticks;
    sum->node.open += node->open;
    if (extra && extra->timed) {
        sum->extra.timed += extra->timed;
        sum->extra.error += extra->error;
    }
    for (int i = 0; extra && i < GPTL_NVALUES; i++)
        sum->extra.values[i] = gptl_number_sum(sum->extra.values[i], extra->values[i]);
}

/* ---- Adding -------------------------------------------------------------------------------- */

static bool make_room(struct read_tree *tree)
{
    struct gptl_copy *copy = tree->copy;
    if (copy->nnodes < tree->room)
        return true;
    uint32_t room = tree->room + tree->room / 2;
    struct gptl_node_copy *nodes = realloc(copy->nodes, room * sizeof *nodes);
    if (!nodes)
        return false;
    copy->nodes = nodes;
    uint32_t *ids = realloc(copy->ids, room * sizeof *ids);
    if (!ids)
        return false;
    copy->ids = ids;
    struct rest *rests = tree->keep ? realloc(tree->rests, room * sizeof *rests) : NULL;
    if (tree->keep && !rests)
        return false;
    tree->rests = rests;
    tree->room = room;
    return true;
}

static bool add_extra(struct read_tree *tree, struct gptl_node_copy *node,
                      const struct gptl_extra_copy *extra)
{
    struct gptl_copy *copy = tree->copy;
    if (copy->nextras == tree->extra_room) {
        uint32_t room = tree->extra_room ? 2 * tree->extra_room : 16;
        struct gptl_extra_copy *extras = realloc(copy->extras, room * sizeof *extras);
        if (!extras)
            return false;
        copy->extras = extras;
        if (tree->ncounters > 0) {
            size_t size = tree->ncounters * sizeof *copy->counters;
            int64_t *counters = reallocarray(copy->counters, room, size);
            if (!counters)
                return false;
            copy->counters = counters;
        }
        tree->extra_room = room;
    }
    if (tree->ncounters > 0) {
        int64_t *to = copy->counters + (size_t)copy->nextras * tree->ncounters;
        if (extra->counters)
            memcpy(to, extra->counters, tree->ncounters * sizeof *to);
        else
            memset(to, 0, tree->ncounters * sizeof *to);
    }
    copy->extras[copy->nextras] = *extra;
    copy->extras[copy->nextras++].counters = NULL; /* may move until the end */
    node->extra = copy->nextras;
    tree->nhistograms += extra->histogram != NULL;
    return true;
}

static bool add_row(struct read_tree *tree, uint32_t id, uint32_t parent,
                    const struct gptl_node_copy *node, struct gptl_extra_copy *extra)
{
    struct gptl_copy *copy = tree->copy;
    if (!make_room(tree))
        return false;
    uint32_t row = copy->nnodes;
    struct gptl_node_copy *to = &copy->nodes[row];
    *to = *node;
    to->parent = parent;
    to->target = row;
    if (extra) {
        if (!add_extra(tree, to, extra))
            return false;
        extra->histogram = NULL;
    }
    copy->ids[row] = id;
    if (tree->keep)
        tree->rests[row] = (struct rest){.any = false};
    copy->nnodes++;
    return node_ids_set(&tree->places, id, KEPT | row);
}

bool read_tree_add(struct read_tree *tree, uint32_t id, uint32_t parent_id, struct place parent,
                   const struct gptl_node_copy *node, struct gptl_extra_copy *extra)
{
    tree->ascending &= id > tree->largest_id;
    if (id > tree->largest_id)
        tree->largest_id = id;
    if (!parent.cut)
        return add_row(tree, id, parent.row, node, extra);
    add_calls(&tree->rests[parent.row], node, untimed_of(node, extra));
    return node_ids_set(&tree->places, id, BELOW | parent_id);
}

/* ---- Cutting ------------------------------------------------------------------------------- */

/* Sort key: the longest time in the subtree, so that parents precede children. */
struct weight {
    uint64_t time;
    uint32_t row;
};

static int heavy_first(const void *a, const void *b)
{
    const struct weight *x = a, *y = b;
    if (x->time != y->time)
        return x->time > y->time ? -1 : 1;
    return x->row < y->row ? -1 : 1;
}

static struct weight *weights_of(const struct gptl_copy *copy)
{
    struct weight *weights = malloc(copy->nnodes * sizeof *weights);
    if (!weights)
        return NULL;
    for (uint32_t i = 0; i < copy->nnodes; i++)
        weights[i] = (struct weight){copy->nodes[i].total + copy->nodes[i].open_ticks, i};
    for (uint32_t i = copy->nnodes - 1; i > 0; i--) {
        struct weight *parent = &weights[copy->nodes[i].parent];
        if (weights[i].time > parent->time)
            parent->time = weights[i].time;
    }
    weights[0].time = UINT64_MAX;
    qsort(weights, copy->nnodes, sizeof *weights, heavy_first);
    return weights;
}

static void drop_histogram(struct read_tree *tree, uint32_t row)
{
    uint32_t extra = tree->copy->nodes[row].extra;
    struct gptl_histogram **histogram = extra ? &tree->copy->extras[extra - 1].histogram : NULL;
    if (!histogram || !*histogram)
        return;
    free(*histogram);
    *histogram = NULL;
    tree->nhistograms--;
}

/*
 * Choose the rows to keep, the root and the heaviest, and set TO to 1 for these. Histograms of kept
 * rows are limited in number.
 */
static bool choose(struct read_tree *tree, uint32_t *to)
{
    struct weight *weights = weights_of(tree->copy);
    uint32_t histograms = 0;
    if (!weights)
        return false;
    for (uint32_t i = 0; i < tree->copy->nnodes; i++) {
        uint32_t row = weights[i].row, extra = tree->copy->nodes[row].extra;
        bool has = extra && tree->copy->extras[extra - 1].histogram;
        to[row] = i <= tree->keep;
        if (has && (!to[row] || ++histograms > HISTOGRAMS))
            drop_histogram(tree, row);
    }
    free(weights);
    return true;
}

/*
 * Merge a node and the rest below it into the rest SUM of another node. Returns false if out of
 * memory.
 */
static bool join_rest(struct read_tree *tree, struct rest *sum, uint32_t row, bool parent_kept)
{
    const struct gptl_node_copy *node = &tree->copy->nodes[row];
    const struct gptl_extra_copy *extra = node->extra ? &tree->copy->extras[node->extra - 1] : NULL;
    struct rest *below = &tree->rests[row];
    add_calls(sum, node, untimed_of(node, extra));
    if (below->any)
        add_calls(sum, &below->node, below->untimed);
    free(below->extra.counters);
    below->extra.counters = NULL;
    if (!parent_kept)
        return true;
    add_time(sum, node, extra);
    return !extra || tree->ncounters == 0 ||
           add_counters(sum, tree->copy->counters + (size_t)(node->extra - 1) * tree->ncounters,
                        tree->ncounters);
}

static void move_row(struct read_tree *tree, uint32_t from, uint32_t to, uint32_t parent)
{
    struct gptl_copy *copy = tree->copy;
    copy->nodes[to] = copy->nodes[from];
    copy->nodes[to].parent = parent;
    copy->nodes[to].target = to;
    copy->ids[to] = copy->ids[from];
    struct rest rest = tree->rests[from];
    tree->rests[from].extra.counters = NULL;
    tree->rests[to] = rest;
    node_ids_set(&tree->places, copy->ids[to], KEPT | to);
}

/*
 * Move the rows that TO marks to the front; parents still precede children. TO gets the new row of
 * each row or of its nearest kept ancestor. Returns false if out of memory.
 */
static bool move_rows(struct read_tree *tree, uint32_t *to)
{
    struct gptl_copy *copy = tree->copy;
    uint32_t n = 1;
    bool done = true;
    /* Parents' ids must be recorded before rows move. */
    for (uint32_t row = 1; row < copy->nnodes; row++)
        if (!to[row])
            node_ids_set(&tree->places, copy->ids[row], CUT | copy->ids[copy->nodes[row].parent]);
    to[0] = KEPT;
    for (uint32_t row = 1; row < copy->nnodes; row++) {
        uint32_t parent = to[copy->nodes[row].parent];
        if (to[row]) {
            to[row] = KEPT | n;
            move_row(tree, row, n++, parent & ~KIND);
        } else {
            to[row] = parent & ~KIND;
            done = join_rest(tree, &tree->rests[to[row]], row, (parent & KIND) == KEPT) && done;
        }
    }
    tree->cut |= n < copy->nnodes;
    copy->nnodes = n;
    return done;
}

/* Keep extras in the order of their rows. */
static void move_extras(struct gptl_copy *copy)
{
    size_t size = copy->ncounters * sizeof *copy->counters;
    uint32_t n = 0;
    for (uint32_t row = 1; row < copy->nnodes; row++)
        if (copy->nodes[row].extra) {
            uint32_t from = copy->nodes[row].extra - 1;
            copy->extras[n] = copy->extras[from];
            if (size > 0 && n < from)
                memcpy(copy->counters + (size_t)n * copy->ncounters,
                       copy->counters + (size_t)from * copy->ncounters, size);
            copy->nodes[row].extra = ++n;
        }
    copy->nextras = n;
}

bool read_tree_is_large(const struct read_tree *tree)
{
    return tree->keep && (tree->copy->nnodes > 2 * (uint64_t)tree->keep + READ_TREE_SLACK ||
                          tree->nhistograms > 2 * HISTOGRAMS);
}

bool read_tree_cut(struct read_tree *tree)
{
    uint32_t *to = malloc(tree->copy->nnodes * sizeof *to);
    bool done = to && choose(tree, to);
    if (done) {
        done = move_rows(tree, to);
        move_extras(tree->copy);
    }
    free(to);
    return done;
}

/* ---- Completion ---------------------------------------------------------------------------- */

/* Add the rest below ROW as a node with an unused id. */
static bool add_rest(struct read_tree *tree, uint32_t row, const char *name, uint32_t region)
{
    struct rest *rest = &tree->rests[row];
    struct gptl_node_copy node = rest->node;
    struct gptl_extra_copy extra = rest->extra;
    bool any = extra.timed || extra.values[0] || extra.values[1] || extra.counters;
    if (extra.timed)
        extra.timed = node.count > rest->untimed ? node.count - rest->untimed : 1;
    node.name = name;
    node.kind = GPTL_KIND_FOLDED;
    node.region = region;
    rest->row = tree->copy->nnodes;
    return add_row(tree, ++tree->largest_id, row, &node, any ? &extra : NULL);
}

static void place_counters(struct gptl_copy *copy)
{
    for (uint32_t i = 0; i < copy->nextras && copy->ncounters > 0; i++)
        copy->extras[i].counters = copy->counters + (size_t)i * copy->ncounters;
}

static bool add_rests(struct read_tree *tree, struct name_pool *names)
{
    static const char text[] = "(rest)";
    uint32_t region, n = tree->copy->nnodes;
    if (!tree->cut)
        return true;
    if (n > tree->keep && !read_tree_cut(tree))
        return false;
    const char *name =
        name_pool_add(names, text, sizeof text - 1, NO_FUNCTION, GPTL_KIND_FOLDED, &region);
    if (!name)
        return false;
    n = tree->copy->nnodes;
    for (uint32_t row = 0; row < n; row++)
        if (tree->rests[row].any && !add_rest(tree, row, name, region))
            return false;
    return true;
}

bool read_tree_end(struct read_tree *tree, struct name_pool *names)
{
    bool done = add_rests(tree, names);
    free_counters(tree); /* later rows are edges, which have no remainder */
    place_counters(tree->copy);
    return done;
}

uint32_t read_tree_row(const struct read_tree *tree, struct place place)
{
    return place.cut ? tree->rests[place.row].row : place.row;
}
