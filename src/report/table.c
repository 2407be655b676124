/* table.c - a table of numbers beside names, its widths taken from the data. */
#include "config.h"

#include "report/table.h"

#include <stdio.h>
#include <string.h>

#include "report/number.h"

/* Longer names get a line of their own, so that one does not push all numbers out of sight. */
enum { NAME_WIDTH_MAX = 120, GAP = 2, CPU_DECIMALS = 6 };

static size_t format_cell(const struct gptl_table *table, enum gptl_cell_kind kind, uint64_t value,
                          char *to)
{
    int decimals = table->decimals;
    if (value == GPTL_CELL_NONE) {
        *to = '-';
        return 1;
    }
    if (value & GPTL_CELL_ESTIMATED) {
        *to = '~';
        return 1 + format_cell(table, kind, value & ~GPTL_CELL_ESTIMATED, to + 1);
    }
    switch (kind) {
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

void gptl_table_column(struct gptl_table *table, const char *head, enum gptl_cell_kind kind)
{
    unsigned i = table->ncolumns++;
    table->column[i].head = head;
    table->column[i].kind = kind;
    table->column[i].width = strlen(head);
}

void gptl_table_fit(struct gptl_table *table, size_t name_width, const uint64_t *cells)
{
    if (name_width > table->name_width && name_width <= NAME_WIDTH_MAX)
        table->name_width = name_width;
    for (unsigned i = 0; i < table->ncolumns; i++) {
        char text[GPTL_NUMBER_SIZE];
        size_t width = format_cell(table, table->column[i].kind, cells[i], text);
        if (width > table->column[i].width)
            table->column[i].width = width;
    }
}

void gptl_table_heads(const struct gptl_table *table, struct gptl_out *out, const char *left)
{
    size_t length = strlen(left);
    gptl_out_text(out, left);
    gptl_out_blanks(out, table->name_width > length ? table->name_width - length : 0);
    for (unsigned i = 0; i < table->ncolumns; i++) {
        const char *head = table->column[i].head;
        gptl_out_blanks(out, GAP + table->column[i].width - strlen(head));
        gptl_out_text(out, head);
    }
    gptl_out_char(out, '\n');
}

void gptl_table_cells(const struct gptl_table *table, struct gptl_out *out, size_t used,
                      const uint64_t *cells)
{
    if (used > table->name_width) {
        gptl_out_char(out, '\n');
        used = 0;
    }
    gptl_out_blanks(out, table->name_width - used);
    for (unsigned i = 0; i < table->ncolumns; i++) {
        char text[GPTL_NUMBER_SIZE];
        size_t length = format_cell(table, table->column[i].kind, cells[i], text);
        gptl_out_blanks(out, GAP + table->column[i].width - length);
        gptl_out_bytes(out, text, length);
    }
    gptl_out_char(out, '\n');
}
