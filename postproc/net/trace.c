/* trace.c - iterates over the records of a trace. */
#include "config.h"

#include "postproc/net/trace_record.h"

#include <stdlib.h>
#include <string.h>

/* ---- Numbers ------------------------------------------------------------------------------- */

/* Read a number; false if incomplete before END. */
static bool number(const unsigned char **at, const unsigned char *end, uint64_t *out)
{
    uint64_t sum = 0;
    for (int shift = 0; *at < end && shift < 64; shift += 7) {
        unsigned char byte = *(*at)++;
        sum |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            *out = sum;
            return true;
        }
    }
    return false;
}

static bool signed_number(const unsigned char **at, const unsigned char *end, int64_t *out)
{
    uint64_t word;
    if (!number(at, end, &word))
        return false;
    *out = (int64_t)(word >> 1 ^ (word & 1 ? UINT64_MAX : 0));
    return true;
}

uint64_t trace_number(const unsigned char **list, const unsigned char *end)
{
    uint64_t n = 0;
    number(list, end, &n);
    return n;
}

int64_t trace_signed(const unsigned char **list, const unsigned char *end)
{
    int64_t n = 0;
    signed_number(list, end, &n);
    return n;
}

/* Skip N records of FIELDS numbers. Fails if N exceeds the remaining bytes. */
static bool skip(const unsigned char **at, const unsigned char *end, uint64_t n, int fields)
{
    uint64_t word;
    if (n > (uint64_t)(end - *at))
        return false;
    for (; n > 0; n--)
        for (int i = 0; i < fields; i++)
            if (!number(at, end, &word))
                return false;
    return true;
}

/* ---- Records ------------------------------------------------------------------------------- */

static bool small(const unsigned char **at, const unsigned char *end, int64_t least, int64_t most,
                  int *out)
{
    int64_t n;
    if (!signed_number(at, end, &n) || n < least || n > most)
        return false;
    *out = (int)n;
    return true;
}

static bool index_number(const unsigned char **at, const unsigned char *end, uint32_t *out)
{
    uint64_t n;
    if (!number(at, end, &n) || n > UINT32_MAX - 1)
        return false;
    *out = (uint32_t)n;
    return true;
}

/* Read peer, communicator, tag and size of a message. */
static bool message(const unsigned char **at, const unsigned char *end, int ranks,
                    struct trace_event *e)
{
    return small(at, end, GPTL_TI_ANY, ranks - 1, &e->peer) && index_number(at, end, &e->comm) &&
           small(at, end, INT32_MIN, INT32_MAX, &e->tag) && number(at, end, &e->bytes);
}

static bool waited(const unsigned char **at, const unsigned char *end, struct trace_event *e,
                   int ranks)
{
    if (!number(at, end, &e->n) || e->n > (uint64_t)(end - *at))
        return false;
    e->list = *at;
    for (uint64_t i = 0; i < e->n; i++) {
        int64_t word;
        int from, tag;
        if (!signed_number(at, end, &word))
            return false;
        if (word & GPTL_TI_RESOLVED && (!small(at, end, GPTL_TI_ANY, ranks - 1, &from) ||
                                        !small(at, end, INT32_MIN, INT32_MAX, &tag)))
            return false;
    }
    e->end = *at;
    return true;
}

static bool collective(const unsigned char **at, const unsigned char *end, bool told,
                       struct trace_event *e)
{
    uint64_t kind;
    if (!number(at, end, &kind) || kind >= GPTL_TI_NCOLLECTIVES ||
        !index_number(at, end, &e->comm) || !small(at, end, INT32_MIN, INT32_MAX, &e->peer) ||
        !number(at, end, &e->bytes) || !number(at, end, &e->n))
        return false;
    e->mode = (int)kind;
    e->list = *at;
    bool whole = skip(at, end, e->n, 1);
    e->end = *at;
    return whole && (!told || number(at, end, &e->renewed));
}

static bool neighbors(const unsigned char **at, const unsigned char *end, struct trace_event *e)
{
    uint64_t n;
    if (!index_number(at, end, &e->comm) || !number(at, end, &e->n))
        return false;
    e->list = *at;
    bool whole = skip(at, end, e->n, 2) && number(at, end, &n) && skip(at, end, n, 1);
    e->end = *at;
    return whole;
}

