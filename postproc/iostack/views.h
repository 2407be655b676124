/* views.h - what is printed: rows by call, by client, by server, by layer, and means of segments. */
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

enum { VIEWS_TOP = 20 }; /* rows of a table, unless the user says how many */

/* A layer over all calls. */
struct layer_sum {
    uint64_t calls, spans, unended, processes;
    int64_t longest, bytes;
    double total; /* ns: the latency of each call, added up */
    int64_t busy;
};

/* A range of lines of the application. */
struct segment {
    struct number_range lines;
    uint64_t calls;
    double total; /* ns */
    int64_t longest;
};

/* Of a call of a client at a server. */
struct served {
    uint32_t server, client;
    int64_t call;
    uint8_t call_layer, call_operation;
    int64_t above, at_client, at_server, at_disk; /* latencies; -1: none */
    int64_t bytes, busy, duration;
};

/* What calls of one operation on one file led to in one layer. */
struct effect {
    uint8_t of, operation, layer;
    uint64_t file, calls, spans, unended;
    int64_t bytes, busy;
};

/* What a span of the application led to in each layer. */
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
    uint64_t top;     /* rows of a table, those that took longest; 0: all, in their order */
    bool is_overview; /* of a table: first the layers */
    bool is_in_page;
    struct gptl_out *out;
    struct sorter cells, served;
    struct sorter shares; /* for rows of clients: what they did for collectives */
    struct sorter
        *nested; /* what spans of the application led to, by how many there are around these */
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
/* A call_visitor. */
void views_visit(void *views, const struct call *call, const struct call_spans *spans,
                 const struct cell *cells, size_t ncells);
/* When all calls were seen. */
void views_print(struct views *views);
void views_print_layers(struct views *views);
void views_print_calls(struct views *views);
void views_free(struct views *views);
/* Whether all rows are printed, in their order. */
bool views_has_all(const struct views *views);
/* A time in nanoseconds; -1: none. */
void views_put_time(struct rows *rows, int64_t ns);
/* Says how many of ROWS, which are WHAT, a table does not have. */
void views_tell_rest(const struct views *views, uint64_t rows, const char *what);

/* The cells of a call at one server: SERVER is a process of the layer `server`, or of disks. */
bool views_served(const struct query *query, const struct call *call, const struct cell *cells,
                  size_t ncells, uint32_t server, struct served *served);

/* ---- shared.c ------------------------------------------------------------------------------- */

void shared_begin(struct views *views);
/* Keeps what a call of a collective did below MPI-IO. */
void shared_add(struct views *views, const struct call *call, const struct cell *cells,
                size_t ncells);
/* Adds to the cells of each call of a collective what the other processes did for it. */
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
/* CALL, a span of the application or a call below, may be one that is not selected. */
void applications_add(struct views *views, const struct call *call, const struct cell *cells,
                      size_t ncells);
/* Adds to the cells of each span of the application what it led to. */
void applications_join(struct views *views);
void applications_print(struct views *views);

/* ---- collectives.c -------------------------------------------------------------------------- */

void collectives_begin(struct views *views);
void collectives_add(struct views *views, const struct call *call);
void collectives_print(struct views *views);

/* ---- devices.c ------------------------------------------------------------------------------ */

void devices_print(struct views *views);

#endif
