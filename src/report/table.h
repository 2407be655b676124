/*
 * table.h - a table of numbers beside names. The widths come from the data: show it each row's name
 * width and cells first (fit), then print the same rows.
 */
#ifndef GPTL_REPORT_TABLE_H
#define GPTL_REPORT_TABLE_H

#include <stdbool.h>

#include "report/out.h"

enum { GPTL_TABLE_COLUMNS = 512 };

enum gptl_cell_kind {
    GPTL_CELL_COUNT,
    GPTL_CELL_SECONDS, /* nanoseconds, printed as seconds */
    GPTL_CELL_CPU,     /* the same, with microseconds at most */
    GPTL_CELL_PERCENT, /* hundredths of a percent */
    GPTL_CELL_PLACE,   /* a process and a thread, see gptl_table_place */
    GPTL_CELL_EVENTS,  /* a whole number as gptl_table_real has it, in the width of the table … */
    GPTL_CELL_RATE,    /* … and so are this, with two decimals, … */
    GPTL_CELL_RATIO,   /* … and this, with an exponent */
    GPTL_CELL_FLAG,    /* y or - */
    GPTL_CELL_POWER,   /* a number as gptl_table_real has it, with six decimals and an exponent */
};

#define GPTL_CELL_NONE UINT64_MAX        /* printed as - */
#define GPTL_CELL_SHORT (UINT64_MAX - 1) /* of the last three kinds: printed as n/a */

/* Added to a number, other than an event's, that is estimated: it gets a ~. */
#define GPTL_CELL_ESTIMATED ((uint64_t)1 << 63)

/*
 * Where a number of seconds or a count needs more than 62 bits, it has this bit, and is in milliseconds
 * or in millions. One that needs more even so, or was cut before, is printed with a > before it.
 */
#define GPTL_CELL_LONG ((uint64_t)1 << 62)
uint64_t gptl_table_seconds(uint64_t ns);
uint64_t gptl_table_count(uint64_t n);
uint64_t gptl_table_wide_seconds(struct gptl_wide ns);
uint64_t gptl_table_wide_count(struct gptl_wide n);
uint64_t gptl_table_real_seconds(double ns);

/* "(   0    1)": thread 1 of process 0. */
static inline uint64_t gptl_table_place(int rank, int thread)
{
    return (uint64_t)(uint32_t)rank << 32 | (uint32_t)thread;
}

/* Added to a cell of the last three kinds that is estimated, where not all of its column are. */
#define GPTL_CELL_ABOUT ((uint64_t)1)

/* A cell of the last three kinds; NONE for what is no number. The last bit of a double is not kept. */
uint64_t gptl_table_real(double value);

struct gptl_table {
    unsigned ncolumns;
    struct {
        const char *head;
        enum gptl_cell_kind kind;
        size_t width;
        bool estimated; /* values have a ~ before them */
    } column[GPTL_TABLE_COLUMNS];
    int decimals;      /* of seconds */
    bool wide;         /* of events: 16 characters, not 8 */
    size_t name_width; /* of the text left of the numbers */
    /*
     * Of a layout for scripts; NULL: none. Columns are one blank apart and have the widths that they
     * were given, a name stands on the line of its numbers however long it is, and numbers bear no
     * marks.
     */
    const struct gptl_table_form *form;
};

struct gptl_table_form {
    const char *none; /* a count of nothing */
    int decimals;     /* of seconds */
    int thread_width; /* of a place */
};

void gptl_table_column(struct gptl_table *table, const char *head, enum gptl_cell_kind kind);

/* A column of at least WIDTH characters. */
void gptl_table_wide_column(struct gptl_table *table, const char *head, enum gptl_cell_kind kind,
                            size_t width);

/* One of the last three kinds. */
void gptl_table_events(struct gptl_table *table, const char *head, enum gptl_cell_kind kind,
                       bool estimated);

void gptl_table_fit(struct gptl_table *table, size_t name_width, const uint64_t *cells);

/* The heads of the columns, after LEFT in the place of names. */
void gptl_table_heads(const struct gptl_table *table, struct gptl_out *out, const char *left);

/* The cells of a row whose name has been printed, in USED columns, and the end of the line. */
void gptl_table_cells(const struct gptl_table *table, struct gptl_out *out, size_t used,
                      const uint64_t *cells);

#endif
