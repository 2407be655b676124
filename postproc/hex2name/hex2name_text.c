/*
 * hex2name_text.c - rewrites a text report with names for its addresses.
 *
 * The report is read three times, so that it need not be stored: for the modules and numbers of
 * columns, for the widths of names, and for copying.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "postproc/hex2name/hex2name.h"
#include "report/name.h"

/*
 * Layout limits of the library's own reports, which list modules: a longer name takes a separate
 * line, and a longer path of callers is truncated.
 */
enum { NAME_WIDTH_MAX = 120, PATH_WIDTH = 72 };

struct table {
    unsigned ncells;      /* 0: no row has an address */
    size_t before, after; /* width of the names, before and after the replacement */
};

struct text {
    struct hex_reader reader;
    struct hex_names *names;
    struct gptl_out *out;
    struct table *tables; /* indexed by number */
    size_t ntables;
    bool bare; /* addresses without labels */
};

/* ---- Names ----------------------------------------------------------------------------------- */

static const char *name_of(struct text *text, const struct hex_line *line,
                           const struct hex_name *name)
{
    return hex_names_find(text->names, &name->address, line->part);
}

/*
 * Replace addresses in LINE from FROM to TO by names; write the result if PUT. Returns the width.
 */
static size_t replaced(struct text *text, const struct hex_line *line, size_t from, size_t to,
                       bool put)
{
    struct hex_name name;
    size_t width = 0, at = from;
    while (from < to && hex_line_address(line, text->bare, at, to, &name)) {
        const char *found = name_of(text, line, &name);
        at = name.at + name.length;
        if (!found)
            continue;
        width += hex_width(line->text + from, name.at - from) + gptl_name_width(found, name.quoted);
        if (put) {
            gptl_out_bytes(text->out, line->text + from, name.at - from);
            gptl_name_text(text->out, found, name.quoted);
        }
        from = at;
    }
    if (put)
        gptl_out_bytes(text->out, line->text + from, to - from);
    return width + hex_width(line->text + from, to - from);
}

/* ---- Paths of callers ------------------------------------------------------------------------ */

/* Return the position of "< a < b" in the left part of a row; 0: absent. */
static size_t path_begin(const struct hex_line *line, size_t left)
{
    size_t at = 0;
    while (at < left && (line->text[at] == ' ' || line->text[at] == '>'))
        at++;
    return line->section == HEX_CALLERS && at + 2 < left && memcmp(line->text + at, "< ", 2) == 0
               ? at
               : 0;
}

