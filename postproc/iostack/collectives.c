/* collectives.c - start and end times of the clients of each collective call. */
#include "config.h"

#include "postproc/iostack/views.h"

/* A client's call in a collective. */
struct member {
    uint64_t group, file;
    int64_t row, begin, duration; /* duration -1: never ended */
    uint32_t client;
    uint8_t layer, operation;
};

static struct sort_key member_key(const void *item)
{
    const struct member *m = item;
    return (struct sort_key){(uint64_t)m->layer << 56 | (uint64_t)m->row, m->group, m->client};
}

void collectives_begin(struct views *views)
{
    sorter_begin(&views->members, sizeof(struct member), member_key);
}

void collectives_add(struct views *views, const struct call *call)
{
    struct member member = {.group = call->group,
                            .file = call->file,
                            .row = call->row,
                            .begin = call->begin,
                            .duration = call->duration,
                            .client = call->client,
                            .layer = call->layer,
                            .operation = call->operation};
    if (call->group)
        sorter_add(&views->members, &member);
}

/* ---- Collective calls ---------------------------------------------------------------------- */

struct meeting {
    struct member first; /* the first client's */
    uint32_t last;       /* last client added */
    int64_t first_begin, last_begin, first_end, last_end, longest;
    uint64_t clients, unended;
    /* Hosts with the largest clock errors, and these errors; -1: unknown. */
    uint32_t host;
    int64_t worst, second;
    bool has_hosts; /* more than one host */
};

static int64_t worse(int64_t a, int64_t b)
{
    return a < 0 || b < 0 ? -1 : a > b ? a : b;
}

static void add_host(struct meeting *m, const struct stack *stack, uint32_t client)
{
    uint32_t host = stack->processes[client].host;
    int64_t bound = stack->hosts[host].bound;
    if (m->clients == 0) {
        m->host = host;
        m->worst = bound;
    } else if (host != m->host) {
        bool is_worst = worse(bound, m->worst) == bound;
        int64_t other = is_worst ? m->worst : bound;
        m->second = m->has_hosts ? worse(m->second, other) : other;
        m->host = is_worst ? host : m->host;
        m->worst = is_worst ? bound : m->worst;
        m->has_hosts = true;
    }
}

static void add_member(struct meeting *m, const struct stack *stack, const struct member *member)
{
    int64_t end = member->begin + member->duration;
    add_host(m, stack, member->client);
    if (m->clients++ == 0) {
        *m = (struct meeting){.first = *member,
                              .last = member->client,
                              .first_begin = member->begin,
                              .last_begin = member->begin,
                              .first_end = INT64_MAX,
                              .last_end = INT64_MIN,
                              .longest = -1,
                              .clients = 1,
                              .host = m->host,
                              .worst = m->worst};
    }
    if (member->begin < m->first_begin)
        m->first_begin = member->begin;
    if (member->begin > m->last_begin) {
        m->last_begin = member->begin;
        m->last = member->client;
    }
    if (member->duration < 0) {
        m->unended++;
        return;
    }
    m->first_end = end < m->first_end ? end : m->first_end;
    m->last_end = end > m->last_end ? end : m->last_end;
    m->longest = member->duration > m->longest ? member->duration : m->longest;
}

/* ---- Rows ---------------------------------------------------------------------------------- */

struct meeting_rows {
    const struct views *views;
    struct rows rows;
};

static void put_meeting(void *to, const void *item)
{
    struct meeting_rows *r = to;
    struct rows *rows = &r->rows;
    const struct meeting *m = item;
    const struct stack *stack = r->views->stack;
    const struct collective *c = &stack->collectives[m->first.group - 1];
    bool is_comparable = !m->has_hosts || (m->worst >= 0 && m->second >= 0);
    rows_text(rows, stack_layer(m->first.layer));
    rows_number(rows, m->first.row);
    rows_text(rows, stack_operation(m->first.operation));
    rows_text(rows, stack_name(stack, m->first.file));
    rows_number(rows, (int64_t)m->clients);
    rows_number(rows, (int64_t)(stack->openings[c->opening] - c->calls));
    views_put_time(rows, is_comparable ? m->last_begin - m->first_begin : -1);
    rows_text(rows, is_comparable ? stack->processes[m->last].label : "");
    views_put_time(rows, is_comparable && m->longest >= 0 ? m->last_end - m->first_end : -1);
    views_put_time(rows, m->longest);
    views_put_time(rows, !m->has_hosts ? 0 : is_comparable ? calls_sum(m->worst, m->second) : -1);
    rows_number(rows, (int64_t)m->unended);
}

void collectives_print(struct views *views)
{
    static const struct column columns[] = {{"of", "of", true},
                                            {"call", "call", false},
                                            {"operation", "operation", true},
                                            {"file", "file", true},
                                            {"clients", "clients", false},
                                            {"lacking", "lacking", false},
                                            {"arrival_spread_s", "arrival s", false},
                                            {"last_client", "last", true},
                                            {"finish_spread_s", "finish s", false},
                                            {"longest_s", "longest s", false},
                                            {"clock_bound_s", "clocks s", false},
                                            {"unended", NULL, false}};
    struct meeting_rows to = {.views = views};
    struct longest longest;
    struct member member;
    rows_begin(&to.rows, views->out, views->format, columns, sizeof columns / sizeof columns[0]);
    longest_begin(&longest, views->top, sizeof(struct meeting));
    sorter_sort(&views->members);
    for (bool have = sorter_next(&views->members, &member); have;) {
        struct meeting meeting = {.clients = 0};
        do {
            add_member(&meeting, views->stack, &member);
            have = sorter_next(&views->members, &member);
        } while (have && member.group == meeting.first.group);
        if (views_has_all(views))
            put_meeting(&to, &meeting);
        else
            longest_add(&longest, meeting.longest, &meeting);
    }
    longest_each(&longest, put_meeting, &to);
    rows_end(&to.rows);
    views_tell_rest(views, longest.seen, "collective calls");
    longest_free(&longest);
}
