/*
 * pairs.c - joins starts and ends that were recorded separately: sorted by id, or by pointer and
 * time, each end follows its start. A span that names its parent by a pointer finds it in the same
 * way.
 */
#include "config.h"

#include "postproc/iostack/spans.h"

static struct sort_key id_key(const void *item)
{
    const struct span *s = item;
    return (struct sort_key){s->process, s->number, s->role};
}

static uint64_t time_key(int64_t time)
{
    return (uint64_t)time ^ UINT64_C(1) << 63;
}

static struct sort_key pointer_key(const void *item)
{
    const struct span *s = item;
    int64_t time = s->role == ROLE_END ? s->end : s->begin;
    return (struct sort_key){(uint64_t)s->process << 8 | s->layer, s->key, time_key(time)};
}

/* Sort a reference with the spans of the layer that it names. */
static struct sort_key under_key(const void *item)
{
    const struct span *s = item;
    bool refers = s->role == ROLE_REFERENCE;
    return (struct sort_key){(uint64_t)s->process << 8 | (refers ? s->parent_layer : s->layer),
                             refers ? s->parent_number : s->key, time_key(s->begin)};
}

void pairs_begin(struct pairs *pairs, struct stack *stack, void (*done)(void *, struct span *),
                 void *to)
{
    *pairs = (struct pairs){.stack = stack, .done = done, .to = to};
    sorter_begin(&pairs->by_id, sizeof(struct span), id_key);
    sorter_begin(&pairs->by_key, sizeof(struct span), pointer_key);
    sorter_begin(&pairs->under, sizeof(struct span), under_key);
}

void pairs_span(struct pairs *pairs, struct span *span)
{
    span->role = ROLE_SPAN;
    pairs->any_under |= (span->flags & GPTL_IOSTACK_UNDER) != 0;
    if (span->flags & (GPTL_IOSTACK_KEYED | GPTL_IOSTACK_UNDER))
        sorter_add(&pairs->by_key, span);
    else if (span->end == NO_TIME)
        sorter_add(&pairs->by_id, span);
    else
        pairs->done(pairs->to, span);
}

void pairs_end(struct pairs *pairs, struct span *end)
{
    end->role = ROLE_END;
    sorter_add(end->flags & GPTL_IOSTACK_KEYED ? &pairs->by_key : &pairs->by_id, end);
}

/* Complete a span from its end, which may add data. */
static void finish(struct span *span, const struct span *end)
{
    span->end = end->end;
    if (end->bytes >= 0)
        span->bytes = end->bytes;
}

static bool is_same_id(const struct span *a, const struct span *b)
{
    return a->process == b->process && a->number == b->number;
}

static void join_ids(struct pairs *pairs)
{
    struct span span, open;
    bool any = false;
    sorter_sort(&pairs->by_id);
    while (sorter_next(&pairs->by_id, &span)) {
        if (span.role == ROLE_SPAN) {
            if (any)
                pairs->done(pairs->to, &open);
            open = span;
            any = true;
        } else if (any && is_same_id(&open, &span) && open.end == NO_TIME &&
                   span.end >= open.begin) {
            finish(&open, &span);
            pairs->stack->counts.in_parts += open.layer == GPTL_LAYER_MPI && open.collective != 0;
        } else
            pairs->stack->counts.ends_without_begin++;
    }
    if (any)
        pairs->done(pairs->to, &open);
    sorter_free(&pairs->by_id);
}

/*
 * Pass on a span with a pointer: it may be the parent of others, and may name its own parent by
 * another pointer.
 */
static void done_with_key(struct pairs *pairs, struct span *span)
{
    if (!pairs->any_under) {
        pairs->done(pairs->to, span);
        return;
    }
    span->role = ROLE_SPAN;
    sorter_add(&pairs->under, span);
    if (!(span->flags & GPTL_IOSTACK_UNDER))
        return;
    span->role = ROLE_REFERENCE;
    sorter_add(&pairs->under, span);
}

static bool has_same_key(const struct span *a, const struct span *b)
{
    return a->process == b->process && a->layer == b->layer && a->key == b->key;
}

/*
 * Join by pointer. At most one span per pointer is open at a time; a start while another is open
 * means that the other never ended. Within the same nanosecond the end may be sorted after the
 * start of the next span, so that span waits.
 */
static void join_keys(struct pairs *pairs)
{
    struct span item, open[2];
    int n = 0;
    sorter_sort(&pairs->by_key);
    while (sorter_next(&pairs->by_key, &item)) {
        while (n > 0 && (!has_same_key(&open[0], &item) ||
                         (n == 2 && (item.role == ROLE_SPAN || item.end > open[1].begin)))) {
            done_with_key(pairs, &open[0]);
            open[0] = open[1];
            n--;
        }
        if (item.role == ROLE_SPAN && item.end == NO_TIME)
            open[n++] = item;
        else if (item.role == ROLE_SPAN)
            done_with_key(pairs, &item);
        else if (n == 0)
            pairs->stack->counts.ends_without_begin++;
        else {
            finish(&open[0], &item);
            done_with_key(pairs, &open[0]);
            open[0] = open[1];
            n--;
        }
    }
    for (int i = 0; i < n; i++)
        done_with_key(pairs, &open[i]);
    sorter_free(&pairs->by_key);
}

/* Join parents: a span that names its parent follows all earlier spans with that pointer. */
static void join_parents(struct pairs *pairs)
{
    struct span item, last = {0};
    bool any = false;
    sorter_sort(&pairs->under);
    while (sorter_next(&pairs->under, &item)) {
        if (item.role == ROLE_SPAN) {
            last = item;
            any = true;
            if (!(item.flags & GPTL_IOSTACK_UNDER))
                pairs->done(pairs->to, &item);
            continue;
        }
        bool found = any && last.process == item.process && last.layer == item.parent_layer &&
                     last.key == item.parent_number &&
                     (last.end == NO_TIME || last.end >= item.begin);
        item.parent_process = found ? last.process : NO_PROCESS;
        item.parent_number = found ? last.number : 0;
        item.has_parent = true;
        item.role = ROLE_SPAN;
        pairs->done(pairs->to, &item);
    }
    sorter_free(&pairs->under);
}

void pairs_finish(struct pairs *pairs)
{
    join_ids(pairs);
    join_keys(pairs);
    join_parents(pairs);
}
