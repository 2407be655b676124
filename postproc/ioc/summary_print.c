/* summary_print.c - a summary as text, CSV (files only) or JSON. */
#include "config.h"

#include "postproc/ioc/summary_print.h"

#include <stdlib.h>
#include <string.h>

#include "postproc/ioc/memory.h"

#include "report/name.h"

/* ---- The whole ----------------------------------------------------------------------------- */

static uint64_t hosts_of(const struct log *log)
{
    uint64_t n = 0;
    const char **hosts = memory_zeros(log->nprocesses, sizeof *hosts);
    for (size_t i = 0; i < log->nprocesses; i++) {
        uint64_t known = 0;
        while (known < n && strcmp(hosts[known], log->processes[i].host) != 0)
            known++;
        if (known == n)
            hosts[n++] = log->processes[i].host;
    }
    free(hosts);
    return n;
}

static uint64_t all_calls(const struct summary *summary)
{
    uint64_t n = 0;
    for (int type = 0; type < GPTL_IOC_NTYPES; type++)
        n += summary->calls[type];
    return n;
}

static const char *program_of(const struct log *log)
{
    const char *slash = strrchr(log->processes[0].program, '/');
    return slash ? slash + 1 : log->processes[0].program;
}

static bool has_other_programs(const struct log *log)
{
    for (size_t i = 1; i < log->nprocesses; i++)
        if (strcmp(log->processes[i].program, log->processes[0].program) != 0)
            return true;
    return false;
}

static void put_head(const struct summary *summary)
{
    const struct log *log = &summary->ioc->log;
    struct gptl_out *out = summary->ioc->out;
    uint64_t hosts = hosts_of(log), n = log->nprocesses;
    gptl_out_literal(out, "I/O of ");
    gptl_name_text(out, program_of(log), false);
    gptl_out_text(out, has_other_programs(log) ? " and other programs" : "");
    gptl_out_format(
        out,
        ": %llu process%s on %llu host%s, %llu calls of which %llu failed, %zu file%s, %.3f s\n\n",
        (unsigned long long)n, n == 1 ? "" : "es", (unsigned long long)hosts, hosts == 1 ? "" : "s",
        (unsigned long long)all_calls(summary), (unsigned long long)summary->failed,
        summary->nfiles, summary->nfiles == 1 ? "" : "s", (double)summary->last * 1e-9);
}

static double share(uint64_t part, const struct pattern *pattern)
{
    uint64_t all = pattern->consecutive + pattern->forward + pattern->backward;
    return all ? 100 * (double)part / (double)all : 0;
}

static const struct column move_columns[] = {
    {"kind", "", true},
    {"calls", "calls", false},
    {"bytes", "bytes", false},
    {"stdio_calls", "stdio calls", false},
    {"stdio_bytes", "stdio bytes", false},
    {"consecutive", "consecutive %", false},
    {"forward", "forward %", false},
    {"backward", "backward %", false},
};

static void put_moves(struct rows *rows, const char *kind, const struct moves *moves)
{
    rows_text(rows, kind);
    rows_number(rows, (int64_t)moves->calls);
    rows_bytes(rows, (int64_t)moves->bytes);
    rows_number(rows, (int64_t)moves->stdio_calls);
    rows_bytes(rows, (int64_t)moves->stdio_bytes);
    rows_percent(rows, share(moves->pattern.consecutive, &moves->pattern));
    rows_percent(rows, share(moves->pattern.forward, &moves->pattern));
    rows_percent(rows, share(moves->pattern.backward, &moves->pattern));
}

static void put_all_moves(const struct summary *summary)
{
    struct rows rows;
    rows_begin(&rows, summary->ioc->out, summary->ioc->format, move_columns,
               sizeof move_columns / sizeof *move_columns);
    put_moves(&rows, "read", &summary->all.read);
    put_moves(&rows, "write", &summary->all.written);
    rows_end(&rows);
}

