/*
 * text.h - the text report; each section has a file text_NAME.c.
 */
#ifndef GPTL_REPORT_TEXT_H
#define GPTL_REPORT_TEXT_H

#include "report/out.h"
#include "report/report.h"
#include "report/snapshot.h"
#include "report/table.h"

/* Layout according to the options. */
struct gptl_style {
    bool wall, cpu, percent, histogram, overhead, subtract;    /* columns */
    bool narrow, persec;                                       /* of counters */
    bool quote;                                                /* names in quotes */
    enum gptl_file_layout layout;                              /* AUTO is GPTL */
    bool preamble, multparent, callers, threadsort, collision; /* sections */
    int method;                                                /* enum GPTLmethod */
};

struct gptl_style gptl_style_of_options(const struct gptl_profile *profile);

/* Return 0, or -1 when out of memory. Write errors stay in OUT. */
int gptl_text_write(struct gptl_out *out, const struct gptl_profile *profile,
                    const struct gptl_style *style);

/* ---- Interface of the sections --------------------------------------------------------------- */

struct gptl_text {
    struct gptl_out *out;
    const struct gptl_profile *profile;
    struct gptl_style style;
    int decimals;                /* of all seconds in tables */
    bool estimated;              /* some values are estimated: not all calls were timed */
    const char *percent_head;    /* head of the percentage column */
    struct gptl_view *views;     /* one per copy */
    uint64_t first_wall;         /* 100 % in the tables of regions, in nanoseconds */
    struct gptl_histogram *both; /* accumulator of histograms; NULL without histograms */
    int64_t *counters;           /* accumulator of counters for one row */
    int64_t *all_counters;       /* accumulator of counters over rows; NULL without counters */
};

/* Return whether the layout is intended for scripts; text_layout.c defines its form and columns. */
static inline bool gptl_text_for_scripts(const struct gptl_style *style)
{
    return style->layout == GPTL_LAYOUT_GPTL8 || style->layout == GPTL_LAYOUT_CESM;
}
void gptl_text_layout_begin(struct gptl_text *text);
const struct gptl_table_form *gptl_text_form(const struct gptl_style *style);

/* Fixed columns of a layout, and the insertion points of optional ones. */
enum gptl_text_column {
    GPTL_TEXT_ON,
    GPTL_TEXT_CALLED,
    GPTL_TEXT_RECURSE,
    GPTL_TEXT_WALL,
    GPTL_TEXT_MAX,
    GPTL_TEXT_MIN,
    GPTL_TEXT_SELF,
    GPTL_TEXT_PARENT,
    GPTL_TEXT_CLOCK,
    GPTL_TEXT_NCOLUMNS
};
/* Add column WHICH to TABLE if the layout contains it; return whether it does. */
bool gptl_text_layout_column(const struct gptl_style *style, struct gptl_table *table,
                             enum gptl_text_column which);
bool gptl_text_layout_has(const struct gptl_style *style, enum gptl_text_column which);

/* Print the totals below the table of one thread: its calls, and the recursive ones. */
void gptl_text_totals(struct gptl_text *text, uint64_t calls, uint64_t recursive);

/* Print a section. Return 0, or -1 when out of memory. I is the index of a thread's copy. */
void gptl_text_notices(struct gptl_text *text);
void gptl_text_preamble(struct gptl_text *text);
int gptl_text_regions(struct gptl_text *text, int i);
void gptl_text_open(struct gptl_text *text, int i);
void gptl_text_events(struct gptl_text *text, int i);
int gptl_text_parents(struct gptl_text *text, int i);
int gptl_text_callers(struct gptl_text *text, int i);
int gptl_text_threads(struct gptl_text *text);
int gptl_text_intervals(struct gptl_text *text);
int gptl_text_modules(struct gptl_text *text);
int gptl_text_ledgers(struct gptl_text *text);
void gptl_text_memory(struct gptl_text *text);

/*
 * Print lines shared with other reports: the process, WHAT being "profile" or similar; the number
 * of running threads; and calls outside the memory budget, if any.
 */
void gptl_text_process(struct gptl_text *text, const char *what);
void gptl_text_running(struct gptl_text *text, uint64_t running);
void gptl_text_folded(struct gptl_text *text, uint64_t paths, uint64_t names);

/* Add the columns selected by options, and fill one row's cells; see text_columns.c. */
void gptl_text_columns(const struct gptl_text *text, struct gptl_table *table);
void gptl_text_cells(const struct gptl_text *text, const struct gptl_figures *figures,
                     double bucket_tick, uint64_t first_wall, uint64_t *cells);

/* Return the initial sums of a row; accumulated histograms are reset too. */
struct gptl_figures gptl_text_figures(const struct gptl_text *text);

/*
 * Handle the columns of counters only; the second function returns the position of the next cell.
 */
void gptl_text_metric_columns(const struct gptl_text *text, struct gptl_table *table);
uint64_t *gptl_text_metric_cells(const struct gptl_text *text, const struct gptl_figures *figures,
                                 uint64_t *cell);

/* Return the length of the prefix of a metric's name that its column head omits. */
size_t gptl_text_head(const char *name);
/* Return the number of metrics with columns. */
uint32_t gptl_text_columned(const struct gptl_text *text);

/* Return the singular or plural form: "1 call", "2 calls". */
const char *gptl_text_plural(uint64_t n, const char *one, const char *several);

#endif
