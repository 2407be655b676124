/* draw.h - pictures as in the paper: bars by call. */
#ifndef GPTL_POSTPROC_IOSTACK_DRAW_H
#define GPTL_POSTPROC_IOSTACK_DRAW_H

#include "postproc/iostack/calls.h"
#include "postproc/plot/plot.h"

enum drawing {
    DRAW_NOTHING,
    DRAW_CLIENT,     /* latency seen from a client: a bar for each layer, and each server */
    DRAW_SERVER,     /* latency at a server: a bar for each client, divided by layer */
    DRAW_THROUGHPUT, /* throughput of the disk of a server */
    DRAW_POWER       /* power of that disk */
};

enum { DRAW_CALLS = 64, DRAW_BARS = 16, DRAW_PARTS = 3 };

struct drawn_call {
    int64_t number, duration;
    double value[DRAW_BARS][DRAW_PARTS]; /* from bottom to top */
};

struct draw {
    struct stack *stack;
    const struct query *query;
    enum drawing what;
    uint32_t process;         /* process that the picture shows */
    uint32_t bars[DRAW_BARS]; /* layers, then processes */
    char *labels[DRAW_BARS];
    size_t nbars, nlayers; /* the first NLAYERS bars are layers */
    struct drawn_call calls[DRAW_CALLS];
    size_t ncalls;
    uint64_t left_out;
};

/* Return the drawing named NAME ("client", "server", ...), or DRAW_NOTHING. */
enum drawing draw_of(const char *name);
/*
 * Begin a drawing; WHICH is an index into the processes of the kind. Returns false if such a
 * process does not exist.
 */
bool draw_begin(struct draw *draw, struct stack *stack, const struct query *query,
                enum drawing what, int64_t which);
/* Report the reason of a failed draw_begin. */
void draw_tell_none(struct stack *stack, const struct query *query, enum drawing what,
                    int64_t which);
void draw_free(struct draw *draw);
/* Add a call (a call_visitor). */
void draw_visit(void *draw, const struct call *call, const struct call_spans *spans,
                const struct cell *cells, size_t ncells);
/* Report on stderr if the drawing is truncated. */
void draw_tell(const struct draw *draw);
/* Draw the picture. Returns 0, or -1 after a message. */
int draw_print(const struct draw *draw, const char *path, enum picture kind);

#endif
