/* rate.c - gptl ioc rate and ops: bytes, or calls, per time step. */
#include "config.h"

#include "postproc/ioc/ioc.h"

#include <string.h>

#include "postproc/commands.h"
#include "postproc/ioc/steps.h"

/* ---- Values -------------------------------------------------------------------------------- */

enum rate_value { RATE_READ, RATE_WRITTEN, RATE_STDIO_READ, RATE_STDIO_WRITTEN, NRATE };

static void visit_rate(void *to, const struct call *call)
{
    struct steps *steps = to;
    if (call->read > 0)
        steps_add(steps, call->process, call->time, RATE_READ, (uint64_t)call->read);
    if (call->written > 0)
        steps_add(steps, call->process, call->time, RATE_WRITTEN, (uint64_t)call->written);
    if (call->streamed > 0)
        steps_add(steps, call->process, call->time,
                  call_is_stream_read(call) ? RATE_STDIO_READ : RATE_STDIO_WRITTEN,
                  (uint64_t)call->streamed);
}

enum ops_value {
    OPS_READ,
    OPS_WRITE,
    OPS_OPEN,
    OPS_CLOSE,
    OPS_LSEEK,
    OPS_SYNC,
    OPS_STDIO_READ,
    OPS_STDIO_WRITE,
    OPS_OTHER,
    NOPS
};
static_assert((int)NOPS <= (int)STEP_VALUES, "a step has room for all");

static enum ops_value ops_value(enum gptl_ioc_type type)
{
    switch (type) {
    case GPTL_IOC_READ:
        return OPS_READ;
    case GPTL_IOC_WRITE:
        return OPS_WRITE;
    case GPTL_IOC_OPEN:
    case GPTL_IOC_CREAT:
        return OPS_OPEN;
    case GPTL_IOC_CLOSE:
        return OPS_CLOSE;
    case GPTL_IOC_LSEEK:
        return OPS_LSEEK;
    case GPTL_IOC_FSYNC:
        return OPS_SYNC;
    case GPTL_IOC_STDIO_READ:
        return OPS_STDIO_READ;
    case GPTL_IOC_STDIO_WRITE:
        return OPS_STDIO_WRITE;
    default:
        return OPS_OTHER;
    }
}

static void visit_ops(void *to, const struct call *call)
{
    steps_add(to, call->process, call->time, ops_value(call->type), call->n);
}

/* ---- Rows ---------------------------------------------------------------------------------- */

static const struct column rate_columns[] = {
    {"seconds", "time (s)", false},
    {"process", "process", true},
    {"read", "read", false},
    {"written", "written", false},
    {"stdio_read", "stdio read", false},
    {"stdio_written", "stdio written", false},
};
static const struct column ops_columns[] = {
    {"seconds", "time (s)", false},
    {"process", "process", true},
    {"read", "read", false},
    {"write", "write", false},
    {"open", "open", false},
    {"close", "close", false},
    {"lseek", "lseek", false},
    {"fsync", "fsync", false},
    {"stdio_read", "stdio read", false},
    {"stdio_write", "stdio write", false},
    {"other", "other", false},
};

static void put_row(struct rows *rows, const struct steps *steps, const char *label,
                    const struct step *step, int64_t time, bool bytes)
{
    rows_seconds(rows, time);
    rows_text(rows, label);
    for (unsigned i = 0; i < steps->nvalues; i++)
        if (bytes)
            rows_bytes(rows, (int64_t)step->value[i]);
        else
            rows_number(rows, (int64_t)step->value[i]);
}

static bool is_empty(const struct step *step)
{
    static const struct step nothing;
    return memcmp(step, &nothing, sizeof nothing) == 0;
}

static void put_rows(struct rows *rows, const struct steps *steps, const struct ioc *ioc,
                     bool bytes)
{
    for (uint64_t i = steps->first; i < steps->end; i++) {
        int64_t time = (int64_t)i * steps->step;
        put_row(rows, steps, "all", steps_at(&steps->all, i), time, bytes);
        for (uint32_t p = 0; ioc->each && p < steps->nlanes; p++) {
            const struct step *step = steps_at(&steps->lanes[p], i);
            if (!is_empty(step))
                put_row(rows, steps, ioc->log.processes[p].label, step, time, bytes);
        }
    }
}

