/* views.h - the tables: rows by call, client, server or layer, and means of segments. */
#ifndef GPTL_POSTPROC_IOSTACK_VIEWS_H
#define GPTL_POSTPROC_IOSTACK_VIEWS_H

#include "postproc/ioc/rows.h"
#include "postproc/iostack/calls.h"
#include "postproc/iostack/longest.h"
#include "postproc/iostack/row.h"

#include "report/out.h"

enum view {
    VIEW_CALL,
    VIEW_CLIENT,
    VIEW_SERVER,
    VIEW_LAYER,
    VIEW_SEGMENT,
    VIEW_DEVICE,
    VIEW_EFFECT,
    VIEW_APPLICATION,
    VIEW_COLLECTIVE
};

enum { VIEWS_TOP = 20 }; /* default number of rows of a table */

/* Sum of a layer over all calls. */
struct layer_sum {
    uint64_t calls, spans, unended, processes;
    int64_t longest, bytes;
    double total; /* ns: sum of the latencies of the calls */
    int64_t busy;
};

/* A range of lines of the application. */
struct segment {
    struct number_range lines;
    uint64_t calls;
    double total; /* ns */
    int64_t longest;
};

/* A client's call at a server. */
struct served {
    uint32_t server, client;
    int64_t call;
    uint8_t call_layer, call_operation;
    int64_t above, at_client, at_server, at_disk; /* latencies; -1: none */
    int64_t bytes, busy, duration;
};

/* Effects of the calls of one operation on one file in one layer. */
struct effect {
    uint8_t of, operation, layer;
    uint64_t file, calls, spans, unended;
    int64_t bytes, busy;
};

/* Effects of an application span in one layer. */
struct application_sum {
    uint64_t spans, unended;
    int64_t bytes, busy;
};

struct application_total {
    uint32_t client;
    uint8_t operation;
    int64_t call, line, duration;
    uint64_t file;
    struct application_sum layers[NLAYERS];
};

struct views {
    struct stack *stack;
    const struct query *query;
    enum view by;
    enum rows_format format;
    uint64_t top;     /* rows of a table, the longest ones; 0: all, in order */
    bool is_overview; /* a table begins with the layers */
    bool is_in_page;
    struct gptl_out *out;
    struct sorter cells, served;
    struct sorter shares;  /* for rows of clients: their work for collectives */
    struct sorter *nested; /* effects of application spans, by nesting depth */
    struct sorter totals, members;
    struct layer_sum layers[NLAYERS];
    struct segment *segments;
    size_t nsegments;
    struct map effect_of;
    struct effect *effects;
    size_t neffects, effects_room;
    uint64_t calls;
};

void views_begin(struct views *views, struct stack *stack, const struct query *query, enum view by);
/* Add a call (a call_visitor). */
void views_visit(void *views, const struct call *call, const struct call_spans *spans,
                 const struct cell *cells, size_t ncells);
/* Print the rows, after all calls were added. */
void views_print(struct views *views);
void views_print_layers(struct views *views);
void views_print_calls(struct views *views);
void views_free(struct views *views);
/* Return whether all rows are printed, in order. */
bool views_has_all(const struct views *views);
/* Write a time in nanoseconds; -1: empty. */
void views_put_time(struct rows *rows, int64_t ns);
/* Print how many of ROWS, called WHAT, a table omits. */
void views_tell_rest(const struct views *views, uint64_t rows, const char *what);

/*
 * Sum up the cells of a call at one server: SERVER is a process of the layer `server`, or of disks.
 */
bool views_served(const struct query *query, const struct call *call, const struct cell *cells,
                  size_t ncells, uint32_t server, struct served *served);

/* ---- shared.c ------------------------------------------------------------------------------- */

void shared_begin(struct views *views);
/* Store the work of a collective's call below MPI-IO. */
void shared_add(struct views *views, const struct call *call, const struct cell *cells,
                size_t ncells);
/* Add the other processes' work for a collective to the cells of each of its calls. */
void shared_join(struct views *views);

/* ---- overview.c ----------------------------------------------------------------------------- */

void overview_print(struct views *views);

/* ---- effects.c ------------------------------------------------------------------------------ */

void effects_add(struct views *views, const struct call *call, const struct cell *cells,
                 size_t ncells);
void effects_print(struct views *views);

/* ---- applications.c ------------------------------------------------------------------------- */

void applications_begin(struct views *views);
void applications_free(struct views *views);
/* Add CALL, an application span or a call below one; it need not be selected. */
void applications_add(struct views *views, const struct call *call, const struct cell *cells,
                      size_t ncells);
/* Add the effects of each application span to its cells. */
void applications_join(struct views *views);
void applications_print(struct views *views);

/* ---- collectives.c -------------------------------------------------------------------------- */

void collectives_begin(struct views *views);
void collectives_add(struct views *views, const struct call *call);
void collectives_print(struct views *views);

/* ---- devices.c ------------------------------------------------------------------------------ */

void devices_print(struct views *views);

#endif
