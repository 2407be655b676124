/* read_nodes.h - state of a thread during reading. */
#ifndef GPTL_POSTPROC_READ_NODES_H
#define GPTL_POSTPROC_READ_NODES_H

#include "postproc/read/profile_reader.h"
#include "postproc/read/read_tree.h"

/* Writers count calls in a signed type. */
#define MOST_CALLS ((uint64_t)INT64_MAX)

/* A back edge: node ids until all nodes are read, then rows. */
struct read_edge {
    uint32_t id, from, to; /* id 0: unknown */
    uint64_t calls;
};

struct read_thread {
    struct reader *reader;
    struct json *json;
    struct gptl_copy *copy;
    struct read_tree tree;
    bool has_nodes;                    /* all nodes are read */
    bool edges_by_id, intervals_by_id; /* these precede the nodes in the file */
    struct read_edge *edges;
    uint32_t nedges, edge_room;
    uint32_t *first, *last; /* by row: numbers of the node and its last descendant; NULL at first */
    uint32_t *at;           /* by row: its index in an interval plus one; zero between uses */
    int64_t *counters;      /* counters of the current node, one per counter of the profile */
    char *name;             /* name of the current node */
    size_t name_length, name_room;
};

/* Read the value of a member of the thread. */
void read_nodes(struct read_thread *thread);
void read_edges(struct read_thread *thread);
void read_intervals(struct read_thread *thread);

/* Resolve the rows of edges and intervals, after the whole thread has been read. */
void read_edges_end(struct read_thread *thread);
void read_intervals_end(struct read_thread *thread);

/* Find the place of node ID. Prints a message that starts with WHAT if it does not exist. */
bool read_place(struct read_thread *thread, const char *what, uint32_t id, struct place *place);

/* Read a time; UINT64_MAX is reserved for a missing one. */
uint64_t read_time(struct json *json);

#endif
