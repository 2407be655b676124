/*
 * requests.h - requests whose completion delivers bytes, with the node of the posting call.
 *
 * The table consists of cache lines with four requests each: a lookup reads one line, and insertion
 * and removal are one store or compare-and-swap in it. A hash selects the line, so threads with
 * separate requests rarely share one. When a line is full, a larger table follows.
 */
#ifndef GPTL_MPI_REQUESTS_H
#define GPTL_MPI_REQUESTS_H

#include <stdatomic.h>

#include "mpi/amounts.h"
#include "mpi/types.h"
#include "mpi/wrap.h"

enum gptl_mpi_what {
    GPTL_MPI_NOTHING,  /* everything was counted at the start */
    GPTL_MPI_RECEIVES, /* the amount in the status */
    GPTL_MPI_READS,    /* likewise, from a file: such calls cannot be cancelled */
    GPTL_MPI_WRITES,   /* likewise, to a file */
    GPTL_MPI_ARRIVES,  /* the amount known at the start */
};

/*
 * Reasons for the slow path; 0: none. CONCURRENT: threads may call MPI concurrently; assumed until
 * known otherwise. NOTED and NOTED_FILES: statistics of messages or of files are recorded;
 * statistics of files do not slow down messages.
 */
enum {
    GPTL_MPI_CONCURRENT = 1,
    GPTL_MPI_NOTED = 2,
    GPTL_MPI_NOTED_FILES = 4,
    GPTL_MPI_SPECIAL_MESSAGES = GPTL_MPI_CONCURRENT | GPTL_MPI_NOTED
};
extern GPTL_MPI_HIDDEN unsigned gptl_mpi_special;

enum { GPTL_MPI_LINE = 4, GPTL_MPI_LINE_BITS = 13 };

struct gptl_mpi_line {
    struct gptl_mpi_place {
        _Atomic uint64_t key; /* GPTL_MPI_FREE, GPTL_MPI_HELD, or a request */
        uintptr_t value;
    } place[GPTL_MPI_LINE];
} __attribute__((aligned(64)));

enum { GPTL_MPI_FREE = 0, GPTL_MPI_HELD = 1 };

extern GPTL_MPI_HIDDEN struct gptl_mpi_line gptl_mpi_lines[1 << GPTL_MPI_LINE_BITS];
extern GPTL_MPI_HIDDEN struct gptl_mpi_table *_Atomic gptl_mpi_more_lines;

