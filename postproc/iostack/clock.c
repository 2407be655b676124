/*
 * clock.c - a common time for all logs. The processes of a host share its clock; the log with the
 * most accurate rate defines it. Between hosts, a request and its answer bound the clock offset:
 * the child lies within its parent, so the offset lies between two bounds, and each pair of spans
 * narrows them. A collective call also bounds it if it ends nowhere before it has started
 * everywhere. That is certain for opening a file; other calls wait only for needed data, so they
 * count only if they contradict neither each other nor the certain bounds.
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

/* Return a time from 1970 on, so that differences of times, and of differences, do not overflow. */
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

/* Return whether the clock of BEST is also the clock of LOG: different hosts may share a name. */
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

static struct clock_bound *bound_of(struct stack *stack, uint32_t a, uint32_t b)
{
    uint64_t *index = map_put(&stack->bound_of, (uint64_t)a << 32 | b);
    if (*index == 0) {
        stack->bounds = memory_room(stack->bounds, &stack->bounds_room, stack->nbounds + 1,
                                    sizeof *stack->bounds);
        stack->bounds[stack->nbounds] = (struct clock_bound){.a = a, .b = b};
        *index = ++stack->nbounds;
    }
    return &stack->bounds[*index - 1];
}

static void narrow(struct clock_range *range, int64_t least, int64_t most)
{
    if (range->n++ == 0)
        *range = (struct clock_range){least, most, least, most, 1};
    range->least = least > range->least ? least : range->least;
    range->most = most < range->most ? most : range->most;
    if (most - least < range->narrow_most - range->narrow_least) {
        range->narrow_least = least;
        range->narrow_most = most;
    }
}

/* Record that the offset of B lies between LEAST and MOST. */
static void take(struct stack *stack, uint32_t a, uint32_t b, int64_t least, int64_t most,
                 bool sure)
{
    struct clock_bound *bound = a < b ? bound_of(stack, a, b) : bound_of(stack, b, a);
    struct clock_range *range = sure ? &bound->sure : &bound->likely;
    if (a < b)
        narrow(range, least, most);
    else
        narrow(range, -most, -least);
}

void clock_pair(struct stack *stack, uint32_t a, int64_t a_begin, int64_t a_end, uint32_t b,
                int64_t b_begin, int64_t b_end)
{
    int64_t least = a_begin - b_begin, most = a_end - b_end;
    if (least <= most) /* otherwise the child outlived its parent, as asynchronous ones do */
        take(stack, a, b, least, most, true);
}

void clock_meeting(struct stack *stack, uint32_t a, int64_t a_begin, int64_t a_end, uint32_t b,
                   int64_t b_begin, int64_t b_end, bool sure)
{
    int64_t least = a_begin - b_end, most = a_end - b_begin;
    if (least <= most) /* otherwise it did not wait */
        take(stack, a, b, least, most, sure);
}

bool clock_agrees(const struct clock_range *range)
{
    return range->n > 0 && range->least <= range->most;
}

/* Return the range of a bound. If the clocks drift, the narrowest certain bound counts. */
static struct clock_range range_of(const struct clock_bound *bound)
{
    struct clock_range range = bound->sure;
    if (range.n > 0 && !clock_agrees(&range)) {
        range.least = range.narrow_least;
        range.most = range.narrow_most;
    }
    if (clock_agrees(&bound->likely)) {
        struct clock_range both = range;
        if (range.n == 0)
            return bound->likely;
        narrow(&both, bound->likely.least, bound->likely.most);
        if (clock_agrees(&both))
            return both;
    }
    return range;
}

/* Compute the offset of one host of a bound if the other one is known. */
static bool tie(struct stack *stack, const struct clock_bound *bound)
{
    struct host *a = &stack->hosts[bound->a], *b = &stack->hosts[bound->b];
    struct clock_range range = range_of(bound);
    if (a->is_tied == b->is_tied || range.n == 0)
        return false;
    int64_t middle = range.least + (range.most - range.least) / 2,
            half = (range.most - range.least + 1) / 2;
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
