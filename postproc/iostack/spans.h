/* spans.h - spans on their way from the logs to the calls that caused them. */
#ifndef GPTL_POSTPROC_IOSTACK_SPANS_H
#define GPTL_POSTPROC_IOSTACK_SPANS_H

#include <stdbool.h>
#include <stdint.h>

#include "postproc/iostack/sorter.h"
#include "postproc/iostack/stack.h"

#define NO_TIME INT64_MIN

enum span_role { ROLE_SPAN, ROLE_END, ROLE_REFERENCE };

struct span {
    uint64_t number, parent_number;
    uint32_t process, parent_process; /* indices; parent: NO_PROCESS with number 0 is none */
    int64_t begin, end;               /* nanoseconds; end NO_TIME: it never ended */
    int64_t bytes, offset;
    uint64_t file, node, key, collective;
    uint8_t layer, operation, flags, depth, role, parent_layer;
    bool has_parent; /* says that it has one, found or not */
    /* The call: the span above all, below the application. */
    uint32_t call_process;
    int64_t call_begin;
    uint64_t call_number;
    /* The innermost span of the application above it, … */
    uint64_t application; /* … its number; 0: there is none */
    uint32_t application_process;
    uint8_t applications; /* how many of them are above it */
    /* Where in the application it was called. */
    int64_t line;
};

/* ---- log.c ---------------------------------------------------------------------------------- */

/* Where the records of a log go. */
struct span_sink {
    void *to;
    void (*span)(void *to, struct span *span);
    void (*end)(void *to, struct span *end); /* of a span that began elsewhere */
};

/* All of LOG; names go to the stack. Damage is counted in both. */
void log_read(struct stack *stack, struct span_log *log, const struct span_sink *sink);

/* ---- pairs.c -------------------------------------------------------------------------------- */

/* Spans whose begin and end were written apart, and ends without any. */
struct pairs {
    struct stack *stack;
    struct sorter by_id, by_key, under;
    bool any_under;
    void (*done)(void *to, struct span *span);
    void *to;
};

void pairs_begin(struct pairs *pairs, struct stack *stack, void (*done)(void *, struct span *),
                 void *to);
void pairs_span(struct pairs *pairs, struct span *span);
void pairs_end(struct pairs *pairs, struct span *end);
/* Joins them all, and gives each to `done`. */
void pairs_finish(struct pairs *pairs);

/* ---- meetings.c ----------------------------------------------------------------------------- */

/* The collective calls of a run, by opening and number: what they say of clocks. */
void meetings_begin(struct sorter *meetings);
void meetings_add(struct sorter *meetings, const struct stack *stack, const struct span *span);
/* Tells clock.c of them all. */
void meetings_finish(struct sorter *meetings, struct stack *stack);

/* ---- join.c --------------------------------------------------------------------------------- */

/*
 * Reads all logs; the spans of each call come one behind another, calls in order of process and time. What a
 * call of a library above MPI-IO causes is a call of its own, or with WHOLE a part of that one.
 */
void join(struct stack *stack, bool whole, struct sorter *by_call);

#endif
