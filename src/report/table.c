/* table.c - a table of numbers beside names, its widths taken from the data. */
#include "config.h"

#include "report/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/name.h"
#include "report/number.h"

/* Longer names get a line of their own, so that one does not push all numbers out of sight. */
enum { NAME_WIDTH_MAX = 120, GAP = 2, CPU_DECIMALS = 6 };

uint64_t gptl_table_real(double value)
{
    uint64_t bits;
    if (!isfinite(value))
        return GPTL_CELL_NONE;
    memcpy(&bits, &value, sizeof bits);
    return bits & ~GPTL_CELL_ABOUT;
}

/* With as many digits as fit; the program's language may have another point. */
static size_t format_real(const struct gptl_table *table, enum gptl_cell_kind kind, double value,
                          char *to)
{
    double most = table->wide ? 1e14 : 1e6;
    int digits = table->wide ? 9 : 2, n;
    if (kind == GPTL_CELL_EVENTS && fabs(value) < most)
        n = snprintf(to, GPTL_NUMBER_SIZE, "%.0f", value);
    else if (kind == GPTL_CELL_RATE && fabs(value) < most / 10)
        n = snprintf(to, GPTL_NUMBER_SIZE, "%.2f", value);
    else
        n = snprintf(to, GPTL_NUMBER_SIZE, "%.*e", digits, value);
    char *comma = memchr(to, ',', (size_t)n);
    if (comma)
        *comma = '.';
    return (size_t)n;
}

static bool is_real(enum gptl_cell_kind kind)
{
    return kind == GPTL_CELL_EVENTS || kind == GPTL_CELL_RATE || kind == GPTL_CELL_RATIO;
}

static size_t format_power(uint64_t bits, char *to)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    int n = snprintf(to, GPTL_NUMBER_SIZE, "%.6e", value);
    char *comma = memchr(to, ',', (size_t)n);
    if (comma)
        *comma = '.';
    return (size_t)n;
}

/* In the form that scripts read: numbers only. */
static size_t format_plain(const struct gptl_table *table, unsigned column, uint64_t value,
                           char *to)
{
    enum gptl_cell_kind kind = table->column[column].kind;
    if (kind == GPTL_CELL_FLAG)
        return (size_t)snprintf(to, GPTL_NUMBER_SIZE, "%c", value ? 'y' : '-');
    if (value == GPTL_CELL_NONE && (kind == GPTL_CELL_COUNT || is_real(kind)))
        return (size_t)snprintf(to, GPTL_NUMBER_SIZE, "%s",
                                kind == GPTL_CELL_COUNT ? table->form->none : "-");
    if (value == GPTL_CELL_NONE)
        value = 0;
    switch (kind) {
    case GPTL_CELL_SECONDS:
    case GPTL_CELL_CPU:
        return gptl_number_seconds(to, value & ~GPTL_CELL_ESTIMATED, table->form->decimals);
    case GPTL_CELL_POWER:
        return format_power(value, to);
    case GPTL_CELL_PLACE:
        return (size_t)snprintf(to, GPTL_NUMBER_SIZE, "(%6u%*u)", (unsigned)(value >> 32),
                                table->form->thread_width, (unsigned)(value & UINT32_MAX));
    default:
        return 0;
    }
}

