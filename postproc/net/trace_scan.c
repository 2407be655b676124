/*
 * trace_scan.c - opens a trace and validates all of it, so that later reading cannot fail: each
 * record is complete, and its references exist.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "postproc/net/trace_record.h"

enum { OFTEN = 4 }; /* one in OFTEN */

/* ---- Definitions --------------------------------------------------------------------------- */

/*
 * Ensure that ARRAY of N elements has element I; new ones are zero. Returns false if out of memory,
 * or if I exceeds LIMIT.
 */
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

/* Define a communicator; its name starts as a hash of its members. */
static bool define_comm(struct trace *t, const unsigned char *at, const unsigned char *end)
{
    uint64_t id = trace_number(&at, end);
    const unsigned char *list = at;
    uint32_t n[2];
    for (int i = 0; i < 2; i++) {
        n[i] = (uint32_t)trace_number(&list, end);
        for (uint32_t k = 0; k < n[i]; k++)
            trace_number(&list, end);
    }
    int *member = malloc(((size_t)n[0] + n[1] + 1) * sizeof *member);
    if (!member || !reach(&t->comm, &t->ncomms, (size_t)id, sizeof *t->comm, t->size) ||
        t->comm[id].member) {
        free(member);
        return false;
    }
    uint64_t hash[2] = {1, 1};
    for (int i = 0, k = 0; i < 2; i++) {
        int64_t rank = -1;
        trace_number(&at, end);
        for (uint32_t m = 0; m < n[i]; m++, k++) {
            rank = (int64_t)((uint64_t)rank + 1 + (uint64_t)trace_signed(&at, end));
            if (rank < -1 || rank >= t->ranks)
                rank = -1;
            member[k] = (int)rank;
            hash[i] = mixed(hash[i], (uint64_t)rank + 2);
        }
    }
    /* In the other group, both groups are swapped, so the hash is symmetric. */
    uint64_t name = n[1] ? mixed(2, hash[0] ^ hash[1]) : hash[0];
    t->comm[id] = (struct trace_comm){n[0], n[1], member, name, false, 0, 0};
    return true;
}

/* Set the parent and the tag of a communicator, whose members are already defined. */
static bool define_origin(struct trace *t, const unsigned char *at, const unsigned char *end)
{
    uint64_t id = trace_number(&at, end), parent = trace_number(&at, end);
    if (id >= t->ncomms || !t->comm[id].member || parent > id)
        return false;
    t->comm[id].made = true;
    t->comm[id].parent = (size_t)parent;
    t->comm[id].tag = (int)trace_signed(&at, end);
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

/* ---- Whole trace --------------------------------------------------------------------------- */

struct scan {
    struct trace *trace;
    uint64_t *request; /* last request of each thread */
    size_t nrequests, found_room;
};

static int bits_of(uint64_t bytes)
{
    int bits = 0;
    for (; bytes > 0; bytes >>= 1)
        bits++;
    return bits;
}

/* Count a collective in the statistics of its kind and size. */
static void count_renewals(struct trace *t, const struct trace_event *e)
{
    struct trace_renewals *same = &t->renewals[e->mode][bits_of(e->bytes)];
    same->calls++;
    same->renewing += e->renewed > 0;
}

bool trace_gives_back(const struct trace *trace, const struct trace_event *e)
{
    const struct trace_renewals *same = &trace->renewals[e->mode][bits_of(e->bytes)];
    return OFTEN * same->renewing >= same->calls;
}

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
    case GPTL_TI_MADE:
        good = define_origin(t, e->list, e->end);
        break;
    case GPTL_TI_COMPUTE:
        own->computed += e->ns;
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
    if (e->what == GPTL_TI_COLLECTIVE && !e->posted)
        count_renewals(t, e);
    if (e->what >= GPTL_TI_SEND && e->what != GPTL_TI_END) {
        bool is_send = e->what == GPTL_TI_SEND || e->what == GPTL_TI_SENDRECV;
        t->calls++;
        own->within += e->ns;
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
    while (at < end && trace_record(&at, end, t->ranks, &e, &scan->request[thread])) {
        const char *why = take(scan, thread, &e);
        if (why)
            return why;
        before = at;
    }
    if (before < end && whole)
        return damaged;
    /* excludes a record truncated by a kill */
    chunk->size = (size_t)(before - (t->bytes + chunk->offset));
    return NULL;
}

static uint32_t word_at(const unsigned char *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Return the index of thread NUMBER, adding it if new. SIZE_MAX if out of memory. */
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

/* Take the maximum over the threads, which run concurrently. */
static void take_longest(struct trace *t)
{
    for (size_t i = 0; i < t->nthreads; i++) {
        const struct trace_thread *own = &t->thread[i];
        if (own->computed > t->computed)
            t->computed = own->computed;
        if (own->computed + own->within > t->busy)
            t->busy = own->computed + own->within;
    }
}

static int by_request(const void *a, const void *b)
{
    const struct trace_found *x = a, *y = b;
    return (x->request > y->request) - (x->request < y->request);
}

/*
 * Entry of a hash table of SIZE, a power of two larger than the number of names: number of
 * communicators with NAME so far.
 */
struct namesakes {
    uint64_t name, n;
};
static uint64_t count_namesake(struct namesakes *table, size_t size, uint64_t name)
{
    size_t i = (size_t)name & (size - 1);
    while (table[i].n > 0 && table[i].name != name)
        i = (i + 1) & (size - 1);
    table[i].name = name;
    return table[i].n++;
}

/*
 * Make the names of communicators unique: equal members are distinguished by the parent, which has
 * a lower number, and children of one parent by their order.
 */
static bool name_comms(struct trace *t)
{
    size_t size = 2;
    while (size <= t->ncomms)
        size *= 2;
    struct namesakes *table = calloc(size, sizeof *table);
    if (!table)
        return false;
    for (size_t i = 0; i < t->ncomms; i++) {
        struct trace_comm *comm = &t->comm[i];
        uint64_t name = comm->name;
        if (comm->made) {
            uint64_t parent = comm->parent ? t->comm[comm->parent - 1].name : 0;
            name = mixed(mixed(name, parent), (uint64_t)comm->tag);
        }
        comm->name = mixed(name, count_namesake(table, size, name));
    }
    free(table);
    return true;
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

/* Read the head: lines up to an empty one. Returns its end, or 0 and WHY. */
static size_t read_head(struct trace *t, const char **why)
{
    static const char first[] = GPTL_TI_FIRST_LINE;
    size_t at = sizeof first - 1, version = at - 2;
    t->rank = t->ranks = -1;
    bool is_trace = t->size >= at && memcmp(t->bytes, first, version) == 0;
    if (!is_trace || t->bytes[version] < '1' || t->bytes[version] > first[version] ||
        t->bytes[version + 1] != '\n') {
        *why = is_trace ? "it is of another version than this program knows"
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
        take_longest(t);
        if (t->nfound)
            qsort(t->found, t->nfound, sizeof *t->found, by_request);
        if (!wrong && !name_comms(t))
            wrong = "there is no memory for it";
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
