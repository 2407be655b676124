/*
 * read_nodes.c - reads the nodes of a thread. There may be millions, so their reading time
 * dominates.
 */
#include "config.h"

#include "postproc/read/read_nodes.h"

#include <stdlib.h>
#include <string.h>

#include "report/name.h"

/* Members of a node in the order of writing. */
enum member {
    ID,
    PARENT,
    NAME,
    FUNCTION,
    KIND,
    CALLS,
    RECURSE,
    TOTAL,
    MAX,
    MIN,
    LATEST,
    OPEN,
    OPEN_TIME,
    UNSTOPPED,
    TIMED,
    ERROR,
    USER,
    SYSTEM,
    METRICS,
    P50,
    P95,
    P99,
    HISTOGRAM,
    NMEMBERS,
};

static const char *const members[NMEMBERS] = {
    [ID] = "id",
    [PARENT] = "parent",
    [NAME] = "name",
    [FUNCTION] = "function",
    [KIND] = "kind",
    [CALLS] = "calls",
    [RECURSE] = "recurse",
    [TOTAL] = "seconds",
    [MAX] = "max",
    [MIN] = "min",
    [LATEST] = "latest",
    [OPEN] = "open",
    [OPEN_TIME] = "open_seconds",
    [UNSTOPPED] = "unstopped",
    [TIMED] = "timed",
    [ERROR] = "error",
    [USER] = "usr",
    [SYSTEM] = "sys",
    [METRICS] = "metrics",
    [P50] = "p50",
    [P95] = "p95",
    [P99] = "p99",
    [HISTOGRAM] = "histogram",
};

struct read_node {
    uint32_t id, parent, function;
    uint32_t seen; /* one bit per member */
    struct gptl_node_copy node;
    struct gptl_extra_copy extra;
};

uint64_t read_time(struct json *json)
{
    uint64_t ns = json_nanoseconds(json);
    return ns < UINT64_MAX ? ns : UINT64_MAX - 1;
}

static uint64_t time_or(struct json *json, uint64_t none)
{
    return json_null(json) ? none : read_time(json);
}

/* ---- Members ------------------------------------------------------------------------------- */

/* Copy the name, because the reader reuses its text buffer for the next member. */
static void take_name(struct read_thread *t)
{
    size_t length;
    char *text = json_string(t->json, &length);
    long decoded = name_decode(text, length);
    if (decoded < 0) {
        json_fail(t->json, "a name has a byte of 0 in it");
        return;
    }
    t->name_length = (size_t)decoded;
    if (t->name_room <= t->name_length) {
        char *name = realloc(t->name, 2 * t->name_length + 64);
        if (!name) {
            reader_no_memory(t->reader);
            return;
        }
        t->name = name;
        t->name_room = 2 * t->name_length + 64;
    }
    memcpy(t->name, text, t->name_length + 1);
}

static void take_bucket(struct read_thread *t, struct gptl_histogram *histogram)
{
    uint64_t index = 0, calls = 0;
    int n = 0;
    json_array(t->json);
    for (; json_element(t->json); n++)
        *(n == 0 ? &index : &calls) = json_uint(t->json, UINT64_MAX);
    if (json_failed(t->json))
        return;
    if (n != 2 || index >= GPTL_HISTOGRAM_BUCKETS)
        json_fail(t->json, "a bucket of a histogram must be an index below %d and a number",
                  GPTL_HISTOGRAM_BUCKETS);
    else
        histogram->bucket[index] += calls;
}

static void take_histogram(struct read_thread *t, struct gptl_extra_copy *extra)
{
    if (!t->reader->known_buckets) {
        json_fail(t->json, "histograms are divided in a way that this gptl does not know");
        return;
    }
    if (!extra->histogram)
        extra->histogram = calloc(1, sizeof *extra->histogram);
    if (!extra->histogram) {
        reader_no_memory(t->reader);
        return;
    }
    json_array(t->json);
    while (json_element(t->json))
        take_bucket(t, extra->histogram);
}

/* Read the values of counted metrics; derived ones are recomputed. */
static void take_values(struct read_thread *t, struct gptl_extra_copy *extra)
{
    const struct gptl_metrics *metrics = &t->reader->profile->metrics;
    uint32_t n = 0;
    if (t->reader->nvalues == 0)
        json_fail(t->json, "a node has values of metrics, and no \"metrics\" before tell which");
    json_array(t->json);
    for (; json_element(t->json); n++) {
        if (n >= t->reader->nvalues || metrics->metric[n].kind != GPTL_METRIC_COUNTED)
            json_skip(t->json);
        else
            t->counters[metrics->metric[n].slot] = json_int(t->json);
    }
    if (n != t->reader->nvalues)
        json_fail(t->json, "a node has %u values of %u metrics", n, t->reader->nvalues);
    extra->counters = t->counters;
}