static bool epoch(const unsigned char **at, const unsigned char *end, int ranks,
                  struct trace_event *e)
{
    uint64_t kind, rank;
    if (!number(at, end, &kind) || kind >= GPTL_TI_NEPOCHS || !index_number(at, end, &e->comm) ||
        !number(at, end, &e->n) || e->n > (uint64_t)(end - *at))
        return false;
    e->mode = (int)kind;
    e->list = *at;
    for (uint64_t i = 0; i < e->n; i++)
        if (!number(at, end, &rank) || rank >= (uint64_t)ranks)
            return false;
    e->end = *at;
    return true;
}

static bool pieces_of(const unsigned char **at, const unsigned char *end, struct trace_pieces *to)
{
    return number(at, end, &to->piece) && number(at, end, &to->row) && to->piece <= to->row &&
           signed_number(at, end, &to->list) && to->list > INT64_MIN;
}

/* Read the layout of a message if TOLD. */
static bool pieces(const unsigned char **at, const unsigned char *end, bool told,
                   struct trace_event *e)
{
    return !told || (pieces_of(at, end, &e->pieces) &&
                     (e->what != GPTL_TI_SENDRECV || pieces_of(at, end, &e->from_pieces)));
}

static bool call(const unsigned char **at, const unsigned char *end, int ranks, bool told,
                 struct trace_event *e)
{
    uint64_t mode;
    if (told && e->what != GPTL_TI_SEND && e->what != GPTL_TI_RECV && e->what != GPTL_TI_SENDRECV &&
        e->what != GPTL_TI_COLLECTIVE)
        return false;
    switch (e->what) {
    case GPTL_TI_SEND:
        if (!number(at, end, &mode) || mode >= GPTL_TI_NMODES)
            return false;
        e->mode = (int)mode;
        return message(at, end, ranks, e) && e->peer >= 0 && pieces(at, end, told, e);
    case GPTL_TI_RECV:
    case GPTL_TI_PROBE:
        return message(at, end, ranks, e) && (e->posted || e->peer >= 0) &&
               pieces(at, end, told, e);
    case GPTL_TI_SENDRECV:
        return message(at, end, ranks, e) && e->peer >= 0 &&
               small(at, end, 0, ranks - 1, &e->from) &&
               small(at, end, INT32_MIN, INT32_MAX, &e->from_tag) && number(at, end, &e->n) &&
               pieces(at, end, told, e);
    case GPTL_TI_WAIT:
        return waited(at, end, e, ranks);
    case GPTL_TI_COLLECTIVE:
        return collective(at, end, told, e);
    case GPTL_TI_NEIGHBORS:
        return neighbors(at, end, e);
    case GPTL_TI_OTHER:
        return number(at, end, &e->number);
    case GPTL_TI_ONESIDED:
        return index_number(at, end, &e->comm) && small(at, end, 0, ranks - 1, &e->peer) &&
               number(at, end, &e->bytes) && number(at, end, &e->n);
    case GPTL_TI_EPOCH:
        return epoch(at, end, ranks, e);
    case GPTL_TI_END:
        return number(at, end, &e->number) && number(at, end, &e->n);
    default:
        return false;
    }
}

/* Read the bytes received into memory that was sent from, if TOLD. */
static bool reused(const unsigned char **at, const unsigned char *end, bool told,
                   struct trace_event *e)
{
    bool comes =
        e->what == GPTL_TI_RECV || e->what == GPTL_TI_SENDRECV || e->what == GPTL_TI_COLLECTIVE;
    return !told || (comes && number(at, end, &e->reused));
}

