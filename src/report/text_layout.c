/*
 * text_layout.c - the layouts of the text report (option `layout`): columns and differing lines.
 * `gptl` is our layout for human readers. `gptl8` and `cesm` are the layouts of GPTL 8 and of the
 * climate models' GPTL, for scripts that find numbers by position, keyword or regular expression.
 */
#include "config.h"

#include "report/text.h"

/* Width 0: determined by the head and the numbers. */
struct column {
    const char *head;
    enum gptl_cell_kind kind;
    size_t width;
};

static const struct layout {
    struct gptl_table_form form;
    struct column columns[GPTL_TEXT_NCOLUMNS];
} layouts[] = {
    [GPTL_LAYOUT_GPTL] = {.columns = {[GPTL_TEXT_CALLED] = {"Called", GPTL_CELL_COUNT, 0},
                                      [GPTL_TEXT_RECURSE] = {"Recurse", GPTL_CELL_COUNT, 0},
                                      [GPTL_TEXT_WALL] = {"Wallclock", GPTL_CELL_SECONDS, 0},
                                      [GPTL_TEXT_MAX] = {"max", GPTL_CELL_SECONDS, 0},
                                      [GPTL_TEXT_MIN] = {"min", GPTL_CELL_SECONDS, 0},
                                      [GPTL_TEXT_SELF] = {"selfOH", GPTL_CELL_SECONDS, 0},
                                      [GPTL_TEXT_PARENT] = {"parentOH", GPTL_CELL_SECONDS, 0}}},
    [GPTL_LAYOUT_GPTL8] = {.form = {.none = "-   ", .decimals = 3, .thread_width = 6},
                           .columns = {[GPTL_TEXT_CALLED] = {"Called", GPTL_CELL_COUNT, 8},
                                       [GPTL_TEXT_RECURSE] = {"Recurse", GPTL_CELL_COUNT, 8},
                                       [GPTL_TEXT_WALL] = {"Wall", GPTL_CELL_SECONDS, 8},
                                       [GPTL_TEXT_MAX] = {"max", GPTL_CELL_SECONDS, 8},
                                       [GPTL_TEXT_MIN] = {"min", GPTL_CELL_SECONDS, 8},
                                       [GPTL_TEXT_SELF] = {"selfOH", GPTL_CELL_SECONDS, 8},
                                       [GPTL_TEXT_PARENT] = {"parentOH", GPTL_CELL_SECONDS, 8}}},
    [GPTL_LAYOUT_CESM] = {.form = {.none = "-   ", .decimals = 6, .thread_width = 7},
                          .columns = {[GPTL_TEXT_ON] = {"On", GPTL_CELL_FLAG, 12},
                                      [GPTL_TEXT_CALLED] = {"Called", GPTL_CELL_COUNT, 7},
                                      [GPTL_TEXT_RECURSE] = {"Recurse", GPTL_CELL_COUNT, 7},
                                      [GPTL_TEXT_WALL] = {"Wallclock", GPTL_CELL_SECONDS, 11},
                                      [GPTL_TEXT_MAX] = {"max", GPTL_CELL_SECONDS, 12},
                                      [GPTL_TEXT_MIN] = {"min", GPTL_CELL_SECONDS, 12},
                                      [GPTL_TEXT_CLOCK] = {"UTR Overhead", GPTL_CELL_SECONDS, 16}}},
};

static const struct layout *layout_of(const struct gptl_style *style)
{
    return &layouts[style->layout == GPTL_LAYOUT_AUTO ? GPTL_LAYOUT_GPTL : style->layout];
}

const struct gptl_table_form *gptl_text_form(const struct gptl_style *style)
{
    return gptl_text_for_scripts(style) ? &layout_of(style)->form : NULL;
}

bool gptl_text_layout_has(const struct gptl_style *style, enum gptl_text_column which)
{
    return layout_of(style)->columns[which].head != NULL;
}

bool gptl_text_layout_column(const struct gptl_style *style, struct gptl_table *table,
                             enum gptl_text_column which)
{
    const struct column *column = &layout_of(style)->columns[which];
    if (!column->head)
        return false;
    gptl_table_wide_column(table, column->head, column->kind, column->width);
    return true;
}

void gptl_text_layout_begin(struct gptl_text *text)
{
    int rank = text->profile->process.rank >= 0 ? text->profile->process.rank : 0;
    if (text->style.layout == GPTL_LAYOUT_CESM)
        gptl_out_format(text->out, "************ PROCESS %6d (%6d) ************\n", rank, rank);
}

void gptl_text_totals(struct gptl_text *text, uint64_t calls, uint64_t recursive)
{
    const struct gptl_overhead *cost = &text->profile->overhead;
    double overhead = text->profile->has_overhead ? (cost->self + cost->parent) * (double)calls : 0;
    bool brief = text->style.layout == GPTL_LAYOUT_GPTL8;
    if (gptl_text_for_scripts(&text->style) && text->style.overhead)
        gptl_out_format(text->out,
                        brief ? "Overhead sum = %9.3g wallclock seconds\n"
                              : "Overhead sum          = %9.3g wallclock seconds\n",
                        overhead);
    gptl_out_format(text->out, brief ? "Total calls  = %llu\n" : "Total calls           = %llu\n",
                    (unsigned long long)calls);
    if (!brief || recursive > 0)
        gptl_out_format(text->out, "Total recursive calls = %llu\n", (unsigned long long)recursive);
}
