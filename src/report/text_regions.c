/*
 * text_regions.c - "Stats for thread N": the table of one thread's regions, as a tree.
 */
#include "config.h"

#include "report/text.h"

#include "report/layout.h"
#include "report/name.h"

/*
 * Maximum level with indentation. Deeper rows show their level number before the name instead:
 * otherwise the lines of a very deep tree would be quadratic in its depth.
 */
enum { DEEPEST_INDENTED = 50, MARKS_WIDTH = 2 };

struct regions {
    struct gptl_text *text;
    const struct gptl_view *view;
    struct gptl_layout layout;
    struct gptl_table table;
    uint64_t calls, recursive;
    bool any_open, any_estimated;
};

struct region_row {
    const char *name;
    uint32_t level;
    bool several, open;
    uint64_t cells[GPTL_TABLE_COLUMNS];
};

static void make_row(struct regions *r, uint32_t item, uint32_t level, struct region_row *row)
{
    const struct gptl_view *view = r->view;
    struct gptl_figures figures = gptl_text_figures(r->text);
    if (r->layout.full)
        gptl_figures_add_row(&figures, r->text->both, view, item);
    else
        gptl_figures_add_region(&figures, r->text->both, view, item);
    uint32_t slot = r->layout.full ? view->slot[item] : item;
    row->name = gptl_view_name(view, slot);
    row->level = level;
    row->several = r->layout.several[slot];
    row->open = figures.open > 0;
    gptl_text_cells(r->text, &figures, view->bucket_tick, r->text->first_wall, row->cells);
    r->any_open |= row->open;
    r->any_estimated |= figures.error > 0;
    r->calls += figures.count;
    r->recursive += figures.recurse;
}

static size_t indentation(uint32_t level)
{
    return 2 * (size_t)(level < DEEPEST_INDENTED ? level - 1 : DEEPEST_INDENTED - 1);
}

static size_t level_width(const struct regions *r, uint32_t level)
{
    if (gptl_text_for_scripts(&r->text->style))
        return 0;
    return level > DEEPEST_INDENTED ? gptl_number_digits(level) + 3 : 0;
}

/*
 * Return the width of the marks before a name. In GPTL 8's layout, a name of the first level starts
 * the line unless it has marks.
 */
static size_t marks_width(const struct regions *r, const struct region_row *row)
{
    return r->text->style.layout == GPTL_LAYOUT_GPTL8 ? (size_t)row->several + row->open
                                                      : MARKS_WIDTH;
}

static size_t left_width(const struct regions *r, const struct region_row *row)
{
    return marks_width(r, row) + indentation(row->level) + level_width(r, row->level) +
           gptl_name_width(row->name, r->text->style.quote);
}

static void put_marks(struct regions *r, const struct region_row *row)
{
    struct gptl_out *out = r->text->out;
    switch (r->text->style.layout) {
    case GPTL_LAYOUT_GPTL8:
        gptl_out_blanks(out, indentation(row->level));
        gptl_out_text(out, row->several ? "*" : "");
        gptl_out_text(out, row->open ? "!" : "");
        break;
    case GPTL_LAYOUT_CESM:
        gptl_out_text(out, row->several ? "* " : "  ");
        gptl_out_blanks(out, indentation(row->level));
        break;
    default:
        gptl_out_char(out, row->several ? '*' : ' ');
        gptl_out_char(out, row->open ? '>' : ' ');
        gptl_out_blanks(out, indentation(row->level));
    }
}

static void put_row(struct regions *r, const struct region_row *row)
{
    struct gptl_out *out = r->text->out;
    put_marks(r, row);
    if (level_width(r, row->level)) {
        gptl_out_char(out, '[');
        gptl_out_uint(out, row->level);
        gptl_out_literal(out, "] ");
    }
    gptl_name_text(out, row->name, r->text->style.quote);
    gptl_table_cells(&r->table, out, left_width(r, row), row->cells);
}

static void each_row(struct regions *r, bool put)
{
    struct region_row row;
    uint32_t item = 0, level = 0;
    for (;;) {
        gptl_layout_next(&r->layout, &item, &level);
        if (item == 0)
            return;
        make_row(r, item, level, &row);
        if (put)
            put_row(r, &row);
        else
            gptl_table_fit(&r->table, left_width(r, &row), row.cells);
    }
}

static void put_table(struct regions *r)
{
    struct gptl_out *out = r->text->out;
    gptl_text_columns(r->text, &r->table);
    each_row(r, false);
    r->calls = r->recursive = 0;
    gptl_table_heads(&r->table, out, "");
    each_row(r, true);
    gptl_out_char(out, '\n');
    bool plain = gptl_text_for_scripts(&r->text->style);
    if (r->any_open && !plain)
        gptl_out_literal(out, "> is a region that is open: Called has its calls that ended, "
                              "Wallclock also the time so far.\n\n");
    if (r->any_estimated && r->text->style.wall && !plain)
        gptl_out_literal(out,
                         "~ is estimated: not all calls were timed (option throttle). In 95 of "
                         "100 cases the\n  true time is within +-; max and min are of calls "
                         "that were timed; counters are scaled as well.\n\n");
    gptl_text_totals(r->text, r->calls, r->recursive);
}

int gptl_text_regions(struct gptl_text *text, int i)
{
    struct regions r = {.text = text, .view = &text->views[i]};
    gptl_out_format(text->out, "\nStats for thread %d:\n", text->profile->copies[i].thread);
    if (r.view->nregions == 0) {
        gptl_out_literal(text->out, "  No region was called (since the last reset).\n");
        return 0;
    }
    int result = gptl_layout_make(&r.layout, r.view, text->style.method);
    if (result == 0)
        put_table(&r);
    gptl_layout_free(&r.layout);
    return result;
}
