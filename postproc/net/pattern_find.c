/*
 * pattern_find.c - finds the pattern of a run: the first candidate that all calls of all ranks
 * follow. A rank with neighbors on all sides is the model: other ranks must make the same calls,
 * except calls toward missing neighbors.
 */
#include "config.h"

#include "postproc/net/pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/ioc/memory.h"
#include "postproc/net/net.h"

/* The event at which a pattern failed, and the reason. */
struct failure {
    int rank;
    uint64_t event;
    char what[200];
};

struct walk {
    struct trace_cursor cursor;
    struct trace_event event;
    const struct trace *trace;
    uint64_t number; /* number of the event, from 1 */
    bool there;
};

/* ---- One call ------------------------------------------------------------------------------ */

void pattern_received(const struct trace *trace, const struct trace_event *event, int *from,
                      int *tag)
{
    const struct trace_found *found = event->posted ? trace_found_of(trace, event->request) : NULL;
    *from = found ? found->from : event->peer;
    *tag = found ? found->tag : event->tag;
}

/*
 * Advance to the next call, skipping computation and unsuccessful tests, whose number varies
 * between ranks.
 */
static void step(struct walk *walk)
{
    do
        walk->there = trace_next(&walk->cursor, &walk->event);
    while (walk->there && (walk->event.what == GPTL_TI_COMPUTE || trace_is_poll(&walk->event)));
    walk->there = walk->there && walk->event.what != GPTL_TI_END;
    walk->number += walk->there;
}

static struct walk begin(const struct trace *trace)
{
    struct walk walk = {.trace = trace};
    if (trace->nthreads) {
        trace_begin(&walk.cursor, trace, 0);
        step(&walk);
    }
    return walk;
}

/*
 * Directions of a call's outgoing and incoming messages, -1 for none. find_sides returns false for
 * a message to a rank other than a neighbor.
 */
struct sides {
    int to, from;
};

static bool find_sides(const struct pattern *p, const struct walk *walk, struct sides *sides,
                       int *peer)
{
    const struct trace_event *e = &walk->event;
    int rank = walk->trace->rank, tag;
    *sides = (struct sides){-1, -1};
    if (e->what == GPTL_TI_SEND || e->what == GPTL_TI_SENDRECV) {
        *peer = e->peer;
        if ((sides->to = pattern_direction(p, rank, *peer)) < 0)
            return false;
    }
    if (e->what == GPTL_TI_SENDRECV)
        *peer = e->from;
    else if (e->what == GPTL_TI_RECV || e->what == GPTL_TI_PROBE)
        pattern_received(walk->trace, e, peer, &tag);
    else
        return true;
    return (sides->from = pattern_direction(p, rank, *peer)) >= 0;
}

static int tag_of(const struct walk *walk)
{
    int from, tag;
    if (walk->event.what != GPTL_TI_RECV)
        return walk->event.tag;
    pattern_received(walk->trace, &walk->event, &from, &tag);
    return tag;
}

/* ---- A rank and its model ------------------------------------------------------------------ */

/* Requests of the model that this rank also has, by number. */
struct kept {
    uint64_t *request;
    size_t n, room;
};

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t count_kept(const struct kept *kept, struct trace_event wait)
{
    uint64_t latest = wait.request, n = 0;
    for (uint64_t i = 0; i < wait.n; i++) {
        trace_waited(&wait, &latest);
        n += kept->n && bsearch(&latest, kept->request, kept->n, sizeof latest, by_number);
    }
    return n;
}

static bool differ(struct failure *failure, const struct walk *walk, const char *what)
{
    failure->rank = walk->trace->rank;
    failure->event = walk->number;
    snprintf(failure->what, sizeof failure->what, "%s", what);
    return false;
}

/* Return the model's call as expected on RANK, without missing neighbors; 0: no call. */
static int expected(const struct pattern *p, int rank, const struct trace_event *model,
                    struct sides sides)
{
    bool to = sides.to >= 0 && pattern_peer(p, rank, sides.to) >= 0;
    bool from = sides.from >= 0 && pattern_peer(p, rank, sides.from) >= 0;
    if (model->what == GPTL_TI_SENDRECV)
        return to && from ? GPTL_TI_SENDRECV : to ? GPTL_TI_SEND : from ? GPTL_TI_RECV : 0;
    return to || from ? model->what : 0;
}