static size_t format_cell(const struct gptl_table *table, unsigned column, uint64_t value, char *to)
{
    int decimals = table->decimals;
    enum gptl_cell_kind kind = table->column[column].kind;
    double real;
    bool mark;
    size_t plain = table->form ? format_plain(table, column, value, to) : 0;
    if (plain)
        return plain;
    if (value == GPTL_CELL_NONE) {
        *to = '-';
        return 1;
    }
    if (!is_real(kind) && value & GPTL_CELL_ESTIMATED) {
        *to = '~';
        return 1 + format_cell(table, column, value & ~GPTL_CELL_ESTIMATED, to + 1);
    }
    switch (kind) {
    case GPTL_CELL_EVENTS:
    case GPTL_CELL_RATE:
    case GPTL_CELL_RATIO:
        if (value == GPTL_CELL_SHORT) {
            memcpy(to, "n/a", 3);
            return 3;
        }
        mark = table->column[column].estimated || (value & GPTL_CELL_ABOUT);
        value &= ~GPTL_CELL_ABOUT;
        memcpy(&real, &value, sizeof real);
        *to = '~';
        return mark + format_real(table, kind, real, to + mark);
    case GPTL_CELL_COUNT:
        return gptl_number_uint(to, value);
    case GPTL_CELL_PERCENT:
        /* A hundredth of a percent is 10 ms of a second: the same form. */
        return gptl_number_seconds(to, value * 10000000, 2);
    case GPTL_CELL_CPU:
        return gptl_number_seconds(to, value, decimals < CPU_DECIMALS ? decimals : CPU_DECIMALS);
    case GPTL_CELL_PLACE:
        return (size_t)snprintf(to, GPTL_NUMBER_SIZE, "(%4u %4u)", (unsigned)(value >> 32),
                                (unsigned)(value & UINT32_MAX));
    default:
        return gptl_number_seconds(to, value, decimals);
    }
}

void gptl_table_wide_column(struct gptl_table *table, const char *head, enum gptl_cell_kind kind,
                            size_t width)
{
    gptl_table_column(table, head, kind);
    size_t *most = &table->column[table->ncolumns - 1].width;
    if (*most < width)
        *most = width;
}

void gptl_table_column(struct gptl_table *table, const char *head, enum gptl_cell_kind kind)
{
    unsigned i = table->ncolumns++;
    table->column[i].head = head;
    table->column[i].kind = kind;
    table->column[i].width = gptl_name_width(head, false);
    table->column[i].estimated = false;
}

void gptl_table_events(struct gptl_table *table, const char *head, enum gptl_cell_kind kind,
                       bool estimated)
{
    gptl_table_wide_column(table, head, kind, table->wide ? 16 : 8);
    table->column[table->ncolumns - 1].estimated = estimated;
}

void gptl_table_fit(struct gptl_table *table, size_t name_width, const uint64_t *cells)
{
    if (name_width > table->name_width && name_width <= NAME_WIDTH_MAX)
        table->name_width = name_width;
    for (unsigned i = 0; i < table->ncolumns && !table->form; i++) {
        char text[GPTL_NUMBER_SIZE];
        size_t width = format_cell(table, i, cells[i], text);
        if (width > table->column[i].width)
            table->column[i].width = width;
    }
}

/* Blanks before TEXT of LENGTH so that it ends where its column does; wider ones keep a distance. */
static void put_gap(const struct gptl_table *table, struct gptl_out *out, unsigned column,
                    size_t length)
{
    size_t width = table->column[column].width;
    gptl_out_blanks(out, (table->form ? 1 : GAP) + (width > length ? width - length : 0));
}

void gptl_table_heads(const struct gptl_table *table, struct gptl_out *out, const char *left)
{
    size_t length = strlen(left);
    gptl_out_text(out, left);
    gptl_out_blanks(out, table->name_width > length ? table->name_width - length : 0);
    for (unsigned i = 0; i < table->ncolumns; i++) {
        const char *head = table->column[i].head;
        put_gap(table, out, i, gptl_name_width(head, false));
        gptl_name_text(out, head, false);
    }
    gptl_out_char(out, '\n');
}

void gptl_table_cells(const struct gptl_table *table, struct gptl_out *out, size_t used,
                      const uint64_t *cells)
{
    if (used > table->name_width && !table->form) {
        gptl_out_char(out, '\n');
        used = 0;
    }
    gptl_out_blanks(out, used < table->name_width ? table->name_width - used : 0);
    for (unsigned i = 0; i < table->ncolumns; i++) {
        char text[GPTL_NUMBER_SIZE];
        size_t length = format_cell(table, i, cells[i], text);
        put_gap(table, out, i, length);
        gptl_out_bytes(out, text, length);
    }
    gptl_out_char(out, '\n');
}
