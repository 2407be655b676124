/* xml_callers.c - the callers of each region of a thread in XML, printed on request. */
#include "config.h"

#include "report/xml.h"

#include "report/callers.h"

/* Print times: none for recursive calls, whose time is contained in the open call. */
static void put_times(struct gptl_out *out, const struct gptl_profile *profile,
                      const struct gptl_figures *figures, bool timed)
{
    if (timed)
        gptl_xml_seconds(out, "seconds", figures->wall);
    if (figures->min != UINT64_MAX) {
        gptl_xml_seconds(out, "max", figures->max);
        gptl_xml_seconds(out, "min", figures->min);
    }
    gptl_xml_cpu(out, figures->usr, figures->sys);
    if (timed)
        gptl_xml_values(out, profile, figures->counters, figures->ended);
}

static void put_nodes(struct gptl_out *out, const struct gptl_view *view, const uint32_t *rows,
                      uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0)
            gptl_out_char(out, ' ');
        gptl_out_uint(out, gptl_view_id(view, view->copy->nodes[rows[i]].parent));
    }
}

static void put_caller(struct gptl_out *out, const struct gptl_profile *profile,
                       const struct gptl_view *view, const struct gptl_callers *callers,
                       const struct gptl_caller *caller)
{
    struct gptl_figures figures;
    bool timed = gptl_callers_sum(callers, view, caller->first, caller->n, &figures);
    gptl_out_literal(out, "<caller");
    if (caller->slot)
        gptl_xml_text(out, "name", gptl_view_name(view, caller->slot));
    gptl_xml_uint(out, "calls", figures.count);
    gptl_xml_uint(out, "recurse", figures.recurse);
    put_times(out, profile, &figures, timed);
    gptl_xml_attribute(out, "from", put_nodes(out, view, callers->rows + caller->first, caller->n));
    gptl_out_literal(out, "/>\n");
}

int gptl_xml_callers(struct gptl_out *out, const struct gptl_profile *profile,
                     const struct gptl_view *view)
{
    struct gptl_callers callers;
    int result = gptl_callers_new(&callers, view);
    gptl_out_literal(out, "<callers>\n");
    for (uint32_t slot = 1; slot <= view->nregions && result == 0; slot++) {
        gptl_callers_find(&callers, view, slot);
        if (callers.n == 0)
            continue;
        gptl_out_literal(out, "<called");
        gptl_xml_text(out, "name", gptl_view_name(view, slot));
        gptl_out_literal(out, ">\n");
        for (uint32_t i = 0; i < callers.n; i++)
            put_caller(out, profile, view, &callers, &callers.caller[i]);
        gptl_out_literal(out, "</called>\n");
    }
    gptl_out_literal(out, "</callers>\n");
    gptl_callers_free(&callers);
    return result;
}