bool trace_record(const unsigned char **at, const unsigned char *end, int ranks,
                  struct trace_event *e, uint64_t *request)
{
    uint64_t what, n;
    int64_t delta;
    memset(e, 0, sizeof *e);
    if (!number(at, end, &what))
        return false;
    const unsigned flags = GPTL_TI_POSTED | GPTL_TI_MORE | GPTL_TI_REUSED;
    e->posted = what & GPTL_TI_POSTED;
    e->what = (int)(what & (GPTL_TI_POSTED - 1));
    if (what > (flags | (GPTL_TI_POSTED - 1)) || (what & flags && e->what < GPTL_TI_SEND))
        return false;
    switch (e->what) {
    case GPTL_TI_COMPUTE:
        return index_number(at, end, &e->region) && number(at, end, &e->ns);
    case GPTL_TI_REGION:
    case GPTL_TI_NAME:
        e->list = *at;
        if (!skip(at, end, e->what == GPTL_TI_REGION ? 2 : 1, 1) || !number(at, end, &n) ||
            n > (uint64_t)(end - *at))
            return false;
        *at += n;
        return true;
    case GPTL_TI_MADE:
        e->list = *at;
        e->end = end;
        return skip(at, end, 3, 1);
    case GPTL_TI_COMM:
        e->list = *at;
        for (int i = 0; i < 3; i++) { /* the number, and two lists */
            if (!number(at, end, &n) || (i > 0 && !skip(at, end, n, 1)))
                return false;
        }
        e->end = *at;
        return true;
    default:
        if (!number(at, end, &e->ns))
            return false;
        if (e->posted) {
            if (!signed_number(at, end, &delta))
                return false;
            e->request = *request += (uint64_t)delta;
        }
        return call(at, end, ranks, what & GPTL_TI_MORE, e) &&
               reused(at, end, what & GPTL_TI_REUSED, e);
    }
}

uint64_t trace_waited(struct trace_event *event, uint64_t *latest)
{
    int64_t word = trace_signed(&event->list, event->end);
    *latest += (uint64_t)(word >> 2);
    event->mode = (int)(word & 3);
    if (event->mode & GPTL_TI_RESOLVED) {
        event->from = (int)trace_signed(&event->list, event->end);
        event->from_tag = (int)trace_signed(&event->list, event->end);
    }
    event->request = *latest;
    return event->request;
}

const char *trace_epoch_name(int kind)
{
    static const char *const names[GPTL_TI_NEPOCHS] = {"fence",   "post", "start",  "complete",
                                                       "exposed", "lock", "unlock", "flush"};
    return names[kind];
}

/* ---- Iteration ----------------------------------------------------------------------------- */

void trace_begin(struct trace_cursor *cursor, const struct trace *trace, size_t thread)
{
    *cursor = (struct trace_cursor){.trace = trace, .thread = &trace->thread[thread]};
}

bool trace_next(struct trace_cursor *c, struct trace_event *e)
{
    for (;;) {
        while (c->at == c->end) {
            if (c->chunk == c->thread->nchunks)
                return false;
            const struct trace_chunk *chunk = &c->thread->chunk[c->chunk++];
            c->at = c->trace->bytes + chunk->offset;
            c->end = c->at + chunk->size;
        }
        if (!trace_record(&c->at, c->end, c->trace->ranks, e, &c->request))
            return false;
        if (e->what == GPTL_TI_WAIT) { /* later numbers are relative to its last request */
            struct trace_event all = *e;
            e->request = c->request; /* base of trace_waited */
            for (uint64_t i = 0; i < e->n; i++)
                trace_waited(&all, &c->request);
        }
        if (e->what == GPTL_TI_COMPUTE || e->what >= GPTL_TI_SEND)
            return true;
    }
}

static int by_request(const void *key, const void *found)
{
    const uint64_t request = *(const uint64_t *)key;
    const struct trace_found *one = found;
    return (request > one->request) - (request < one->request);
}

const struct trace_found *trace_found_of(const struct trace *trace, uint64_t request)
{
    if (trace->nfound == 0)
        return NULL;
    return bsearch(&request, trace->found, trace->nfound, sizeof *trace->found, by_request);
}

const char *trace_collective_name(int kind)
{
    static const char *const names[GPTL_TI_NCOLLECTIVES] = {
        "barrier",   "bcast",     "gather",     "gatherv",        "scatter",
        "scatterv",  "allgather", "allgatherv", "alltoall",       "alltoallv",
        "alltoallw", "reduce",    "allreduce",  "reduce_scatter", "reduce_scatter_block",
        "scan",      "exscan",    "agree"};
    return names[kind];
}
