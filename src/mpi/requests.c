/* requests.c - the table of requests. */
#include "config.h"

#include "mpi/requests.h"

#include <stdlib.h>

#include "mpi/file_spans.h"
#include "mpi/notes.h"

unsigned gptl_mpi_special = GPTL_MPI_CONCURRENT;

#define load(p) atomic_load_explicit(p, memory_order_relaxed)

/* ---- Table ----------------------------------------------------------------------------------- */

struct gptl_mpi_table {
    struct gptl_mpi_table *_Atomic next;
    int bits;
    struct gptl_mpi_line *lines;
};

struct gptl_mpi_line gptl_mpi_lines[1 << GPTL_MPI_LINE_BITS];
struct gptl_mpi_table *_Atomic gptl_mpi_more_lines;

static struct gptl_mpi_line *line_of(const struct gptl_mpi_table *table, uint64_t hash)
{
    return &table->lines[hash >> (64 - table->bits)];
}

struct gptl_mpi_held gptl_mpi_hold_beyond(uint64_t key, uint64_t hash)
{
    struct gptl_mpi_table *table = atomic_load(&gptl_mpi_more_lines);
    for (; table; table = atomic_load(&table->next)) {
        struct gptl_mpi_place *place = gptl_mpi_find_in(line_of(table, hash), key);
        if (place)
            return gptl_mpi_hold_at(place, key);
    }
    return (struct gptl_mpi_held){NULL, key, 0};
}

/* Return the table at LINK, creating it if necessary; NULL when out of memory. */
static struct gptl_mpi_table *table_at(struct gptl_mpi_table *_Atomic *link, int bits)
{
    struct gptl_mpi_table *table = atomic_load(link), *none = NULL;
    if (table)
        return table;
    table = malloc(sizeof *table);
    struct gptl_mpi_line *lines = aligned_alloc(64, sizeof *lines << bits);
    if (!table || !lines) {
        free(table);
        free(lines);
        return NULL;
    }
    for (size_t i = 0; i < (size_t)1 << bits; i++)
        lines[i] = (struct gptl_mpi_line){0};
    *table = (struct gptl_mpi_table){NULL, bits, lines};
    if (atomic_compare_exchange_strong(link, &none, table))
        return table;
    free(lines); /* another thread was first */
    free(table);
    return none;
}

static bool put(struct gptl_mpi_line *line, uint64_t key, uintptr_t value)
{
    struct gptl_mpi_place *place = NULL;
    for (int i = 0; !place && i < GPTL_MPI_LINE; i++)
        if (gptl_mpi_claim(&line->place[i]))
            place = &line->place[i];
    if (!place)
        return false;
    gptl_mpi_fill(place, key, value);
    return true;
}

static bool put_beyond(uint64_t key, uint64_t hash, uintptr_t value)
{
    struct gptl_mpi_table *_Atomic *link = &gptl_mpi_more_lines;
    struct gptl_mpi_table *table;
    for (int bits = GPTL_MPI_LINE_BITS + 2; (table = table_at(link, bits)); bits += 2) {
        if (put(line_of(table, hash), key, value))
            return true;
        link = &table->next;
    }
    return false;
}

/*
 * Insert a request. A leftover entry with the same handle, whose completion was not observed, may
 * be in another table of the sequence: it would later be mistaken for a request that delivers
 * nothing. Therefore it is removed first.
 */
bool gptl_mpi_insert(uint64_t key, uintptr_t value)
{
    uint64_t hash = gptl_mpi_request_hash(key);
    struct gptl_mpi_held held = gptl_mpi_hold_key(key);
    if (held.place)
        gptl_mpi_forget_held(&held);
    return put(gptl_mpi_line_of(hash), key, value) || put_beyond(key, hash, value);
}

/* ---- Types of requests ----------------------------------------------------------------------- */

