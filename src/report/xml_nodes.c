/*
 * xml_nodes.c - the tree of a thread in XML: nodes, back edges, intervals. Nodes are nested
 * elements. The tree may be as deep as its number of nodes: therefore the layout instead of the
 * stack keeps the path, and lines are not indented, which would make the file quadratic in the
 * depth.
 */
#include "config.h"

#include "report/xml.h"

#include "gptl.h"
#include "report/layout.h"
#include "report/name.h"

#define ticks_attribute(out, key, view, ticks)                                                     \
    gptl_xml_seconds(out, key, gptl_number_ns((view)->scale, ticks))

static void put_microseconds(struct gptl_out *out, int64_t microseconds)
{
    gptl_out_seconds(out, microseconds > 0 ? (uint64_t)microseconds * 1000 : 0);
}

void gptl_xml_cpu(struct gptl_out *out, int64_t usr, int64_t sys)
{
    if (usr || sys) {
        gptl_xml_attribute(out, "usr", put_microseconds(out, usr));
        gptl_xml_attribute(out, "sys", put_microseconds(out, sys));
    }
}

static void put_extra(struct gptl_out *out, const struct gptl_profile *profile,
                      const struct gptl_view *view, const struct gptl_node_copy *node,
                      const struct gptl_extra_copy *extra)
{
    const struct gptl_histogram *histogram = extra->histogram;
    if (extra->timed) {
        gptl_xml_uint(out, "timed", extra->timed);
        ticks_attribute(out, "error", view, extra->error);
    }
    gptl_xml_cpu(out, extra->values[0], extra->values[1]);
    gptl_xml_values(out, profile, extra->counters, gptl_number_ns(view->scale, node->total));
    if (histogram) {
        gptl_xml_seconds(out, "p50", gptl_view_quantile(view, node, histogram, 0.50));
        gptl_xml_seconds(out, "p95", gptl_view_quantile(view, node, histogram, 0.95));
        gptl_xml_seconds(out, "p99", gptl_view_quantile(view, node, histogram, 0.99));
    }
}

/* Print attributes that are 0 for most nodes. */
static void put_rare(struct gptl_out *out, const struct gptl_profile *profile,
                     const struct gptl_view *view, const struct gptl_node_copy *node)
{
    if (node->open) {
        gptl_xml_uint(out, "open", node->open);
        ticks_attribute(out, "open_seconds", view, node->open_ticks);
    }
    if (node->unstopped)
        gptl_xml_uint(out, "unstopped", node->unstopped);
    if (node->extra)
        put_extra(out, profile, view, node, &view->copy->extras[node->extra - 1]);
}

static void put_kind(struct gptl_out *out, const struct gptl_profile *profile,
                     const struct gptl_node_copy *node)
{
    const struct gptl_function *function = gptl_report_function(profile, node->region);
    const char *kind = gptl_kind_name(node->kind);
    if (function)
        gptl_xml_uint(out, "function", (uint64_t)(function - profile->functions));
    else if (kind)
        gptl_xml_text(out, "kind", kind);
}

static void put_attributes(struct gptl_out *out, const struct gptl_profile *profile,
                           const struct gptl_view *view, uint32_t row)
{
    const struct gptl_node_copy *node = &view->copy->nodes[row];
    gptl_xml_uint(out, "id", gptl_view_id(view, row));
    gptl_xml_text(out, "name", node->name);
    put_kind(out, profile, node);
    gptl_xml_uint(out, "calls", node->count);
    gptl_xml_uint(out, "recurse", node->recurse);
    ticks_attribute(out, "seconds", view, node->total);
    if (node->min != UINT64_MAX) {
        ticks_attribute(out, "max", view, node->max);
        ticks_attribute(out, "min", view, node->min);
        ticks_attribute(out, "latest", view, node->latest);
    }
    put_rare(out, profile, view, node);
}

