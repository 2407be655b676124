/* rows.h - rows of values as a table, as CSV, or as JSON objects. */
#ifndef GPTL_POSTPROC_IOC_ROWS_H
#define GPTL_POSTPROC_IOC_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "report/out.h"

enum rows_format { ROWS_TABLE, ROWS_CSV, ROWS_JSON };

enum { ROWS_COLUMNS = 32 };

struct column {
    const char *key;  /* in CSV and JSON */
    const char *head; /* in tables; NULL: not shown */
    bool is_text;
};

struct rows {
    struct gptl_out *out;
    enum rows_format format;
    const struct column *columns;
    unsigned ncolumns, at; /* at: index of the next cell */
    bool any;
    /* Cells of a table, stored until all widths are known. */
    char *cells;
    size_t used, room;
    size_t width[ROWS_COLUMNS];
};

void rows_begin(struct rows *rows, struct gptl_out *out, enum rows_format format,
                const struct column *columns, unsigned ncolumns);
/* Write a cell; the last cell of a row ends it. */
void rows_text(struct rows *rows, const char *text);
void rows_number(struct rows *rows, int64_t number);
void rows_seconds(struct rows *rows, int64_t ns);
void rows_percent(struct rows *rows, double percent);
/* Write bytes; a table shows "1.5 MiB". */
void rows_bytes(struct rows *rows, int64_t bytes);
void rows_real(struct rows *rows, double value);
void rows_none(struct rows *rows);
void rows_end(struct rows *rows);

/* Write "1.5 MiB" to TEXT and return it. */
enum { BYTES_TEXT = 32 };
const char *bytes_text(char *text, double bytes);

#endif
