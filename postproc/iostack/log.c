/*
 * log.c - the records of one log. A missing chunk (its writer was killed before it wrote the head)
 * or a damaged one does not affect others: chunks begin at known offsets.
 */
#include "config.h"

#include "postproc/iostack/spans.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "postproc/ioc/memory.h"

enum { PIECE = sizeof((struct gptl_iostack_text *)0)->text };

/* A name being assembled from pieces. */
struct reading {
    struct stack *stack;
    struct span_log *log;
    const struct span_sink *sink;
    uint64_t hash;
    size_t wanted, have;
    char name[GPTL_IOSTACK_MOST_NAME];
};

static size_t read_at(int fd, void *to, size_t size, uint64_t at)
{
    size_t done = 0;
    while (done < size) {
        ssize_t n = pread(fd, (char *)to + done, size - done, (off_t)(at + done));
        if (n == 0 || (n < 0 && errno != EINTR))
            break;
        done += n > 0 ? (size_t)n : 0;
    }
    return done;
}

static void begin_name(struct reading *r, const struct gptl_iostack_record *record)
{
    r->wanted = 0;
    if (record->bytes <= 0 || record->bytes > GPTL_IOSTACK_MOST_NAME) {
        r->log->damaged++;
        return;
    }
    r->hash = record->number;
    r->wanted = (size_t)record->bytes;
    r->have = 0;
}

static void add_piece(struct reading *r, const struct gptl_iostack_record *record)
{
    struct gptl_iostack_text text;
    memcpy(&text, record, sizeof text);
    if (r->wanted == 0)
        return;
    size_t left = r->wanted - r->have, n = left < PIECE ? left : PIECE;
    memcpy(r->name + r->have, text.text, n);
    r->have += n;
    if (r->have < r->wanted)
        return;
    if (gptl_iostack_hash(r->name, r->wanted) == r->hash && !memchr(r->name, 0, r->wanted))
        stack_add_name(r->stack, r->hash, r->name, r->wanted);
    else
        r->log->damaged++;
    r->wanted = 0;
}

static void fill(const struct reading *r, const struct gptl_iostack_record *record,
                 struct span *span)
{
    *span = (struct span){.number = record->number,
                          .process = r->log->process,
                          .bytes = record->bytes < 0 ? -1 : record->bytes,
                          .offset = record->offset < 0 ? -1 : record->offset,
                          .file = record->file,
                          .node = record->node,
                          .key = record->key,
                          .collective = record->collective,
                          .layer = record->layer,
                          .operation = record->operation,
                          .flags = record->flags,
                          .end = NO_TIME};
    if (record->end != 0)
        span->end = clock_ns(r->stack, r->log, record->end);
}

static void give_span(struct reading *r, const struct gptl_iostack_record *record)
{
    struct span span;
    fill(r, record, &span);
    span.begin = clock_ns(r->stack, r->log, record->begin);
    r->stack->counts.tied += (span.flags & GPTL_IOSTACK_TIED) != 0;
    r->stack->counts.among += (span.flags & GPTL_IOSTACK_AMONG) != 0;
    if (span.end != NO_TIME && span.end < span.begin) {
        r->log->damaged++;
        return;
    }
    span.has_parent = record->parent.process != 0 || record->parent.number != 0;
    span.parent_number = record->parent.number;
    span.parent_process = NO_PROCESS;
    if (span.flags & GPTL_IOSTACK_UNDER)
        span.parent_layer =
            (uint8_t)(record->parent.process < NLAYERS ? record->parent.process : 0);
    else if (span.has_parent)
        span.parent_process = stack_process(r->stack, record->parent.process);
    r->log->spans++;
    r->stack->counts.spans++;
    r->sink->span(r->sink->to, &span);
}

/* Pass on the end of a span. Ids may be transferred, so a span may end in another process. */
static void give_end(struct reading *r, const struct gptl_iostack_record *record)
{
    struct span end;
    fill(r, record, &end);
    if (record->flags & GPTL_IOSTACK_UNMATCHED || end.end == NO_TIME) {
        r->stack->counts.ends_without_begin++;
        return;
    }
    if (record->parent.process != 0)
        end.process = stack_process(r->stack, record->parent.process);
    r->sink->end(r->sink->to, &end);
}

