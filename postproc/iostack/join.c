/*
 * join.c - finds the call of each span from ids alone. Waiting spans are sorted by their parent's
 * id; the spans of one level, sorted by id, are merged with them, which yields the next level. So
 * memory does not grow with the logs.
 */
#include "config.h"

#include "postproc/iostack/spans.h"

enum { MOST_LEVELS = 64 };

/* Data that children inherit. */
struct known {
    uint64_t number, call_number;
    int64_t call_begin, begin, end, line;
    uint64_t application;
    uint32_t process, call_process, application_process;
    uint8_t layer, depth, applications;
};

struct joining {
    struct stack *stack;
    struct sorter waiting, *by_call;
    struct sorter level; /* of struct known: the last level found */
    struct sorter meetings;
    uint64_t found;
    int top; /* layer of the uppermost calls, which include all spans below */
};

static struct sort_key parent_key(const void *item)
{
    const struct span *s = item;
    return (struct sort_key){s->parent_process, s->parent_number, s->number};
}

static struct sort_key own_key(const void *item)
{
    const struct span *s = item;
    return (struct sort_key){s->process, s->number, 0};
}

static struct sort_key known_key(const void *item)
{
    const struct known *k = item;
    return (struct sort_key){k->process, k->number, 0};
}

static struct sort_key call_key(const void *item)
{
    const struct span *s = item;
    return (struct sort_key){s->call_process, (uint64_t)s->call_begin ^ UINT64_C(1) << 63,
                             s->call_number};
}

static void found(struct joining *j, struct span *span, const struct known *parent)
{
    if (!parent || parent->layer < j->top) {
        span->call_process = span->process;
        span->call_begin = span->begin;
        span->call_number = span->number;
        span->depth = 0;
    } else {
        span->call_process = parent->call_process;
        span->call_begin = parent->call_begin;
        span->call_number = parent->call_number;
        span->depth = (uint8_t)(parent->depth + 1);
    }
    if (parent) {
        span->application = parent->application;
        span->application_process = parent->application_process;
        span->applications = parent->applications;
    }
    span->line = span->layer == GPTL_LAYER_APP ? span->offset : parent ? parent->line : -1;
    struct known known = {.number = span->number,
                          .process = span->process,
                          .call_number = span->call_number,
                          .call_begin = span->call_begin,
                          .call_process = span->call_process,
                          .begin = span->begin,
                          .end = span->end,
                          .line = span->line,
                          .application = span->application,
                          .application_process = span->application_process,
                          .applications = span->applications,
                          .layer = span->layer,
                          .depth = span->depth};
    if (span->layer == GPTL_LAYER_APP) {
        known.application = span->number;
        known.application_process = span->process;
        known.applications++;
    }
    sorter_add(&j->level, &known);
    sorter_add(j->by_call, span);
    meetings_add(&j->meetings, j->stack, span);
    j->found++;
}

static void take(void *to, struct span *span)
{
    struct joining *j = to;
    struct counts *counts = &j->stack->counts;
    counts->open += span->end == NO_TIME;
    counts->left += (span->flags & GPTL_IOSTACK_LEFT) != 0;
    if (!span->has_parent)
        found(j, span, NULL);
    else
        sorter_add(&j->waiting, span);
}

static void tell_clock(struct stack *stack, const struct span *child, const struct known *parent)
{
    uint32_t a = stack->processes[parent->process].host, b = stack->processes[child->process].host;
    if (a != b && parent->end != NO_TIME && child->end != NO_TIME)
        clock_pair(stack, a, parent->begin, parent->end, b, child->begin, child->end);
}

/*
 * Read the next item with a different id; the first of several with the same id is used. calls.c
 * counts duplicates within a call.
 */
static bool next_known(struct stack *stack, struct sorter *level, struct known *known)
{
    struct known next;
    while (sorter_next(level, &next)) {
        bool is_same = next.process == known->process && next.number == known->number;
        if (is_same) {
            stack->counts.duplicates += next.call_begin != known->call_begin ||
                                        next.call_number != known->call_number ||
                                        next.call_process != known->call_process;
            continue;
        }
        *known = next;
        return true;
    }
    return false;
}