static bool same_message(const struct pattern *p, const struct walk *own, const struct walk *model,
                         struct sides sides, int what, struct failure *failure)
{
    struct sides here;
    char text[160];
    int peer = -1;
    if (!own->there || own->event.what != what || own->event.posted != model->event.posted)
        return differ(failure, own,
                      own->there ? "another call than that of the other ranks"
                                 : "ends before the other ranks do");
    bool known = find_sides(p, own, &here, &peer);
    if (!known || (here.to >= 0 && here.to != sides.to) ||
        (here.from >= 0 && here.from != sides.from)) {
        snprintf(text, sizeof text,
                 "a message with rank %d, where the others' are with another side", peer);
        return differ(failure, own, text);
    }
    bool tags = what == GPTL_TI_SENDRECV || model->event.what != GPTL_TI_SENDRECV;
    if (tags && tag_of(own) != tag_of(model))
        return differ(failure, own, "a tag that depends on the rank");
    return true;
}

static bool same_call(const struct walk *own, const struct walk *model, struct failure *failure)
{
    const struct trace_event *a = &own->event, *b = &model->event;
    if (!own->there || a->what != b->what || a->posted != b->posted)
        return differ(failure, own,
                      own->there ? "another call than that of the other ranks"
                                 : "ends before the other ranks do");
    if (a->what == GPTL_TI_COLLECTIVE && (a->mode != b->mode || a->peer != b->peer))
        return differ(failure, own, "another collective, or root, than that of the other ranks");
    if (a->what == GPTL_TI_ONESIDED || a->what == GPTL_TI_EPOCH)
        return differ(failure, own, "one-sided communication, which is no pattern that is known");
    if (a->what == GPTL_TI_NEIGHBORS)
        return differ(failure, own,
                      "a neighborhood collective, which says not enough of the pattern");
    return true;
}

static bool is_world(const struct trace *trace, uint32_t comm)
{
    const struct trace_comm *c = comm < trace->ncomms ? &trace->comm[comm] : NULL;
    if (!c || !c->member || c->n != (uint32_t)trace->ranks || c->nremote)
        return false;
    for (uint32_t i = 0; i < c->n; i++)
        if (c->member[i] != (int)i)
            return false;
    return true;
}

static bool keeps_to(const struct pattern *p, const struct trace *trace, const struct trace *model,
                     struct failure *failure)
{
    struct walk own = begin(trace), other = begin(model);
    struct kept kept = {0};
    bool good = true;
    for (; good && other.there; step(&other)) {
        const struct trace_event *e = &other.event;
        struct sides sides;
        int peer = -1;
        bool is_message = e->what == GPTL_TI_SEND || e->what == GPTL_TI_RECV ||
                          e->what == GPTL_TI_SENDRECV || e->what == GPTL_TI_PROBE;
        if (own.there && own.event.what != GPTL_TI_WAIT && own.event.what != GPTL_TI_OTHER &&
            !is_world(trace, own.event.comm)) {
            good = differ(failure, &own, "a call on a communicator of some ranks only");
        } else if (e->what == GPTL_TI_WAIT) {
            uint64_t n = count_kept(&kept, *e);
            if (n == 0)
                continue;
            if (!own.there || own.event.what != GPTL_TI_WAIT || own.event.n != n)
                good = differ(failure, &own, "does not wait for what the other ranks wait for");
        } else if (is_message) {
            if (!find_sides(p, &other, &sides, &peer)) {
                char text[100];
                snprintf(text, sizeof text, "a message with rank %d, which is no neighbor", peer);
                good = differ(failure, &other, text);
                break;
            }
            int what = expected(p, trace->rank, e, sides);
            if (!what)
                continue;
            good = same_message(p, &own, &other, sides, what, failure);
            if (e->posted) {
                kept.request =
                    memory_room(kept.request, &kept.room, kept.n + 1, sizeof *kept.request);
                kept.request[kept.n++] = e->request;
            }
        } else {
            good = same_call(&own, &other, failure);
            if (e->posted) {
                kept.request =
                    memory_room(kept.request, &kept.room, kept.n + 1, sizeof *kept.request);
                kept.request[kept.n++] = e->request;
            }
        }
        if (good)
            step(&own);
    }
    if (good && own.there)
        good = differ(failure, &own, "goes on after the other ranks have ended");
    free(kept.request);
    return good;
}

