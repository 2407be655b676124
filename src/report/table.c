/* table.c - a table of names and numbers, with widths derived from the data. */
#include "config.h"

#include "report/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/name.h"
#include "report/number.h"

/*
 * Longer names get a separate line, so that one long name does not push all numbers out of sight.
 */
enum { NAME_WIDTH_MAX = 120, GAP = 2, CPU_DECIMALS = 6 };

uint64_t gptl_table_real(double value)
{
    uint64_t bits;
    if (!isfinite(value))
        return GPTL_CELL_NONE;
    memcpy(&bits, &value, sizeof bits);
    return bits & ~GPTL_CELL_ABOUT;
}

/*
 * Print a number with the largest number of digits that fits; the program's locale may have another
 * decimal point.
 */
static size_t format_real(const struct gptl_table *table, enum gptl_cell_kind kind, double value,
                          char *to)
{
    double most = table->wide ? 1e14 : 1e6;
    int digits = table->wide ? 9 : 2, n;
    if (value == 0x1p63) { /* a saturated sum of counts */
        *to = '>';
        return 1 + format_real(table, kind, 0x1.fffffffffffffp62, to + 1);
    }
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

/* ---- Large numbers --------------------------------------------------------------------------- */

/* A value beyond every representable one. GPTL_CELL_ESTIMATED does not give it another meaning. */
#define MORE (GPTL_CELL_LONG | (GPTL_CELL_LONG - 2))

enum { SMALLER = 1000000 }; /* nanoseconds per millisecond, and the same factor for counts */

uint64_t gptl_table_wide_seconds(struct gptl_wide ns)
{
    if (ns.high == 0 && ns.low < GPTL_CELL_LONG)
        return ns.low;
    gptl_wide_add(&ns, (struct gptl_wide){SMALLER / 2, 0});
    gptl_wide_divide(&ns, SMALLER);
    return ns.high == 0 && ns.low < GPTL_CELL_LONG - 2 ? ns.low | GPTL_CELL_LONG : MORE;
}

uint64_t gptl_table_wide_count(struct gptl_wide n)
{
    return gptl_table_wide_seconds(n);
}

/* 64-bit sums saturate at UINT64_MAX - 1. */
uint64_t gptl_table_seconds(uint64_t ns)
{
    return ns < UINT64_MAX - 1 ? gptl_table_wide_seconds((struct gptl_wide){ns, 0}) : MORE;
}

uint64_t gptl_table_count(uint64_t n)
{
    return n < UINT64_MAX - 1 ? gptl_table_wide_count((struct gptl_wide){n, 0}) : MORE;
}

uint64_t gptl_table_real_seconds(double ns)
{
    if (ns < 0x1p62)
        return ns > 0 ? (uint64_t)(ns + 0.5) : 0;
    double ms = ns / SMALLER + 0.5;
    return ms < 0x1p62 - 1024 ? (uint64_t)ms | GPTL_CELL_LONG : MORE;
}

static size_t format_long(enum gptl_cell_kind kind, uint64_t value, int decimals, char *to)
{
    if (value == MORE) { /* exceeds 64 bits */
        *to = '>';
        return 1 + (kind == GPTL_CELL_COUNT
                        ? gptl_number_uint(to + 1, UINT64_MAX)
                        : gptl_number_seconds(to + 1, UINT64_MAX, decimals < 3 ? decimals : 3));
    }
    value &= ~GPTL_CELL_LONG;
    if (kind != GPTL_CELL_COUNT)
        return gptl_number_decimal(to, value, 3, decimals < 3 ? decimals : 3);
    size_t length = gptl_number_uint(to, value);
    memcpy(to + length, "e6", 2);
    return length + 2;
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

/* Print a cell in the layout for scripts: plain numbers. */
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
        value &= ~GPTL_CELL_ESTIMATED;
        /* in milliseconds: no clock is more precise over such a time */
        if (value & GPTL_CELL_LONG) {
            value &= ~GPTL_CELL_LONG;
            return (size_t)snprintf(to, GPTL_NUMBER_SIZE, "%llu.%03u",
                                    (unsigned long long)(value / 1000), (unsigned)(value % 1000));
        }
        return gptl_number_seconds(to, value, table->form->decimals);
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
    bool may_be_long =
        kind == GPTL_CELL_COUNT || kind == GPTL_CELL_SECONDS || kind == GPTL_CELL_CPU;
    if (may_be_long && value & GPTL_CELL_LONG)
        return format_long(kind, value, decimals, to);
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
        return gptl_number_decimal(to, value, 2, 2);
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

/* Print blanks so that TEXT of LENGTH ends at its column's end; wider text still gets a gap. */
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
