/*
 * trace.c - a trace's records, and what is in it altogether.
 *
 * All is looked at once when a trace is opened, so that what is read later is right: each record is
 * whole, and what it names is there.
 */
#include "config.h"

#include "postproc/net/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Numbers ------------------------------------------------------------------------------- */

/* False: there is none before END. */
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

/* Skips N records of FIELDS numbers. More than there are bytes are none. */
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

/* ---- One record ---------------------------------------------------------------------------- */

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

/* A peer, its communicator, and the rest of a message. */
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

static bool collective(const unsigned char **at, const unsigned char *end, struct trace_event *e)
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
    return whole;
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

static bool call(const unsigned char **at, const unsigned char *end, int ranks,
                 struct trace_event *e)
{
    uint64_t mode;
    switch (e->what) {
    case GPTL_TI_SEND:
        if (!number(at, end, &mode) || mode >= GPTL_TI_NMODES)
            return false;
        e->mode = (int)mode;
        return message(at, end, ranks, e) && e->peer >= 0;
    case GPTL_TI_RECV:
    case GPTL_TI_PROBE:
        return message(at, end, ranks, e) && (e->posted || e->peer >= 0);
    case GPTL_TI_SENDRECV:
        return message(at, end, ranks, e) && e->peer >= 0 &&
               small(at, end, 0, ranks - 1, &e->from) &&
               small(at, end, INT32_MIN, INT32_MAX, &e->from_tag) && number(at, end, &e->n);
    case GPTL_TI_WAIT:
        return waited(at, end, e, ranks);
    case GPTL_TI_COLLECTIVE:
        return collective(at, end, e);
    case GPTL_TI_NEIGHBORS:
        return neighbors(at, end, e);
    case GPTL_TI_OTHER:
        return number(at, end, &e->number);
    case GPTL_TI_END:
        return number(at, end, &e->number) && number(at, end, &e->n);
    default:
        return false;
    }
}

