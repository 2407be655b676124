/*
 * text.h - the text report: one file a section, text_NAME.c.
 */
#ifndef GPTL_REPORT_TEXT_H
#define GPTL_REPORT_TEXT_H

#include "report/out.h"
#include "report/report.h"
#include "report/snapshot.h"
#include "report/table.h"

/* What options say about the layout. */
struct gptl_style {
    bool wall, cpu, percent, histogram, overhead, subtract;    /* columns */
    bool narrow, persec;                                       /* of counters */
    bool quote;                                                /* names in quotes */
    enum gptl_file_layout layout;                              /* AUTO is GPTL */
    bool preamble, multparent, callers, threadsort, collision; /* sections */
    int method;                                                /* enum GPTLmethod */
};

struct gptl_style gptl_style_of_options(const struct gptl_profile *profile);

/* Returns 0, or -1 when there is no memory. Errors of writing stay in OUT. */
int gptl_text_write(struct gptl_out *out, const struct gptl_profile *profile,
                    const struct gptl_style *style);

/* ---- For the sections ---------------------------------------------------------------------- */

struct gptl_text {
    struct gptl_out *out;
    const struct gptl_profile *profile;
    struct gptl_style style;
    int decimals;                /* of all seconds in tables */
    bool estimated;              /* some are: not all calls were timed */
    const char *percent_head;    /* of the column of percentages */
    struct gptl_view *views;     /* one a copy */
    uint64_t *first_wall;        /* of each: time of the first region in its table, nanoseconds */
    struct gptl_histogram *both; /* to add histograms in; NULL without them */
    int64_t *counters;           /* to add counters in, of a row … */
    int64_t *all_counters;       /* … and of several; NULL without them */
};

/* Whether the layout is one for scripts, of which text_layout.c knows the form and the columns. */
static inline bool gptl_text_for_scripts(const struct gptl_style *style)
{
    return style->layout == GPTL_LAYOUT_GPTL8 || style->layout == GPTL_LAYOUT_CESM;
}
void gptl_text_layout_begin(struct gptl_text *text);
const struct gptl_table_form *gptl_text_form(const struct gptl_style *style);

/* The columns that the layout has itself, and where the options' own ones come between them. */
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
/* Adds the column WHICH to TABLE, if the layout has it. Returns whether. */
bool gptl_text_layout_column(const struct gptl_style *style, struct gptl_table *table,
                             enum gptl_text_column which);
bool gptl_text_layout_has(const struct gptl_style *style, enum gptl_text_column which);

/* The sums below the table of one thread: its calls, and those of a region in itself. */
void gptl_text_totals(struct gptl_text *text, uint64_t calls, uint64_t recursive);

/* Each returns 0, or -1 when there is no memory. I is the position of a thread's copy. */
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
 * What other reports say as well: whose numbers these are, WHAT being "profile" or such; that threads
 * were running; and calls that the memory budget had no room for, nothing if there were none.
 */
void gptl_text_process(struct gptl_text *text, const char *what);
void gptl_text_running(struct gptl_text *text, uint64_t running);
void gptl_text_folded(struct gptl_text *text, uint64_t paths, uint64_t names);

/* The columns that the options ask for, and one row's cells in them; see text_columns.c. */
void gptl_text_columns(const struct gptl_text *text, struct gptl_table *table);
void gptl_text_cells(const struct gptl_text *text, const struct gptl_figures *figures,
                     double bucket_tick, uint64_t first_wall, uint64_t *cells);

/* The figures of a row to begin with; histograms that are added up begin anew as well. */
struct gptl_figures gptl_text_figures(const struct gptl_text *text);

/* Those of counters alone; the latter returns where the next cell goes. */
void gptl_text_metric_columns(const struct gptl_text *text, struct gptl_table *table);
uint64_t *gptl_text_metric_cells(const struct gptl_text *text, const struct gptl_figures *figures,
                                 uint64_t *cell);

/* How many bytes of a metric's name the head of its column leaves out. */
size_t gptl_text_head(const char *name);
/* How many metrics have columns. */
uint32_t gptl_text_columned(const struct gptl_text *text);

/* "1 call", "2 calls": what follows a number. */
const char *gptl_text_plural(uint64_t n, const char *one, const char *several);

#endif
