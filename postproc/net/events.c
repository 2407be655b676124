/* events.c - prints the records of a trace, one per line, for people and scripts. */
#include "config.h"

#include "postproc/net/net.h"

#include "report/name.h"

const char *net_call_name(const struct trace_event *event)
{
    switch (event->what) {
    case GPTL_TI_COMPUTE:
        return "compute";
    case GPTL_TI_SEND:
        return "send";
    case GPTL_TI_RECV:
        return "receive";
    case GPTL_TI_SENDRECV:
        return "sendrecv";
    case GPTL_TI_PROBE:
        return "probe";
    case GPTL_TI_WAIT:
        return "wait";
    case GPTL_TI_COLLECTIVE:
        return "collective";
    case GPTL_TI_NEIGHBORS:
        return "neighbors";
    case GPTL_TI_OTHER:
        return "other";
    case GPTL_TI_ONESIDED:
        return "onesided";
    case GPTL_TI_EPOCH:
        return "epoch";
    default:
        return "end";
    }
}

static void put_uint(struct gptl_out *out, const char *name, uint64_t value)
{
    gptl_out_format(out, " %s=%llu", name, (unsigned long long)value);
}

static void put_path(struct gptl_out *out, const struct trace_thread *thread, uint32_t region)
{
    uint32_t path[64];
    int n = 0;
    for (; region && region < thread->nregions && n < 64; region = thread->region[region].parent)
        path[n++] = region;
    gptl_out_literal(out, " region=");
    if (region)
        gptl_out_literal(out, ".../");
    while (n-- > 0) {
        const struct trace_region *one = &thread->region[path[n]];
        gptl_out_bytes(out, one->name, one->length);
        if (n)
            gptl_out_char(out, '/');
    }
}

static void put_pieces(struct gptl_out *out, const char *of, struct trace_pieces pieces)
{
    if (pieces.piece == 0)
        return;
    gptl_out_format(out, " %spiece=%llu %srow=%llu", of, (unsigned long long)pieces.piece, of,
                    (unsigned long long)pieces.row);
    if (pieces.list != 0)
        gptl_out_format(out, " %slist=%lld", of, (long long)pieces.list);
}

static void put_reused(struct gptl_out *out, const struct trace_event *e)
{
    if (e->reused > 0)
        put_uint(out, "reused", e->reused);
}

static void put_message(struct gptl_out *out, const struct trace_event *e)
{
    static const char *const modes[] = {"", " buffered", " synchronous", " ready"};
    gptl_out_format(out, " peer=%d tag=%d", e->peer, e->tag);
    put_uint(out, "comm", e->comm);
    put_uint(out, "bytes", e->bytes);
    if (e->what == GPTL_TI_SEND)
        gptl_out_text(out, modes[e->mode]);
    put_pieces(out, "", e->pieces);
    if (e->what == GPTL_TI_SENDRECV)
        gptl_out_format(out, " from=%d from_tag=%d", e->from, e->from_tag);
    put_pieces(out, "from_", e->from_pieces);
    put_reused(out, e);
}

static void put_waits(struct gptl_out *out, struct trace_event e)
{
    uint64_t latest = e.request;
    gptl_out_literal(out, " requests=");
    for (uint64_t i = 0; i < e.n; i++) {
        trace_waited(&e, &latest);
        gptl_out_format(out, "%s%llu", i ? "," : "", (unsigned long long)latest);
        if (e.mode & GPTL_TI_CANCELLED)
            gptl_out_literal(out, "(cancelled)");
        else if (e.mode & GPTL_TI_RESOLVED)
            gptl_out_format(out, "(from %d tag %d)", e.from, e.from_tag);
    }
}

static void put_numbers(struct gptl_out *out, const char *name, const unsigned char **list,
                        const unsigned char *end, uint64_t n, int each)
{
    if (n)
        gptl_out_format(out, " %s=", name);
    for (uint64_t i = 0; i < n; i++) {
        gptl_out_format(out, "%s%llu", i ? "," : "", (unsigned long long)trace_number(list, end));
        if (each > 1)
            gptl_out_format(out, ":%llu", (unsigned long long)trace_number(list, end));
    }
}

static void put_collective(struct gptl_out *out, struct trace_event e)
{
    if (e.what == GPTL_TI_COLLECTIVE) {
        gptl_out_format(out, " %s", trace_collective_name(e.mode));
        put_uint(out, "comm", e.comm);
        if (e.peer >= 0)
            gptl_out_format(out, " root=%d", e.peer);
        put_uint(out, "bytes", e.bytes);
        put_numbers(out, "each", &e.list, e.end, e.n, 1);
        if (e.renewed > 0)
            put_uint(out, "renewed", e.renewed);
        put_reused(out, &e);
        return;
    }
    put_uint(out, "comm", e.comm);
    put_numbers(out, "to", &e.list, e.end, e.n, 2);
    uint64_t n = trace_number(&e.list, e.end);
    put_numbers(out, "from", &e.list, e.end, n, 1);
}

static void put_epoch(struct gptl_out *out, struct trace_event e)
{
    put_numbers(out, "with", &e.list, e.end, e.n, 1);
}

static void put_event(struct gptl_out *out, const struct trace *trace,
                      const struct trace_thread *thread, const struct trace_event *e)
{
    gptl_out_format(out, "%u %s", thread->number, net_call_name(e));
    put_uint(out, "ns", e->what == GPTL_TI_END ? e->number : e->ns);
    if (e->posted)
        put_uint(out, "request", e->request);
    switch (e->what) {
    case GPTL_TI_COMPUTE:
        put_path(out, thread, e->region);
        break;
    case GPTL_TI_SEND:
    case GPTL_TI_RECV:
    case GPTL_TI_SENDRECV:
    case GPTL_TI_PROBE:
        put_message(out, e);
        break;
    case GPTL_TI_WAIT:
        if (e->n > 0)
            put_waits(out, *e);
        break;
    case GPTL_TI_COLLECTIVE:
    case GPTL_TI_NEIGHBORS:
        put_collective(out, *e);
        break;
    case GPTL_TI_ONESIDED:
        gptl_out_format(out, " peer=%d", e->peer);
        put_uint(out, "comm", e->comm);
        put_uint(out, "goes", e->bytes);
        put_uint(out, "comes", e->n);
        break;
    case GPTL_TI_EPOCH:
        gptl_out_format(out, " %s", trace_epoch_name(e->mode));
        put_uint(out, "comm", e->comm);
        put_epoch(out, *e);
        break;
    case GPTL_TI_OTHER:
        gptl_out_literal(out, " name=");
        gptl_out_bytes(out, trace->other[e->number].name, trace->other[e->number].length);
        break;
    default:
        put_uint(out, "lost", e->n);
        break;
    }
    gptl_out_char(out, '\n');
}

void net_print_events(struct gptl_out *out, const struct trace *trace)
{
    for (size_t i = 0; i < trace->ncomms; i++) {
        const struct trace_comm *comm = &trace->comm[i];
        if (!comm->member || i == GPTL_TI_WORLD)
            continue;
        gptl_out_format(out, "communicator %zu:", i);
        for (uint32_t m = 0; m < comm->n + comm->nremote; m++)
            gptl_out_format(out, "%s %d", m == comm->n ? " |" : "", comm->member[m]);
        gptl_out_char(out, '\n');
    }
    for (size_t i = 0; i < trace->nthreads; i++) {
        struct trace_cursor cursor;
        struct trace_event event;
        trace_begin(&cursor, trace, i);
        while (trace_next(&cursor, &event))
            put_event(out, trace, &trace->thread[i], &event);
    }
}
