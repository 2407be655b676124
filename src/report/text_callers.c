/*
 * text_callers.c - "Callers of each region": the inverted table of one thread's regions. Each
 * caller has a line, followed by its paths if there are several; the region comes last.
 */
#include "config.h"

#include "report/text.h"

#include <stdlib.h>

#include "report/callers.h"
#include "report/layout.h"
#include "report/name.h"

/* Indentation of the three kinds of lines, after the mark for open regions. */
enum indentation { CALLER = 1, REGION = 3, PATH = 5 };

/*
 * Maximum width of a path. Truncation keeps the numbers in sight, and the lines of a deep tree
 * linear in its depth.
 */
enum { PATH_WIDTH = 72 };

struct section {
    struct gptl_text text; /* copy with different columns */
    const struct gptl_view *view;
    struct gptl_layout layout;
    struct gptl_callers callers;
    struct gptl_table table;
    /* by slot: occurrences so far; in the full tree a region occurs several times */
    unsigned char *passed;
    bool put; /* print; otherwise only determine the widths */
    bool any_open;
    uint64_t wall; /* of the region whose callers are shown */
};

/* ---- Lines ----------------------------------------------------------------------------------- */

/*
 * Print the path outward from node AT, a caller: "< solve < main"; only measure if OUT is NULL.
 * Return the width.
 */
static size_t path(const struct section *s, struct gptl_out *out, uint32_t at)
{
    bool quote = s->text.style.quote, cut = false;
    size_t width = 0;
    do {
        at = s->view->copy->nodes[at].parent;
        const char *name = gptl_view_name(s->view, s->view->slot[at]);
        size_t step = gptl_name_width(name, quote);
        cut = width > 0 && width + 3 + step > PATH_WIDTH;
        if (out) {
            gptl_out_text(out, width > 0 ? " < " : "< ");
            gptl_name_text(out, cut ? "..." : name, quote && !cut);
        }
        width += (width > 0 ? 3 : 2) + (cut ? 3 : step);
    } while (!cut && s->view->copy->nodes[at].parent);
    return width;
}

/* Clear the times of recursive calls, which the open call contains. */
static void no_time(const struct gptl_table *table, uint64_t *cells)
{
    for (unsigned i = 0; i < table->ncolumns; i++)
        if (table->column[i].kind != GPTL_CELL_COUNT)
            cells[i] = GPTL_CELL_NONE;
}

/* Print a line for N paths from FIRST on, labeled NAME, or the path if NAME is NULL. */
static void line(struct section *s, enum indentation indentation, const char *name, uint32_t first,
                 uint32_t n)
{
    struct gptl_out *out = s->text.out;
    struct gptl_figures figures;
    uint64_t cells[GPTL_TABLE_COLUMNS];
    uint32_t caller = s->view->copy->nodes[s->callers.rows[first]].parent;
    bool timed = gptl_callers_sum(&s->callers, s->view, first, n, &figures);
    gptl_text_cells(&s->text, &figures, s->view->bucket_tick, s->wall, cells);
    if (!timed)
        no_time(&s->table, cells);
    size_t width =
        indentation + (name ? gptl_name_width(name, s->text.style.quote) : path(s, NULL, caller));
    s->any_open |= figures.open > 0;
    if (!s->put) {
        gptl_table_fit(&s->table, width, cells);
        return;
    }
    gptl_out_char(out, figures.open > 0 ? '>' : ' ');
    gptl_out_blanks(out, indentation - 1);
    if (name)
        gptl_name_text(out, name, s->text.style.quote);
    else
        path(s, out, caller);
    gptl_table_cells(&s->table, out, width, cells);
}

static void each_caller(struct section *s, uint32_t slot)
{
    const struct gptl_callers *callers = &s->callers;
    struct gptl_figures sum;
    gptl_callers_sum(callers, s->view, 0, callers->npaths, &sum);
    s->wall = sum.wall;
    for (uint32_t i = 0; i < callers->n; i++) {
        const struct gptl_caller *caller = &callers->caller[i];
        line(s, CALLER, gptl_view_name(s->view, caller->slot), caller->first, caller->n);
        for (uint32_t k = 0; k < caller->n && caller->n > 1; k++)
            line(s, PATH, NULL, caller->first + k, 1);
    }
    line(s, REGION, gptl_view_name(s->view, slot), 0, callers->npaths);
}

/* Process all regions; return whether there are any. */
static bool each_region(struct section *s, bool put)
{
    bool any = false;
    uint32_t item = 0, level = 0;
    s->put = put;
    for (;;) {
        gptl_layout_next(&s->layout, &item, &level);
        if (item == 0)
            return any;
        uint32_t slot = s->layout.full ? s->view->slot[item] : item;
        if (s->passed[slot] > put)
            continue;
        s->passed[slot]++;
        gptl_callers_find(&s->callers, s->view, slot);
        if (s->callers.n == 0)
            continue;
        if (put && any)
            gptl_out_char(s->text.out, '\n');
        each_caller(s, slot);
        any = true;
    }
}

/* ---- Section --------------------------------------------------------------------------------- */

/* Choose the columns: calls and times, with the share of the region. */
static void choose_columns(struct section *s)
{
    struct gptl_style *style = &s->text.style;
    style->histogram = style->overhead = style->subtract = false;
    style->percent = style->wall;
    s->text.percent_head = "%_of_region";
    gptl_text_columns(&s->text, &s->table);
}

static void put_section(struct section *s)
{
    struct gptl_out *out = s->text.out;
    choose_columns(s);
    if (!each_region(s, false))
        return;
    gptl_out_format(out, "\nCallers of each region for thread %d:\n", s->view->copy->thread);
    gptl_out_literal(
        out,
        "Rows are each caller, the one with the most time first, with the region that they called\n"
        "being the last entry, which is indented and has the sum\n"
        "Where a caller was reached by several paths, each stands below it, from the inside out\n"
        "Recursive calls have no time of their own (-): it is in that of the call that was open\n");
    gptl_table_heads(&s->table, out, "");
    each_region(s, true);
    if (s->any_open)
        gptl_out_literal(out, "\n> has calls that are open, see above.\n");
}

int gptl_text_callers(struct gptl_text *text, int i)
{
    struct section s = {.text = *text, .view = &text->views[i]};
    if (s.view->nregions == 0)
        return 0;
    s.passed = calloc((size_t)s.view->nregions + 1, 1);
    int result = s.passed ? gptl_layout_make(&s.layout, s.view, text->style.method) : -1;
    if (result == 0)
        result = gptl_callers_new(&s.callers, s.view);
    if (result == 0)
        put_section(&s);
    gptl_callers_free(&s.callers);
    gptl_layout_free(&s.layout);
    free(s.passed);
    return result;
}
