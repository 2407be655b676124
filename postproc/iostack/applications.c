/*
 * applications.c - the totals of application spans. A call adds its cells to the innermost
 * application span above it, and a span's totals are added to the enclosing span: so the innermost
 * spans are summed up before outer ones.
 */
#include "config.h"

#include "postproc/iostack/views.h"

#include <stdlib.h>

#include "postproc/ioc/memory.h"

enum { MOST_NESTED = 64 };

/* A cell of an application span; a cell of the layer app is the span itself. */
struct part {
    struct cell cell;
    uint64_t span, around; /* numbers of ids; 0: none encloses it */
    uint32_t process, around_process;
    bool is_selected;
};

static struct sort_key part_key(const void *item)
{
    const struct part *p = item;
    return (struct sort_key){p->process, p->span, (uint64_t)p->cell.layer << 32 | p->cell.process};
}

static struct sort_key total_key(const void *item)
{
    const struct application_total *t = item;
    return (struct sort_key){t->client, (uint64_t)t->call, 0};
}

void applications_begin(struct views *views)
{
    views->nested = memory_zeros(MOST_NESTED, sizeof *views->nested);
    for (int i = 0; i < MOST_NESTED; i++)
        sorter_begin(&views->nested[i], sizeof(struct part), part_key);
    sorter_begin(&views->totals, sizeof(struct application_total), total_key);
}

void applications_free(struct views *views)
{
    for (int i = 0; i < MOST_NESTED; i++)
        sorter_free(&views->nested[i]);
    free(views->nested);
    sorter_free(&views->totals);
}

static void add_part(struct views *views, unsigned level, const struct part *part)
{
    sorter_add(&views->nested[level < MOST_NESTED ? level : MOST_NESTED - 1], part);
}

static void add_itself(struct views *views, const struct call *call)
{
    struct part part = {.cell = {.client = call->client,
                                 .process = call->client,
                                 .call = call->number,
                                 .layer = GPTL_LAYER_APP,
                                 .call_layer = GPTL_LAYER_APP,
                                 .call_operation = call->operation,
                                 .file = call->file,
                                 .duration = call->duration,
                                 .line = call->line,
                                 .row = call->row},
                        .span = call->span,
                        .process = call->client,
                        .around = call->application,
                        .around_process = call->application_process,
                        .is_selected = call->is_selected};
    add_part(views, call->applications, &part);
}

void applications_add(struct views *views, const struct call *call, const struct cell *cells,
                      size_t ncells)
{
    if (views->by != VIEW_CALL && views->by != VIEW_CLIENT && views->by != VIEW_APPLICATION)
        return;
    if (call->layer == GPTL_LAYER_APP)
        add_itself(views, call);
    else if (call->is_selected && call->application)
        for (size_t i = 0; i < ncells; i++) {
            struct part part = {
                .cell = cells[i], .span = call->application, .process = call->application_process};
            add_part(views, call->applications - 1u, &part);
        }
}

/* ---- Totals -------------------------------------------------------------------------------- */

static void add_cell(struct cell *to, const struct cell *c)
{
    to->spans += c->spans;
    to->unended += c->unended;
    to->accesses += c->accesses;
    to->bytes = calls_sum(to->bytes, c->bytes);
    to->busy = calls_sum(to->busy, c->busy);
    to->total = calls_sum(to->total, c->total);
    to->longest = c->longest > to->longest ? c->longest : to->longest;
    to->exclusive = c->exclusive > to->exclusive ? c->exclusive : to->exclusive;
}

/*
 * Add CELL, the sum of all spans of one layer and process below ITSELF, to the output and to the
 * enclosing span.
 */
static void give(struct views *views, const struct part *itself, int level, const struct cell *cell,
                 struct application_total *total)
{
    struct cell given = itself->cell;
    given.layer = cell->layer;
    given.process = cell->process;
    given.processes = 1;
    add_cell(&given, cell);
    if (itself->is_selected && views->by != VIEW_APPLICATION)
        sorter_add(&views->cells, &given);
    struct application_sum *sum = &total->layers[cell->layer];
    sum->spans += cell->spans;
    sum->unended += cell->unended;
    sum->bytes = calls_sum(sum->bytes, cell->bytes);
    sum->busy = calls_sum(sum->busy, cell->busy);
    if (itself->around && level > 0) {
        struct part outer = {
            .cell = *cell, .span = itself->around, .process = itself->around_process};
        add_part(views, (unsigned)level - 1, &outer);
    }
}