/* Any record at AT; those that define something have their fields in LIST to END. */
static bool record(const unsigned char **at, const unsigned char *end, int ranks,
                   struct trace_event *e, uint64_t *request)
{
    uint64_t what, n;
    int64_t delta;
    memset(e, 0, sizeof *e);
    if (!number(at, end, &what))
        return false;
    e->posted = what & GPTL_TI_POSTED && what != GPTL_TI_POSTED;
    e->what = (int)(what & ~(uint64_t)GPTL_TI_POSTED & 127);
    if (what > 127)
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
        return call(at, end, ranks, e);
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

/* ---- What is defined ----------------------------------------------------------------------- */

/* Makes room for element I of ARRAY, of N; new ones are zero. False: no memory, or I is nonsense. */
static bool reach(void *array, size_t *n, size_t i, size_t size, size_t limit)
{
    void **at = array;
    if (i < *n)
        return true;
    if (i >= limit)
        return false;
    size_t more = i + i / 2 + 8;
    char *bytes = realloc(*at, more * size);
    if (!bytes)
        return false;
    memset(bytes + *n * size, 0, (more - *n) * size);
    *at = bytes;
    *n = more;
    return true;
}

static bool define_region(struct trace *t, struct trace_thread *thread, const unsigned char *at,
                          const unsigned char *end)
{
    uint64_t id = trace_number(&at, end), parent = trace_number(&at, end);
    size_t length = (size_t)trace_number(&at, end);
    if (id == 0 || parent >= id ||
        !reach(&thread->region, &thread->nregions, (size_t)id, sizeof *thread->region, t->size))
        return false;
    thread->region[id] = (struct trace_region){(uint32_t)parent, (const char *)at, length, 0};
    return true;
}

static bool define_name(struct trace *t, const unsigned char *at, const unsigned char *end)
{
    uint64_t id = trace_number(&at, end);
    size_t length = (size_t)trace_number(&at, end);
    if (!reach(&t->other, &t->nothers, (size_t)id, sizeof *t->other, t->size))
        return false;
    t->other[id].name = (const char *)at;
    t->other[id].length = length;
    return true;
}

static uint64_t mixed(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

/* Its members, of both groups; those of one name, as they have the same, get another for each more. */
static bool define_comm(struct trace *t, const unsigned char *at, const unsigned char *end)
{
    uint64_t id = trace_number(&at, end);
    const unsigned char *list = at;
    uint32_t n[2];
    for (int i = 0; i < 2; i++) {
        n[i] = (uint32_t)trace_number(&list, end);
        skip(&list, end, n[i], 1);
    }
    int *member = malloc(((size_t)n[0] + n[1] + 1) * sizeof *member);
    if (!member || !reach(&t->comm, &t->ncomms, (size_t)id, sizeof *t->comm, t->size) ||
        t->comm[id].member) {
        free(member);
        return false;
    }
    uint64_t hash = 1;
    for (int i = 0, k = 0; i < 2; i++) {
        int64_t rank = -1;
        trace_number(&at, end);
        for (uint32_t m = 0; m < n[i]; m++, k++) {
            rank = (int64_t)((uint64_t)rank + 1 + (uint64_t)trace_signed(&at, end));
            if (rank < -1 || rank >= t->ranks)
                rank = -1;
            member[k] = (int)rank;
            hash = mixed(hash, (uint64_t)rank + 2);
        }
    }
    t->comm[id] = (struct trace_comm){n[0], n[1], member, hash};
    return true;
}

static bool define_found(struct trace *t, struct trace_event e, uint64_t *request, size_t *room)
{
    for (uint64_t i = 0; i < e.n; i++) {
        trace_waited(&e, request);
        if (!e.mode)
            continue;
        if (!reach(&t->found, room, t->nfound, sizeof *t->found, t->size))
            return false;
        t->found[t->nfound++] =
            (struct trace_found){e.request, e.from, e.from_tag, (e.mode & GPTL_TI_CANCELLED) != 0};
    }
    return true;
}

/* ---- All of it ----------------------------------------------------------------------------- */

struct scan {
    struct trace *trace;
    uint64_t *request; /* of each thread, the last one */
    size_t nrequests, found_room;
};

static const char *const damaged = "a record in it makes no sense";

static const char *take(struct scan *scan, size_t thread, struct trace_event *e)
{
    struct trace *t = scan->trace;
    bool good = true;
    struct trace_thread *own = &t->thread[thread];
    const unsigned char *end = t->bytes + t->size;
    switch (e->what) {
    case GPTL_TI_REGION:
        good = define_region(t, own, e->list, end);
        break;
    case GPTL_TI_NAME:
        good = define_name(t, e->list, end);
        break;
    case GPTL_TI_COMM:
        good = define_comm(t, e->list, e->end);
        break;
    case GPTL_TI_COMPUTE:
        t->computed += e->ns;
        if (e->region < own->nregions)
            own->region[e->region].ns += e->ns;
        break;
    case GPTL_TI_OTHER:
        good = e->number < t->nothers && t->other[e->number].name;
        if (good) {
            t->other[e->number].calls++;
            t->other[e->number].ns += e->ns;
        }
        break;
    case GPTL_TI_WAIT:
        good = define_found(t, *e, &scan->request[thread], &scan->found_room);
        break;
    case GPTL_TI_END:
        t->whole = true;
        t->wall = e->number;
        t->lost = e->n;
        break;
    default:
        break;
    }
    if (e->what >= GPTL_TI_SEND && e->what != GPTL_TI_END) {
        bool is_send = e->what == GPTL_TI_SEND || e->what == GPTL_TI_SENDRECV;
        t->calls++;
        t->within += e->ns;
        t->sent += is_send;
        t->sent_bytes += is_send ? e->bytes : 0;
    }
    return good ? NULL : damaged;
}

static const char *scan_chunk(struct scan *scan, size_t thread, struct trace_chunk *chunk,
                              bool whole)
{
    struct trace *t = scan->trace;
    const unsigned char *at = t->bytes + chunk->offset, *end = at + chunk->size, *before = at;
    struct trace_event e;
    while (at < end && record(&at, end, t->ranks, &e, &scan->request[thread])) {
        const char *why = take(scan, thread, &e);
        if (why)
            return why;
        before = at;
    }
    if (before < end && whole)
        return damaged;
    chunk->size = (size_t)(before - (t->bytes + chunk->offset)); /* what a kill has left of it */
    return NULL;
}

static uint32_t word_at(const unsigned char *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* The place of thread NUMBER; a new one if it is. SIZE_MAX: no memory. */
static size_t thread_of(struct scan *scan, uint32_t n)
{
    struct trace *t = scan->trace;
    size_t i = 0;
    while (i < t->nthreads && t->thread[i].number != n)
        i++;
    if (i < t->nthreads)
        return i;
    struct trace_thread *more = realloc(t->thread, (i + 1) * sizeof *more);
    if (!more)
        return SIZE_MAX;
    t->thread = more;
    more[i] = (struct trace_thread){.number = n};
    t->nthreads++;
    if (!reach(&more[i].region, &more[i].nregions, 0, sizeof *more->region, t->size) ||
        !reach(&scan->request, &scan->nrequests, i, sizeof *scan->request, t->size))
        return SIZE_MAX;
    return i;
}

static const char *scan_chunks(struct scan *scan, size_t offset)
{
    struct trace *t = scan->trace;
    while (t->size - offset >= GPTL_TI_CHUNK_HEAD) {
        const unsigned char *head = t->bytes + offset;
        if (word_at(head) != GPTL_TI_CHUNK)
            return "there is something else where a chunk should begin";
        size_t size = word_at(head + 8), left = t->size - offset - GPTL_TI_CHUNK_HEAD;
        size_t i = thread_of(scan, word_at(head + 4));
        struct trace_thread *thread = i == SIZE_MAX ? NULL : &t->thread[i];
        struct trace_chunk *more =
            thread ? realloc(thread->chunk, (thread->nchunks + 1) * sizeof *more) : NULL;
        if (!more)
            return "there is no memory for it";
        thread->chunk = more;
        more[thread->nchunks] =
            (struct trace_chunk){offset + GPTL_TI_CHUNK_HEAD, size < left ? size : left};
        const char *why = scan_chunk(scan, i, &more[thread->nchunks++], size <= left);
        if (why)
            return why;
        if (size > left)
            break;
        offset += GPTL_TI_CHUNK_HEAD + size;
    }
    return NULL;
}

static int by_request(const void *a, const void *b)
{
    const struct trace_found *x = a, *y = b;
    return (x->request > y->request) - (x->request < y->request);
}

/* Communicators of the same members are told apart by the order in which they were made. */
static void name_comms(struct trace *t)
{
    for (size_t i = 1; i < t->ncomms; i++) {
        uint64_t hash = t->comm[i].name, before = 0;
        for (size_t k = 1; k < i && t->comm[i].member; k++)
            before += t->comm[k].member && t->comm[k].n == t->comm[i].n &&
                      t->comm[k].nremote == t->comm[i].nremote &&
                      memcmp(t->comm[k].member, t->comm[i].member,
                             ((size_t)t->comm[i].n + t->comm[i].nremote) * sizeof(int)) == 0;
        t->comm[i].name = mixed(hash, before);
    }
}

static bool add_world(struct trace *t)
{
    if (!reach(&t->comm, &t->ncomms, 0, sizeof *t->comm, 1))
        return false;
    t->comm[0].member = malloc((size_t)t->ranks * sizeof(int));
    t->comm[0].n = (uint32_t)t->ranks;
    for (int i = 0; t->comm[0].member && i < t->ranks; i++)
        t->comm[0].member[i] = i;
    return t->comm[0].member != NULL;
}

/* The head: lines up to an empty one. Returns where it ends; 0 and WHY: it is none. */
static size_t read_head(struct trace *t, const char **why)
{
    static const char first[] = GPTL_TI_FIRST_LINE, any[] = "gptl-trace ";
    size_t n = sizeof first - 1, at = n;
    t->rank = t->ranks = -1;
    if (t->size < n || memcmp(t->bytes, first, n) != 0) {
        bool is_trace = t->size >= sizeof any && memcmp(t->bytes, any, sizeof any - 1) == 0;
        *why = is_trace ? "it is of another version than 1, the only one that this program knows"
                        : "it is no trace of trace=ti";
        return 0;
    }
    *why = "its head is not complete";
    while (at < t->size) {
        const unsigned char *end = memchr(t->bytes + at, '\n', t->size - at);
        char line[64];
        if (!end)
            return 0;
        size_t length = (size_t)(end - (t->bytes + at));
        snprintf(line, sizeof line, "%.*s", (int)(length < 63 ? length : 63),
                 (const char *)t->bytes + at);
        at += length + 1;
        if (length == 0)
            return t->rank >= 0 && t->ranks > t->rank && t->ranks < 1 << 24 ? at : 0;
        sscanf(line, "rank %d", &t->rank);
        sscanf(line, "ranks %d", &t->ranks);
    }
    return 0;
}

static bool map(struct trace *t, char *why, size_t size)
{
    struct stat status;
    int fd = open(t->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        snprintf(why, size, "%s", fd < 0 ? strerror(errno) : "it is no file");
        if (fd >= 0)
            close(fd);
        return false;
    }
    t->size = (size_t)status.st_size;
    void *bytes = t->size ? mmap(NULL, t->size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    if (bytes == MAP_FAILED) {
        snprintf(why, size, "%s", t->size ? strerror(errno) : "it is empty");
        t->size = 0;
        return false;
    }
    t->bytes = bytes;
    return true;
}

struct trace *trace_open(const char *path, char *why, size_t size)
{
    struct trace *t = calloc(1, sizeof *t);
    struct scan scan = {.trace = t};
    const char *wrong = "there is no memory for it";
    snprintf(why, size, "%s", wrong);
    if (!t || !(t->path = strdup(path)) || !map(t, why, size)) {
        trace_close(t);
        return NULL;
    }
    size_t at = read_head(t, &wrong);
    if (at > 0) {
        wrong = add_world(t) ? scan_chunks(&scan, at) : "there is no memory for it";
        qsort(t->found, t->nfound, sizeof *t->found, by_request);
        name_comms(t);
    }
    free(scan.request);
    if (!wrong)
        return t;
    snprintf(why, size, "%s", wrong);
    trace_close(t);
    return NULL;
}

void trace_close(struct trace *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->nthreads; i++) {
        free(t->thread[i].chunk);
        free(t->thread[i].region);
    }
    for (size_t i = 0; i < t->ncomms; i++)
        free(t->comm[i].member);
    free(t->thread);
    free(t->comm);
    free(t->found);
    free(t->other);
    free(t->path);
    if (t->size)
        munmap(t->bytes, t->size);
    free(t);
}

/* ---- One after another --------------------------------------------------------------------- */

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
        if (!record(&c->at, c->end, c->trace->ranks, e, &c->request))
            return false;
        if (e->what == GPTL_TI_WAIT) { /* what follows is told from its last request */
            struct trace_event all = *e;
            e->request = c->request; /* where trace_waited begins */
            for (uint64_t i = 0; i < e->n; i++)
                trace_waited(&all, &c->request);
        }
        if (e->what == GPTL_TI_COMPUTE || e->what >= GPTL_TI_SEND)
            return true;
    }
}

const struct trace_found *trace_find(const struct trace *trace, uint64_t request)
{
    struct trace_found key = {.request = request};
    if (trace->nfound == 0)
        return NULL;
    return bsearch(&key, trace->found, trace->nfound, sizeof key, by_request);
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
