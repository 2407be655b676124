/*
 * extrapolate.c - makes traces for more ranks: each new rank repeats the calls of the rank with the
 * corresponding position in the pattern, with its own neighbors. man/gptl-net.1 describes the
 * scaling of sizes and times.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/ioc/memory.h"
#include "postproc/net/net.h"
#include "postproc/net/pattern.h"

/* ---- Records ------------------------------------------------------------------------------- */

struct writer {
    FILE *file;
    unsigned char *bytes;
    size_t n, room;
    uint64_t request; /* last request mentioned */
};

static void put(struct writer *w, uint64_t number)
{
    w->bytes = memory_room(w->bytes, &w->room, w->n + 10, 1);
    for (; number >= 128; number >>= 7)
        w->bytes[w->n++] = (unsigned char)(number | 128);
    w->bytes[w->n++] = (unsigned char)number;
}

static void put_signed(struct writer *w, int64_t number)
{
    put(w, (uint64_t)number << 1 ^ (number < 0 ? UINT64_MAX : 0));
}

static void put_text(struct writer *w, const char *text, size_t length)
{
    put(w, length);
    w->bytes = memory_room(w->bytes, &w->room, w->n + length, 1);
    memcpy(w->bytes + w->n, text, length);
    w->n += length;
}

static void flush(struct writer *w)
{
    const uint32_t head[3] = {GPTL_TI_CHUNK, 0, (uint32_t)w->n};
    for (int i = 0; i < 12; i++)
        fputc((int)(head[i / 4] >> 8 * (i % 4) & 255), w->file);
    fwrite(w->bytes, 1, w->n, w->file);
    w->n = 0;
}

/* Write the head of a call. REQUEST is 0 for blocking calls. */
static void put_call(struct writer *w, int what, uint64_t ns, uint64_t request)
{
    put(w, (uint64_t)what | (request ? GPTL_TI_POSTED : 0u));
    put(w, ns);
    if (!request)
        return;
    put_signed(w, (int64_t)(request - w->request));
    w->request = request;
}

/* ---- Transformation of a rank -------------------------------------------------------------- */

struct made {
    const struct pattern *from, *to;
    const struct trace *like;
    int rank; /* in TO */
    enum scaling scaling;
    double ratio; /* original ranks per new rank */
    struct writer w;
    int stage;       /* stage of doubling being written; -1: unchanged */
    uint64_t offset; /* offset of its request numbers */
    double growth;   /* growth of its messages */
};

static uint64_t scaled(uint64_t bytes, double factor)
{
    return (uint64_t)llround((double)bytes * factor);
}

/*
 * Return the growth of a message. With strong scaling, the side of a block shrinks by the growth in
 * the number of blocks along it.
 */
static double message_factor(const struct made *m, int direction)
{
    double factor = 1;
    if (m->scaling == SCALING_WEAK)
        return m->growth;
    if (m->from->kind == PATTERN_DOUBLING)
        return m->growth * m->ratio;
    for (int d = 0; d < PATTERN_DIMENSIONS; d++)
        if (d != direction / 2)
            factor *= (double)m->from->size[d] / m->to->size[d];
    return factor;
}

static double collective_factor(const struct made *m, int kind)
{
    double strong = m->scaling == SCALING_STRONG ? m->ratio : 1;
    switch (kind) {
    case GPTL_TI_GATHER:
    case GPTL_TI_GATHERV:
    case GPTL_TI_SCATTER:
    case GPTL_TI_SCATTERV:
    case GPTL_TI_ALLGATHER:
    case GPTL_TI_ALLGATHERV:
    case GPTL_TI_REDUCE_SCATTER:
    case GPTL_TI_REDUCE_SCATTER_BLOCK:
        return strong;
    case GPTL_TI_ALLTOALL:
    case GPTL_TI_ALLTOALLV:
    case GPTL_TI_ALLTOALLW:
        return strong * m->ratio;
    default:
        return 1;
    }
}

static int new_peer(const struct made *m, int peer, int *direction)
{
    *direction = pattern_direction(m->from, m->like->rank, peer);
    if (m->stage >= 0)
        *direction = m->stage;
    return pattern_peer(m->to, m->rank, *direction);
}

static void put_pieces(struct writer *w, struct trace_pieces pieces)
{
    put(w, pieces.piece);
    put(w, pieces.row);
    put_signed(w, pieces.list);
}

