/*
 * shared.c - adds the work of aggregators to rows of clients. In two-phase I/O some processes of a
 * collective transfer the data of all; that work is recorded below their calls and belongs to the
 * calls of the others as well.
 */
#include "config.h"

#include "postproc/iostack/views.h"

#include <stdlib.h>

#include "postproc/ioc/memory.h"

/* Sort key: a collective's calls, followed by their work by layer; both ordered by client. */
static struct sort_key by_group(const void *item)
{
    const struct cell *c = item;
    return (struct sort_key){c->group, (uint64_t)c->layer, c->client};
}

void shared_begin(struct views *views)
{
    sorter_begin(&views->shares, sizeof(struct cell), by_group);
}

void shared_add(struct views *views, const struct call *call, const struct cell *cells,
                size_t ncells)
{
    if (call->group == 0)
        return;
    struct cell member = {.client = call->client,
                          .call = call->number,
                          .call_layer = call->layer,
                          .call_operation = call->operation,
                          .file = call->file,
                          .duration = call->duration,
                          .line = call->line,
                          .group = call->group,
                          .row = call->row,
                          .is_shared = true};
    sorter_add(&views->shares, &member);
    for (size_t i = 0; i < ncells; i++)
        if (cells[i].layer >= GPTL_LAYER_CLIENT)
            sorter_add(&views->shares, &cells[i]);
}

struct cells {
    struct cell *cells;
    size_t n, room;
};

static void push(struct cells *to, const struct cell *cell)
{
    to->cells = memory_room(to->cells, &to->room, to->n + 1, sizeof *to->cells);
    to->cells[to->n++] = *cell;
}

/* Sum over a layer, and the two clients with the longest parts. */
struct sums {
    struct cell all;
    const struct cell *first, *second;
};

static void add(struct cell *to, const struct cell *cell)
{
    to->spans += cell->spans;
    to->unended += cell->unended;
    to->accesses += cell->accesses;
    to->bytes = calls_sum(to->bytes, cell->bytes);
    to->busy = calls_sum(to->busy, cell->busy);
    to->processes += cell->processes;
}

static struct sums sum(const struct cells *parts)
{
    struct sums s = {.first = NULL};
    for (size_t i = 0; i < parts->n; i++) {
        const struct cell *c = &parts->cells[i];
        add(&s.all, c);
        if (!s.first || c->longest > s.first->longest) {
            if (!s.first || s.first->client != c->client)
                s.second = s.first;
            s.first = c;
        } else if (c->client != s.first->client && (!s.second || c->longest > s.second->longest))
            s.second = c;
    }
    return s;
}

/* Add the PARTS of other processes, all of one layer, to each call of the collective. */
static void give(struct views *views, const struct cells *members, const struct cells *parts)
{
    struct sums s = sum(parts);
    size_t at = 0;
    for (size_t i = 0; i < members->n; i++) {
        struct cell given = members->cells[i], own = {.spans = 0};
        for (; at < parts->n && parts->cells[at].client <= given.client; at++)
            if (parts->cells[at].client == given.client)
                add(&own, &parts->cells[at]);
        const struct cell *longest = s.first->client == given.client ? s.second : s.first;
        if (own.spans == s.all.spans)
            continue;
        given.layer = parts->cells[0].layer;
        given.process = NO_PROCESS;
        given.longest = longest ? longest->longest : -1;
        given.spans = s.all.spans - own.spans;
        given.unended = s.all.unended - own.unended;
        given.accesses = s.all.accesses - own.accesses;
        given.bytes = s.all.bytes - own.bytes;
        given.busy = s.all.busy - own.busy;
        given.processes = s.all.processes - own.processes;
        sorter_add(&views->cells, &given);
    }
}

void shared_join(struct views *views)
{
    struct cells members = {0}, parts = {0};
    struct cell cell;
    sorter_sort(&views->shares);
    for (bool have = sorter_next(&views->shares, &cell); have;) {
        struct cell first = cell;
        members.n = parts.n = 0;
        for (; have && cell.group == first.group && cell.layer == 0;
             have = sorter_next(&views->shares, &cell))
            push(&members, &cell);
        while (have && cell.group == first.group) {
            int layer = cell.layer;
            parts.n = 0;
            for (; have && cell.group == first.group && cell.layer == layer;
                 have = sorter_next(&views->shares, &cell))
                push(&parts, &cell);
            if (members.n > 1)
                give(views, &members, &parts);
        }
    }
    free(members.cells);
    free(parts.cells);
}
