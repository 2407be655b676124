/*
 * cursor.c - the calls of a section, all threads in order of time.
 *
 * Each run is ordered by itself. Active runs are merged; a run becomes active when the time reaches
 * its start, so that only a few are open, each with a few KiB of its records in memory.
 */
#include "config.h"

#include "postproc/ioc/cursor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "postproc/ioc/memory.h"

enum { IN_MEMORY = 288 }; /* records: a typical chunk plus some */

struct lane {
    struct lane *next; /* in the list of idle lanes */
    uint64_t at, left; /* records not in memory yet */
    uint32_t i, n;
    int64_t time;
    int32_t thread;
    struct raw_call call;
    struct gptl_ioc_record records[IN_MEMORY];
};

/* ---- One run ------------------------------------------------------------------------------- */

/* Move the remaining records to the start and refill. Unreadable records are omitted. */
static void fill(struct cursor *cursor, struct lane *lane)
{
    lane->n -= lane->i;
    memmove(lane->records, lane->records + lane->i, lane->n * sizeof *lane->records);
    lane->i = 0;
    size_t wanted = IN_MEMORY - lane->n;
    if (wanted > lane->left)
        wanted = (size_t)lane->left;
    size_t bytes = 0, all = wanted * sizeof *lane->records;
    while (bytes < all) {
        ssize_t n = pread(cursor->fd, (char *)(lane->records + lane->n) + bytes, all - bytes,
                          (off_t)(lane->at + bytes));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        bytes += (size_t)n;
    }
    lane->n += (uint32_t)(bytes / sizeof *lane->records);
    lane->left = bytes < all ? 0 : lane->left - wanted;
    lane->at += bytes;
    cursor->bytes += bytes;
}

static const struct gptl_ioc_record *peek(struct cursor *cursor, struct lane *lane)
{
    if (lane->i == lane->n) {
        if (lane->left > 0)
            fill(cursor, lane);
        if (lane->i == lane->n)
            return NULL;
    }
    return &lane->records[lane->i];
}

static int64_t later(int64_t time, int64_t gap)
{
    int64_t sum;
    if (gap < 0)
        return time;
    return __builtin_add_overflow(time, gap, &sum) ? INT64_MAX : sum;
}

static void add_pair(struct raw_pair *pairs, unsigned *n, const struct gptl_ioc_record *r)
{
    if (*n < RAW_MOST)
        pairs[(*n)++] = (struct raw_pair){r->fd, r->data};
}

static void take_extension(struct lane *lane, const struct gptl_ioc_record *r)
{
    struct raw_call *call = &lane->call;
    switch (gptl_ioc_kind(r)) {
    case GPTL_IOC_NAMED:
    case GPTL_IOC_AT:
        call->has_name = true;
        call->has_at = gptl_ioc_kind(r) == GPTL_IOC_AT;
        call->number = gptl_ioc_value(r);
        call->arg = r->fd;
        call->value = r->data;
        break;
    case GPTL_IOC_ASKED:
        call->has_asked = true;
        call->asked = r->data;
        break;
    case GPTL_IOC_SECOND:
        call->has_second = true;
        call->second = (struct raw_pair){r->fd, r->data};
        break;
    case GPTL_IOC_FILE:
        if (call->nfiles < RAW_MOST)
            call->files[call->nfiles++] = (uint32_t)r->data;
        break;
    case GPTL_IOC_FOUND:
        add_pair(call->found, &call->nfound, r);
        break;
    case GPTL_IOC_POSITION:
        add_pair(call->positions, &call->npositions, r);
        break;
    case GPTL_IOC_MADE:
        if (call->nmade < RAW_MOST)
            call->is_duplicate[call->nmade] = gptl_ioc_value(r) & 1;
        add_pair(call->made, &call->nmade, r);
        break;
    case GPTL_IOC_GONE:
        call->has_gone = true;
        call->gone = (struct raw_pair){r->fd, r->data};
        break;
    case GPTL_IOC_GAP:
        lane->time = later(call->time - GPTL_IOC_LONG_GAP, r->data);
        call->time = lane->time;
        break;
    }
}

static void begin_call(struct lane *lane, const struct gptl_ioc_record *r)
{
    struct raw_call *call = &lane->call;
    lane->time = later(lane->time, gptl_ioc_bits(r));
    call->type = gptl_ioc_type(r);
    call->fd = r->fd;
    call->thread = lane->thread;
    call->data = r->data;
    call->time = lane->time;
    call->has_name = call->has_at = call->has_asked = call->has_second = call->has_gone = false;
    call->has_detail = false;
    call->nfiles = call->nfound = call->nmade = call->npositions = 0;
}

/* Read the next call of the run. Returns false at its end. */
static bool decode(struct cursor *cursor, struct lane *lane)
{
    const struct gptl_ioc_record *r;
    bool any = false;
    for (; (r = peek(cursor, lane)); lane->i++) {
        enum gptl_ioc_type type = gptl_ioc_type(r);
        if (type == GPTL_IOC_EXTENSION) {
            if (any)
                take_extension(lane, r);
        } else if (type == GPTL_IOC_DETAIL) {
            lane->call.has_detail = true;
            lane->call.duration = r->data;
            lane->call.path = gptl_ioc_bits(r);
        } else if (type == GPTL_IOC_START) {
            lane->time = r->data;
            lane->thread = r->fd;
        } else if (any) {
            return true;
        } else {
            begin_call(lane, r);
            any = true;
        }
    }
    return any;
}

/* ---- All ----------------------------------------------------------------------------------- */

static void open_run(struct cursor *cursor)
{
    const struct run *run = &cursor->section->runs[cursor->next_run++];
    struct lane *lane = cursor->idle;
    if (lane)
        cursor->idle = lane->next;
    else
        lane = memory_zeros(1, sizeof *lane);
    lane->at = run->at;
    lane->left = run->n;
    lane->i = lane->n = 0;
    if (decode(cursor, lane)) {
        heap_push(&cursor->lanes, (struct heap_item){lane->call.time, run->at, lane});
    } else {
        lane->next = cursor->idle;
        cursor->idle = lane;
    }
}

static void close_first(struct cursor *cursor)
{
    struct lane *lane = cursor->lanes.items[0].what;
    heap_pop(&cursor->lanes);
    lane->next = cursor->idle;
    cursor->idle = lane;
}

void cursor_begin(struct cursor *cursor, const struct section *section, int fd)
{
    *cursor = (struct cursor){.section = section, .fd = fd};
}

const struct raw_call *cursor_next(struct cursor *cursor)
{
    struct heap *lanes = &cursor->lanes;
    if (cursor->at_first) {
        struct lane *lane = lanes->items[0].what;
        if (!decode(cursor, lane))
            close_first(cursor);
        else if (lane->call.time != lanes->items[0].time)
            heap_later(lanes, lane->call.time);
    }
    while (cursor->next_run < cursor->section->nruns &&
           (lanes->n == 0 || cursor->section->runs[cursor->next_run].start <= lanes->items[0].time))
        open_run(cursor);
    cursor->at_first = lanes->n > 0;
    return lanes->n > 0 ? &((struct lane *)lanes->items[0].what)->call : NULL;
}

void cursor_free(struct cursor *cursor)
{
    while (cursor->lanes.n > 0)
        close_first(cursor);
    while (cursor->idle) {
        struct lane *next = cursor->idle->next;
        free(cursor->idle);
        cursor->idle = next;
    }
    free(cursor->lanes.items);
    *cursor = (struct cursor){0};
}
