/*
 * requests.h - requests whose completion brings bytes, and the node of the call that posted each.
 *
 * A table of lines, each with eight keys beside each other: a request is looked for in one line, and
 * what is put in or taken out is one store or compare-and-swap there. Lines are chosen by a hash, so
 * threads with requests of their own rarely meet in one. When a line is full, a larger table follows.
 */
#ifndef GPTL_MPI_REQUESTS_H
#define GPTL_MPI_REQUESTS_H

#include <stdatomic.h>

#include "mpi/amounts.h"
#include "mpi/types.h"
#include "mpi/wrap.h"

enum gptl_mpi_what {
    GPTL_MPI_NOTHING,  /* all was counted at the start */
    GPTL_MPI_RECEIVES, /* what the status says */
    GPTL_MPI_READS,    /* the same, from a file: such calls are not cancelled */
    GPTL_MPI_WRITES,   /* and to a file */
    GPTL_MPI_ARRIVES,  /* the amount that was known at the start */
};

/*
 * 0 when all is usual. Threads may call MPI at a time; until it is known whether, they may. Or notes are
 * taken of requests.
 */
enum { GPTL_MPI_CONCURRENT = 1, GPTL_MPI_NOTED = 2 };
extern unsigned gptl_mpi_special;

enum { GPTL_MPI_LINE = 8, GPTL_MPI_LINE_BITS = 12 };

struct gptl_mpi_line {
    _Atomic uint64_t key[GPTL_MPI_LINE]; /* GPTL_MPI_FREE, GPTL_MPI_HELD, or a request */
    uintptr_t value[GPTL_MPI_LINE];
} __attribute__((aligned(64)));

enum { GPTL_MPI_FREE = 0, GPTL_MPI_HELD = 1 };

extern struct gptl_mpi_line gptl_mpi_lines[1 << GPTL_MPI_LINE_BITS];
extern struct gptl_mpi_table *_Atomic gptl_mpi_more_lines;

/* A request that is about to be completed, perhaps: nobody else finds it meanwhile. */
struct gptl_mpi_held {
    _Atomic uint64_t *place; /* NULL: it was not there */
    uint64_t key;
    uintptr_t value;
};

GPTL_MPI_INLINED uint64_t gptl_mpi_request_key(MPI_Request request)
{
    return (uint64_t)(uintptr_t)request;
}

GPTL_MPI_INLINED uint64_t gptl_mpi_request_hash(uint64_t key)
{
    return key * 0x9e3779b97f4a7c15u;
}

GPTL_MPI_INLINED int gptl_mpi_find_in(const struct gptl_mpi_line *line, uint64_t key)
{
    for (int i = 0; i < GPTL_MPI_LINE; i++)
        if (atomic_load_explicit(&line->key[i], memory_order_relaxed) == key)
            return i;
    return -1;
}

struct gptl_mpi_held gptl_mpi_hold_beyond(uint64_t key, uint64_t hash);

GPTL_MPI_INLINED struct gptl_mpi_held gptl_mpi_hold_in(struct gptl_mpi_line *line, int i,
                                                       uint64_t key)
{
    struct gptl_mpi_held held = {&line->key[i], key, line->value[i]};
    atomic_store_explicit(held.place, GPTL_MPI_HELD, memory_order_relaxed);
    return held;
}

/*
 * Only one thread may complete a request. A wrong program may give no address, or a handle that is what
 * the table has for no request: MPI says so, and the program may go on.
 */
GPTL_MPI_INLINED struct gptl_mpi_held gptl_mpi_hold(const MPI_Request *request)
{
    uint64_t key =
        gptl_mpi_likely(request != NULL) ? gptl_mpi_request_key(*request) : GPTL_MPI_FREE;
    uint64_t hash = gptl_mpi_request_hash(key);
    if (!gptl_mpi_likely(key > GPTL_MPI_HELD))
        return (struct gptl_mpi_held){NULL, key, 0};
    struct gptl_mpi_line *line = &gptl_mpi_lines[hash >> (64 - GPTL_MPI_LINE_BITS)];
    int i = gptl_mpi_find_in(line, key);
    if (gptl_mpi_likely(i >= 0))
        return gptl_mpi_hold_in(line, i, key);
    if (!gptl_mpi_likely(!atomic_load_explicit(&gptl_mpi_more_lines, memory_order_acquire)))
        return gptl_mpi_hold_beyond(key, hash);
    return (struct gptl_mpi_held){NULL, key, 0};
}

/* It was not completed; it was, and is gone. */
GPTL_MPI_INLINED void gptl_mpi_put_back(const struct gptl_mpi_held *held)
{
    atomic_store_explicit(held->place, held->key, memory_order_release);
}

GPTL_MPI_INLINED void gptl_mpi_let_go(const struct gptl_mpi_held *held)
{
    atomic_store_explicit(held->place, GPTL_MPI_FREE, memory_order_release);
}

/* What a completed request has moved; STATUS is NULL if it failed. */
void gptl_mpi_completed(const struct gptl_mpi_held *held, const MPI_Status *status);

/* ---- What makes requests ------------------------------------------------------------------- */

/* The wrapper with this NODE has posted REQUEST. */
void gptl_mpi_posted(void *node, enum gptl_mpi_what what, const MPI_Request *request);
/* The same of one that is a span as well, which ends with it. NODE may be NULL. Returns whether it is kept. */
bool gptl_mpi_posted_span(void *node, enum gptl_mpi_what what, const MPI_Request *request,
                          GPTLcallid span);
/* A persistent one: each start moves AMOUNT. */
void gptl_mpi_prepared(enum gptl_mpi_what what, struct gptl_mpi_amount amount,
                       const MPI_Request *request);
/* Its completion brings nothing. There may be one of the same handle whose end nobody saw. */
void gptl_mpi_forget(const MPI_Request *request);

#endif
