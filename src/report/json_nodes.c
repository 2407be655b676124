/*
 * json_nodes.c - the tree of a thread in JSON: nodes, back edges, intervals. A node is a line;
 * there may be a million, so no number goes through printf.
 */
#include "config.h"

#include "report/json.h"

#include "report/name.h"

static void put_uint(struct gptl_out *out, uint64_t value)
{
    gptl_out_uint(out, value);
}

static void put_ticks(struct gptl_out *out, const struct gptl_view *view, uint64_t ticks)
{
    gptl_out_seconds(out, gptl_number_ns(view->scale, ticks));
}

void gptl_json_extremes(struct gptl_out *out, uint64_t max, uint64_t min)
{
    if (min == UINT64_MAX) {
        gptl_out_literal(out, ",\"max\":null,\"min\":null");
        return;
    }
    gptl_json_key(out, "max");
    gptl_out_seconds(out, max);
    gptl_json_key(out, "min");
    gptl_out_seconds(out, min);
}

static void put_extremes(struct gptl_out *out, const struct gptl_view *view, uint64_t max,
                         uint64_t min)
{
    gptl_json_extremes(out, gptl_number_ns(view->scale, max),
                       min == UINT64_MAX ? min : gptl_number_ns(view->scale, min));
}

void gptl_json_microseconds(struct gptl_out *out, int64_t microseconds)
{
    gptl_out_seconds(out, microseconds > 0 ? (uint64_t)microseconds * 1000 : 0);
}

static void put_histogram(struct gptl_out *out, const struct gptl_view *view,
                          const struct gptl_node_copy *node, const struct gptl_histogram *histogram)
{
    static const double fractions[] = {0.50, 0.95, 0.99};
    static const char *const keys[] = {",\"p50\":", ",\"p95\":", ",\"p99\":"};
    for (int i = 0; i < 3; i++) {
        gptl_out_text(out, keys[i]);
        gptl_out_seconds(out, gptl_view_quantile(view, node, histogram, fractions[i]));
    }
    gptl_json_key(out, "histogram");
    char before = '[';
    for (uint32_t i = 0; i < GPTL_HISTOGRAM_BUCKETS; i++) {
        if (!histogram->bucket[i])
            continue;
        gptl_out_char(out, before);
        before = ',';
        gptl_out_char(out, '[');
        put_uint(out, i);
        gptl_out_char(out, ',');
        put_uint(out, histogram->bucket[i]);
        gptl_out_char(out, ']');
    }
    if (before == '[')
        gptl_out_char(out, '[');
    gptl_out_char(out, ']');
}

static void put_extra(struct gptl_out *out, const struct gptl_profile *profile,
                      const struct gptl_view *view, const struct gptl_node_copy *node,
                      const struct gptl_extra_copy *extra)
{
    if (extra->timed) {
        gptl_json_key(out, "timed");
        put_uint(out, extra->timed);
        gptl_json_key(out, "error");
        put_ticks(out, view, extra->error);
    }
    if (extra->values[0] || extra->values[1]) {
        gptl_json_key(out, "usr");
        gptl_json_microseconds(out, extra->values[0]);
        gptl_json_key(out, "sys");
        gptl_json_microseconds(out, extra->values[1]);
    }
    gptl_json_values(out, profile, extra->counters, gptl_number_ns(view->scale, node->total));
    if (extra->histogram)
        put_histogram(out, view, node, extra->histogram);
}

/* Print members that are 0 for most nodes. */
static void put_rare(struct gptl_out *out, const struct gptl_profile *profile,
                     const struct gptl_view *view, const struct gptl_node_copy *node)
{
    if (node->open) {
        gptl_json_key(out, "open");
        put_uint(out, node->open);
        gptl_json_key(out, "open_seconds");
        put_ticks(out, view, node->open_ticks);
    }
    if (node->unstopped) {
        gptl_json_key(out, "unstopped");
        put_uint(out, node->unstopped);
    }
    if (node->extra)
        put_extra(out, profile, view, node, &view->copy->extras[node->extra - 1]);
}

/* Print the kind; it is omitted for manually instrumented regions. */
static void put_kind(struct gptl_out *out, const struct gptl_profile *profile,
                     const struct gptl_node_copy *node)
{
    const struct gptl_function *function = gptl_report_function(profile, node->region);
    const char *kind = gptl_kind_name(node->kind);
    if (function) {
        gptl_json_key(out, "function");
        put_uint(out, (uint64_t)(function - profile->functions));
    } else if (kind) {
        gptl_json_key(out, "kind");
        gptl_name_json(out, kind);
    }
}

