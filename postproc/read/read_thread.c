/* read_thread.c - reads a thread: members other than lists, and the order of the lists. */
#include "config.h"

#include "postproc/read/read_nodes.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- Members ------------------------------------------------------------------------------- */

enum member {
    THREAD,
    LIVE,
    SERVED,
    TICK,
    UNMATCHED,
    DROPPED,
    TOO_DEEP,
    UNWOUND,
    BACKWARDS,
    OWN_WORK,
    FOLDED_PATHS,
    FOLDED_NAMES,
    CROSSED,
    CROSSINGS,
    MEMORY,
    TABLE,
    NODES,
    BACK_EDGES,
    INTERVALS,
    NMEMBERS,
};

static const char *const members[NMEMBERS] = {
    [THREAD] = "thread",
    [LIVE] = "live",
    [SERVED] = "served",
    [TICK] = "seconds_per_tick",
    [UNMATCHED] = "unmatched",
    [DROPPED] = "dropped",
    [TOO_DEEP] = "too_deep",
    [UNWOUND] = "unwound",
    [BACKWARDS] = "backwards",
    [OWN_WORK] = "own_work",
    [FOLDED_PATHS] = "folded_paths",
    [FOLDED_NAMES] = "folded_names",
    [CROSSED] = "crossed",
    [CROSSINGS] = "crossings",
    [MEMORY] = "memory",
    [TABLE] = "table",
    [NODES] = "nodes",
    [BACK_EDGES] = "back_edges",
    [INTERVALS] = "intervals",
};

static void read_table(struct json *json, struct gptl_copy *copy)
{
    const char *key;
    json_object(json);
    while ((key = json_key(json))) {
        if (strcmp(key, "slots") == 0)
            copy->table_slots = (uint32_t)json_uint(json, UINT32_MAX);
        else if (strcmp(key, "used") == 0)
            copy->table_used = (uint32_t)json_uint(json, UINT32_MAX);
        else if (strcmp(key, "longest_probe") == 0)
            copy->longest_probe = (uint32_t)json_uint(json, UINT32_MAX);
        else if (strcmp(key, "cache_slots") == 0)
            copy->cache_slots = json_uint(json, UINT64_MAX);
        else
            json_skip(json);
    }
}

static void read_crossing(struct reader *reader, struct gptl_crossing *crossing)
{
    const char *key;
    json_object(reader->json);
    while ((key = json_key(reader->json))) {
        if (strcmp(key, "stopped") == 0)
            crossing->stopped = reader_text(reader);
        else if (strcmp(key, "inside") == 0)
            crossing->inside = reader_text(reader);
        else if (strcmp(key, "times") == 0)
            crossing->times = json_uint(reader->json, UINT64_MAX);
        else
            json_skip(reader->json);
    }
}

static void read_crossings(struct reader *reader, struct gptl_copy *copy)
{
    json_array(reader->json);
    for (uint32_t room = copy->ncrossings; json_element(reader->json);) {
        if (copy->ncrossings == room) {
            room = room ? 2 * room : 8;
            void *crossings = room <= LARGEST_ID
                                  ? realloc(copy->crossings, room * sizeof *copy->crossings)
                                  : NULL;
            if (!crossings) {
                reader_no_memory(reader);
                return;
            }
            copy->crossings = crossings;
        }
        copy->crossings[copy->ncrossings] = (struct gptl_crossing){"", "", 0};
        read_crossing(reader, &copy->crossings[copy->ncrossings++]);
    }
}

static void take_member(struct read_thread *t, enum member member)
{
    struct json *json = t->json;
    struct gptl_copy *copy = t->copy;
    switch (member) {
    case THREAD:
        copy->thread = (int)json_uint(json, INT_MAX);
        break;
    case LIVE:
        copy->live = json_bool(json);
        break;
    case SERVED:
        copy->nthreads_served = (uint32_t)json_uint(json, UINT32_MAX);
        break;
    case TICK:
        copy->bucket_tick = json_null(json) ? 0 : json_real(json);
        break;
    case UNMATCHED:
        copy->unmatched = json_uint(json, UINT64_MAX);
        break;
    case DROPPED:
        copy->dropped = json_uint(json, UINT64_MAX);
        break;
    case TOO_DEEP:
        copy->too_deep = json_uint(json, UINT64_MAX);
        break;
    case UNWOUND:
        copy->unwound = json_uint(json, UINT64_MAX);
        break;
    case BACKWARDS:
        copy->backwards = json_uint(json, UINT64_MAX);
        break;
    case OWN_WORK:
        copy->own_work = json_nanoseconds(json);
        break;
    case FOLDED_PATHS:
        copy->folded_paths = json_uint(json, UINT64_MAX);
        break;
    case FOLDED_NAMES:
        copy->folded_names = json_uint(json, UINT64_MAX);
        break;
    case CROSSED:
        copy->crossed = json_uint(json, UINT64_MAX);
        break;
    case CROSSINGS:
        read_crossings(t->reader, copy);
        break;
    case MEMORY:
        copy->memory = (size_t)json_uint(json, SIZE_MAX);
        break;
    case TABLE:
        read_table(json, copy);
        break;
    case NODES:
        read_nodes(t);
        break;
    case BACK_EDGES:
        read_edges(t);
        break;
    case INTERVALS:
        read_intervals(t);
        break;
    default: /* the callers, which follow from the nodes, and members of later versions */
        json_skip(json);
    }
}

/* ---- Threads ------------------------------------------------------------------------------- */

static struct gptl_copy *add_copy(struct reader *reader)
{
    struct gptl_profile *profile = reader->profile;
    if (profile->ncopies == reader->room) {
        int room = reader->room ? 2 * reader->room : 16;
        struct gptl_copy *copies =
            room <= LARGEST_ID ? realloc(profile->copies, (size_t)room * sizeof *copies) : NULL;
        if (!copies)
            return NULL;
        profile->copies = copies;
        reader->room = room;
    }
    struct gptl_copy *copy = &profile->copies[profile->ncopies++];
    *copy = (struct gptl_copy){.seconds_per_tick = 1e-9, .nthreads_served = 1};
    return copy;
}

static void read_members(struct read_thread *t)
{
    const char *key;
    int next = 0;
    json_object(t->json);
    while ((key = json_key(t->json)))
        take_member(t, (enum member)reader_member(key, members, NMEMBERS, &next));
    if (!t->has_nodes)
        json_fail(t->json, "this thread has no \"nodes\"");
}

void reader_thread(struct reader *reader)
{
    struct read_thread thread = {.reader = reader, .json = reader->json};
    thread.copy = add_copy(reader);
    uint32_t ncounters = reader->profile->metrics.nslots;
    thread.counters = calloc((size_t)ncounters + 1, sizeof *thread.counters);
    if (!thread.copy || !thread.counters ||
        !read_tree_begin(&thread.tree, thread.copy, reader->keep, ncounters)) {
        reader_no_memory(reader);
    } else {
        read_members(&thread);
        read_intervals_end(&thread);
        read_edges_end(&thread);
    }
    read_tree_free(&thread.tree);
    free(thread.edges);
    free(thread.first);
    free(thread.last);
    free(thread.at);
    free(thread.counters);
    free(thread.name);
}
