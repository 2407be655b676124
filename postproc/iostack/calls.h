/*
 * calls.h - visits the calls one by one with all their spans and their sums: a cell for each layer
 * and process that worked for the call.
 */
#ifndef GPTL_POSTPROC_IOSTACK_CALLS_H
#define GPTL_POSTPROC_IOSTACK_CALLS_H

#include "postproc/iostack/query.h"
#include "postproc/iostack/spans.h"

struct call {
    uint32_t client; /* calling process */
    int64_t number;  /* index among this process's calls of this layer, from 0 */
    uint8_t layer, operation;
    bool is_lost;        /* its parent is missing from the logs: it is a part of some call */
    int64_t begin, line; /* line -1: unknown */
    uint64_t file;
    int64_t duration; /* -1: never ended */
    uint64_t group;   /* number of the collective call, from 1; 0: not collective */
    int64_t row;      /* number of the collective's first call, or its own */
    uint64_t span;    /* number of its id */
    /* The innermost application span above it, and the number of such spans. */
    uint64_t application;
    uint32_t application_process;
    uint8_t applications;
    bool is_selected;
};

/* Sums of a call in one layer and process; times in nanoseconds. */
struct cell {
    uint32_t client, process;
    int64_t call;
    uint8_t layer, operation, call_layer, call_operation;
    uint64_t file;
    int64_t longest, total; /* of its parts */
    int64_t busy;           /* time with at least one active part */
    int64_t exclusive;      /* longest time of a part without active spans below */
    int64_t bytes, duration, line;
    uint64_t spans, unended, accesses; /* accesses: reads and writes */
    uint64_t group;
    int64_t row;
    bool is_shared;     /* work of other processes for the collective */
    uint64_t processes; /* number of processes */
};

struct call_spans {
    const struct span *spans; /* times are on a common clock */
    const size_t *parents;    /* indices; SIZE_MAX: not in this call */
    size_t n;
};

/* Return the saturated sum of nonnegative numbers: damaged logs contain arbitrary values. */
static inline int64_t calls_sum(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

typedef void call_visitor(void *to, const struct call *call, const struct call_spans *spans,
                          const struct cell *cells, size_t ncells);

/*
 * Visit all calls that QUERY selects, and for application spans also the other calls below them.
 * Duplicates are counted in the stack.
 */
void calls_walk(struct stack *stack, const struct query *query, struct sorter *by_call,
                call_visitor *visit, void *to);

#endif
