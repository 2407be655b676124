/*
 * net_trace.c - any bytes as a trace of MPI calls: all of its records are read, and their number
 * equals the count.
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "postproc/net/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t sum; /* forces the compiler to read the data */

static void read_list(struct trace_event *e)
{
    uint64_t latest = e->request;
    if (e->what == GPTL_TI_WAIT)
        for (uint64_t i = 0; i < e->n; i++)
            sum += trace_waited(e, &latest) + (uint64_t)e->mode;
    else if (e->what == GPTL_TI_COLLECTIVE)
        for (uint64_t i = 0; i < e->n; i++)
            sum += trace_number(&e->list, e->end);
    else if (e->what == GPTL_TI_NEIGHBORS || e->what == GPTL_TI_EPOCH)
        while (e->list < e->end)
            sum += trace_number(&e->list, e->end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64], why[256];
    int fd = memfd_create("trace", 0);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct trace *trace = trace_open(path, why, sizeof why);
    uint64_t calls = 0;
    for (size_t i = 0; trace && i < trace->nthreads; i++) {
        struct trace_cursor cursor;
        struct trace_event e;
        trace_begin(&cursor, trace, i);
        while (trace_next(&cursor, &e)) {
            calls += e.what >= GPTL_TI_SEND && e.what != GPTL_TI_END;
            if (e.what == GPTL_TI_OTHER && e.number >= trace->nothers)
                abort();
            if (e.posted && trace_found_of(trace, e.request))
                sum++;
            read_list(&e);
        }
    }
    if (trace && calls != trace->calls)
        abort();
    trace_close(trace);
    close(fd);
    return 0;
}