/* Replace names in a path of callers, truncated by the library's rule. */
static size_t replaced_path(struct text *text, const struct hex_line *line, size_t from, size_t to,
                            bool put)
{
    size_t width = 0, step;
    for (size_t at = from + 2; at < to; at = step + 3) {
        const char *next = memmem(line->text + at, to - at, " < ", 3);
        step = next ? (size_t)(next - line->text) : to;
        size_t one = replaced(text, line, at, step, false);
        bool cut = !text->bare && width > 0 && width + 3 + one > PATH_WIDTH;
        if (put) {
            gptl_out_text(text->out, width > 0 ? " < " : "< ");
            if (cut)
                gptl_out_literal(text->out, "...");
            else
                replaced(text, line, at, step, true);
        }
        width += (width > 0 ? 3 : 2) + (cut ? 3 : one);
        if (cut)
            break;
    }
    return width;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Replace the address in the left part of a row; write the result if PUT. Returns the width. */
static size_t left_part(struct text *text, const struct hex_line *line, const struct hex_row *row,
                        bool put)
{
    struct hex_name name;
    size_t path = path_begin(line, row->left), same = row->left, width = 0;
    const char *found = NULL;
    if (path)
        same = path;
    else if (hex_row_address(line, text->bare, &name) && name.at + name.length == row->left &&
             (found = name_of(text, line, &name)) != NULL)
        same = name.at;
    if (put)
        gptl_out_bytes(text->out, line->text, same);
    width = hex_width(line->text, same);
    if (path)
        width += replaced_path(text, line, path, row->left, put);
    if (found) {
        width += gptl_name_width(found, name.quoted);
        if (put)
            gptl_name_text(text->out, found, name.quoted);
    }
    return width;
}

static struct table *table_of(struct text *text, const struct hex_line *line)
{
    return line->table < text->ntables ? &text->tables[line->table] : NULL;
}

static void widen(const struct text *text, size_t *width, size_t by)
{
    if (by > *width && (text->bare || by <= NAME_WIDTH_MAX))
        *width = by;
}

static void put_row(struct text *text, const struct hex_line *line, const struct hex_row *row)
{
    const struct table *table = table_of(text, line);
    const char *numbers = row->two_lines ? line->next : line->text;
    size_t end = row->two_lines ? line->next_length : line->length;
    /* The column of the first number, before and after the replacement. */
    size_t column = hex_width(numbers, row->cells);
    size_t to = column + table->after > table->before ? column + table->after - table->before : 0;
    size_t used = left_part(text, line, row, true);
    if (!text->bare && used > NAME_WIDTH_MAX) {
        gptl_out_text(text->out, line->end[0] ? line->end : "\n");
        used = 0;
    }
    gptl_out_blanks(text->out, to > used ? to - used : 1);
    gptl_out_bytes(text->out, numbers + row->cells, end - row->cells);
}

/* Adjust the space before the first column head; at least one space remains. */
static void put_head(struct text *text, const struct hex_line *line)
{
    const struct table *table = table_of(text, line);
    size_t at = 0;
    while (at < line->length && line->text[at] != ' ')
        at++;
    size_t to = at;
    while (to < line->length && line->text[to] == ' ')
        to++;
    size_t blanks = to - at + table->after;
    blanks = blanks > table->before ? blanks - table->before : 1;
    gptl_out_bytes(text->out, line->text, at);
    gptl_out_blanks(text->out, to < line->length ? blanks : to - at);
    gptl_out_bytes(text->out, line->text + to, line->length - to);
}

/* ---- The three passes ------------------------------------------------------------------------ */

static bool add_tables(struct text *text, uint32_t number)
{
    size_t size = (size_t)number + 1;
    if (size <= text->ntables)
        return true;
    size += size / 2;
    struct table *tables = realloc(text->tables, size * sizeof *tables);
    if (!tables)
        return false;
    memset(tables + text->ntables, 0, (size - text->ntables) * sizeof *tables);
    text->tables = tables;
    text->ntables = size;
    return true;
}

/*
 * Count the columns from rows with addresses. The minimum counts, because a name may end in
 * numbers.
 */
static void count_cells(struct text *text, const struct hex_line *line, bool bare)
{
    struct hex_name name;
    struct table *table = table_of(text, line);
    unsigned n = hex_row_address(line, bare, &name) ? hex_row_cells(line, &name) : 0;
    if (n > 0 && (table->ncells == 0 || n < table->ncells))
        table->ncells = n;
}

/*
 * Find the modules and columns, assuming addresses with labels; a report without modules is read
 * again for bare addresses.
 */
static int first_pass(struct text *text, FILE *in, bool bare)
{
    struct hex_line line;
    int result = 0;
    hex_reader_start(&text->reader, in);
    while (result == 0 && hex_reader_next(&text->reader, &line)) {
        if (!add_tables(text, line.table) ||
            (line.section == HEX_MODULES && hex_names_add_line(text->names, &line)))
            result = -1;
        else
            count_cells(text, &line, bare);
    }
    hex_reader_free(&text->reader);
    return result;
}

static void measure(struct text *text, struct hex_line *line)
{
    struct table *table = table_of(text, line);
    struct hex_row row;
    if (line->head) {
        const char *blank = memchr(line->text, ' ', line->length);
        size_t width = hex_width(line->text, blank ? (size_t)(blank - line->text) : 0);
        widen(text, &table->before, width);
        widen(text, &table->after, width);
    } else if (hex_row_parse(line, table->ncells, &row)) {
        widen(text, &table->before, hex_width(line->text, row.left));
        widen(text, &table->after, left_part(text, line, &row, false));
        if (row.two_lines)
            hex_reader_next(&text->reader, line);
    }
}

static void second_pass(struct text *text, FILE *in)
{
    struct hex_line line;
    hex_reader_start(&text->reader, in);
    while (hex_reader_next(&text->reader, &line))
        measure(text, &line);
    hex_reader_free(&text->reader);
}

/*
 * Write a line outside tables. In PARENTS, complete names follow the counts; elsewhere only
 * addresses with labels are replaced.
 */
static void put_other(struct text *text, const struct hex_line *line)
{
    struct hex_name name;
    size_t from = 0;
    if (line->section == HEX_PARENTS)
        from = hex_row_address(line, text->bare, &name) && hex_row_ends(line, &name) ? name.at
                                                                                     : line->length;
    else if (text->bare && line->section != HEX_CROSSED)
        from = line->length;
    gptl_out_bytes(text->out, line->text, from);
    replaced(text, line, from, line->length, true);
}

/* Return whether to copy a line of a table or of the modules unchanged because it is not a row. */
static bool is_kept(const struct hex_line *line)
{
    return line->heading || line->section == HEX_SUMMARY || line->section == HEX_MODULES;
}

static void third_pass(struct text *text, FILE *in)
{
    struct hex_line line;
    struct hex_row row;
    hex_reader_start(&text->reader, in);
    while (hex_reader_next(&text->reader, &line)) {
        const struct table *table = table_of(text, &line);
        if (line.head && table->ncells > 0) {
            put_head(text, &line);
        } else if (hex_row_parse(&line, table->ncells, &row)) {
            put_row(text, &line, &row);
            if (row.two_lines)
                hex_reader_next(&text->reader, &line);
        } else if (line.head || is_kept(&line)) {
            gptl_out_bytes(text->out, line.text, line.length);
        } else {
            put_other(text, &line);
        }
        gptl_out_text(text->out, line.end);
    }
    hex_reader_free(&text->reader);
}

int hex_text(FILE *in, struct gptl_out *out, struct hex_names *names)
{
    struct text text = {.names = names, .out = out};
    size_t nmodules;
    int result = first_pass(&text, in, false);
    hex_names_modules(names, &nmodules);
    if (result == 0 && nmodules == 0) {
        text.bare = true;
        result = first_pass(&text, in, true);
    }
    if (result == 0) {
        second_pass(&text, in);
        third_pass(&text, in);
    }
    free(text.tables);
    return result;
}
