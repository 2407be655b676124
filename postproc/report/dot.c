/*
 * dot.c - the call graph of the regions for graphviz. A box is a region, redder with more exclusive
 * time; an arrow is a caller-callee pair with its calls and time.
 */
#include "config.h"

#include "postproc/report/outputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/report/escape.h"
#include "postproc/paths/region_sums.h"

/*
 * Regions with less than one LEAST_PART-th of the total time are omitted; so are boxes above
 * MOST_BOXES.
 */
enum { LEAST_PART = 200, MOST_BOXES = 100, LABEL_WIDTH = 60 };

static const struct escape rules = {.instead = {['"'] = "\\\"", ['\\'] = "\\\\", ['&'] = "&amp;"},
                                    .backslash = "\\\\"};

struct arrow {
    uint32_t from, to;
    uint64_t calls, ns;
};

struct graph {
    struct gptl_out *out;
    const struct paths *paths;
    struct region_sums sums;
    uint64_t total;
    bool *drawn; /* by region */
    struct arrow *arrows;
    uint32_t narrows;
    uint32_t boxes_left_out, arrows_left_out;
};

/* ---- Selection ----------------------------------------------------------------------------- */

static bool is_small(const struct graph *g, uint64_t ns)
{
    return (double)ns * LEAST_PART < (double)g->total;
}

static int choose_boxes(struct graph *g, const struct output_options *options)
{
    uint32_t n = 0, most = options->top ? options->top : MOST_BOXES;
    struct sorted *order = malloc(((size_t)g->paths->nregions + 1) * sizeof *order);
    if (!order)
        return -1;
    for (uint32_t i = 1; i <= g->paths->nregions; i++) {
        const struct region_sum *sum = &g->sums.sums[i];
        if (sum->name)
            order[n++] = (struct sorted){
                .weight = metric_weight(options->sort, &sum->figures, &sum->spread,
                                        g->sums.tallies ? &g->sums.tallies[i][0] : NULL),
                .item = i};
    }
    sort_by_weight(order, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t region = order[i].item;
        g->drawn[region] =
            i < most && (options->top || !is_small(g, g->sums.sums[region].figures.total));
        g->boxes_left_out += !g->drawn[region];
    }
    free(order);
    return 0;
}

static int compare_arrows(const void *left, const void *right)
{
    const struct arrow *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

static void join_arrows(struct graph *g)
{
    uint32_t n = 0;
    if (g->narrows)
        qsort(g->arrows, g->narrows, sizeof *g->arrows, compare_arrows);
    for (uint32_t i = 0; i < g->narrows; i++) {
        struct arrow *arrow = &g->arrows[i];
        if (n && compare_arrows(arrow, &g->arrows[n - 1]) == 0) {
            g->arrows[n - 1].calls += arrow->calls;
            g->arrows[n - 1].ns += arrow->ns;
        } else {
            g->arrows[n++] = *arrow;
        }
    }
    g->narrows = n;
}

/* Make the arrows. Calls over back edges start at the edge's source, not at the path's parent. */
static int make_arrows(struct graph *g)
{
    const struct paths *paths = g->paths;
    uint64_t *back = calloc(paths->npaths, sizeof *back);
    g->arrows = malloc(((size_t)paths->npaths + paths->nedges) * sizeof *g->arrows);
    if (!back || !g->arrows) {
        free(back);
        return -1;
    }
    for (uint32_t i = 0; i < paths->nedges; i++) {
        const struct edge *edge = &paths->edges[i];
        back[edge->to] += edge->calls;
        g->arrows[g->narrows++] = (struct arrow){paths->paths[edge->from].region,
                                                 paths->paths[edge->to].region, edge->calls, 0};
    }
    for (uint32_t i = 1; i < paths->npaths; i++) {
        const struct path *path = &paths->paths[i];
        uint64_t calls = path->figures.calls > back[i] ? path->figures.calls - back[i] : 0;
        if (path->parent && path->region)
            g->arrows[g->narrows++] =
                (struct arrow){paths->paths[path->parent].region, path->region, calls,
                               g->sums.nested[i] ? 0 : path->figures.total};
    }
    free(back);
    join_arrows(g);
    return 0;
}

/* ---- Drawing ------------------------------------------------------------------------------- */

/* Write a time with the four digits that fit a picture. */
static void put_time(struct graph *g, uint64_t ns)
{
    static const struct {
        double ns;
        const char *name;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}};
    int i = 0;
    while (i < 2 && (double)ns < units[i].ns)
        i++;
    double value = (double)ns / units[i].ns;
    gptl_out_format(g->out, "%.*f %s",
                    value < 10     ? 3
                    : value < 100  ? 2
                    : value < 1000 ? 1
                                   : 0,
                    value, units[i].name);
}