/* Find the next level; the remaining spans keep their order. Returns the number found. */
static uint64_t join_level(struct joining *j)
{
    struct sorter level = j->level, rest;
    struct known known;
    struct span span;
    sorter_sort(&level);
    sorter_begin(&j->level, sizeof known, known_key);
    sorter_begin(&rest, sizeof span, NULL);
    bool have = sorter_next(&level, &known);
    j->found = 0;
    while (sorter_next(&j->waiting, &span)) {
        struct sort_key wanted = {span.parent_process, span.parent_number, 0}, key = {0, 0, 0};
        while (have && (key = known_key(&known), sort_key_compare(&key, &wanted) < 0))
            have = next_known(j->stack, &level, &known);
        if (!have || sort_key_compare(&key, &wanted) != 0) {
            sorter_add(&rest, &span);
            continue;
        }
        tell_clock(j->stack, &span, &known);
        found(j, &span, &known);
    }
    while (have)
        have = next_known(j->stack, &level, &known);
    sorter_free(&level);
    sorter_free(&j->waiting);
    sorter_sort(&rest);
    j->waiting = rest;
    return j->found;
}

/* Move waiting spans whose parent is not waiting to the level: their parent is missing. */
static uint64_t give_up_parents(struct joining *j)
{
    struct sorter ids, rest;
    struct span span, other;
    uint64_t n = 0;
    sorter_begin(&ids, sizeof span, own_key);
    sorter_begin(&rest, sizeof span, NULL);
    struct sorter kept;
    sorter_begin(&kept, sizeof span, NULL);
    while (sorter_next(&j->waiting, &span)) {
        sorter_add(&ids, &span);
        sorter_add(&kept, &span);
    }
    sorter_free(&j->waiting);
    sorter_sort(&ids);
    sorter_sort(&kept);
    bool have = sorter_next(&ids, &other);
    while (sorter_next(&kept, &span)) {
        struct sort_key wanted = {span.parent_process, span.parent_number, 0}, key = {0, 0, 0};
        while (have && (key = own_key(&other), sort_key_compare(&key, &wanted) < 0))
            have = sorter_next(&ids, &other);
        if (have && sort_key_compare(&key, &wanted) == 0) {
            sorter_add(&rest, &span);
            continue;
        }
        j->stack->counts.without_parent++;
        span.parent_process = NO_PROCESS;
        span.parent_number = 0;
        found(j, &span, NULL);
        n++;
    }
    sorter_free(&kept);
    sorter_free(&ids);
    sorter_sort(&rest);
    j->waiting = rest;
    return n;
}

/* Join level by level, then start again from spans with missing parents. */
static void join_all(struct joining *j)
{
    int levels = 0;
    sorter_sort(&j->waiting);
    while (levels++ < MOST_LEVELS && join_level(j) > 0)
        ;
    if (levels <= MOST_LEVELS && give_up_parents(j) > 0)
        while (levels++ < MOST_LEVELS && join_level(j) > 0)
            ;
    *(levels > MOST_LEVELS ? &j->stack->counts.too_deep : &j->stack->counts.circles) =
        j->waiting.total;
}

static void span_to_pairs(void *to, struct span *span)
{
    pairs_span(to, span);
}

static void end_to_pairs(void *to, struct span *end)
{
    pairs_end(to, end);
}

void join(struct stack *stack, bool whole, struct sorter *by_call)
{
    struct joining j = {
        .stack = stack, .by_call = by_call, .top = whole ? GPTL_LAYER_APP + 1 : GPTL_LAYER_MPI};
    struct pairs pairs;
    sorter_begin(by_call, sizeof(struct span), call_key);
    sorter_begin(&j.waiting, sizeof(struct span), parent_key);
    sorter_begin(&j.level, sizeof(struct known), known_key);
    meetings_begin(&j.meetings);
    pairs_begin(&pairs, stack, take, &j);
    struct span_sink sink = {&pairs, span_to_pairs, end_to_pairs};
    for (size_t i = 0; i < stack->nlogs; i++)
        log_read(stack, &stack->logs[i], &sink);
    pairs_finish(&pairs);
    join_all(&j);
    sorter_free(&j.waiting);
    sorter_free(&j.level);
    meetings_finish(&j.meetings, stack);
    clock_settle(stack);
    sorter_sort(by_call);
}