static void put_total(struct ioc *ioc, const struct steps *steps, bool bytes)
{
    struct step total = {0};
    char text[4][BYTES_TEXT];
    for (size_t i = 0; i < steps->all.n; i++)
        for (unsigned v = 0; v < steps->nvalues; v++)
            total.value[v] += steps->all.steps[i].value[v];
    gptl_out_literal(ioc->out, "\nSteps of ");
    gptl_out_seconds(ioc->out, (uint64_t)steps->step);
    gptl_out_literal(ioc->out, " s; in all ");
    if (bytes) {
        gptl_out_format(ioc->out, "%s read and %s written by calls, %s and %s by streams (stdio)\n",
                        bytes_text(text[0], (double)total.value[RATE_READ]),
                        bytes_text(text[1], (double)total.value[RATE_WRITTEN]),
                        bytes_text(text[2], (double)total.value[RATE_STDIO_READ]),
                        bytes_text(text[3], (double)total.value[RATE_STDIO_WRITTEN]));
        return;
    }
    uint64_t calls = 0;
    for (unsigned v = 0; v < steps->nvalues; v++)
        calls += total.value[v];
    gptl_out_format(ioc->out, "%llu calls, of them %llu reads and %llu writes\n",
                    (unsigned long long)calls, (unsigned long long)total.value[OPS_READ],
                    (unsigned long long)total.value[OPS_WRITE]);
}

static void print(struct ioc *ioc, const struct steps *steps, const struct column *columns,
                  bool bytes)
{
    struct rows rows;
    if (ioc->format == ROWS_JSON) {
        gptl_out_literal(ioc->out, ",\n\"step\":");
        gptl_out_seconds(ioc->out, (uint64_t)steps->step);
        gptl_out_literal(ioc->out, ",\"rows\":[\n");
    }
    rows_begin(&rows, ioc->out, ioc->format, columns, 2 + steps->nvalues);
    put_rows(&rows, steps, ioc, bytes);
    rows_end(&rows);
    if (ioc->format == ROWS_JSON)
        gptl_out_literal(ioc->out, "]\n");
    if (ioc->format == ROWS_TABLE)
        put_total(ioc, steps, bytes);
}

/* ---- The tools ----------------------------------------------------------------------------- */

static int over_time(struct ioc *ioc, unsigned nvalues, call_visitor *visit,
                     const struct column *columns, const struct steps_picture *picture)
{
    struct steps steps;
    if (steps_begin(&steps, ioc, nvalues))
        return GPTL_EXIT_USAGE;
    walk(&ioc->log, &ioc->selection, &ioc->files, false, visit, &steps);
    ioc_begin(ioc);
    int failed = 0;
    if (ioc->picture)
        failed = steps_draw(&steps, ioc, picture);
    else
        print(ioc, &steps, columns, !picture->calls);
    ioc_end(ioc);
    steps_free(&steps);
    return failed ? GPTL_EXIT_USAGE : GPTL_EXIT_DONE;
}

int ioc_rate(struct ioc *ioc)
{
    static const unsigned read[] = {RATE_READ, RATE_STDIO_READ, STEP_VALUES};
    static const unsigned written[] = {RATE_WRITTEN, RATE_STDIO_WRITTEN, STEP_VALUES};
    static const struct steps_picture picture = {
        {"Bytes read", "Bytes written"}, {read, written}, NULL};
    return over_time(ioc, NRATE, visit_rate, rate_columns, &picture);
}

int ioc_ops(struct ioc *ioc)
{
    static const unsigned read[] = {OPS_READ, OPS_STDIO_READ, STEP_VALUES};
    static const unsigned written[] = {OPS_WRITE, OPS_STDIO_WRITE, STEP_VALUES};
    static const struct steps_picture picture = {{"Reads", "Writes"}, {read, written}, "calls"};
    return over_time(ioc, NOPS, visit_ops, ops_columns, &picture);
}