struct persistent {
    void *_Atomic node; /* of the starting call; NULL: inactive, or not measured */
    enum gptl_mpi_what what;
    struct gptl_mpi_amount amount;
    GPTLcallid span; /* of a nonpersistent file request; else none */
};

/* Bit in the value of a persistent request that a thread holds while the nodes are discarded. */
enum { STARTER_IS_GONE = 4 };

static struct persistent *persistent_of(uintptr_t value)
{
    if ((value & GPTL_MPI_VALUE_KIND) != GPTL_MPI_VALUE_PERSISTENT)
        return NULL;
    return (struct persistent *)(value & ~(uintptr_t)(GPTL_MPI_VALUE_KIND | STARTER_IS_GONE));
}

/*
 * Return the node of the starting call and mark the request as inactive. NULL: inactive, not measured,
 * or the node is gone, because GPTLfinalize was called while this thread held the request.
 */
static void *take_starter(const struct gptl_mpi_held *held, struct persistent *p)
{
    uintptr_t gone = STARTER_IS_GONE;
    void *node = atomic_exchange(&p->node, NULL);
    return __atomic_fetch_and(&held->place->value, ~gone, __ATOMIC_RELAXED) & gone ? NULL : node;
}

bool gptl_mpi_posted_span(void *node, enum gptl_mpi_what what, const MPI_Request *request,
                          GPTLcallid span)
{
    struct persistent *p = malloc(sizeof *p);
    if (!p)
        return false;
    *p = (struct persistent){node, what, gptl_mpi_amount_none(), span};
    if (node)
        gptl_core_add(node, GPTL_RECEIVED, 0); /* reserves the counter of the incoming bytes */
    bool kept =
        gptl_mpi_insert(gptl_mpi_request_key(*request), (uintptr_t)p + GPTL_MPI_VALUE_PERSISTENT);
    if (!kept)
        free(p);
    return kept;
}

void gptl_mpi_prepared(enum gptl_mpi_what what, struct gptl_mpi_amount amount,
                       const MPI_Request *request)
{
    struct persistent *p = malloc(sizeof *p);
    if (!p)
        return;
    *p = (struct persistent){NULL, what, amount, {0, 0}};
    if (!gptl_mpi_insert(gptl_mpi_request_key(*request), (uintptr_t)p + GPTL_MPI_VALUE_PERSISTENT))
        free(p);
}

void gptl_mpi_forget_held(const struct gptl_mpi_held *held)
{
    struct persistent *p = persistent_of(held->value);
    if (p && p->span.process)
        GPTLprobe_close(p->span, -1);
    free(p);
    gptl_mpi_let_go(held);
}

static void forget_nodes_in(struct gptl_mpi_line *lines, int bits)
{
    for (size_t i = 0; i < GPTL_MPI_LINE * ((size_t)1 << bits); i++) {
        struct gptl_mpi_place *place = &lines[i / GPTL_MPI_LINE].place[i % GPTL_MPI_LINE];
        uint64_t key = load(&place->key);
        if (key == GPTL_MPI_FREE)
            continue;
        if (key ==
            GPTL_MPI_HELD) { /* by a thread inside MPI, which looks whether it is still this one */
            if (persistent_of(place->value)) /* the thread may free it at any time */
                __atomic_fetch_or(&place->value, STARTER_IS_GONE, __ATOMIC_RELAXED);
            else
                __atomic_store_n(&place->value, GPTL_MPI_FORGOTTEN, __ATOMIC_RELAXED);
            continue;
        }
        struct persistent *p = persistent_of(place->value);
        if (p) /* it may be started again */
            atomic_store(&p->node, NULL);
        else
            atomic_store(&place->key, GPTL_MPI_FREE);
    }
}