static void take_member(struct read_thread *t, struct read_node *in, enum member member)
{
    struct json *json = t->json;
    struct gptl_node_copy *node = &in->node;
    switch (member) {
    case ID:
        in->id = (uint32_t)json_uint(json, LARGEST_ID);
        break;
    case PARENT:
        in->parent = (uint32_t)json_uint(json, LARGEST_ID);
        break;
    case NAME:
        take_name(t);
        break;
    case FUNCTION:
        in->function = (uint32_t)json_uint(json, UINT32_MAX);
        node->kind = GPTL_KIND_FUNCTION;
        break;
    case KIND:
        node->kind = gptl_kind_named(json_string(json, NULL));
        break;
    case CALLS:
        node->count = json_uint(json, MOST_CALLS);
        break;
    case RECURSE:
        node->recurse = json_uint(json, MOST_CALLS);
        break;
    case TOTAL:
        node->total = read_time(json);
        break;
    case MAX:
        node->max = time_or(json, 0);
        break;
    case MIN:
        node->min = time_or(json, UINT64_MAX);
        break;
    case LATEST:
        node->latest = time_or(json, 0);
        break;
    case OPEN:
        node->open = (uint32_t)json_uint(json, UINT32_MAX);
        break;
    case OPEN_TIME:
        node->open_ticks = read_time(json);
        break;
    case UNSTOPPED:
        node->unstopped = (uint32_t)json_uint(json, UINT32_MAX);
        break;
    case TIMED:
        in->extra.timed = json_uint(json, MOST_CALLS);
        break;
    case ERROR:
        in->extra.error = read_time(json);
        break;
    case USER:
        in->extra.values[0] = (int64_t)(read_time(json) / 1000);
        break;
    case SYSTEM:
        in->extra.values[1] = (int64_t)(read_time(json) / 1000);
        break;
    case METRICS:
        take_values(t, &in->extra);
        break;
    case HISTOGRAM:
        take_histogram(t, &in->extra);
        break;
    default: /* derived from other members */
        json_skip(json);
    }
}

/* ---- Nodes --------------------------------------------------------------------------------- */

static void check_members(struct read_thread *t, const struct read_node *in)
{
    static const enum member needed[] = {ID, PARENT, NAME, CALLS, TOTAL};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!(in->seen & UINT32_C(1) << needed[i]))
            json_fail(t->json, "a node has no \"%s\"", members[needed[i]]);
    if ((in->seen & UINT32_C(1) << FUNCTION) && in->function >= t->reader->profile->nfunctions)
        json_fail(t->json, "node %u is of function %u, which is not among the functions before",
                  in->id, in->function);
}

bool read_place(struct read_thread *t, const char *what, uint32_t id, struct place *place)
{
    if (json_failed(t->json))
        return false;
    if (read_tree_find(&t->tree, id, place))
        return true;
    json_fail(t->json, "%s node %u, and there is no such node", what, id);
    return false;
}

static void add_node(struct read_thread *t, struct read_node *in)
{
    struct gptl_node_copy *node = &in->node;
    struct place place;
    const struct gptl_extra_copy *extra = &in->extra;
    bool any = extra->timed || extra->values[0] || extra->values[1] || extra->histogram ||
               in->seen & UINT32_C(1) << METRICS;
    check_members(t, in);
    if (json_failed(t->json))
        return;
    if (read_tree_find(&t->tree, in->id, &place)) {
        json_fail(t->json, in->id ? "there is another node %u before" : "a node cannot be %u",
                  in->id);
        return;
    }
    if (!read_tree_find(&t->tree, in->parent, &place)) {
        json_fail(t->json, "the parent of node %u is %u, which does not stand before it", in->id,
                  in->parent);
        return;
    }
    if (!place.cut)
        node->name = name_pool_add(&t->reader->names, t->name, t->name_length, in->function,
                                   node->kind, &node->region);
    if ((!place.cut && !node->name) ||
        !read_tree_add(&t->tree, in->id, in->parent, place, node, any ? &in->extra : NULL))
        reader_no_memory(t->reader);
}

/* Cut the tree, and drop the names of removed nodes. */
static void cut(struct read_thread *t)
{
    struct reader *reader = t->reader;
    if (!read_tree_cut(&t->tree)) {
        reader_no_memory(reader);
        return;
    }
    uint64_t nodes = 10000;
    for (int i = 0; i < reader->profile->ncopies; i++)
        nodes += reader->profile->copies[i].nnodes;
    if (reader->names.nnames > 4 * nodes &&
        !name_pool_shrink(&reader->names, reader->profile->copies, reader->profile->ncopies))
        reader_no_memory(reader);
}

static void read_node(struct read_thread *t)
{
    struct read_node in = {.function = NO_FUNCTION, .node.min = UINT64_MAX};
    const char *key;
    int next = 0;
    json_object(t->json);
    while ((key = json_key(t->json))) {
        int member = reader_member(key, members, NMEMBERS, &next);
        if (member == NMEMBERS) {
            json_skip(t->json);
            continue;
        }
        in.seen |= UINT32_C(1) << member;
        take_member(t, &in, (enum member)member);
    }
    add_node(t, &in);
    free(in.extra.histogram);
    if (!json_failed(t->json) && read_tree_is_large(&t->tree))
        cut(t);
}

void read_nodes(struct read_thread *t)
{
    if (t->has_nodes)
        json_fail(t->json, "this thread has \"nodes\" twice");
    json_array(t->json);
    while (json_element(t->json))
        read_node(t);
    if (!json_failed(t->json) && !read_tree_end(&t->tree, &t->reader->names))
        reader_no_memory(t->reader);
    t->has_nodes = true;
}
