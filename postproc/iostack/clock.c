/*
 * clock.c - one time for all logs. The processes of a host share its clock: that of the log which knows
 * its rate best counts for all. Between hosts, a request and its answer say how far clocks are apart:
 * the child was within its parent, so what is to be added to its times lies between two bounds, and
 * each pair of spans narrows them.
 */
#include "config.h"

#include "postproc/iostack/stack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/ioc/memory.h"

static const struct gptl_iostack_anchor *later_of(const struct gptl_iostack_header *h)
{
    return &h->later[h->later_index & 1];
}

static int64_t clamp(__int128 value, int64_t least)
{
    return value > INT64_MAX / 2 ? INT64_MAX / 2 : value < least ? least : (int64_t)value;
}

/* From 1970 on, so that differences of times, and of these, have room. */
static int64_t wall_of(__int128 value)
{
    return clamp(value, 0);
}

static int64_t clock_of(const struct gptl_iostack_header *h, uint64_t ticks)
{
    const struct gptl_iostack_anchor *later = later_of(h);
    __int128 since = (__int128)(int64_t)(ticks - h->first.ticks);
    __int128 dt = (__int128)(int64_t)(later->ticks - h->first.ticks);
    __int128 ns = (__int128)later->monotonic - h->first.monotonic;
    if (h->flags & GPTL_IOSTACK_NANOSECONDS || dt <= 0 || ns <= 0 || dt > INT64_MAX / 2) {
        double rate = h->ticks_per_second;
        double scaled = isfinite(rate) && rate > 0 && !(h->flags & GPTL_IOSTACK_NANOSECONDS)
                            ? (double)(int64_t)since * 1e9 / rate
                            : (double)(int64_t)since;
        ns = h->flags & GPTL_IOSTACK_NANOSECONDS ? since
             : fabs(scaled) < 4e18               ? (__int128)scaled
                                                 : 0;
        return wall_of((__int128)h->first.wall + ns);
    }
    return wall_of((__int128)h->first.wall + (since * ns + (since < 0 ? -dt / 2 : dt / 2)) / dt);
}

int64_t clock_ns(const struct stack *stack, const struct span_log *log, uint64_t ticks)
{
    return clock_of(&stack->logs[stack->hosts[log->host].best].header, ticks);
}

static int64_t known_for(const struct gptl_iostack_header *h)
{
    const struct gptl_iostack_anchor *later = later_of(h);
    return later->monotonic > h->first.monotonic ? later->monotonic - h->first.monotonic : 0;
}

/* Whether the clock of BEST is the one that LOG has: hosts may have the same name. */
static bool agrees(const struct gptl_iostack_header *best, const struct gptl_iostack_header *log)
{
    enum { TOLERANCE = 50000000 };
    if ((best->flags ^ log->flags) & GPTL_IOSTACK_NANOSECONDS)
        return false;
    int64_t difference = clock_of(best, log->first.ticks) - log->first.wall;
    return difference < TOLERANCE && difference > -TOLERANCE;
}

static uint32_t host_of(struct stack *stack, uint32_t log)
{
    const struct gptl_iostack_header *h = &stack->logs[log].header;
    for (uint32_t i = 0; i < stack->nhosts; i++) {
        struct host *host = &stack->hosts[i];
        const struct gptl_iostack_header *best = &stack->logs[host->best].header;
        if (strcmp(host->name, h->host) != 0 ||
            !(known_for(h) > known_for(best) ? agrees(h, best) : agrees(best, h)))
            continue;
        if (known_for(h) > known_for(best))
            host->best = log;
        return i;
    }
    stack->hosts =
        memory_room(stack->hosts, &stack->hosts_room, stack->nhosts + 1, sizeof *stack->hosts);
    stack->hosts[stack->nhosts] =
        (struct host){.name = memory_text(h->host), .best = log, .bound = -1};
    return (uint32_t)stack->nhosts++;
}

void clock_begin(struct stack *stack)
{
    for (uint32_t i = 0; i < stack->nlogs; i++) {
        struct span_log *log = &stack->logs[i];
        log->host = host_of(stack, i);
        stack->processes[log->process].host = log->host;
    }
}

void clock_pair(struct stack *stack, uint32_t a, int64_t a_begin, int64_t a_end, uint32_t b,
                int64_t b_begin, int64_t b_end)
{
    int64_t least = a_begin - b_begin, most = a_end - b_end;
    struct clock_bound *bound = NULL;
    if (a > b) {
        uint32_t other = a;
        int64_t opposite = -least;
        a = b;
        b = other;
        least = -most;
        most = opposite;
    }
    if (least > most) /* the child outlived its parent, as asynchronous ones do */
        return;
    for (size_t i = 0; i < stack->nbounds && !bound; i++)
        if (stack->bounds[i].a == a && stack->bounds[i].b == b)
            bound = &stack->bounds[i];
    if (!bound) {
        stack->bounds = memory_room(stack->bounds, &stack->bounds_room, stack->nbounds + 1,
                                    sizeof *stack->bounds);
        bound = &stack->bounds[stack->nbounds++];
        *bound = (struct clock_bound){a, b, least, most, least, most, 0};
    }
    bound->pairs++;
    bound->least = least > bound->least ? least : bound->least;
    bound->most = most < bound->most ? most : bound->most;
    if (most - least < bound->narrow_most - bound->narrow_least) {
        bound->narrow_least = least;
        bound->narrow_most = most;
    }
}

/* Ties the host at the other end of a bound to the first, if this end is tied. */
static bool tie(struct stack *stack, const struct clock_bound *bound)
{
    struct host *a = &stack->hosts[bound->a], *b = &stack->hosts[bound->b];
    if (a->is_tied == b->is_tied)
        return false;
    bool agree = bound->least <= bound->most; /* else the clocks drift: the narrowest pair counts */
    int64_t least = agree ? bound->least : bound->narrow_least;
    int64_t most = agree ? bound->most : bound->narrow_most;
    int64_t middle = least + (most - least) / 2, half = (most - least + 1) / 2;
    struct host *known = a->is_tied ? a : b, *other = a->is_tied ? b : a;
    other->offset = clamp((__int128)known->offset + (a->is_tied ? middle : -middle), INT64_MIN / 2);
    other->bound = clamp((__int128)known->bound + half, 0);
    return other->is_tied = true;
}

void clock_settle(struct stack *stack)
{
    if (stack->nhosts == 0)
        return;
    stack->hosts[0].is_tied = true;
    stack->hosts[0].bound = 0;
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < stack->nbounds; i++)
            again |= tie(stack, &stack->bounds[i]);
    }
}
