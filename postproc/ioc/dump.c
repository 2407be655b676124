/* dump.c - gptl ioc dump: all calls, one per line. */
#include "config.h"

#include "postproc/ioc/ioc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/commands.h"
#include "postproc/ioc/memory.h"

#include "report/name.h"
#include "report/number.h"

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
    size_t *widths, width; /* of the processes' labels, and the maximum */
    char *path;            /* the last call path */
    size_t room;
};

/* Return the open regions as "main/solve/write". */
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

/* Logs have many lines, so their formatting avoids slow functions. */
static void put_number(struct gptl_out *out, int64_t number)
{
    if (number < 0)
        gptl_out_char(out, '-');
    gptl_out_uint(out, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
}

static void put_text(struct gptl_out *out, const char *text, bool quote)
{
    size_t n = 0;
    while (text[n] >= ' ' && text[n] < 127 && text[n] != '"' && text[n] != '\\')
        n++;
    if (text[n]) {
        gptl_name_text(out, text, quote);
        return;
    }
    gptl_out_text(out, quote ? "\"" : "");
    gptl_out_bytes(out, text, n);
    gptl_out_text(out, quote ? "\"" : "");
}

static void put_name(struct dump *dump, uint32_t file)
{
    if (file)
        put_text(dump->ioc->out, dump->ioc->files.files[file].path, true);
    else
        gptl_out_char(dump->ioc->out, '-');
}

static void put_offset(struct gptl_out *out, int64_t offset)
{
    gptl_out_literal(out, " @");
    if (offset >= 0)
        put_number(out, offset);
    else
        gptl_out_char(out, '?');
}

static void put_result(struct gptl_out *out, const struct call *call)
{
    const char *name = NULL;
#ifdef HAVE_STRERRORNAME_NP
    if (call->result < 0 && call->result > -4096)
        name = strerrorname_np((int)-call->result);
#endif
    gptl_out_char(out, ' ');
    if (name)
        gptl_out_text(out, name);
    else
        put_number(out, call->result);
    if (call->asked >= 0) {
        gptl_out_literal(out, " of ");
        put_number(out, call->asked);
    }
    if (call->n > 1) {
        gptl_out_literal(out, " in ");
        gptl_out_uint(out, call->n);
        gptl_out_literal(out, " calls");
    }
}

/* Write time, process and thread. */
static void put_who(struct dump *dump, const struct call *call)
{
    enum { TIME_WIDTH = 14, THREAD_WIDTH = 7 };
    struct gptl_out *out = dump->ioc->out;
    const char *label = dump->ioc->log.processes[call->process].label;
    char text[2 * GPTL_NUMBER_SIZE];
    uint64_t size = call->time < 0 ? 0 - (uint64_t)call->time : (uint64_t)call->time;
    size_t n = 0;
    if (call->time < 0)
        text[n++] = '-';
    n += gptl_number_seconds(text + n, size, 9);
    gptl_out_blanks(out, n < TIME_WIDTH ? TIME_WIDTH - n : 0);
    gptl_out_bytes(out, text, n);
    gptl_out_char(out, ' ');
    put_text(out, label, false);
    gptl_out_blanks(out, 1 + dump->width - dump->widths[call->process]);
    unsigned digits = gptl_number_digits(call->thread < 0 ? 0 : (uint64_t)call->thread);
    gptl_out_blanks(out, digits < THREAD_WIDTH ? THREAD_WIDTH - digits : 0);
    put_number(out, call->thread);
    gptl_out_char(out, ' ');
}

static void put_line(struct dump *dump, const struct call *call)
{
    struct gptl_out *out = dump->ioc->out;
    put_who(dump, call);
    put_text(out, call->name, false);
    gptl_out_char(out, '(');
    put_number(out, call->from.fd);
    gptl_out_char(out, ')');
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
        put_text(out, path_of(dump, call), true);
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
    if (dump->ioc->out->error) /* the reader has gone */
        return;
    if (dump->ioc->format == ROWS_TABLE)
        put_line(dump, call);
    else
        put_row(dump, call);
}

int ioc_dump(struct ioc *ioc)
{
    struct dump dump = {.ioc = ioc};
    dump.widths = memory_zeros(ioc->log.nprocesses, sizeof *dump.widths);
    for (size_t i = 0; i < ioc->log.nprocesses; i++) {
        size_t width = gptl_name_width(ioc->log.processes[i].label, false);
        dump.widths[i] = width;
        dump.width = width > dump.width ? width : dump.width;
    }
    walk_check(&ioc->log); /* finds the damage that the heading reports */
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
    free(dump.widths);
    return GPTL_EXIT_DONE;
}
