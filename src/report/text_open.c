/* text_open.c - "Regions still open": the regions open in a thread at report time. */
#include "config.h"

#include "report/text.h"

#include "report/name.h"

enum { MARGIN = 2 };

/*
 * Level of an open node. Open nodes are visited from the outside in, so the walk up to the previous
 * one is short.
 */
struct place {
    uint32_t row, level;
};

static void find_level(const struct gptl_copy *copy, uint32_t row, struct place *last)
{
    uint32_t level = 0, at = row;
    while (at > last->row) {
        at = copy->nodes[at].parent;
        level++;
    }
    if (at == last->row)
        level += last->level;
    else
        for (; at; at = copy->nodes[at].parent)
            level++;
    *last = (struct place){row, level};
}

static void put_rows(const struct gptl_text *text, const struct gptl_view *view,
                     struct gptl_table *table, bool put)
{
    struct place place = {0, 0};
    for (uint32_t row = 1; row < view->copy->nnodes; row++) {
        const struct gptl_node_copy *node = &view->copy->nodes[row];
        if (!gptl_view_is_node(view, row) || node->open == 0)
            continue;
        find_level(view->copy, row, &place);
        uint64_t cells[] = {place.level, node->open, gptl_number_ns(view->scale, node->open_ticks)};
        size_t width = MARGIN + gptl_name_width(node->name, text->style.quote);
        if (put) {
            gptl_out_blanks(text->out, MARGIN);
            gptl_name_text(text->out, node->name, text->style.quote);
            gptl_table_cells(table, text->out, width, cells);
        } else {
            gptl_table_fit(table, width, cells);
        }
    }
}

void gptl_text_open(struct gptl_text *text, int i)
{
    const struct gptl_view *view = &text->views[i];
    bool any = false;
    for (uint32_t row = 1; row < view->copy->nnodes && !any; row++)
        any = view->copy->nodes[row].open > 0 && gptl_view_is_node(view, row);
    if (!any)
        return;
    struct gptl_table table = {.decimals = text->decimals};
    gptl_table_column(&table, "Level", GPTL_CELL_COUNT);
    gptl_table_column(&table, "Calls open", GPTL_CELL_COUNT);
    gptl_table_column(&table, "So far", GPTL_CELL_SECONDS);
    put_rows(text, view, &table, false);
    gptl_out_format(text->out, "\nRegions still open in thread %d, from the outside in:\n",
                    view->copy->thread);
    gptl_table_heads(&table, text->out, "");
    put_rows(text, view, &table, true);
}
