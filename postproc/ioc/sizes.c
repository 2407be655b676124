/* sizes.c - gptl ioc sizes: number of reads and writes by size. */
#include "config.h"

#include "postproc/ioc/ioc.h"

#include <stdio.h>
#include <stdlib.h>

#include "postproc/commands.h"
#include "postproc/ioc/memory.h"
#include "postproc/plot/plot.h"
#include "postproc/ioc/sizes.h"

/* Limit of distinct sizes. Further sizes are rounded down to 8 binary digits. */
enum { MOST_SIZES = 4000000, DIGITS = 8 };

static uint64_t rounded(uint64_t size)
{
    int digits = size ? 64 - __builtin_clzll(size) : 0;
    return digits > DIGITS ? size >> (digits - DIGITS) << (digits - DIGITS) : size;
}

static void count(struct sizes *sizes, uint64_t size, enum size_kind kind, uint64_t n)
{
    if (sizes->by_size.used >= MOST_SIZES && !map_find(&sizes->by_size, size)) {
        size = rounded(size);
        sizes->is_rounded = true;
    }
    uint64_t *place = map_put(&sizes->by_size, size);
    if (!*place) {
        sizes->sizes = memory_room(sizes->sizes, &sizes->room, sizes->n + 1, sizeof *sizes->sizes);
        sizes->sizes[sizes->n++] = (struct size){.size = size};
        *place = sizes->n;
    }
    sizes->sizes[*place - 1].calls[kind] += n;
}

void sizes_add(struct sizes *sizes, const struct call *call)
{
    bool to_stream = call_is_stream_write(call), stdio = to_stream || call_is_stream_read(call);
    if (!call_is_read(call) && !call_is_write(call) && !stdio)
        return;
    if (call->result < 0) {
        sizes->failed += call->n;
        return;
    }
    /* A merged record represents calls of one character each. */
    if (stdio)
        count(sizes, (uint64_t)call->streamed / call->n,
              to_stream ? SIZE_STDIO_WRITE : SIZE_STDIO_READ, call->n);
    if (call_is_read(call))
        count(sizes, (uint64_t)call->read, SIZE_READ, 1);
    if (call->has_to)
        count(sizes, (uint64_t)call->written, SIZE_WRITE, 1);
}

void sizes_free(struct sizes *sizes)
{
    free(sizes->sizes);
    map_free(&sizes->by_size);
}

uint64_t size_calls(const struct size *size)
{
    uint64_t calls = 0;
    for (int kind = 0; kind < NSIZE_KINDS; kind++)
        calls += size->calls[kind];
    return calls;
}

/* ---- Order --------------------------------------------------------------------------------- */

static int compare_calls(const void *x, const void *y)
{
    const struct size *a = x, *b = y;
    uint64_t calls_a = size_calls(a), calls_b = size_calls(b);
    if (calls_a != calls_b)
        return calls_a > calls_b ? -1 : 1;
    return (a->size > b->size) - (a->size < b->size);
}

static int compare_sizes(const void *x, const void *y)
{
    const struct size *a = x, *b = y;
    return (a->size > b->size) - (a->size < b->size);
}

static void sort(struct sizes *sizes, size_t n, int (*compare)(const void *, const void *))
{
    if (n > 1)
        qsort(sizes->sizes, n, sizeof *sizes->sizes, compare);
}

/* ---- Rows ---------------------------------------------------------------------------------- */

static const struct column columns[] = {
    {"size", "size (bytes)", false},
    {"read", "read", false},
    {"write", "write", false},
    {"stdio_read", "stdio read", false},
    {"stdio_write", "stdio write", false},
    {"percent", "% of calls", false},
};

static void print(struct ioc *ioc, struct sizes *sizes)
{
    enum { ROWS_OF_TABLE = 40 };
    struct rows rows;
    uint64_t calls = 0, shown = 0;
    size_t n = ioc->top ? (size_t)ioc->top : ioc->format == ROWS_TABLE ? ROWS_OF_TABLE : sizes->n;
    n = n < sizes->n ? n : sizes->n;
    sort(sizes, sizes->n, compare_calls);
    for (size_t i = 0; i < sizes->n; i++)
        calls += size_calls(&sizes->sizes[i]);
    sort(sizes, n, compare_sizes);
    if (ioc->format == ROWS_JSON)
        gptl_out_format(ioc->out, ",\n\"failed\":%llu,\"rows\":[\n",
                        (unsigned long long)sizes->failed);
    rows_begin(&rows, ioc->out, ioc->format, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < n; i++) {
        const struct size *size = &sizes->sizes[i];
        rows_number(&rows, (int64_t)size->size);
        for (int kind = 0; kind < NSIZE_KINDS; kind++)
            rows_number(&rows, (int64_t)size->calls[kind]);
        rows_percent(&rows, 100 * (double)size_calls(size) / (double)calls);
        shown += size_calls(size);
    }
    rows_end(&rows);
    if (ioc->format == ROWS_JSON)
        gptl_out_literal(ioc->out, "]\n");
    if (ioc->format != ROWS_TABLE)
        return;
    gptl_out_format(ioc->out, "\n%llu calls that read or wrote, and %llu that failed.\n",
                    (unsigned long long)calls, (unsigned long long)sizes->failed);
    if (n < sizes->n)
        gptl_out_format(
            ioc->out, "%zu rarer sizes, of %llu calls, are not shown: --top and --csv show more.\n",
            sizes->n - n, (unsigned long long)(calls - shown));
    if (sizes->is_rounded)
        gptl_out_format(ioc->out, "After %d sizes, further ones are rounded down.\n", MOST_SIZES);
}

