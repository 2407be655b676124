/*
 * pattern.h - who talks to whom in a run: on a line, a ring or a grid, with the next ones; or by recursive
 * doubling. The same for any number of ranks, if all ranks keep to it.
 */
#ifndef GPTL_NET_PATTERN_H
#define GPTL_NET_PATTERN_H

#include "postproc/net/trace.h"

enum { PATTERN_DIMENSIONS = 3 };
enum pattern_kind { PATTERN_COLLECTIVES, PATTERN_GRID, PATTERN_DOUBLING };

struct pattern {
    enum pattern_kind kind;
    int ranks;
    int size[PATTERN_DIMENSIONS]; /* of a grid: the first one's neighbors have the next numbers */
    bool periodic[PATTERN_DIMENSIONS];
    int stages; /* of doubling */
};

/*
 * Of a grid: 2 * dimension, and one more for the next rank, not the one before. Of doubling: the stage.
 * -1: these two should not talk.
 */
int pattern_direction(const struct pattern *pattern, int rank, int peer);
/* Who is there; -1: nobody. */
int pattern_peer(const struct pattern *pattern, int rank, int direction);
void pattern_name(const struct pattern *pattern, char *name, size_t size);

/* Returns 0, or -1: WHY names the rank and event that fit no pattern. */
int pattern_find(struct pattern *pattern, struct trace *const *traces, int ranks, char *why,
                 size_t size);

/* The same pattern for RANKS. Returns 0, or -1 and WHY. */
int pattern_resize(struct pattern *to, const struct pattern *from, int ranks, char *why,
                   size_t size);
/* Of FROM, the rank whose place is like that of RANK in TO: on an edge if that is. */
int pattern_like(const struct pattern *from, const struct pattern *to, int rank);

/* The sender that a receive got its message from, and the tag. */
void pattern_received(const struct trace *trace, const struct trace_event *event, int *from,
                      int *tag);

#endif