static void put_calls(const struct summary *summary)
{
    struct gptl_out *out = summary->ioc->out;
    bool any = false;
    gptl_out_literal(out, "\nOther calls: ");
    for (int type = GPTL_IOC_OPEN; type <= GPTL_IOC_OTHER; type++) {
        if (summary->calls[type] == 0 || type == GPTL_IOC_STDIO_READ ||
            type == GPTL_IOC_STDIO_WRITE)
            continue;
        gptl_out_format(out, "%s%llu %s", any ? ", " : "", (unsigned long long)summary->calls[type],
                        call_type_name((enum gptl_ioc_type)type));
        any = true;
    }
    gptl_out_text(out, any ? "\n" : "none\n");
    if (summary->maps > 0)
        gptl_out_format(
            out, "Files were mapped %llu times: what is read and written there, no call shows.\n",
            (unsigned long long)summary->maps);
}

/* Write the most frequent sizes of reads or writes. */
static void put_sizes(const struct summary *summary, const char *what, enum size_kind kind)
{
    enum { SHOWN = 3 };
    const struct sizes *sizes = &summary->sizes;
    const struct size *most[SHOWN] = {NULL};
    uint64_t calls = 0;
    for (size_t i = 0; i < sizes->n; i++) {
        const struct size *size = &sizes->sizes[i];
        calls += size->calls[kind];
        for (int place = 0; place < SHOWN && size && size->calls[kind] > 0; place++)
            if (!most[place] || size->calls[kind] > most[place]->calls[kind]) {
                const struct size *other = most[place];
                most[place] = size;
                size = other;
            }
    }
    if (calls == 0)
        return;
    gptl_out_format(summary->ioc->out, "Most frequent %s: ", what);
    for (int i = 0; i < SHOWN && most[i]; i++)
        gptl_out_format(summary->ioc->out, "%s%llu bytes (%.0f %%)", i ? ", " : "",
                        (unsigned long long)most[i]->size,
                        100 * (double)most[i]->calls[kind] / (double)calls);
    gptl_out_char(summary->ioc->out, '\n');
}

/* ---- Files --------------------------------------------------------------------------------- */

static const struct column file_columns[] = {
    {"read", "read", false},
    {"written", "written", false},
    {"reads", "reads", false},
    {"writes", "writes", false},
    {"opens", "opens", false},
    {"failed_opens", NULL, false},
    {"seeks", "seeks", false},
    {"fsyncs", NULL, false},
    {"read_again", "read again", false},
    {"readers", "readers", false},
    {"writers", "writers", false},
    {"file", "file", true},
};

static void put_files(const struct summary *summary, size_t n)
{
    struct rows rows;
    rows_begin(&rows, summary->ioc->out, summary->ioc->format, file_columns,
               sizeof file_columns / sizeof *file_columns);
    for (size_t i = 0; i < n; i++) {
        const struct file_sum *sum = &summary->files[i];
        rows_bytes(&rows, (int64_t)sum->read.bytes);
        rows_bytes(&rows, (int64_t)sum->written.bytes);
        rows_number(&rows, (int64_t)sum->read.calls);
        rows_number(&rows, (int64_t)sum->written.calls);
        rows_number(&rows, (int64_t)sum->opens);
        rows_number(&rows, (int64_t)sum->failed_opens);
        rows_number(&rows, (int64_t)sum->seeks);
        rows_number(&rows, (int64_t)sum->syncs);
        rows_bytes(&rows, (int64_t)sum->read_again);
        rows_number(&rows, (int64_t)sum->readers);
        rows_number(&rows, (int64_t)sum->writers);
        rows_text(&rows, summary->ioc->files.files[sum->file].path);
    }
    rows_end(&rows);
}

/* ---- Formats ------------------------------------------------------------------------------- */

