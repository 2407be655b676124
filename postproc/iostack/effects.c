/*
 * effects.c - effects of the calls of the topmost layer: for each operation on a file one row for
 * the operation's layer, and one for each layer that worked for it.
 */
#include "config.h"

#include "postproc/iostack/views.h"

#include <stdlib.h>
#include <string.h>

#include "postproc/ioc/memory.h"

static uint64_t key_of(const struct call *call, int layer)
{
    uint64_t key = call->file * UINT64_C(0x9e3779b97f4a7c15);
    key ^= (uint64_t)call->layer << 16 | (uint64_t)call->operation << 8 | (uint64_t)layer;
    return (key ^ key >> 29) * UINT64_C(0xff51afd7ed558ccd);
}

static struct effect *find(struct views *views, const struct call *call, int layer)
{
    uint64_t *index = map_put(&views->effect_of, key_of(call, layer));
    if (*index == 0) {
        views->effects = memory_room(views->effects, &views->effects_room, views->neffects + 1,
                                     sizeof *views->effects);
        views->effects[views->neffects] = (struct effect){.of = call->layer,
                                                          .operation = call->operation,
                                                          .layer = (uint8_t)layer,
                                                          .file = call->file};
        *index = ++views->neffects;
    }
    return &views->effects[*index - 1];
}

void effects_add(struct views *views, const struct call *call, const struct cell *cells,
                 size_t ncells)
{
    for (size_t i = 0; i < ncells; i++) {
        const struct cell *c = &cells[i];
        struct effect *e = find(views, call, c->layer);
        bool is_own = c->layer == call->layer && c->process == call->client;
        /* Nested calls of the same layer are part of this one. */
        e->calls += is_own;
        e->spans += is_own ? 1 : c->spans;
        e->bytes = calls_sum(e->bytes, c->bytes);
        e->busy = calls_sum(e->busy, c->busy);
        e->unended += c->unended;
    }
}

/* ---- Rows ---------------------------------------------------------------------------------- */

static int compare(const void *x, const void *y, void *stack)
{
    const struct effect *a = x, *b = y;
    int order = (a->of > b->of) - (a->of < b->of);
    if (order == 0 && a->file != b->file)
        order = strcmp(stack_name(stack, a->file), stack_name(stack, b->file));
    if (order == 0)
        order = (a->file > b->file) - (a->file < b->file);
    if (order == 0)
        order = (a->operation > b->operation) - (a->operation < b->operation);
    return order ? order : (a->layer > b->layer) - (a->layer < b->layer);
}

static bool is_same(const struct effect *a, const struct effect *b)
{
    return a->of == b->of && a->file == b->file && a->operation == b->operation;
}

/* Write a ratio, or an empty cell if undefined: communication does not report bytes. */
static void put_ratio(struct rows *rows, double value, double of)
{
    if (value > 0 && of > 0)
        rows_real(rows, value / of);
    else
        rows_none(rows);
}

static void put(struct views *views, struct rows *rows, const struct effect *e,
                const struct effect *own)
{
    rows_text(rows, stack_layer(e->of));
    rows_text(rows, stack_operation(e->operation));
    rows_text(rows, stack_name(views->stack, e->file));
    rows_number(rows, (int64_t)own->calls);
    rows_text(rows, stack_layer(e->layer));
    rows_number(rows, (int64_t)e->spans);
    put_ratio(rows, (double)e->spans, (double)own->calls);
    rows_bytes(rows, e->bytes);
    put_ratio(rows, (double)e->bytes, (double)own->bytes);
    rows_seconds(rows, e->busy);
    put_ratio(rows, (double)e->busy, (double)own->busy);
    rows_number(rows, (int64_t)e->unended);
}

/* Rows of one operation on one file. */
struct operation {
    size_t first, end;
};

struct operation_rows {
    struct views *views;
    struct rows rows;
};

static void put_operation(void *to, const void *item)
{
    static const struct effect none;
    struct operation_rows *o = to;
    const struct operation *operation = item;
    /* The operation's own layer is the topmost, so its row is at the front. */
    const struct effect *own = &o->views->effects[operation->first];
    if (own->layer != own->of)
        own = &none;
    for (size_t i = operation->first; i < operation->end; i++)
        put(o->views, &o->rows, &o->views->effects[i], own);
}

void effects_print(struct views *views)
{
    static const struct column columns[] = {{"of", "calls of", true},
                                            {"operation", "operation", true},
                                            {"file", "file", true},
                                            {"calls", "calls", false},
                                            {"layer", "led to", true},
                                            {"spans", "spans", false},
                                            {"spans_per_call", "a call", false},
                                            {"bytes", "bytes", false},
                                            {"bytes_per_byte", "a byte", false},
                                            {"busy_s", "busy s", false},
                                            {"busy_share", "share", false},
                                            {"unended", NULL, false}};
    struct operation_rows to = {.views = views};
    struct longest longest;
    rows_begin(&to.rows, views->out, views->format, columns, sizeof columns / sizeof columns[0]);
    longest_begin(&longest, views->top, sizeof(struct operation));
    if (views->neffects > 0)
        qsort_r(views->effects, views->neffects, sizeof *views->effects, compare, views->stack);
    for (size_t i = 0; i < views->neffects;) {
        struct operation o = {.first = i, .end = i + 1};
        while (o.end < views->neffects && is_same(&views->effects[i], &views->effects[o.end]))
            o.end++;
        if (views_has_all(views))
            put_operation(&to, &o);
        else
            longest_add(&longest, views->effects[i].busy, &o);
        i = o.end;
    }
    longest_each(&longest, put_operation, &to);
    rows_end(&to.rows);
    views_tell_rest(views, longest.seen, "operations on files");
    longest_free(&longest);
}