static void give_sample(struct reading *r, const struct gptl_iostack_record *record)
{
    struct stack *stack = r->stack;
    struct gptl_iostack_device d;
    memcpy(&d, record, sizeof d);
    stack->samples = memory_room(stack->samples, &stack->samples_room, stack->nsamples + 1,
                                 sizeof *stack->samples);
    stack->samples[stack->nsamples++] =
        (struct device_sample){.name = d.name,
                               .host = r->log->host,
                               .process = r->log->process,
                               .is_process = d.is_process != 0,
                               .when = clock_ns(stack, r->log, d.when),
                               .reads = d.reads,
                               .writes = d.writes,
                               .bytes_read = d.bytes_read,
                               .bytes_written = d.bytes_written,
                               .busy_ms = d.busy};
}

static void give(struct reading *r, const struct gptl_iostack_record *record)
{
    if (record->kind == GPTL_IOSTACK_NONE)
        return;
    if (record->kind == GPTL_IOSTACK_TEXT) {
        add_piece(r, record);
        return;
    }
    r->wanted = 0;
    if (record->kind >= GPTL_IOSTACK_NKINDS || record->layer != r->log->header.layer)
        r->log->damaged++;
    else if (record->kind == GPTL_IOSTACK_NAME)
        begin_name(r, record);
    else if (record->kind == GPTL_IOSTACK_SPAN)
        give_span(r, record);
    else if (record->kind == GPTL_IOSTACK_DEVICE)
        give_sample(r, record);
    else
        give_end(r, record);
}

static void read_chunk(struct reading *r, uint64_t at, uint64_t size, char *buffer, size_t room)
{
    uint64_t end = at + size;
    r->wanted = 0;
    for (at += sizeof(struct gptl_iostack_chunk); at < end;) {
        size_t want = end - at < room ? (size_t)(end - at) : room;
        want -= want % sizeof(struct gptl_iostack_record);
        size_t got = want ? read_at(r->log->fd, buffer, want, at) : 0;
        for (size_t i = 0; i + sizeof(struct gptl_iostack_record) <= got;
             i += sizeof(struct gptl_iostack_record)) {
            struct gptl_iostack_record record;
            memcpy(&record, buffer + i, sizeof record);
            give(r, &record);
        }
        if (got < want)
            r->log->is_cut = true;
        if (got < want || want == 0)
            return;
        at += got;
    }
}

static bool is_chunk(const struct gptl_iostack_chunk *chunk, const struct span_log *log)
{
    return chunk->magic == GPTL_IOSTACK_CHUNK_MAGIC && chunk->process == log->header.process &&
           chunk->layer == log->header.layer && chunk->size >= GPTL_IOSTACK_ALIGN &&
           chunk->size % GPTL_IOSTACK_ALIGN == 0 && chunk->size <= GPTL_IOSTACK_MOST_CHUNK;
}

/* Return the next offset to examine if a chunk is missing: holes may have any size. */
static uint64_t next_place(const struct span_log *log, uint64_t at)
{
    off_t data = lseek(log->fd, (off_t)(at + GPTL_IOSTACK_ALIGN), SEEK_DATA);
    if (data < 0)
        return errno == ENXIO ? log->size : at + GPTL_IOSTACK_ALIGN;
    return (uint64_t)data / GPTL_IOSTACK_ALIGN * GPTL_IOSTACK_ALIGN;
}

void log_read(struct stack *stack, struct span_log *log, const struct span_sink *sink)
{
    enum { ROOM = 1 << 20 };
    struct reading *r = memory_zeros(1, sizeof *r);
    char *buffer = memory_zeros(ROOM, 1);
    struct gptl_iostack_chunk chunk;
    *r = (struct reading){.stack = stack, .log = log, .sink = sink};
    for (uint64_t at = GPTL_IOSTACK_ALIGN; at < log->size;) {
        if (read_at(log->fd, &chunk, sizeof chunk, at) < sizeof chunk) {
            log->is_cut = true;
            break;
        }
        if (is_chunk(&chunk, log)) {
            read_chunk(r, at, chunk.size, buffer, ROOM);
            at += chunk.size;
        } else {
            log->damaged += chunk.magic != 0;
            at = next_place(log, at);
        }
    }
    stack->counts.lost += log->header.lost;
    stack->counts.hidden += log->header.hidden;
    stack->counts.damaged += log->damaged + log->is_cut;
    stack->counts.killed += !(log->header.flags & GPTL_IOSTACK_ENDED);
    free(buffer);
    free(r);
}
