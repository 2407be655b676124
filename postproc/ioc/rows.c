/* rows.c - rows of values as a table, as CSV (RFC 4180), or as JSON. */
#include "config.h"

#include "postproc/ioc/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/ioc/memory.h"
#include "postproc/report/escape.h"

#include "report/name.h"
#include "report/number.h"

const char *bytes_text(char *text, double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    int unit = 0;
    while (fabs(bytes) >= 1024 && unit < 6) {
        bytes /= 1024;
        unit++;
    }
    bool is_whole = unit == 0 || (bytes < 1000 && bytes == floor(bytes));
    snprintf(text, BYTES_TEXT, "%.*f %s",
             is_whole      ? 0
             : bytes < 10  ? 2
             : bytes < 100 ? 1
                           : 0,
             bytes, units[unit]);
    return text;
}

/* ---- Cells --------------------------------------------------------------------------------- */

/* Write text in a table, with control characters and invalid UTF-8 as \xNN. */
static void put_plain(struct gptl_out *out, const char *text)
{
    gptl_name_text(out, text, false);
}

static void keep(struct rows *rows, const char *text, size_t width)
{
    size_t n = strlen(text) + 1;
    rows->cells = memory_room(rows->cells, &rows->room, rows->used + n, 1);
    memcpy(rows->cells + rows->used, text, n);
    rows->used += n;
    if (width > rows->width[rows->at])
        rows->width[rows->at] = width;
}

static void put_csv(struct gptl_out *out, const char *text)
{
    static const struct escape field = {.instead = {['"'] = "\"\""}, .backslash = "\\"};
    const char *quote = strpbrk(text, ",\"") || *text == '\0' ? "\"" : "";
    gptl_out_text(out, quote);
    escape_put(out, &field, text);
    gptl_out_text(out, quote);
}

static void begin_cell(struct rows *rows)
{
    if (rows->format == ROWS_CSV) {
        if (rows->at > 0)
            gptl_out_char(rows->out, ',');
    } else if (rows->format == ROWS_JSON) {
        if (rows->at == 0 && rows->any)
            gptl_out_literal(rows->out, ",\n");
        gptl_out_text(rows->out, rows->at == 0 ? "{\"" : ",\"");
        gptl_out_text(rows->out, rows->columns[rows->at].key);
        gptl_out_literal(rows->out, "\":");
    }
}

static void end_cell(struct rows *rows)
{
    if (++rows->at < rows->ncolumns)
        return;
    rows->at = 0;
    rows->any = true;
    if (rows->format == ROWS_CSV)
        gptl_out_char(rows->out, '\n');
    else if (rows->format == ROWS_JSON)
        gptl_out_char(rows->out, '}');
}

/* Write a number, with the same spelling in CSV and JSON. */
static void put_number(struct rows *rows, const char *exact, const char *shown)
{
    begin_cell(rows);
    if (rows->format == ROWS_TABLE)
        keep(rows, shown, strlen(shown));
    else
        gptl_out_text(rows->out, exact);
    end_cell(rows);
}

void rows_text(struct rows *rows, const char *text)
{
    begin_cell(rows);
    if (rows->format == ROWS_TABLE)
        keep(rows, text, gptl_name_width(text, false));
    else if (rows->format == ROWS_CSV)
        put_csv(rows->out, text);
    else
        gptl_name_json(rows->out, text);
    end_cell(rows);
}

void rows_number(struct rows *rows, int64_t number)
{
    char text[GPTL_NUMBER_SIZE];
    snprintf(text, sizeof text, "%lld", (long long)number);
    put_number(rows, text, text);
}

void rows_seconds(struct rows *rows, int64_t ns)
{
    char exact[2 * GPTL_NUMBER_SIZE];
    uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    size_t n = 0;
    if (ns < 0)
        exact[n++] = '-';
    n += gptl_number_seconds(exact + n, size, 9);
    exact[n] = '\0';
    put_number(rows, exact, exact);
}

void rows_percent(struct rows *rows, double percent)
{
    char text[64];
    snprintf(text, sizeof text, "%.1f", percent);
    put_number(rows, text, text);
}

void rows_bytes(struct rows *rows, int64_t bytes)
{
    char exact[GPTL_NUMBER_SIZE], text[BYTES_TEXT];
    snprintf(exact, sizeof exact, "%lld", (long long)bytes);
    put_number(rows, exact, bytes_text(text, (double)bytes));
}

void rows_real(struct rows *rows, double value)
{
    char exact[GPTL_NUMBER_SIZE], text[GPTL_NUMBER_SIZE];
    snprintf(exact, sizeof exact, "%.12g", isfinite(value) ? value : 0);
    snprintf(text, sizeof text, "%.4g", value);
    put_number(rows, exact, text);
}

void rows_none(struct rows *rows)
{
    put_number(rows, rows->format == ROWS_JSON ? "null" : "", "-");
}

/* ---- All ----------------------------------------------------------------------------------- */

void rows_begin(struct rows *rows, struct gptl_out *out, enum rows_format format,
                const struct column *columns, unsigned ncolumns)
{
    *rows = (struct rows){.out = out, .format = format, .columns = columns, .ncolumns = ncolumns};
    for (unsigned i = 0; i < ncolumns; i++) {
        rows->width[i] = columns[i].head ? strlen(columns[i].head) : 0;
        if (format == ROWS_CSV) {
            gptl_out_text(out, i ? "," : "");
            gptl_out_text(out, columns[i].key);
        }
    }
    if (format == ROWS_CSV)
        gptl_out_char(out, '\n');
}

static void put_padded(struct rows *rows, unsigned column, const char *text, size_t width)
{
    bool is_text = rows->columns[column].is_text, is_last = column + 1 == rows->ncolumns;
    size_t blanks = rows->width[column] - width;
    if (!rows->columns[column].head)
        return;
    gptl_out_blanks(rows->out, 2 + (is_text ? 0 : blanks));
    put_plain(rows->out, text);
    gptl_out_blanks(rows->out, is_text && !is_last ? blanks : 0);
}

void rows_end(struct rows *rows)
{
    if (rows->format != ROWS_TABLE)
        return;
    for (unsigned i = 0; i < rows->ncolumns; i++)
        if (rows->columns[i].head)
            put_padded(rows, i, rows->columns[i].head, strlen(rows->columns[i].head));
    gptl_out_char(rows->out, '\n');
    unsigned column = 0;
    for (const char *cell = rows->cells; rows->cells && cell < rows->cells + rows->used;
         cell += strlen(cell) + 1) {
        put_padded(rows, column, cell, gptl_name_width(cell, false));
        if (++column == rows->ncolumns) {
            gptl_out_char(rows->out, '\n');
            column = 0;
        }
    }
    free(rows->cells);
    rows->cells = NULL;
}