/* ---- Candidate patterns -------------------------------------------------------------------- */

/* Return a rank with neighbors on all sides, or -1. */
static int model_of(const struct pattern *p)
{
    int at = 0, below = 1;
    if (p->kind != PATTERN_GRID)
        return 0;
    for (int d = 0; d < PATTERN_DIMENSIONS; d++) {
        if (p->size[d] == 2)
            return -1; /* both neighbors are the same rank */
        at += p->size[d] > 1 ? below : 0;
        below *= p->size[d];
    }
    return at;
}

static bool try_pattern(const struct pattern *p, struct trace *const *traces,
                        struct failure *furthest)
{
    int model = model_of(p);
    if (model < 0)
        return false;
    for (int r = 0; r < p->ranks; r++) {
        struct failure failure;
        if (keeps_to(p, traces[r], traces[model], &failure))
            continue;
        if (furthest->what[0] == '\0' || failure.event > furthest->event)
            *furthest = failure;
        return false;
    }
    return true;
}

static bool try_grids(struct pattern *p, struct trace *const *traces, int dimensions,
                      struct failure *furthest)
{
    p->kind = PATTERN_GRID;
    for (int x = 1; x <= p->ranks; x++)
        for (int y = 1; p->ranks % x == 0 && y <= p->ranks / x; y++) {
            if (p->ranks / x % y != 0)
                continue;
            p->size[0] = x;
            p->size[1] = y;
            p->size[2] = p->ranks / x / y;
            int n = 0, packed = 1;
            for (int d = 0; d < PATTERN_DIMENSIONS; d++) {
                n += p->size[d] > 1;
                packed &= p->size[d] > 1 || d >= dimensions;
            }
            for (int sides = 0; n == dimensions && packed && sides < 1 << n; sides++) {
                for (int d = 0; d < PATTERN_DIMENSIONS; d++)
                    p->periodic[d] = sides >> d & 1;
                if (try_pattern(p, traces, furthest))
                    return true;
            }
        }
    return false;
}

static bool has_messages(struct trace *const *traces, int ranks)
{
    for (int r = 0; r < ranks; r++) {
        struct walk walk = begin(traces[r]);
        for (; walk.there; step(&walk))
            if (walk.event.what <= GPTL_TI_PROBE || walk.event.what == GPTL_TI_NEIGHBORS)
                return true;
    }
    return false;
}

int pattern_find(struct pattern *p, struct trace *const *traces, int ranks, char *why, size_t size)
{
    struct failure furthest = {0};
    *p = (struct pattern){.kind = PATTERN_COLLECTIVES, .ranks = ranks, .size = {1, 1, 1}};
    for (int r = 0; r < ranks; r++) {
        if (traces[r]->nthreads > 1) {
            snprintf(why, size, "rank %d: %zu threads call MPI, and no pattern is known for that",
                     r, traces[r]->nthreads);
            return -1;
        }
    }
    bool messages = has_messages(traces, ranks);
    if (messages && ranks < 3) {
        snprintf(why, size, "the messages of %d ranks fit any pattern: record a run of 4 or more",
                 ranks);
        return -1;
    }
    if (!messages && try_pattern(p, traces, &furthest))
        return 0;
    if (messages && try_grids(p, traces, 1, &furthest))
        return 0;
    p->kind = PATTERN_DOUBLING;
    while (1 << p->stages < ranks)
        p->stages++;
    if (messages && 1 << p->stages == ranks && try_pattern(p, traces, &furthest))
        return 0;
    for (int dimensions = 2; messages && dimensions <= PATTERN_DIMENSIONS; dimensions++)
        if (try_grids(p, traces, dimensions, &furthest))
            return 0;
    snprintf(why, size,
             "no pattern that is known (ring, line, grid of 3 or more along each side, recursive "
             "doubling, collectives) fits: the best one breaks at rank %d, event %llu: %s",
             furthest.rank, (unsigned long long)furthest.event, furthest.what);
    return -1;
}
