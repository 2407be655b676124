/* dump.c - gptl ioc dump: all calls, one a line. */
#include "config.h"

#include "postproc/ioc/ioc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/commands.h"
#include "postproc/ioc/memory.h"

#include "report/name.h"

static const struct column columns[] = {
    {"seconds", NULL, false}, {"process", NULL, true},    {"thread", NULL, false},
    {"call", NULL, true},     {"fd", NULL, false},        {"result", NULL, false},
    {"asked", NULL, false},   {"offset", NULL, false},    {"file", NULL, true},
    {"to_fd", NULL, false},   {"to_offset", NULL, false}, {"to_file", NULL, true},
    {"calls", NULL, false},   {"duration", NULL, false},  {"path", NULL, true},
};

struct dump {
    struct ioc *ioc;
    struct rows rows;
    size_t width; /* of the processes' labels */
    char *path;   /* the call path that was put together last */
    size_t room;
};

/* "main/solve/write": the regions that were open. */
static const char *path_of(struct dump *dump, const struct call *call)
{
    enum { MOST_LEVELS = 200 };
    const struct section_name *levels[MOST_LEVELS], *level;
    size_t n = 0, size = 1, used = 0;
    for (uint32_t number = call->path; n < MOST_LEVELS && number; number = level->parent) {
        level = section_path(call->section, number);
        if (!level)
            break;
        levels[n++] = level;
        size += strlen(level->text) + 1;
    }
    dump->path = memory_room(dump->path, &dump->room, size, 1);
    dump->path[0] = '\0';
    while (n > 0) {
        size_t length = strlen(levels[--n]->text);
        memcpy(dump->path + used, levels[n]->text, length);
        used += length;
        dump->path[used++] = '/';
    }
    dump->path[used ? used - 1 : 0] = '\0';
    return dump->path;
}

static bool moves(const struct call *call)
{
    return call_is_read(call) || call_is_write(call);
}

/* ---- Lines --------------------------------------------------------------------------------- */

static void put_name(struct dump *dump, uint32_t file)
{
    if (file)
        gptl_name_text(dump->ioc->out, dump->ioc->files.files[file].path, true);
    else
        gptl_out_char(dump->ioc->out, '-');
}

static void put_offset(struct gptl_out *out, int64_t offset)
{
    if (offset >= 0)
        gptl_out_format(out, " @%lld", (long long)offset);
    else
        gptl_out_literal(out, " @?");
}

static void put_result(struct gptl_out *out, const struct call *call)
{
    const char *name =
        call->result < 0 && call->result > -4096 ? strerrorname_np((int)-call->result) : NULL;
    if (name)
        gptl_out_format(out, " %s", name);
    else
        gptl_out_format(out, " %lld", (long long)call->result);
    if (call->asked >= 0)
        gptl_out_format(out, " of %lld", (long long)call->asked);
    if (call->n > 1)
        gptl_out_format(out, " in %llu calls", (unsigned long long)call->n);
}

static void put_line(struct dump *dump, const struct call *call)
{
    struct gptl_out *out = dump->ioc->out;
    const char *label = dump->ioc->log.processes[call->process].label;
    gptl_out_format(out, "%14.9f ", (double)call->time * 1e-9);
    gptl_name_text(out, label, false);
    gptl_out_blanks(out, dump->width - gptl_name_width(label, false));
    gptl_out_format(out, " %7d ", call->thread);
    gptl_name_text(out, call->name, false);
    gptl_out_format(out, "(%d)", call->from.fd);
    put_result(out, call);
    if (moves(call) || call->from.offset >= 0)
        put_offset(out, call->from.offset);
    gptl_out_char(out, ' ');
    put_name(dump, call->from.file);
    if (call->has_to && !call_is_write(call)) {
        gptl_out_format(out, " to (%d)", call->to.fd);
        put_offset(out, call->to.offset);
        gptl_out_char(out, ' ');
        put_name(dump, call->to.file);
    } else if (call->other) {
        gptl_out_char(out, ' ');
        put_name(dump, call->other);
    }
    if (call->duration >= 0) {
        gptl_out_literal(out, " took ");
        gptl_out_seconds(out, (uint64_t)call->duration);
    }
    if (call->path) {
        gptl_out_literal(out, " in ");
        gptl_name_text(out, path_of(dump, call), true);
    }
    gptl_out_char(out, '\n');
}

/* ---- Rows ---------------------------------------------------------------------------------- */

static void put_known(struct rows *rows, int64_t number)
{
    if (number >= 0)
        rows_number(rows, number);
    else
        rows_none(rows);
}

static void put_end(struct dump *dump, const struct end *end)
{
    put_known(&dump->rows, end->offset);
    rows_text(&dump->rows, end->file ? dump->ioc->files.files[end->file].path : "");
}

static void put_row(struct dump *dump, const struct call *call)
{
    struct rows *rows = &dump->rows;
    struct end to = {-1, call->other, -1};
    if (call->has_to && !call_is_write(call))
        to = call->to;
    rows_seconds(rows, call->time);
    rows_text(rows, dump->ioc->log.processes[call->process].label);
    rows_number(rows, call->thread);
    rows_text(rows, call->name);
    rows_number(rows, call->from.fd);
    rows_number(rows, call->result);
    put_known(rows, call->asked);
    put_end(dump, &call->from);
    put_known(rows, to.fd);
    put_end(dump, &to);
    rows_number(rows, (int64_t)call->n);
    if (call->duration >= 0)
        rows_seconds(rows, call->duration);
    else
        rows_none(rows);
    rows_text(rows, call->path ? path_of(dump, call) : "");
}

/* ---- The tool ------------------------------------------------------------------------------ */

static void visit(void *to, const struct call *call)
{
    struct dump *dump = to;
    if (dump->ioc->out->error) /* nobody reads on */
        return;
    if (dump->ioc->format == ROWS_TABLE)
        put_line(dump, call);
    else
        put_row(dump, call);
}

int ioc_dump(struct ioc *ioc)
{
    struct dump dump = {.ioc = ioc};
    for (size_t i = 0; i < ioc->log.nprocesses; i++) {
        size_t width = gptl_name_width(ioc->log.processes[i].label, false);
        dump.width = width > dump.width ? width : dump.width;
    }
    walk_check(&ioc->log); /* what is said first is not known before */
    ioc_begin(ioc);
    if (ioc->format == ROWS_JSON)
        gptl_out_literal(ioc->out, ",\"rows\":[\n");
    if (ioc->format != ROWS_TABLE)
        rows_begin(&dump.rows, ioc->out, ioc->format, columns, sizeof columns / sizeof columns[0]);
    walk(&ioc->log, &ioc->selection, &ioc->files, true, visit, &dump);
    if (ioc->format == ROWS_JSON)
        gptl_out_literal(ioc->out, "]");
    ioc_end(ioc);
    free(dump.path);
    return GPTL_EXIT_DONE;
}