/* ---- The picture --------------------------------------------------------------------------- */

/* 0 is outside a logarithmic axis, so it is drawn to the left of 1. */
static void put_points(struct plot *plot, const struct sizes *sizes, int kind, bool *any)
{
    gptl_out_format(plot->to, "$kind%d << EOD\n", kind);
    for (size_t i = 0; i < sizes->n; i++) {
        const struct size *size = &sizes->sizes[i];
        if (size->calls[kind] == 0)
            continue;
        gptl_out_format(plot->to, "%.9g %llu\n", size->size ? (double)size->size : 0.5,
                        (unsigned long long)size->calls[kind]);
        *any = true;
    }
    gptl_out_literal(plot->to, "EOD\n");
}

static void put_ticks(struct plot *plot, uint64_t most)
{
    static const char *const units[] = {"", " Ki", " Mi", " Gi", " Ti", " Pi", " Ei"};
    gptl_out_literal(plot->to, "set xtics out nomirror ('0' 0.5");
    for (int power = 0; power < 64 && power <= 64 - __builtin_clzll(most | 1); power += 2)
        gptl_out_format(plot->to, ", '%d%s' %.9g", 1 << power % 10, units[power / 10],
                        (double)((uint64_t)1 << power));
    gptl_out_format(plot->to, ")\nset xrange [0.35:%.9g]\n", (double)most * 2 + 2);
}

static int draw(struct ioc *ioc, const struct sizes *sizes)
{
    static const char *const titles[] = {"read", "write", "stdio read", "stdio write"};
    /* keeps all points visible */
    static const char *const shift[] = {"0.97", "1.03", "0.94", "1.06"};
    static const int point[] = {7, 5, 6, 4};
    struct plot plot;
    uint64_t most = 1;
    bool any[NSIZE_KINDS] = {false}, is_first = true;
    for (size_t i = 0; i < sizes->n; i++)
        most = sizes->sizes[i].size > most ? sizes->sizes[i].size : most;
    if (sizes->n == 0) {
        fputs("gptl ioc sizes: there is nothing to draw: no call read or wrote\n", stderr);
        return -1;
    }
    if (plot_open(&plot, "gptl ioc sizes", ioc->output, ioc->picture, 1000, 600))
        return -1;
    for (int kind = 0; kind < NSIZE_KINDS; kind++)
        put_points(&plot, sizes, kind, &any[kind]);
    gptl_out_literal(
        plot.to,
        "set title 'Sizes of reads and writes' font ',15'\n"
        "set xlabel 'bytes of a call'\nset ylabel 'calls'\nset logscale xy\n"
        "set yrange [0.7:*]\nset format y '10^{%L}'\nset tics out nomirror\n"
        "set grid linetype 1 linecolor rgb '#e4e4e4'\nset border 3 linecolor rgb '#888888'\n"
        "set key outside right top\nset format y '%.0f'\n");
    put_ticks(&plot, most);
    gptl_out_literal(plot.to, "plot ");
    for (int kind = 0; kind < NSIZE_KINDS; kind++) {
        if (!any[kind])
            continue;
        gptl_out_format(plot.to,
                        "%s$kind%d using ($1*%s):2 with impulses linecolor rgb '%s' linewidth 1.5 "
                        "notitle, $kind%d using ($1*%s):2 with points pointtype %d pointsize 0.9 "
                        "linecolor rgb '%s' title '%s'",
                        is_first ? "" : ", ", kind, shift[kind], plot_color((unsigned)kind), kind,
                        shift[kind], point[kind], plot_color((unsigned)kind), titles[kind]);
        is_first = false;
    }
    gptl_out_char(plot.to, '\n');
    return plot_close(&plot);
}

/* ---- The tool ------------------------------------------------------------------------------ */

static void visit(void *to, const struct call *call)
{
    sizes_add(to, call);
}

int ioc_sizes(struct ioc *ioc)
{
    struct sizes sizes = {0};
    walk(&ioc->log, &ioc->selection, &ioc->files, false, visit, &sizes);
    ioc_begin(ioc);
    int failed = 0;
    if (ioc->picture)
        failed = draw(ioc, &sizes);
    else
        print(ioc, &sizes);
    ioc_end(ioc);
    sizes_free(&sizes);
    return failed ? GPTL_EXIT_USAGE : GPTL_EXIT_DONE;
}
