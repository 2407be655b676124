/* read_nodes.h - a thread of a JSON report while it is read. */
#ifndef GPTL_POSTPROC_READ_NODES_H
#define GPTL_POSTPROC_READ_NODES_H

#include "postproc/read/profile_reader.h"
#include "postproc/read/read_tree.h"

/* Writers count calls with a sign. */
#define MOST_CALLS ((uint64_t)INT64_MAX)

/* A back edge, by ids until the nodes are known, then by rows. */
struct read_edge {
    uint32_t id, from, to; /* id 0: it has none */
    uint64_t calls;
};

struct read_thread {
    struct reader *reader;
    struct json *json;
    struct gptl_copy *copy;
    struct read_tree tree;
    bool has_nodes;                    /* all have come */
    bool edges_by_id, intervals_by_id; /* these came before the nodes */
    struct read_edge *edges;
    uint32_t nedges, edge_room;
    uint32_t *first, *last; /* of each row: numbers of the node and those below; NULL at first */
    uint32_t *at;      /* of each row: where it stands in an interval, plus one; zeros in between */
    int64_t *counters; /* of the node that is read, as many as the profile has */
    char *name;        /* of the same */
    size_t name_length, name_room;
};

/* Each reads the value of a member of the thread. */
void read_nodes(struct read_thread *thread);
void read_edges(struct read_thread *thread);
void read_intervals(struct read_thread *thread);

/* When all of the thread has come: edges and intervals find their rows. */
void read_edges_end(struct read_thread *thread);
void read_intervals_end(struct read_thread *thread);

/* The place of the node ID, which WHAT names; a message if there is none. */
bool read_place(struct read_thread *thread, const char *what, uint32_t id, struct place *place);

/* Times, of which UINT64_MAX means that there is none. */
uint64_t read_time(struct json *json);

#endif