static void put_histogram(struct gptl_out *out, const struct gptl_histogram *histogram)
{
    gptl_out_literal(out, "<histogram>\n");
    for (uint32_t i = 0; i < GPTL_HISTOGRAM_BUCKETS; i++) {
        if (!histogram->bucket[i])
            continue;
        gptl_out_literal(out, "<bucket");
        gptl_xml_uint(out, "index", i);
        gptl_xml_uint(out, "calls", histogram->bucket[i]);
        gptl_out_literal(out, "/>\n");
    }
    gptl_out_literal(out, "</histogram>\n");
}

/* Print the start of a node; return whether the element stays open for children. */
static bool begin_node(struct gptl_out *out, const struct gptl_profile *profile,
                       const struct gptl_view *view, uint32_t row, bool has_children)
{
    uint32_t extra = view->copy->nodes[row].extra;
    const struct gptl_histogram *histogram = extra ? view->copy->extras[extra - 1].histogram : NULL;
    gptl_out_literal(out, "<node");
    put_attributes(out, profile, view, row);
    gptl_out_text(out, has_children || histogram ? ">\n" : "/>\n");
    if (histogram)
        put_histogram(out, histogram);
    return has_children || histogram;
}

static void end_nodes(struct gptl_out *out, uint32_t *open, uint32_t level)
{
    for (; *open > level; --*open)
        gptl_out_literal(out, "</node>\n");
}

int gptl_xml_nodes(struct gptl_out *out, const struct gptl_profile *profile,
                   const struct gptl_view *view)
{
    struct gptl_layout layout;
    uint32_t row = 0, level = 0, open = 0;
    int result = gptl_layout_make(&layout, view, GPTLfull_tree);
    if (result == 0) {
        gptl_out_literal(out, "<nodes>\n");
        gptl_layout_next(&layout, &row, &level);
        for (; row; gptl_layout_next(&layout, &row, &level)) {
            end_nodes(out, &open, level - 1);
            open += begin_node(out, profile, view, row, layout.child[row] != 0);
        }
        end_nodes(out, &open, 0);
        gptl_out_literal(out, "</nodes>\n");
    }
    gptl_layout_free(&layout);
    return result;
}

void gptl_xml_back_edges(struct gptl_out *out, const struct gptl_view *view)
{
    gptl_out_literal(out, "<back_edges>\n");
    for (uint32_t row = 1; row < view->copy->nnodes; row++) {
        const struct gptl_node_copy *edge = &view->copy->nodes[row];
        if (!view->slot[row] || edge->target == row)
            continue;
        gptl_out_literal(out, "<back_edge");
        gptl_xml_uint(out, "id", gptl_view_id(view, row));
        gptl_xml_uint(out, "from", gptl_view_id(view, edge->parent));
        gptl_xml_uint(out, "to", gptl_view_id(view, edge->target));
        gptl_xml_uint(out, "calls", edge->count);
        gptl_out_literal(out, "/>\n");
    }
    gptl_out_literal(out, "</back_edges>\n");
}

static void put_interval_node(struct gptl_out *out, const struct gptl_view *view,
                              const struct gptl_interval_row *row)
{
    gptl_out_literal(out, "<interval_node");
    gptl_xml_uint(out, "node", gptl_view_id(view, row->node));
    gptl_xml_uint(out, "calls", row->count);
    ticks_attribute(out, "seconds", view, row->total);
    if (row->min != UINT64_MAX) {
        ticks_attribute(out, "max", view, row->max);
        ticks_attribute(out, "min", view, row->min);
    }
    gptl_out_literal(out, "/>\n");
}

void gptl_xml_intervals(struct gptl_out *out, const struct gptl_view *view)
{
    gptl_out_literal(out, "<intervals>\n");
    for (uint32_t i = 0; i < view->copy->nintervals; i++) {
        const struct gptl_interval *interval = &view->copy->intervals[i];
        gptl_out_literal(out, "<interval");
        gptl_xml_text(out, "label", interval->label);
        gptl_xml_uint(out, "marks", interval->marks);
        gptl_out_literal(out, ">\n");
        for (uint32_t j = 0; j < interval->nrows; j++)
            if (gptl_view_is_node(view, interval->rows[j].node))
                put_interval_node(out, view, &interval->rows[j]);
        gptl_out_literal(out, "</interval>\n");
    }
    gptl_out_literal(out, "</intervals>\n");
}