static void make_message(struct made *m, const struct trace_event *e)
{
    struct writer *w = &m->w;
    int direction, from = e->peer, tag = e->tag;
    bool receives = e->what == GPTL_TI_RECV || e->what == GPTL_TI_PROBE;
    if (receives)
        pattern_received(m->like, e, &from, &tag);
    int peer = new_peer(m, from, &direction);
    bool pieces = e->pieces.piece || e->from_pieces.piece;
    put_call(w, e->what | (pieces ? GPTL_TI_MORE : 0) | (e->reused ? GPTL_TI_REUSED : 0), 0,
             e->posted ? e->request + m->offset : 0);
    if (e->what == GPTL_TI_SEND)
        put(w, (uint64_t)e->mode);
    put_signed(w, peer);
    put(w, e->comm);
    put_signed(w, tag);
    put(w, scaled(e->bytes, message_factor(m, direction)));
    if (e->what == GPTL_TI_SENDRECV) {
        put_signed(w, new_peer(m, e->from, &direction));
        put_signed(w, e->from_tag);
        put(w, scaled(e->n, message_factor(m, direction)));
    }
    if (pieces)
        put_pieces(w, e->pieces);
    if (pieces && e->what == GPTL_TI_SENDRECV)
        put_pieces(w, e->from_pieces);
    if (e->reused)
        put(w, scaled(e->reused, message_factor(m, direction)));
}

static void make_collective(struct made *m, struct trace_event e)
{
    struct writer *w = &m->w;
    double factor = collective_factor(m, e.mode);
    int root = e.peer == m->from->ranks - 1 ? m->to->ranks - 1 : e.peer;
    put_call(w, (unsigned)e.what | (e.renewed ? GPTL_TI_MORE : 0) | (e.reused ? GPTL_TI_REUSED : 0),
             0, e.posted ? e.request + m->offset : 0);
    put(w, (uint64_t)e.mode);
    put(w, e.comm);
    put_signed(w, root);
    put(w, scaled(e.bytes, factor));
    uint64_t *each = memory_zeros((size_t)m->from->ranks, sizeof *each), n = e.n;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t one = trace_number(&e.list, e.end);
        if (i < (uint64_t)m->from->ranks)
            each[i] = one;
    }
    put(w, n ? (uint64_t)m->to->ranks : 0);
    for (int i = 0; n && i < m->to->ranks; i++)
        put(w, scaled(each[pattern_like(m->from, m->to, i)], factor));
    if (e.renewed)
        put(w, scaled(e.renewed, factor));
    if (e.reused)
        put(w, scaled(e.reused, factor));
    free(each);
}

static void make_wait(struct made *m, struct trace_event e)
{
    uint64_t latest = e.request;
    put_call(&m->w, e.what, 0, 0);
    put(&m->w, e.n);
    for (uint64_t i = 0; i < e.n; i++) {
        trace_waited(&e, &latest);
        bool cancelled = e.mode & GPTL_TI_CANCELLED;
        uint64_t request = latest + m->offset;
        put_signed(&m->w,
                   (int64_t)(request - m->w.request) * 4 + (cancelled ? GPTL_TI_CANCELLED : 0));
        m->w.request = request;
    }
}

static void make_event(struct made *m, const struct trace_event *e)
{
    switch (e->what) {
    case GPTL_TI_COMPUTE:
        put(&m->w, GPTL_TI_COMPUTE);
        put(&m->w, e->region);
        put(&m->w, scaled(e->ns, m->scaling == SCALING_STRONG ? m->ratio : 1));
        break;
    case GPTL_TI_WAIT:
        make_wait(m, *e);
        break;
    case GPTL_TI_COLLECTIVE:
        make_collective(m, *e);
        break;
    case GPTL_TI_OTHER:
        put_call(&m->w, e->what, e->ns, 0);
        put(&m->w, e->number);
        break;
    case GPTL_TI_END:
        break;
    default:
        make_message(m, e);
        break;
    }
}

/* ---- Doubling: the last stage is repeated for additional stages ---------------------------- */

struct group {
    struct trace_event *event;
    size_t n, room;
    bool open;              /* the last stage has begun */
    uint64_t bytes, before; /* bytes of its messages, and of the previous stage's */
};

static void keep(struct group *group, const struct trace_event *e)
{
    group->event = memory_room(group->event, &group->room, group->n + 1, sizeof *group->event);
    group->event[group->n++] = *e;
}

static void write_group(struct made *m, struct group *group)
{
    double step = group->before ? (double)group->bytes / (double)group->before : 1;
    if (!(step == 2 || step == 0.5))
        step = 1;
    for (size_t i = 0; i < group->n; i++)
        make_event(m, &group->event[i]);
    for (int stage = m->from->stages; group->open && stage < m->to->stages; stage++) {
        m->stage = stage;
        m->offset += (uint64_t)1 << 40;
        m->growth *= step;
        for (size_t i = 0; i < group->n; i++)
            make_event(m, &group->event[i]);
    }
    m->stage = -1;
    m->offset = 0;
    m->growth = 1;
    group->n = 0;
    group->open = false;
}

