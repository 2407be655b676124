/*
 * calls.h - the calls, one after another, each with all its spans, and what they come to: a cell for each
 * layer and process that worked for it.
 */
#ifndef GPTL_POSTPROC_IOSTACK_CALLS_H
#define GPTL_POSTPROC_IOSTACK_CALLS_H

#include "postproc/iostack/query.h"
#include "postproc/iostack/spans.h"

struct call {
    uint32_t client; /* the process that made it */
    int64_t number;  /* of this process's calls of this layer, from 0 */
    uint8_t layer, operation;
    bool is_lost;        /* its parent is in no log: it is a part of some call */
    int64_t begin, line; /* line -1: not known */
    uint64_t file;
    int64_t duration; /* -1: it never ended */
    uint64_t group;   /* of the calls that are one collective, counted from 1; 0: it is none */
    int64_t row;      /* the number of the first of these, else its own */
    uint64_t span;    /* the number of its id */
    /* The innermost span of the application above it, and how many of them there are. */
    uint64_t application;
    uint32_t application_process;
    uint8_t applications;
    bool is_selected;
};

/* Times in nanoseconds. */
struct cell {
    uint32_t client, process;
    int64_t call;
    uint8_t layer, operation, call_layer, call_operation;
    uint64_t file;
    int64_t longest, total; /* of its parts */
    int64_t busy;           /* any of them was on */
    int64_t exclusive;      /* the longest that a part was on and nothing below it */
    int64_t bytes, duration, line;
    uint64_t spans, unended, accesses; /* accesses: reads and writes */
    uint64_t group;
    int64_t row;
    bool is_shared;     /* what other processes did for the collective … */
    uint64_t processes; /* … and how many of them */
};

struct call_spans {
    const struct span *spans; /* times are on one clock */
    const size_t *parents;    /* indices, SIZE_MAX: none here */
    size_t n;
};

/* A sum of what is not negative; damaged logs say anything. */
static inline int64_t calls_sum(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

typedef void call_visitor(void *to, const struct call *call, const struct call_spans *spans,
                          const struct cell *cells, size_t ncells);

/*
 * All calls that QUERY selects, and for what is below them the others of the application. Duplicates are counted in
 * the stack.
 */
void calls_walk(struct stack *stack, const struct query *query, struct sorter *by_call,
                call_visitor *visit, void *to);

#endif