static void put_node(struct gptl_out *out, const struct gptl_profile *profile,
                     const struct gptl_view *view, uint32_t row)
{
    const struct gptl_node_copy *node = &view->copy->nodes[row];
    gptl_out_literal(out, "{\"id\":");
    put_uint(out, gptl_view_id(view, row));
    gptl_json_key(out, "parent");
    put_uint(out, gptl_view_id(view, node->parent));
    gptl_json_key(out, "name");
    gptl_name_json(out, node->name);
    put_kind(out, profile, node);
    gptl_json_key(out, "calls");
    put_uint(out, node->count);
    gptl_json_key(out, "recurse");
    put_uint(out, node->recurse);
    gptl_json_key(out, "seconds");
    put_ticks(out, view, node->total);
    put_extremes(out, view, node->max, node->min);
    gptl_json_key(out, "latest");
    if (node->min == UINT64_MAX)
        gptl_out_literal(out, "null");
    else
        put_ticks(out, view, node->latest);
    put_rare(out, profile, view, node);
    gptl_out_char(out, '}');
}

void gptl_json_next_line(struct gptl_out *out, bool *any)
{
    if (*any)
        gptl_out_char(out, ',');
    gptl_out_char(out, '\n');
    *any = true;
}

void gptl_json_nodes(struct gptl_out *out, const struct gptl_profile *profile,
                     const struct gptl_view *view)
{
    bool any = false;
    gptl_json_key(out, "nodes");
    gptl_out_char(out, '[');
    for (uint32_t row = 1; row < view->copy->nnodes; row++) {
        if (!gptl_view_is_node(view, row))
            continue;
        gptl_json_next_line(out, &any);
        put_node(out, profile, view, row);
    }
    gptl_out_char(out, ']');
}

void gptl_json_back_edges(struct gptl_out *out, const struct gptl_view *view)
{
    bool any = false;
    gptl_json_key(out, "back_edges");
    gptl_out_char(out, '[');
    for (uint32_t row = 1; row < view->copy->nnodes; row++) {
        const struct gptl_node_copy *edge = &view->copy->nodes[row];
        if (!view->slot[row] || edge->target == row)
            continue;
        gptl_json_next_line(out, &any);
        gptl_out_literal(out, "{\"id\":");
        put_uint(out, gptl_view_id(view, row));
        gptl_json_key(out, "from");
        put_uint(out, gptl_view_id(view, edge->parent));
        gptl_json_key(out, "to");
        put_uint(out, gptl_view_id(view, edge->target));
        gptl_json_key(out, "calls");
        put_uint(out, edge->count);
        gptl_out_char(out, '}');
    }
    gptl_out_char(out, ']');
}

static void put_interval(struct gptl_out *out, const struct gptl_view *view,
                         const struct gptl_interval *interval)
{
    bool any = false;
    gptl_out_literal(out, "{\"label\":");
    gptl_name_json(out, interval->label);
    gptl_json_key(out, "marks");
    put_uint(out, interval->marks);
    gptl_json_key(out, "nodes");
    gptl_out_char(out, '[');
    for (uint32_t i = 0; i < interval->nrows; i++) {
        const struct gptl_interval_row *row = &interval->rows[i];
        if (!gptl_view_is_node(view, row->node))
            continue;
        gptl_json_next_line(out, &any);
        gptl_out_literal(out, "{\"node\":");
        put_uint(out, gptl_view_id(view, row->node));
        gptl_json_key(out, "calls");
        put_uint(out, row->count);
        gptl_json_key(out, "seconds");
        put_ticks(out, view, row->total);
        put_extremes(out, view, row->max, row->min);
        gptl_out_char(out, '}');
    }
    gptl_out_literal(out, "]}");
}

void gptl_json_intervals(struct gptl_out *out, const struct gptl_view *view)
{
    bool any = false;
    gptl_json_key(out, "intervals");
    gptl_out_char(out, '[');
    for (uint32_t i = 0; i < view->copy->nintervals; i++) {
        gptl_json_next_line(out, &any);
        put_interval(out, view, &view->copy->intervals[i]);
    }
    gptl_out_char(out, ']');
}
