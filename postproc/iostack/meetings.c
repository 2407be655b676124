/*
 * meetings.c - bounds of clock offsets from collective calls: no client ends before all have begun.
 */
#include "config.h"

#include "postproc/iostack/spans.h"

struct meeting {
    uint64_t opening, number;
    int64_t begin, end;
    uint32_t host;
    uint8_t layer, operation;
};

static struct sort_key meeting_key(const void *item)
{
    const struct meeting *m = item;
    return (struct sort_key){m->opening, m->number, (uint64_t)m->layer << 32 | m->host};
}

void meetings_begin(struct sorter *meetings)
{
    sorter_begin(meetings, sizeof(struct meeting), meeting_key);
}

/*
 * Return whether an operation waits for data of other processes; setting a view or closing is
 * collective but does not.
 */
static bool waits(int operation)
{
    return operation == GPTL_OP_OPEN || operation == GPTL_OP_READ || operation == GPTL_OP_WRITE;
}

void meetings_add(struct sorter *meetings, const struct stack *stack, const struct span *span)
{
    if (stack->nhosts < 2 || span->collective == 0 || span->key == 0 || span->end == NO_TIME ||
        span->layer > GPTL_LAYER_MPI || span->flags & GPTL_IOSTACK_KEYED || !waits(span->operation))
        return;
    struct meeting meeting = {.opening = span->key,
                              .number = span->collective,
                              .begin = span->begin,
                              .end = span->end,
                              .host = stack->processes[span->process].host,
                              .layer = span->layer,
                              .operation = span->operation};
    sorter_add(meetings, &meeting);
}

static bool is_same(const struct meeting *a, const struct meeting *b)
{
    return a->opening == b->opening && a->number == b->number && a->layer == b->layer;
}

/*
 * Compute the latest start and the earliest end on the host of HOST. NEXT is the first item of the
 * next host.
 */
static bool take_host(struct sorter *meetings, struct meeting *host, struct meeting *next)
{
    bool have;
    *host = *next;
    while ((have = sorter_next(meetings, next)) && is_same(host, next) &&
           next->host == host->host) {
        host->begin = next->begin > host->begin ? next->begin : host->begin;
        host->end = next->end < host->end ? next->end : host->end;
    }
    return have;
}

void meetings_finish(struct sorter *meetings, struct stack *stack)
{
    struct meeting next, first, other;
    sorter_sort(meetings);
    for (bool have = sorter_next(meetings, &next); have;) {
        have = take_host(meetings, &first, &next);
        while (have && is_same(&first, &next)) {
            have = take_host(meetings, &other, &next);
            clock_meeting(stack, first.host, first.begin, first.end, other.host, other.begin,
                          other.end, first.operation == GPTL_OP_OPEN);
        }
    }
    sorter_free(meetings);
}
