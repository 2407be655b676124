/*
 * table.h - a table of names and numbers. Column widths depend on the data: pass the name width and
 * cells of every row to fit first, then print the same rows.
 */
#ifndef GPTL_REPORT_TABLE_H
#define GPTL_REPORT_TABLE_H

#include <stdbool.h>

#include "report/out.h"

enum { GPTL_TABLE_COLUMNS = 512 };

enum gptl_cell_kind {
    GPTL_CELL_COUNT,
    GPTL_CELL_SECONDS, /* nanoseconds, printed as seconds */
    GPTL_CELL_CPU,     /* the same, with at most microsecond resolution */
    GPTL_CELL_PERCENT, /* hundredths of a percent */
    GPTL_CELL_PLACE,   /* a process and a thread, see gptl_table_place */
    GPTL_CELL_EVENTS,  /* a whole number by gptl_table_real, in the table's width */
    GPTL_CELL_RATE,    /* by gptl_table_real, with two decimals */
    GPTL_CELL_RATIO,   /* by gptl_table_real, with an exponent */
    GPTL_CELL_FLAG,    /* y or - */
    GPTL_CELL_POWER,   /* by gptl_table_real, with six decimals and an exponent */
};

#define GPTL_CELL_NONE UINT64_MAX        /* printed as - */
#define GPTL_CELL_SHORT (UINT64_MAX - 1) /* for the last three kinds, printed as n/a */

/* Flag of an estimated number, except for events: printed with a ~. */
#define GPTL_CELL_ESTIMATED ((uint64_t)1 << 63)

/*
 * Flag of seconds or counts beyond 62 bits, which are in milliseconds or in millions. If the number
 * exceeds this range too, or was saturated before, it is printed with a > before it.
 */
#define GPTL_CELL_LONG ((uint64_t)1 << 62)
uint64_t gptl_table_seconds(uint64_t ns);
uint64_t gptl_table_count(uint64_t n);
uint64_t gptl_table_wide_seconds(struct gptl_wide ns);
uint64_t gptl_table_wide_count(struct gptl_wide n);
uint64_t gptl_table_real_seconds(double ns);

/* Return the cell "( 0 1)": thread 1 of process 0. */
static inline uint64_t gptl_table_place(int rank, int thread)
{
    return (uint64_t)(uint32_t)rank << 32 | (uint32_t)thread;
}

/*
 * Flag of an estimated cell of the last three kinds, in a column with other cells that are not
 * estimated.
 */
#define GPTL_CELL_ABOUT ((uint64_t)1)

/*
 * Return a cell of the last three kinds; NONE for NaN or infinity. The lowest bit of the double is
 * lost.
 */
uint64_t gptl_table_real(double value);

struct gptl_table {
    unsigned ncolumns;
    struct {
        const char *head;
        enum gptl_cell_kind kind;
        size_t width;
        bool estimated; /* print a ~ before each value */
    } column[GPTL_TABLE_COLUMNS];
    int decimals;      /* of seconds */
    bool wide;         /* of events: 16 characters instead of 8 */
    size_t name_width; /* width of the text left of the numbers */
    /*
     * Form of a layout for scripts, or NULL. In such a layout, columns have fixed widths and are
     * one blank apart, a name of any length stays on the line of its numbers, and numbers carry no
     * marks.
     */
    const struct gptl_table_form *form;
};

struct gptl_table_form {
    const char *none; /* placeholder of an absent count */
    int decimals;     /* of seconds */
    int thread_width; /* in a place cell */
};

void gptl_table_column(struct gptl_table *table, const char *head, enum gptl_cell_kind kind);

/* Add a column of at least WIDTH characters. */
void gptl_table_wide_column(struct gptl_table *table, const char *head, enum gptl_cell_kind kind,
                            size_t width);

/* Add a column of one of the last three kinds. */
void gptl_table_events(struct gptl_table *table, const char *head, enum gptl_cell_kind kind,
                       bool estimated);

void gptl_table_fit(struct gptl_table *table, size_t name_width, const uint64_t *cells);

/* Print the column heads, after LEFT in the place of names. */
void gptl_table_heads(const struct gptl_table *table, struct gptl_out *out, const char *left);

/* Print the cells of a row whose name occupies USED columns, and end the line. */
void gptl_table_cells(const struct gptl_table *table, struct gptl_out *out, size_t used,
                      const uint64_t *cells);

#endif
