/*
 * calls.c - the sums of a call's spans. The parts of a layer are its spans; in the bottom layers,
 * where one request becomes several consecutive accesses, a part is everything that one parent
 * caused, from the first start to the last end.
 */
#include "config.h"

#include "postproc/iostack/calls.h"

#include <stdlib.h>
#include <string.h>

#include "postproc/ioc/memory.h"

struct walking {
    struct stack *stack;
    const struct query *query;
    struct span *spans;
    size_t n, room;
    /* One entry per span. */
    size_t *parents, *order, *by_parent;
    size_t parents_room, order_room, by_parent_room;
    int64_t *exclusive, *part_begin, *part_end;
    size_t exclusive_room, part_begin_room, part_end_room;
    struct cell *cells;
    size_t ncells, cells_room;
    int64_t next_number[NLAYERS];
    uint32_t client;
    bool knows_lines;    /* the application has a log */
    struct map groups;   /* maps opening and number to the collective */
    struct map openings; /* index in the stack's openings */
    call_visitor *visit;
    void *to;
};

static bool is_bottom(int layer)
{
    return layer == GPTL_LAYER_DISK || layer == GPTL_LAYER_POSIX;
}

/* ---- Order --------------------------------------------------------------------------------- */

static int compare_numbers(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_ids(const void *x, const void *y)
{
    const struct span *a = x, *b = y;
    int order = compare_numbers(a->process, b->process);
    return order ? order : compare_numbers(a->number, b->number);
}

static int compare_by_parent(const void *x, const void *y, void *to)
{
    const struct walking *w = to;
    size_t a = *(const size_t *)x, b = *(const size_t *)y;
    int order = compare_numbers(w->parents[a], w->parents[b]);
    if (order)
        return order;
    return w->spans[a].begin < w->spans[b].begin ? -1 : w->spans[a].begin > w->spans[b].begin;
}

static int compare_by_cell(const void *x, const void *y, void *to)
{
    const struct walking *w = to;
    const struct span *a = &w->spans[*(const size_t *)x], *b = &w->spans[*(const size_t *)y];
    int order = compare_numbers(a->layer, b->layer);
    order = order ? order : compare_numbers(a->process, b->process);
    return order ? order : a->begin < b->begin ? -1 : a->begin > b->begin;
}

static void make_room(struct walking *w)
{
    w->parents = memory_room(w->parents, &w->parents_room, w->n, sizeof *w->parents);
    w->order = memory_room(w->order, &w->order_room, w->n, sizeof *w->order);
    w->by_parent = memory_room(w->by_parent, &w->by_parent_room, w->n, sizeof *w->by_parent);
    w->exclusive = memory_room(w->exclusive, &w->exclusive_room, w->n, sizeof *w->exclusive);
    w->part_begin = memory_room(w->part_begin, &w->part_begin_room, w->n, sizeof *w->part_begin);
    w->part_end = memory_room(w->part_end, &w->part_end_room, w->n, sizeof *w->part_end);
}

/* Drop spans with a duplicate id, except the first. */
static void drop_duplicates(struct walking *w)
{
    size_t kept = 0;
    qsort(w->spans, w->n, sizeof *w->spans, compare_ids);
    for (size_t i = 0; i < w->n; i++)
        if (kept > 0 && compare_ids(&w->spans[kept - 1], &w->spans[i]) == 0)
            w->stack->counts.duplicates++;
        else
            w->spans[kept++] = w->spans[i];
    w->n = kept;
}

static size_t find(const struct walking *w, uint32_t process, uint64_t number)
{
    struct span key = {.process = process, .number = number};
    const struct span *s = bsearch(&key, w->spans, w->n, sizeof key, compare_ids);
    return s ? (size_t)(s - w->spans) : SIZE_MAX;
}

static void prepare(struct walking *w)
{
    drop_duplicates(w);
    make_room(w);
    for (size_t i = 0; i < w->n; i++) {
        struct span *s = &w->spans[i];
        int64_t offset = w->stack->hosts[w->stack->processes[s->process].host].offset;
        s->begin += offset;
        s->end += s->end == NO_TIME ? 0 : offset;
        w->parents[i] = s->has_parent ? find(w, s->parent_process, s->parent_number) : SIZE_MAX;
        w->order[i] = w->by_parent[i] = i;
    }
    qsort_r(w->by_parent, w->n, sizeof *w->by_parent, compare_by_parent, w);
    qsort_r(w->order, w->n, sizeof *w->order, compare_by_cell, w);
}

/* ---- Times --------------------------------------------------------------------------------- */

static int64_t duration_of(const struct span *s)
{
    return s->end == NO_TIME ? -1 : s->end - s->begin;
}

/* Compute each span's time without overlap of its children. */
static void find_exclusive(struct walking *w)
{
    for (size_t i = 0; i < w->n; i++)
        w->exclusive[i] = duration_of(&w->spans[i]);
    for (size_t i = 0; i < w->n;) {
        size_t p = w->parents[w->by_parent[i]];
        if (p == SIZE_MAX) /* sorted to the end */
            return;
        const struct span *parent = &w->spans[p];
        int64_t covered = parent->begin;
        for (; i < w->n && w->parents[w->by_parent[i]] == p; i++) {
            const struct span *s = &w->spans[w->by_parent[i]];
            if (s->end == NO_TIME || parent->end == NO_TIME)
                continue;
            int64_t begin = s->begin > covered ? s->begin : covered;
            int64_t end = s->end < parent->end ? s->end : parent->end;
            if (end > begin) {
                w->exclusive[p] -= end - begin;
                covered = end;
            }
        }
    }
}

static void add_part(struct cell *cell, int64_t duration)
{
    cell->longest = duration > cell->longest ? duration : cell->longest;
    cell->total = calls_sum(cell->total, duration);
}

/* Add the parts of the spans from ORDER on, all of one layer and process. */
static void add_extents(struct walking *w, struct cell *cell, const size_t *order, size_t n)
{
    for (int pass = 0; pass < 3; pass++)
        for (size_t i = 0; i < n; i++) {
            const struct span *s = &w->spans[order[i]];
            size_t p = w->parents[order[i]];
            if (s->end == NO_TIME)
                continue;
            if (p == SIZE_MAX) {
                if (pass == 0)
                    add_part(cell, duration_of(s));
            } else if (pass == 0) {
                w->part_begin[p] = INT64_MAX;
                w->part_end[p] = INT64_MIN;
            } else if (pass == 1) {
                w->part_begin[p] = s->begin < w->part_begin[p] ? s->begin : w->part_begin[p];
                w->part_end[p] = s->end > w->part_end[p] ? s->end : w->part_end[p];
            } else if (w->part_end[p] != INT64_MIN) {
                add_part(cell, w->part_end[p] - w->part_begin[p]);
                w->part_end[p] = INT64_MIN;
            }
        }
}

static void make_cell(struct walking *w, const struct call *call, const size_t *order, size_t n)
{
    const struct span *first = &w->spans[order[0]];
    struct cell cell = {.client = call->client,
                        .process = first->process,
                        .call = call->number,
                        .layer = first->layer,
                        .operation = first->operation,
                        .call_layer = call->layer,
                        .call_operation = call->operation,
                        .file = call->file,
                        .duration = call->duration,
                        .line = call->line,
                        .spans = n,
                        .group = call->group,
                        .row = call->row,
                        .processes = 1};
    int64_t covered = INT64_MIN;
    for (size_t i = 0; i < n; i++) {
        const struct span *s = &w->spans[order[i]];
        cell.bytes = calls_sum(cell.bytes, s->bytes > 0 ? s->bytes : 0);
        cell.accesses += s->operation == GPTL_OP_READ || s->operation == GPTL_OP_WRITE;
        if (s->end == NO_TIME) {
            cell.unended++;
            continue;
        }
        int64_t exclusive = w->exclusive[order[i]], begin = s->begin > covered ? s->begin : covered;
        cell.exclusive = exclusive > cell.exclusive ? exclusive : cell.exclusive;
        if (s->end > begin)
            cell.busy += s->end - begin;
        covered = s->end > covered ? s->end : covered;
        if (!is_bottom(s->layer))
            add_part(&cell, duration_of(s));
    }
    if (is_bottom(cell.layer))
        add_extents(w, &cell, order, n);
    w->cells = memory_room(w->cells, &w->cells_room, w->ncells + 1, sizeof *w->cells);
    w->cells[w->ncells++] = cell;
}

/* ---- Calls --------------------------------------------------------------------------------- */

static bool is_chosen(const struct walking *w, uint32_t process, int layer)
{
    const struct numbers *ranges = &w->query->of_layer[layer];
    return ranges->n == 0 || numbers_have(ranges, stack_index(w->stack, process, layer));
}

static bool is_selected(const struct walking *w, const struct call *call)
{
    const struct query *q = w->query;
    return (q->operations == 0 || q->operations >> call->operation & 1) &&
           numbers_have(&q->calls, call->row) &&
           (q->lines.n == 0 || !w->knows_lines ||
            (call->line >= 0 && numbers_have(&q->lines, call->line))) &&
           is_chosen(w, call->client, call->layer);
}

static size_t find_opening(struct walking *w, uint64_t opening)
{
    struct stack *stack = w->stack;
    uint64_t *index = map_put(&w->openings, opening);
    if (*index == 0) {
        stack->openings = memory_room(stack->openings, &stack->openings_room, stack->nopenings + 1,
                                      sizeof *stack->openings);
        stack->openings[stack->nopenings] = 0;
        *index = ++stack->nopenings;
    }
    return *index - 1;
}

/*
 * Find the collective of CALL. Calls are ordered by process, so the first process defines the
 * collective.
 */
static void find_group(struct walking *w, struct call *call, const struct span *s)
{
    struct stack *stack = w->stack;
    call->row = call->number;
    if (s->collective == 0 || s->key == 0)
        return;
    uint64_t layer = s->layer * UINT64_C(0xff51afd7ed558ccd), opening = s->key + layer;
    uint64_t *index =
        map_put(&w->groups, (s->key ^ s->collective * UINT64_C(0x9e3779b97f4a7c15)) + layer);
    if (*index == 0) {
        stack->collectives = memory_room(stack->collectives, &stack->collectives_room,
                                         stack->ncollectives + 1, sizeof *stack->collectives);
        stack->collectives[stack->ncollectives] =
            (struct collective){call->number, 0, find_opening(w, opening)};
        *index = ++stack->ncollectives;
    }
    struct collective *c = &stack->collectives[*index - 1];
    call->group = *index;
    call->row = c->row;
    /* the first call counts once a second one exists */
    stack->counts.collective += ++c->calls == 2 ? 2 : c->calls > 2;
    uint64_t *most = &stack->openings[c->opening];
    *most = c->calls > *most ? c->calls : *most;
}

static void count_lacking(struct stack *stack)
{
    for (size_t i = 0; i < stack->ncollectives; i++) {
        const struct collective *c = &stack->collectives[i];
        stack->counts.lacking += c->calls < stack->openings[c->opening];
    }
}

/* Return whether -O excludes CALL only because its operation is unknown. */
static bool is_of_unknown_operation(const struct walking *w, const struct call *call)
{
    bool unknown = call->operation == 0 || call->operation == GPTL_OP_OTHER;
    return unknown && w->query->operations != 0 && !(w->query->operations >> call->operation & 1);
}

/* Return the number of spans selected by -O. */
static uint64_t count_wanted(const struct walking *w)
{
    uint64_t n = 0;
    for (size_t i = 0; i < w->n; i++)
        n += w->query->operations >> w->spans[i].operation & 1;
    return n;
}

static void take_call(struct walking *w)
{
    struct span first = w->spans[0]; /* contains the data common to all spans */
    if (first.call_process != w->client)
        memset(w->next_number, 0, sizeof w->next_number);
    w->client = first.call_process;
    prepare(w);
    size_t root = find(w, first.call_process, first.call_number);
    if (root == SIZE_MAX)
        return;
    const struct span *s = &w->spans[root];
    struct call call = {.client = s->process,
                        .number = w->next_number[s->layer]++,
                        .layer = s->layer,
                        .operation = s->operation,
                        .span = s->number,
                        .application = s->application,
                        .application_process = s->application_process,
                        .applications = s->applications,
                        .is_lost = s->has_parent && s->parent_process == NO_PROCESS,
                        .begin = s->begin,
                        .line = s->line,
                        .file = s->file,
                        .duration = duration_of(s)};
    w->ncells = 0;
    find_group(w, &call, s);
    if (is_of_unknown_operation(w, &call))
        w->stack->counts.unknown_operation += count_wanted(w);
    call.is_selected = is_selected(w, &call);
    if (!call.is_selected && call.layer != GPTL_LAYER_APP)
        return;
    find_exclusive(w);
    for (size_t i = 0, next; i < w->n; i = next) {
        const struct span *a = &w->spans[w->order[i]];
        for (next = i + 1; next < w->n; next++) {
            const struct span *b = &w->spans[w->order[next]];
            if (a->layer != b->layer || a->process != b->process)
                break;
        }
        if (is_chosen(w, a->process, a->layer))
            make_cell(w, &call, w->order + i, next - i);
    }
    struct call_spans spans = {w->spans, w->parents, w->n};
    w->visit(w->to, &call, &spans, w->cells, w->ncells);
}

void calls_walk(struct stack *stack, const struct query *query, struct sorter *by_call,
                call_visitor *visit, void *to)
{
    struct walking w = {
        .stack = stack, .query = query, .client = NO_PROCESS, .visit = visit, .to = to};
    struct span span;
    w.knows_lines = stack_nth(stack, 0, GPTL_LAYER_APP) != NO_PROCESS;
    for (bool have = sorter_next(by_call, &span); have;) {
        struct span first = span;
        w.n = 0;
        do {
            w.spans = memory_room(w.spans, &w.room, w.n + 1, sizeof *w.spans);
            w.spans[w.n++] = span;
            have = sorter_next(by_call, &span);
        } while (have && span.call_process == first.call_process &&
                 span.call_begin == first.call_begin && span.call_number == first.call_number);
        take_call(&w);
    }
    free(w.spans);
    free(w.parents);
    free(w.order);
    free(w.by_parent);
    free(w.exclusive);
    free(w.part_begin);
    free(w.part_end);
    free(w.cells);
    map_free(&w.groups);
    map_free(&w.openings);
    count_lacking(stack);
}