/* A request that the current call may complete: no other thread finds it in the meantime. */
struct gptl_mpi_held {
    struct gptl_mpi_place *place; /* NULL: not in the table */
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

/* Return the place with this key in the line, or NULL. */
GPTL_MPI_INLINED struct gptl_mpi_place *gptl_mpi_find_in(struct gptl_mpi_line *line, uint64_t key)
{
#pragma GCC unroll 4
    for (int i = 0; i < GPTL_MPI_LINE; i++)
        if (atomic_load_explicit(&line->place[i].key, memory_order_relaxed) == key)
            return &line->place[i];
    return NULL;
}

GPTL_MPI_INLINED struct gptl_mpi_line *gptl_mpi_line_of(uint64_t hash)
{
    return &gptl_mpi_lines[hash >> (64 - GPTL_MPI_LINE_BITS)];
}

struct gptl_mpi_held gptl_mpi_hold_beyond(uint64_t key, uint64_t hash);

GPTL_MPI_INLINED struct gptl_mpi_held gptl_mpi_hold_at(struct gptl_mpi_place *place, uint64_t key)
{
    struct gptl_mpi_held held = {place, key, place->value};
    atomic_store_explicit(&place->key, GPTL_MPI_HELD, memory_order_relaxed);
    return held;
}

/*
 * Hold a request. A key equal to a reserved value comes from an erroneous program: MPI reports it,
 * and the program may continue.
 */
GPTL_MPI_INLINED struct gptl_mpi_held gptl_mpi_hold_key(uint64_t key)
{
    uint64_t hash = gptl_mpi_request_hash(key);
    if (!gptl_mpi_likely(key > GPTL_MPI_HELD))
        return (struct gptl_mpi_held){NULL, key, 0};
    struct gptl_mpi_place *place = gptl_mpi_find_in(gptl_mpi_line_of(hash), key);
    if (gptl_mpi_likely(place != NULL))
        return gptl_mpi_hold_at(place, key);
    if (!gptl_mpi_likely(!atomic_load_explicit(&gptl_mpi_more_lines, memory_order_acquire)))
        return gptl_mpi_hold_beyond(key, hash);
    return (struct gptl_mpi_held){NULL, key, 0};
}

/*
 * Hold a request for completion, which only one thread may do. An erroneous program may pass NULL.
 */
GPTL_MPI_INLINED struct gptl_mpi_held gptl_mpi_hold(const MPI_Request *request)
{
    return gptl_mpi_hold_key(gptl_mpi_likely(request != NULL) ? gptl_mpi_request_key(*request)
                                                              : GPTL_MPI_FREE);
}

/* Return whether the request may be in the table. */
GPTL_MPI_INLINED bool gptl_mpi_is_known(const MPI_Request *request)
{
    uint64_t key = request ? gptl_mpi_request_key(*request) : GPTL_MPI_FREE;
    return key > GPTL_MPI_HELD &&
           (gptl_mpi_find_in(gptl_mpi_line_of(gptl_mpi_request_hash(key)), key) ||
            atomic_load_explicit(&gptl_mpi_more_lines, memory_order_relaxed));
}

/*
 * Return whether the node that posted the request is gone: GPTLfinalize was called while the
 * request was held.
 */
enum { GPTL_MPI_FORGOTTEN = 0 };
GPTL_MPI_INLINED bool gptl_mpi_is_forgotten(const struct gptl_mpi_held *held)
{
    return __atomic_load_n(&held->place->value, __ATOMIC_RELAXED) == GPTL_MPI_FORGOTTEN;
}

/* Release a request that was not completed, or remove a completed one. */
GPTL_MPI_INLINED void gptl_mpi_put_back(const struct gptl_mpi_held *held)
{
    uint64_t key = gptl_mpi_likely(!gptl_mpi_is_forgotten(held)) ? held->key : GPTL_MPI_FREE;
    atomic_store_explicit(&held->place->key, key, memory_order_release);
}

GPTL_MPI_INLINED void gptl_mpi_let_go(const struct gptl_mpi_held *held)
{
    atomic_store_explicit(&held->place->key, GPTL_MPI_FREE, memory_order_release);
}

/* ---- Types of requests ----------------------------------------------------------------------- */

/*
 * Types of values: a node, with one of these in its lowest bits; or a persistent request, or one
 * with a span.
 */
enum {
    GPTL_MPI_VALUE_RECEIVES = 0,
    GPTL_MPI_VALUE_READS = 1,
    GPTL_MPI_VALUE_WRITES = 2,
    GPTL_MPI_VALUE_PERSISTENT = 3,
    GPTL_MPI_VALUE_KIND = 3,
};

/* Add the amount of a completed request; STATUS is NULL if it failed. */
void gptl_mpi_completed(const struct gptl_mpi_held *held, const MPI_Status *status);

/* Do the same for a request without errors. */
GPTL_MPI_INLINED void gptl_mpi_succeeded(const struct gptl_mpi_held *held, const MPI_Status *status)
{
    if ((gptl_mpi_special & GPTL_MPI_SPECIAL_MESSAGES) ||
        !gptl_mpi_likely((held->value & GPTL_MPI_VALUE_KIND) == GPTL_MPI_VALUE_RECEIVES)) {
        gptl_mpi_completed(held, status);
        return;
    }
    gptl_mpi_let_go(held);
    gptl_mpi_add((void *)held->value, GPTL_RECEIVED, gptl_mpi_request_bytes(status));
}

/* Discard the nodes at the end of the measurement: bytes of pending requests are not attributed. */
void gptl_mpi_forget_nodes(void);

/* ---- Creation of requests -------------------------------------------------------------------- */

/* Claim a place if it is free. */
GPTL_MPI_INLINED bool gptl_mpi_claim(struct gptl_mpi_place *place)
{
    uint64_t none = GPTL_MPI_FREE;
    if (atomic_load_explicit(&place->key, memory_order_relaxed) != GPTL_MPI_FREE)
        return false;
    return !(gptl_mpi_special & GPTL_MPI_CONCURRENT) ||
           atomic_compare_exchange_strong_explicit(&place->key, &none, GPTL_MPI_HELD,
                                                   memory_order_acquire, memory_order_relaxed);
}

GPTL_MPI_INLINED void gptl_mpi_fill(struct gptl_mpi_place *place, uint64_t key, uintptr_t value)
{
    place->value = value;
    atomic_store_explicit(&place->key, key, memory_order_release);
}

/* Insert a request; return whether there was space. */
bool gptl_mpi_insert(uint64_t key, uintptr_t value);

/*
 * Return the place for KEY; NULL if the first place of the line is occupied, or a persistent
 * request uses the key. A leftover request with the same handle, whose completion was not observed,
 * is replaced unless it owns memory.
 */
GPTL_MPI_INLINED struct gptl_mpi_place *gptl_mpi_place_for(struct gptl_mpi_line *line, uint64_t key)
{
    struct gptl_mpi_place *place = gptl_mpi_find_in(line, key);
    if (place)
        return (place->value & GPTL_MPI_VALUE_KIND) == GPTL_MPI_VALUE_PERSISTENT ? NULL : place;
    return gptl_mpi_likely(gptl_mpi_claim(&line->place[0])) ? &line->place[0] : NULL;
}

/* Record that the wrapper with this NODE posted REQUEST. */
GPTL_MPI_INLINED void gptl_mpi_posted(void *node, enum gptl_mpi_what what,
                                      const MPI_Request *request)
{
    if (*request == MPI_REQUEST_NULL)
        return;
    if (!gptl_mpi_likely(gptl_sister_moves(node) != NULL))
        gptl_core_add(node, GPTL_RECEIVED, 0); /* reserves the counter of the incoming bytes */
    uintptr_t value = (uintptr_t)node + (what == GPTL_MPI_WRITES  ? GPTL_MPI_VALUE_WRITES
                                         : what == GPTL_MPI_READS ? GPTL_MPI_VALUE_READS
                                                                  : GPTL_MPI_VALUE_RECEIVES);
    uint64_t key = gptl_mpi_request_key(*request);
    struct gptl_mpi_place *place = NULL;
    if (gptl_mpi_likely(!atomic_load_explicit(&gptl_mpi_more_lines, memory_order_relaxed)))
        place = gptl_mpi_place_for(gptl_mpi_line_of(gptl_mpi_request_hash(key)), key);
    if (gptl_mpi_likely(place != NULL))
        gptl_mpi_fill(place, key, value);
    else
        gptl_mpi_insert(key, value);
}

/*
 * Record a request with a span that ends with it. NODE may be NULL. Return whether the request is
 * in the table.
 */
bool gptl_mpi_posted_span(void *node, enum gptl_mpi_what what, const MPI_Request *request,
                          GPTLcallid span);
/* Record a persistent request: each start moves AMOUNT. */
void gptl_mpi_prepared(enum gptl_mpi_what what, struct gptl_mpi_amount amount,
                       const MPI_Request *request);

/* Discard the held request. */
void gptl_mpi_forget_held(const struct gptl_mpi_held *held);

/*
 * Discard an entry for a request whose completion delivers nothing: a leftover with the same
 * handle, whose completion was not observed.
 */
GPTL_MPI_INLINED void gptl_mpi_forget(const MPI_Request *request)
{
    struct gptl_mpi_held held = gptl_mpi_hold(request);
    if (!gptl_mpi_likely(!held.place))
        gptl_mpi_forget_held(&held);
}

#endif
