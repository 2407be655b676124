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
    uint32_t process, parent_process; /* indices; parent NO_PROCESS with number 0: none */
    int64_t begin, end;               /* nanoseconds; end NO_TIME: never ended */
    int64_t bytes, offset;
    uint64_t file, node, key, collective;
    uint8_t layer, operation, flags, depth, role, parent_layer;
    bool has_parent; /* has a parent, found or not */
    /* The call: the uppermost span below the application. */
    uint32_t call_process;
    int64_t call_begin;
    uint64_t call_number;
    uint64_t application; /* number of the innermost application span above it, or 0 */
    uint32_t application_process;
    uint8_t applications; /* number of application spans above it */
    /* Line of the call in the application. */
    int64_t line;
};

/* ---- log.c ---------------------------------------------------------------------------------- */

/* Receivers of a log's records. */
struct span_sink {
    void *to;
    void (*span)(void *to, struct span *span);
    void (*end)(void *to, struct span *end); /* end of a span that began elsewhere */
};

/* Read LOG; names are stored in the stack. Damage is counted in both. */
void log_read(struct stack *stack, struct span_log *log, const struct span_sink *sink);

/* ---- pairs.c -------------------------------------------------------------------------------- */

/* Joins starts and ends that were recorded separately. */
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
/* Join all spans and pass each to `done`. */
void pairs_finish(struct pairs *pairs);

/* ---- meetings.c ----------------------------------------------------------------------------- */

/* The collective calls of a run, by opening and number, as bounds of clock offsets. */
void meetings_begin(struct sorter *meetings);
void meetings_add(struct sorter *meetings, const struct stack *stack, const struct span *span);
/* Pass all bounds to clock.c. */
void meetings_finish(struct sorter *meetings, struct stack *stack);

/* ---- join.c --------------------------------------------------------------------------------- */

/*
 * Read all logs. BY_CALL gets the spans grouped by call, and calls in order of process and time.
 * Spans caused by a library above MPI-IO are separate calls, or, with WHOLE, part of the library's
 * call.
 */
void join(struct stack *stack, bool whole, struct sorter *by_call);

#endif