static void put_findings(struct gptl_out *out, const struct findings *findings)
{
    if (findings->n == 0)
        gptl_out_literal(out, "\nNothing to advise.\n");
    for (size_t i = 0; i < findings->n; i++) {
        gptl_out_literal(out, "\n* ");
        gptl_name_text(out, findings->findings[i].what, false);
        if (findings->findings[i].cost > 0)
            gptl_out_format(out, "; that took %s%.3f s", findings->is_partial ? "at least " : "",
                            (double)findings->findings[i].cost / 1e9);
        gptl_out_literal(out, ".\n  Advice: ");
        gptl_name_text(out, findings->findings[i].advice, false);
        gptl_out_literal(out, ".\n");
    }
}

static void put_json(const struct summary *summary, const struct findings *findings, size_t n)
{
    struct gptl_out *out = summary->ioc->out;
    gptl_out_format(
        out, ",\n\"processes\":%zu,\"hosts\":%llu,\"failed\":%llu,\"mapped\":%llu,\"calls\":{",
        summary->ioc->log.nprocesses, (unsigned long long)hosts_of(&summary->ioc->log),
        (unsigned long long)summary->failed, (unsigned long long)summary->maps);
    for (int type = GPTL_IOC_READ; type <= GPTL_IOC_OTHER; type++)
        gptl_out_format(out, "%s\"%s\":%llu", type > GPTL_IOC_READ ? "," : "",
                        call_type_name((enum gptl_ioc_type)type),
                        (unsigned long long)summary->calls[type]);
    gptl_out_literal(out, "},\n\"moves\":[\n");
    put_all_moves(summary);
    gptl_out_literal(out, "],\n\"files\":[\n");
    put_files(summary, n);
    if (summary->regions.n > 0) {
        gptl_out_literal(out, "],\n\"regions\":[\n");
        io_regions_print(&summary->regions, out, ROWS_JSON, 0);
    }
    gptl_out_literal(out, "],\n\"findings\":[");
    for (size_t i = 0; i < findings->n; i++) {
        gptl_out_text(out, i ? ",\n{\"what\":" : "\n{\"what\":");
        gptl_name_json(out, findings->findings[i].what);
        gptl_out_literal(out, ",\"advice\":");
        gptl_name_json(out, findings->findings[i].advice);
        gptl_out_literal(out, ",\"seconds\":");
        if (findings->findings[i].cost > 0)
            gptl_out_seconds(out, (uint64_t)findings->findings[i].cost);
        else
            gptl_out_literal(out, "null");
        gptl_out_char(out, '}');
    }
    gptl_out_char(out, ']');
}

void summary_print(const struct summary *summary, const struct findings *findings)
{
    enum { FILES_OF_TABLE = 15, PATHS_OF_TABLE = 15 };
    const struct ioc *ioc = summary->ioc;
    struct gptl_out *out = ioc->out;
    size_t n = ioc->top                    ? (size_t)ioc->top
               : ioc->format == ROWS_TABLE ? FILES_OF_TABLE
                                           : summary->nfiles;
    n = n < summary->nfiles ? n : summary->nfiles;
    if (ioc->format == ROWS_CSV) {
        put_files(summary, n);
        return;
    }
    if (ioc->format == ROWS_JSON) {
        put_json(summary, findings, n);
        return;
    }
    put_head(summary);
    put_all_moves(summary);
    put_calls(summary);
    put_sizes(summary, "reads", SIZE_READ);
    put_sizes(summary, "writes", SIZE_WRITE);
    put_sizes(summary, "stdio reads", SIZE_STDIO_READ);
    put_sizes(summary, "stdio writes", SIZE_STDIO_WRITE);
    gptl_out_char(out, '\n');
    put_files(summary, n);
    if (n < summary->nfiles)
        gptl_out_format(out, "%zu more files: --top and --csv show them.\n", summary->nfiles - n);
    if (summary->regions.n > 0) {
        gptl_out_literal(out, "\nBy region of the program, the longest time in calls first:\n\n");
        io_regions_print(&summary->regions, out, ROWS_TABLE, PATHS_OF_TABLE);
    }
    put_findings(out, findings);
}