/* Take an event. Computation before a stage belongs to the stage. */
static void take_doubling(struct made *m, struct group *group, const struct trace_event *e)
{
    bool is_message = e->what <= GPTL_TI_PROBE && e->what != GPTL_TI_COMPUTE;
    int from = e->peer, tag, stage = -1;
    if (is_message) {
        if (e->what == GPTL_TI_RECV || e->what == GPTL_TI_PROBE)
            pattern_received(m->like, e, &from, &tag);
        stage = pattern_direction(m->from, m->like->rank, from);
        if (stage == m->from->stages - 1) {
            group->open = true;
            if (e->bytes)
                group->bytes = e->bytes;
        } else if (e->bytes) {
            group->before = e->bytes;
        }
    }
    bool ends =
        group->open &&
        ((is_message && stage != m->from->stages - 1) || e->what == GPTL_TI_COLLECTIVE ||
         e->what == GPTL_TI_END ||
         (e->what == GPTL_TI_COMPUTE && group->event[group->n - 1].what != GPTL_TI_COMPUTE &&
          group->event[group->n - 1].what != GPTL_TI_SEND && !group->event[group->n - 1].posted));
    if (ends)
        write_group(m, group);
    keep(group, e);
    if (!group->open && e->what != GPTL_TI_COMPUTE)
        write_group(m, group);
}

/* ---- File ---------------------------------------------------------------------------------- */

static void make_definitions(struct made *m)
{
    struct writer *w = &m->w;
    const struct trace_thread *thread = m->like->nthreads ? &m->like->thread[0] : NULL;
    for (size_t i = 1; thread && i < thread->nregions; i++) {
        const struct trace_region *one = &thread->region[i];
        if (!one->name)
            continue;
        put(w, GPTL_TI_REGION);
        put(w, i);
        put(w, one->parent);
        put_text(w, one->name, one->length);
    }
    for (size_t i = 0; i < m->like->nothers; i++) {
        if (!m->like->other[i].name)
            continue;
        put(w, GPTL_TI_NAME);
        put(w, i);
        put_text(w, m->like->other[i].name, m->like->other[i].length);
    }
    for (size_t i = 1; i < m->like->ncomms; i++) {
        if (!m->like->comm[i].member || m->like->comm[i].n != (uint32_t)m->from->ranks)
            continue;
        put(w, GPTL_TI_COMM);
        put(w, i);
        put(w, (uint64_t)m->to->ranks);
        for (int r = 0; r < m->to->ranks; r++)
            put_signed(w, 0);
        put(w, 0);
    }
}

static void make_events(struct made *m)
{
    enum { CHUNK = 64 << 10 };
    struct trace_cursor cursor;
    struct trace_event e;
    struct group group = {0};
    if (m->like->nthreads) {
        trace_begin(&cursor, m->like, 0);
        while (trace_next(&cursor, &e)) {
            if (trace_is_poll(&e))
                continue;
            if (m->from->kind == PATTERN_DOUBLING)
                take_doubling(m, &group, &e);
            else
                make_event(m, &e);
            if (m->w.n >= CHUNK)
                flush(&m->w);
        }
        write_group(m, &group);
    }
    free(group.event);
    put_call(&m->w, GPTL_TI_END, 0, 0);
    put(&m->w, 0);
    put(&m->w, 0);
    flush(&m->w);
}

static int make_rank(struct made *m, const char *folder)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/" GPTL_TI_PREFIX "%d" GPTL_TI_SUFFIX, folder, m->rank);
    m->w.file = fopen(path, "we");
    if (m->w.file) {
        fprintf(m->w.file, GPTL_TI_FIRST_LINE "rank %d\nranks %d\nhost made\nstarted 0.0\n\n",
                m->rank, m->to->ranks);
        make_definitions(m);
        make_events(m);
    }
    bool written = m->w.file && !ferror(m->w.file);
    if (m->w.file && fclose(m->w.file) == 0 && written)
        return 0;
    fprintf(stderr, NET_WHO ": cannot write %s: %s\n", path, strerror(errno));
    return -1;
}

int net_extrapolate(struct trace *const *traces, int from, int ranks, enum scaling scaling,
                    const char *folder, char *pattern, size_t size)
{
    struct pattern old, new;
    char why[512];
    if (pattern_find(&old, traces, from, why, sizeof why) ||
        pattern_resize(&new, &old, ranks, why, sizeof why)) {
        fprintf(stderr, NET_WHO ": no traces of %d ranks can be made of these: %s\n", ranks, why);
        return -1;
    }
    pattern_name(&old, pattern, size);
    struct made m = {.from = &old,
                     .to = &new,
                     .scaling = scaling,
                     .ratio = (double)from / ranks,
                     .stage = -1,
                     .growth = 1};
    int status = 0;
    for (m.rank = 0; status == 0 && m.rank < ranks; m.rank++) {
        m.like = traces[pattern_like(&old, &new, m.rank)];
        m.w.request = 0;
        status = make_rank(&m, folder);
    }
    free(m.w.bytes);
    return status;
}