void gptl_mpi_forget_nodes(void)
{
    struct gptl_mpi_table *table = atomic_load(&gptl_mpi_more_lines);
    forget_nodes_in(gptl_mpi_lines, GPTL_MPI_LINE_BITS);
    for (; table; table = atomic_load(&table->next))
        forget_nodes_in(table->lines, table->bits);
    if (gptl_mpi_special & (GPTL_MPI_NOTED | GPTL_MPI_NOTED_FILES))
        gptl_mpi_note_forget_nodes();
}

/* Bytes delivered by a request of NODE, as described by a status. */
struct brought {
    void *node;
    enum gptl_amount what;
    int64_t bytes;
    bool persistent, cancelled;
    bool is_of_file;
};

/* Add the bytes on the slow path. The node may belong to another thread that is updating it. */
static __attribute__((noinline)) void add_specially(const struct brought *brought, uint64_t key,
                                                    const MPI_Status *status, unsigned noted)
{
    if (gptl_mpi_special & GPTL_MPI_CONCURRENT)
        gptl_core_add_later(brought->node, brought->what, brought->bytes);
    else
        gptl_mpi_add(brought->node, brought->what, brought->bytes);
    if (gptl_mpi_special & noted)
        gptl_mpi_note_completed(key, brought->node, brought->persistent, status, brought->bytes,
                                brought->cancelled);
}

static void add(const struct brought *brought, uint64_t key, const MPI_Status *status)
{
    unsigned noted = brought->is_of_file ? GPTL_MPI_NOTED_FILES : GPTL_MPI_NOTED;
    if (gptl_mpi_likely(!(gptl_mpi_special & (GPTL_MPI_CONCURRENT | noted))))
        gptl_mpi_add(brought->node, brought->what, brought->bytes);
    else
        add_specially(brought, key, status, noted);
}

/* Return the amount of a message; 0 if it was cancelled. */
static struct brought received(void *node, const MPI_Status *status)
{
    return (struct brought){.node = node,
                            .what = GPTL_RECEIVED,
                            .bytes = gptl_mpi_request_bytes(status),
                            .cancelled = gptl_mpi_was_cancelled(status)};
}

/* Complete a file request; its bytes are its span's too. */
static void complete_span(const struct gptl_mpi_held *held, struct persistent *p,
                          const MPI_Status *status)
{
    void *node = take_starter(held, p);
    int64_t bytes = status ? gptl_mpi_status_bytes(status) : -1;
    gptl_mpi_let_go(held);
    GPTLprobe_close(p->span, bytes);
    if (node && status) {
        struct brought brought = {.node = node,
                                  .what = p->what == GPTL_MPI_READS ? GPTL_RECEIVED : GPTL_SENT,
                                  .bytes = bytes,
                                  .is_of_file = true};
        add(&brought, held->key, status);
    }
    free(p);
}

void gptl_mpi_completed(const struct gptl_mpi_held *held, const MPI_Status *status)
{
    struct persistent *p = persistent_of(held->value);
    struct brought brought;
    if (!p && gptl_mpi_is_forgotten(held)) {
        gptl_mpi_let_go(held);
        return;
    }
    if (!p) {
        void *owner = (void *)(held->value & ~(uintptr_t)GPTL_MPI_VALUE_KIND);
        uintptr_t kind = held->value & GPTL_MPI_VALUE_KIND;
        gptl_mpi_let_go(held);
        if (!status)
            return;
        brought =
            kind == GPTL_MPI_VALUE_RECEIVES
                ? received(owner, status)
                : (struct brought){.node = owner,
                                   .what = kind == GPTL_MPI_VALUE_READS ? GPTL_RECEIVED : GPTL_SENT,
                                   .bytes = gptl_mpi_status_bytes(status),
                                   .is_of_file = true};
        add(&brought, held->key, status);
        return;
    }
    if (p->span.process) {
        complete_span(held, p, status);
        return;
    }
    void *node = take_starter(held, p);
    if (node && status && p->what != GPTL_MPI_NOTHING) {
        brought =
            p->what == GPTL_MPI_RECEIVES
                ? received(node, status)
                : (struct brought){.node = node, .what = GPTL_RECEIVED, .bytes = p->amount.sent};
        brought.persistent = true;
        add(&brought, held->key, status);
    }
    gptl_mpi_put_back(held);
}

