/*
 * pattern.h - communication pattern of a run: next neighbors on a line, ring or grid, or recursive
 * doubling. It applies to any number of ranks if all ranks follow it.
 */
#ifndef GPTL_NET_PATTERN_H
#define GPTL_NET_PATTERN_H

#include "postproc/net/trace.h"

enum { PATTERN_DIMENSIONS = 3 };
enum pattern_kind { PATTERN_COLLECTIVES, PATTERN_GRID, PATTERN_DOUBLING };

struct pattern {
    enum pattern_kind kind;
    int ranks;
    /* of a grid: consecutive ranks are neighbors in the first dimension */
    int size[PATTERN_DIMENSIONS];
    bool periodic[PATTERN_DIMENSIONS];
    int stages; /* of recursive doubling */
};

/*
 * Return the direction from RANK to PEER. Grid: 2 * dimension, plus 1 for the next rank rather than
 * the previous one. Doubling: the stage. -1: the pattern excludes this pair.
 */
int pattern_direction(const struct pattern *pattern, int rank, int peer);
/* Return the rank in DIRECTION, or -1. */
int pattern_peer(const struct pattern *pattern, int rank, int direction);
void pattern_name(const struct pattern *pattern, char *name, size_t size);

/*
 * Find the pattern of TRACES. Returns 0, or -1; WHY then names the rank and event that do not fit.
 */
int pattern_find(struct pattern *pattern, struct trace *const *traces, int ranks, char *why,
                 size_t size);

/* Resize the pattern to RANKS. Returns 0, or -1 and WHY. */
int pattern_resize(struct pattern *to, const struct pattern *from, int ranks, char *why,
                   size_t size);
/* Return the rank of FROM whose position corresponds to RANK in TO, e.g. on the same edge. */
int pattern_like(const struct pattern *from, const struct pattern *to, int rank);

/* Determine the actual sender and tag of a receive. */
void pattern_received(const struct trace *trace, const struct trace_event *event, int *from,
                      int *tag);

#endif
