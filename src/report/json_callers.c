/* json_callers.c - the callers of each region of a thread in JSON, printed on request. */
#include "config.h"

#include "report/json.h"

#include "report/callers.h"
#include "report/name.h"

/* Print times: all null for recursive calls, whose time is contained in the open call. */
static void put_times(struct gptl_out *out, const struct gptl_profile *profile,
                      const struct gptl_figures *figures, bool timed)
{
    gptl_json_key(out, "seconds");
    if (timed)
        gptl_out_seconds(out, figures->wall);
    else
        gptl_out_literal(out, "null");
    gptl_json_extremes(out, figures->max, figures->min);
    if (figures->usr || figures->sys) {
        gptl_json_key(out, "usr");
        gptl_json_microseconds(out, figures->usr);
        gptl_json_key(out, "sys");
        gptl_json_microseconds(out, figures->sys);
    }
    if (timed)
        gptl_json_values(out, profile, figures->counters, figures->ended);
}

static void put_caller(struct gptl_out *out, const struct gptl_profile *profile,
                       const struct gptl_view *view, const struct gptl_callers *callers,
                       const struct gptl_caller *caller)
{
    struct gptl_figures figures;
    bool timed = gptl_callers_sum(callers, view, caller->first, caller->n, &figures);
    gptl_out_literal(out, "{\"name\":");
    if (caller->slot)
        gptl_name_json(out, gptl_view_name(view, caller->slot));
    else
        gptl_out_literal(out, "null");
    gptl_json_key(out, "calls");
    gptl_out_uint(out, figures.count);
    gptl_json_key(out, "recurse");
    gptl_out_uint(out, figures.recurse);
    put_times(out, profile, &figures, timed);
    gptl_json_key(out, "from");
    for (uint32_t i = 0; i < caller->n; i++) {
        gptl_out_char(out, i > 0 ? ',' : '[');
        uint32_t row = callers->rows[caller->first + i];
        gptl_out_uint(out, gptl_view_id(view, view->copy->nodes[row].parent));
    }
    gptl_out_literal(out, "]}");
}

int gptl_json_callers(struct gptl_out *out, const struct gptl_profile *profile,
                      const struct gptl_view *view)
{
    struct gptl_callers callers;
    bool any = false;
    int result = gptl_callers_new(&callers, view);
    gptl_json_key(out, "callers");
    gptl_out_char(out, '[');
    for (uint32_t slot = 1; slot <= view->nregions && result == 0; slot++) {
        gptl_callers_find(&callers, view, slot);
        if (callers.n == 0)
            continue;
        gptl_json_next_line(out, &any);
        gptl_out_literal(out, "{\"name\":");
        gptl_name_json(out, gptl_view_name(view, slot));
        gptl_json_key(out, "callers");
        for (uint32_t i = 0; i < callers.n; i++) {
            gptl_out_char(out, i > 0 ? ',' : '[');
            put_caller(out, profile, view, &callers, &callers.caller[i]);
        }
        gptl_out_literal(out, "]}");
    }
    gptl_out_char(out, ']');
    gptl_callers_free(&callers);
    return result;
}