static void put_share(struct graph *g, uint64_t ns)
{
    put_time(g, ns);
    if (g->total)
        gptl_out_format(g->out, " (%.1f %%)", 100.0 * (double)ns / (double)g->total);
}

/* Write the beginning of a name; names of templates may be wider than a screen. */
static void put_label_name(struct graph *g, const char *name)
{
    char cut[LABEL_WIDTH + 4];
    size_t length = strlen(name);
    if (length > LABEL_WIDTH) {
        length = LABEL_WIDTH - 3;
        while (length > 0 && ((unsigned char)name[length] & 0xc0) == 0x80)
            length--;
        memcpy(cut, name, length);
        memcpy(cut + length, "...", 4);
        name = cut;
    }
    escape_put(g->out, &rules, name);
}

static void put_box(struct graph *g, uint32_t region)
{
    const struct region_sum *sum = &g->sums.sums[region];
    double part = g->total ? (double)sum->figures.self / (double)g->total : 0;
    gptl_out_format(g->out, "  r%u [label=\"", region);
    put_label_name(g, sum->name);
    gptl_out_literal(g->out, "\\nself ");
    put_share(g, sum->figures.self);
    gptl_out_literal(g->out, "\\ntotal ");
    put_share(g, sum->figures.total);
    gptl_out_literal(g->out, "\", tooltip=\"");
    escape_put(g->out, &rules, sum->name);
    gptl_out_format(g->out, "\", fillcolor=\"0.05 %.3f 1.000\"];\n", 0.8 * sqrt(part));
}

static void put_arrow(struct graph *g, const struct arrow *arrow)
{
    double part = g->total ? (double)arrow->ns / (double)g->total : 0;
    gptl_out_format(g->out, "  r%u -> r%u [label=\"%llu x", arrow->from, arrow->to,
                    (unsigned long long)arrow->calls);
    if (arrow->ns) {
        gptl_out_literal(g->out, "\\n");
        put_share(g, arrow->ns);
    }
    gptl_out_format(g->out, "\", penwidth=%.1f%s];\n", 1 + 3 * part,
                    arrow->ns ? "" : ", style=dashed");
}

/* Draw the arrows between visible boxes, including arrows of recursion, which lack a time. */
static void put_arrows(struct graph *g)
{
    for (uint32_t i = 0; i < g->narrows; i++) {
        const struct arrow *arrow = &g->arrows[i];
        if (!g->drawn[arrow->from] || !g->drawn[arrow->to])
            g->arrows_left_out++;
        else
            put_arrow(g, arrow);
    }
}

static void put_graph(struct graph *g)
{
    char title[300];
    outputs_title(g->paths, title, sizeof title);
    gptl_out_literal(g->out, "digraph gptl {\n"
                             "  node [shape=box, style=\"filled,rounded\", fontname=\"sans-serif\","
                             " fontsize=11, color=\"#888888\"];\n"
                             "  edge [fontname=\"sans-serif\", fontsize=9, color=\"#555555\"];\n");
    for (uint32_t i = 1; i <= g->paths->nregions; i++)
        if (g->drawn[i])
            put_box(g, i);
    put_arrows(g);
    gptl_out_literal(g->out, "  label=\"");
    escape_put(g->out, &rules, title);
    gptl_out_literal(g->out, "; 100 % is ");
    put_time(g, g->total);
    if (g->boxes_left_out)
        gptl_out_format(g->out, "\\n%u small regions are left out, with %u arrows",
                        g->boxes_left_out, g->arrows_left_out);
    gptl_out_literal(g->out, "\";\n  fontname=\"sans-serif\"; fontsize=12;\n}\n");
}

int dot_write(struct gptl_out *out, const struct paths *paths, const struct output_options *options)
{
    struct graph g = {.out = out,
                      .paths = paths,
                      .total = paths->paths[0].figures.total,
                      .drawn = calloc((size_t)paths->nregions + 1, sizeof *g.drawn)};
    int result = g.drawn ? region_sums_make(&g.sums, paths) : -1;
    if (result == 0)
        result = choose_boxes(&g, options);
    if (result == 0)
        result = make_arrows(&g);
    if (result == 0)
        put_graph(&g);
    region_sums_free(&g.sums);
    free(g.drawn);
    free(g.arrows);
    return result;
}
