/* draw.h - pictures like the paper's: bars by call. */
#ifndef GPTL_POSTPROC_IOSTACK_DRAW_H
#define GPTL_POSTPROC_IOSTACK_DRAW_H

#include "postproc/iostack/calls.h"
#include "postproc/plot/plot.h"

enum drawing {
    DRAW_NOTHING,
    DRAW_CLIENT,     /* latency seen from a client: a bar for each layer, and each server */
    DRAW_SERVER,     /* latency at a server: a bar for each client, split by layer */
    DRAW_THROUGHPUT, /* of the disk of a server */
    DRAW_POWER       /* of that disk */
};

enum { DRAW_CALLS = 64, DRAW_BARS = 16, DRAW_PARTS = 3 };

struct drawn_call {
    int64_t number, duration;
    double value[DRAW_BARS][DRAW_PARTS]; /* from the bottom up */
};

struct draw {
    struct stack *stack;
    const struct query *query;
    enum drawing what;
    uint32_t process;         /* whose picture it is */
    uint32_t bars[DRAW_BARS]; /* the processes, or layers at first */
    char *labels[DRAW_BARS];
    size_t nbars, nlayers; /* the first NLAYERS bars are layers */
    struct drawn_call calls[DRAW_CALLS];
    size_t ncalls;
    uint64_t left_out;
};

/* The drawing of this name ("client", "server", ...); DRAW_NOTHING: there is none. */
enum drawing draw_of(const char *name);
/* WHICH counts the processes of that kind. Returns false where there is none … */
bool draw_begin(struct draw *draw, struct stack *stack, const struct query *query,
                enum drawing what, int64_t which);
/* … which this says. */
void draw_tell_none(struct stack *stack, const struct query *query, enum drawing what,
                    int64_t which);
void draw_free(struct draw *draw);
/* A call_visitor. */
void draw_visit(void *draw, const struct call *call, const struct call_spans *spans,
                const struct cell *cells, size_t ncells);
/* Says so on stderr where it has not all calls. */
void draw_tell(const struct draw *draw);
/* Returns 0, or -1 after a message. */
int draw_print(const struct draw *draw, const char *path, enum picture kind);

#endif