/* ---- Starts ---------------------------------------------------------------------------------- */

/*
 * Record a start before MPI executes it, because another thread may complete it immediately. Return
 * the amount moved by the start.
 */
static struct gptl_mpi_amount expect(const MPI_Request *request, void *node)
{
    struct gptl_mpi_amount amount = {0, 0};
    struct gptl_mpi_held held = gptl_mpi_hold(request);
    if (!held.place)
        return amount;
    struct persistent *p = persistent_of(held.value);
    if (p) {
        if (p->what != GPTL_MPI_ARRIVES)
            amount = p->amount;
        if (node && p->what != GPTL_MPI_NOTHING)
            gptl_mpi_add(node, GPTL_RECEIVED, 0); /* reserves the counter of the incoming bytes */
        take_starter(&held, p);
        atomic_store(&p->node, node);
    }
    gptl_mpi_put_back(&held);
    return amount;
}

#undef MPI_Start
GPTL_MPI_WRAPPER int MPI_Start(MPI_Request *request)
{
    char *frame = gptl_mpi_frame();
    GPTL_MPI_NEED(MPI_Start);
    void *node = gptl_mpi_begin("MPI_Start", frame);
    struct gptl_mpi_amount amount = expect(request, node);
    int rc = gptl_mpi_next.MPI_Start(request);
    if (node) {
        gptl_mpi_stop("MPI_Start");
        if (rc == MPI_SUCCESS)
            gptl_mpi_moved(node, amount);
    }
    gptl_mpi_pass(frame);
    return rc;
}

#undef MPI_Startall
GPTL_MPI_WRAPPER int MPI_Startall(int count, MPI_Request requests[])
{
    char *frame = gptl_mpi_frame();
    GPTL_MPI_NEED(MPI_Startall);
    void *node = gptl_mpi_begin("MPI_Startall", frame);
    struct gptl_mpi_amount sum = {0, 0};
    for (int i = 0; requests && i < count; i++) {
        struct gptl_mpi_amount amount = expect(&requests[i], node);
        sum.sent += amount.sent;
        sum.received += amount.received;
    }
    int rc = gptl_mpi_next.MPI_Startall(count, requests);
    if (node) {
        gptl_mpi_stop("MPI_Startall");
        if (rc == MPI_SUCCESS)
            gptl_mpi_moved(node, sum);
    }
    gptl_mpi_pass(frame);
    return rc;
}

/*
 * Handle a freed request. Data that has arrived already counts, because MPI_Request_get_status may
 * have reported it to the program. An active receive continues, and its completion is never
 * observed.
 */
static void settle_freed(const MPI_Request *request)
{
    int done = 0;
    MPI_Status status = {0};
    struct gptl_mpi_held held = gptl_mpi_hold(request);
    if (!held.place)
        return;
    if (gptl_mpi_next.MPI_Request_get_status(*request, &done, &status) != MPI_SUCCESS)
        done = 0;
    if (done)
        gptl_mpi_completed(&held, &status);
    else
        gptl_mpi_put_back(&held);
    gptl_mpi_forget(request);
}

#undef MPI_Request_free
GPTL_MPI_WRAPPER int MPI_Request_free(MPI_Request *request)
{
    char *frame = gptl_mpi_frame();
    GPTL_MPI_NEED(MPI_Request_free);
    void *node = gptl_mpi_begin("MPI_Request_free", frame);
    if (gptl_mpi_is_outermost(frame))
        settle_freed(request);
    int rc = gptl_mpi_next.MPI_Request_free(request);
    if (node)
        gptl_mpi_stop("MPI_Request_free");
    gptl_mpi_pass(frame);
    return rc;
}
