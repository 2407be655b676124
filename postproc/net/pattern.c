/* pattern.c - positions in a pattern, and the same pattern for more ranks. */
#include "config.h"

#include "postproc/net/pattern.h"

#include <math.h>
#include <stdio.h>

/* ---- Positions ----------------------------------------------------------------------------- */

static void place_of(const struct pattern *p, int rank, int at[PATTERN_DIMENSIONS])
{
    for (int d = 0; d < PATTERN_DIMENSIONS; d++) {
        at[d] = rank % p->size[d];
        rank /= p->size[d];
    }
}

static int rank_at(const struct pattern *p, const int at[PATTERN_DIMENSIONS])
{
    return at[0] + p->size[0] * (at[1] + p->size[1] * at[2]);
}

int pattern_peer(const struct pattern *p, int rank, int direction)
{
    int at[PATTERN_DIMENSIONS], d = direction / 2;
    if (p->kind == PATTERN_DOUBLING)
        return rank ^ 1 << direction;
    place_of(p, rank, at);
    at[d] += direction % 2 ? 1 : -1;
    if (p->periodic[d])
        at[d] = (at[d] + p->size[d]) % p->size[d];
    return at[d] >= 0 && at[d] < p->size[d] && p->size[d] > 1 ? rank_at(p, at) : -1;
}

int pattern_direction(const struct pattern *p, int rank, int peer)
{
    int n = p->kind == PATTERN_DOUBLING ? p->stages : 2 * PATTERN_DIMENSIONS;
    if (p->kind == PATTERN_COLLECTIVES)
        return -1;
    for (int direction = 0; direction < n; direction++)
        if (pattern_peer(p, rank, direction) == peer)
            return direction;
    return -1;
}

void pattern_name(const struct pattern *p, char *name, size_t size)
{
    int n = (p->size[0] > 1) + (p->size[1] > 1) + (p->size[2] > 1);
    if (p->kind == PATTERN_COLLECTIVES)
        snprintf(name, size, "collectives only");
    else if (p->kind == PATTERN_DOUBLING)
        snprintf(name, size, "recursive doubling");
    else if (n == 1)
        snprintf(name, size, p->periodic[0] ? "a ring" : "a line");
    else if (n == 2)
        snprintf(name, size, "a grid of %d x %d", p->size[0], p->size[1]);
    else
        snprintf(name, size, "a grid of %d x %d x %d", p->size[0], p->size[1], p->size[2]);
}

int pattern_like(const struct pattern *from, const struct pattern *to, int rank)
{
    int at[PATTERN_DIMENSIONS];
    if (from->kind != PATTERN_GRID)
        return rank % from->ranks;
    place_of(to, rank, at);
    for (int d = 0; d < PATTERN_DIMENSIONS; d++) {
        int n = from->size[d];
        if (from->periodic[d] || n < 3)
            at[d] %= n;
        else if (at[d] == to->size[d] - 1)
            at[d] = n - 1;
        else if (at[d] > 0)
            at[d] = 1 + (at[d] - 1) % (n - 2);
    }
    return rank_at(from, at);
}

/* ---- More ranks ---------------------------------------------------------------------------- */

/* Return the distance of TO's shape from FROM's shape grown equally in all dimensions. */
static double distance(const struct pattern *to, const struct pattern *from)
{
    int n = 0;
    double sum = 0;
    for (int d = 0; d < PATTERN_DIMENSIONS; d++)
        n += from->size[d] > 1;
    double grown = pow((double)to->ranks / from->ranks, 1.0 / n);
    for (int d = 0; d < PATTERN_DIMENSIONS; d++) {
        if ((from->size[d] > 1) != (to->size[d] > 1) || (to->size[d] > 1 && to->size[d] < 3))
            return INFINITY;
        if (from->size[d] > 1)
            sum += fabs(log(to->size[d] / (from->size[d] * grown)));
    }
    return sum;
}

static bool fit_grid(struct pattern *to, const struct pattern *from)
{
    double best = INFINITY;
    struct pattern found = *to;
    for (int x = 1; x <= to->ranks; x++) {
        for (int y = 1; to->ranks % x == 0 && y <= to->ranks / x; y++) {
            if (to->ranks / x % y != 0)
                continue;
            to->size[0] = x;
            to->size[1] = y;
            to->size[2] = to->ranks / x / y;
            double d = distance(to, from);
            if (d < best) {
                best = d;
                found = *to;
            }
        }
    }
    *to = found;
    return isfinite(best);
}

int pattern_resize(struct pattern *to, const struct pattern *from, int ranks, char *why,
                   size_t size)
{
    char name[80];
    *to = *from;
    to->ranks = ranks;
    pattern_name(from, name, sizeof name);
    if (ranks < from->ranks) {
        snprintf(why, size, "there are traces of %d ranks: --ranks makes more of them, not fewer",
                 from->ranks);
        return -1;
    }
    if (from->kind == PATTERN_DOUBLING) {
        to->stages = 0;
        while (1 << to->stages < ranks)
            to->stages++;
        if (1 << to->stages == ranks)
            return 0;
        snprintf(why, size, "%s is of a power of two ranks, which %d is not", name, ranks);
        return -1;
    }
    if (from->kind == PATTERN_GRID && !fit_grid(to, from)) {
        snprintf(why, size, "%d ranks make nothing like %s, with at least 3 along each side", ranks,
                 name);
        return -1;
    }
    return 0;
}