static bool is_same_span(const struct part *a, const struct part *b)
{
    return a->process == b->process && a->span == b->span;
}

/*
 * Sum the parts of an application span from FIRST on. FIRST becomes the first part of the next
 * span.
 */
static bool take_span(struct views *views, int level, struct part *first)
{
    struct part itself = *first, part;
    bool have, is_known = itself.cell.layer == GPTL_LAYER_APP;
    struct application_total total = {.client = itself.cell.client,
                                      .call = itself.cell.call,
                                      .line = itself.cell.line,
                                      .duration = itself.cell.duration,
                                      .file = itself.cell.file,
                                      .operation = itself.cell.call_operation};
    struct cell cell = {.layer = 0};
    while ((have = sorter_next(&views->nested[level], &part)) && is_same_span(&itself, &part)) {
        if (part.cell.layer == GPTL_LAYER_APP || !is_known)
            continue; /* a duplicate, or a span without a record */
        if (part.cell.layer == cell.layer && part.cell.process == cell.process) {
            add_cell(&cell, &part.cell);
            continue;
        }
        if (cell.layer)
            give(views, &itself, level, &cell, &total);
        cell = part.cell;
    }
    if (cell.layer)
        give(views, &itself, level, &cell, &total);
    if (is_known && itself.is_selected && views->by == VIEW_APPLICATION)
        sorter_add(&views->totals, &total);
    *first = part;
    return have;
}

void applications_join(struct views *views)
{
    for (int level = MOST_NESTED - 1; level >= 0; level--) {
        struct part part;
        sorter_sort(&views->nested[level]);
        for (bool have = sorter_next(&views->nested[level], &part); have;)
            have = take_span(views, level, &part);
    }
}

/* ---- Rows ---------------------------------------------------------------------------------- */

struct total_rows {
    const struct views *views;
    struct rows rows;
};

static void put_layer(struct total_rows *to, const struct application_total *t, int layer)
{
    struct rows *rows = &to->rows;
    const struct application_sum *sum = &t->layers[layer];
    rows_text(rows, to->views->stack->processes[t->client].label);
    rows_number(rows, t->call);
    if (t->line >= 0)
        rows_number(rows, t->line);
    else
        rows_none(rows);
    rows_text(rows, stack_operation(t->operation));
    rows_text(rows, stack_name(to->views->stack, t->file));
    if (t->duration >= 0)
        rows_seconds(rows, t->duration);
    else
        rows_none(rows);
    rows_text(rows, layer ? stack_layer(layer) : "");
    rows_number(rows, (int64_t)sum->spans);
    rows_bytes(rows, sum->bytes);
    rows_seconds(rows, sum->busy);
    if (t->duration > 0 && layer)
        rows_real(rows, (double)sum->busy / (double)t->duration);
    else
        rows_none(rows);
    rows_number(rows, (int64_t)sum->unended);
}

/* An application span without any spans below has one row. */
static void put_total(void *to, const void *item)
{
    const struct application_total *t = item;
    bool any = false;
    for (int l = 1; l < NLAYERS; l++)
        if (t->layers[l].spans > 0) {
            put_layer(to, t, l);
            any = true;
        }
    if (!any)
        put_layer(to, t, 0);
}

void applications_print(struct views *views)
{
    static const struct column columns[] = {
        {"client", "client", true},     {"call", "call", false},
        {"line", "line", false},        {"operation", "operation", true},
        {"file", NULL, true},           {"call_s", "call s", false},
        {"layer", "led to", true},      {"spans", "spans", false},
        {"bytes", "bytes", false},      {"busy_s", "busy s", false},
        {"busy_share", "share", false}, {"unended", NULL, false}};
    struct total_rows to = {.views = views};
    struct longest longest;
    struct application_total total;
    rows_begin(&to.rows, views->out, views->format, columns, sizeof columns / sizeof columns[0]);
    longest_begin(&longest, views->top, sizeof total);
    applications_join(views);
    sorter_sort(&views->totals);
    while (sorter_next(&views->totals, &total))
        if (views_has_all(views))
            put_total(&to, &total);
        else
            longest_add(&longest, total.duration, &total);
    longest_each(&longest, put_total, &to);
    rows_end(&to.rows);
    views_tell_rest(views, longest.seen, "spans of the application");
    longest_free(&longest);
}
