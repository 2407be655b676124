/*
 * devices.c - rows of devices and processes: the kernel's counts between the first and the last
 * sample of each. A device's counts cover all processes of its host.
 */
#include "config.h"

#include "postproc/iostack/views.h"

#include <stdlib.h>

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static uint32_t owner(const struct device_sample *s)
{
    return s->is_process ? s->process : NO_PROCESS;
}

static int compare_samples(const void *x, const void *y)
{
    const struct device_sample *a = x, *b = y;
    int order = compare(a->is_process, b->is_process); /* devices before processes */
    order = order ? order : compare(a->host, b->host);
    order = order ? order : compare(owner(a), owner(b));
    order = order ? order : compare(a->name, b->name);
    return order ? order : a->when < b->when ? -1 : a->when > b->when;
}

static bool is_same(const struct device_sample *a, const struct device_sample *b)
{
    return a->is_process == b->is_process && a->host == b->host && owner(a) == owner(b) &&
           a->name == b->name;
}

/* Return the increase. The kernel keeps some counters, as the milliseconds, in 32 bits, which wrap. */
static int64_t grown(uint64_t from, uint64_t to)
{
    if (to < from && from <= UINT32_MAX)
        return (uint32_t)(to - from);
    return to >= from && to - from <= INT64_MAX ? (int64_t)(to - from) : 0;
}

static void put(struct views *views, struct rows *rows, const struct device_sample *first,
                const struct device_sample *last)
{
    const struct stack *stack = views->stack;
    rows_text(rows, first->is_process ? "/proc/self/io" : "/proc/diskstats, whole device");
    rows_text(rows, stack->hosts[first->host].name);
    rows_text(rows, first->is_process ? stack->processes[first->process].label
                                      : stack_name(stack, first->name));
    rows_seconds(rows, last->when - first->when);
    rows_number(rows, grown(first->reads, last->reads));
    rows_bytes(rows, grown(first->bytes_read, last->bytes_read));
    rows_number(rows, grown(first->writes, last->writes));
    rows_bytes(rows, grown(first->bytes_written, last->bytes_written));
    if (first->is_process)
        rows_none(rows);
    else
        rows_real(rows, (double)grown(first->busy_ms, last->busy_ms) * 1e-3);
}

void devices_print(struct views *views)
{
    static const struct column columns[] = {{"from", "disk accesses from", true},
                                            {"host", "host", true},
                                            {"name", "of", true},
                                            {"seconds", "in s", false},
                                            {"reads", "reads", false},
                                            {"bytes_read", "read", false},
                                            {"writes", "writes", false},
                                            {"bytes_written", "written", false},
                                            {"busy_s", "busy s", false}};
    struct stack *stack = views->stack;
    struct rows rows;
    rows_begin(&rows, views->out, views->format, columns, sizeof columns / sizeof columns[0]);
    if (stack->nsamples > 0)
        qsort(stack->samples, stack->nsamples, sizeof *stack->samples, compare_samples);
    for (size_t i = 0, last; i < stack->nsamples; i = last + 1) {
        for (last = i;
             last + 1 < stack->nsamples && is_same(&stack->samples[i], &stack->samples[last + 1]);)
            last++;
        put(views, &rows, &stack->samples[i], &stack->samples[last]);
    }
    rows_end(&rows);
}
