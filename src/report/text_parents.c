/* text_parents.c - "Multiple parent info": the callers of regions with several parents. */
#include "config.h"

#include "report/text.h"

#include "report/layout.h"
#include "report/name.h"

static void put_line(struct gptl_text *text, uint64_t calls, size_t width, const char *name,
                     bool child)
{
    gptl_out_blanks(text->out, width - gptl_number_digits(calls));
    gptl_out_uint(text->out, calls);
    gptl_out_blanks(text->out, child ? 3 : 1);
    gptl_name_text(text->out, name, text->style.quote);
    gptl_out_char(text->out, '\n');
}

static void put_heading(struct gptl_text *text, int thread)
{
    gptl_out_format(text->out, "\nMultiple parent info (if any) for thread %d:\n", thread);
    gptl_out_literal(
        text->out,
        "Columns are count and name for the listed child\n"
        "Rows are each parent, with their common child being the last entry, which is indented\n"
        "Count next to each parent is the number of times it called the child\n"
        "Count next to child is total number of times it was called by the listed parents\n");
}

static void put_child(struct gptl_text *text, const struct gptl_view *view,
                      const struct gptl_parents *parents, uint32_t slot)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < parents->n; i++)
        total += gptl_parents_calls(parents, i);
    unsigned digits = gptl_number_digits(total);
    size_t width = digits > 8 ? digits : 8;
    gptl_out_char(text->out, '\n');
    for (uint32_t i = 0; i < parents->n; i++) {
        const char *name = gptl_view_name(view, parents->slot[i]);
        put_line(text, gptl_parents_calls(parents, i), width, name, false);
    }
    put_line(text, total, width, gptl_view_name(view, slot), true);
}

int gptl_text_parents(struct gptl_text *text, int i)
{
    const struct gptl_view *view = &text->views[i];
    struct gptl_parents parents;
    int result = gptl_parents_new(&parents, view);
    bool any = false;
    for (uint32_t slot = 1; slot <= view->nregions && result == 0; slot++) {
        gptl_parents_find(&parents, view, slot);
        if (parents.n < 2)
            continue;
        if (!any)
            put_heading(text, view->copy->thread);
        any = true;
        put_child(text, view, &parents, slot);
    }
    gptl_parents_free(&parents);
    return result;
}
