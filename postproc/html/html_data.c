/*
 * html_data.c - call paths as the page's script reads them: one JSON object of columns.
 *
 * Paths are ordered depth first, the longest child first, so that a subtree is a range and the
 * depth identifies the parent. Derivable values are omitted, and values close to another value are
 * written as the difference, which is usually 0. 50,000 paths take about 2 MB. Times are
 * nanoseconds; the script rounds times above 2^53 (104 days).
 *
 *   depth, region              0 is the root; a region is an index into names
 *   calls, total               inclusive
 *   inside                     total less exclusive
 *   over, spread               total less the longest call; the longest less the shortest,
 *                              -1: no call
 *   recurse, open, unstopped   index of a path, value, ... where it is not 0
 *   error                      likewise: half width of the confidence interval of total
 *   edges                      from, to, calls, ... of recursion
 *   lanes, most, least         with several lanes: number that have the path, and extremes
 *   parts, histograms          of the largest paths only, see html_lanes.c
 *   metrics, counts, own, first   counters, see html_counts.c
 *   ranks, rankRows, rankBuckets   statistics over ranks, see html_ranks.c
 *   predictedOn, doubtful, predicted   see html_predicted.c
 *   names                      from nregions on: names that represent omitted paths
 */
#include "config.h"

#include "postproc/html/html_data.h"

#include <stdlib.h>

#include "postproc/paths/metric.h"
#include "report/name.h"

/* ---- JSON ---------------------------------------------------------------------------------- */

void html_put_key(struct gptl_out *out, const char *key)
{
    gptl_out_literal(out, ",\n\"");
    gptl_out_text(out, key);
    gptl_out_literal(out, "\":");
}

void html_put_between(struct gptl_out *out, bool *any)
{
    gptl_out_char(out, *any ? ',' : '[');
    *any = true;
}

void html_put_end(struct gptl_out *out, bool any)
{
    gptl_out_text(out, any ? "]" : "[]");
}

void html_put_signed(struct gptl_out *out, int64_t value)
{
    if (value < 0)
        gptl_out_char(out, '-');
    gptl_out_uint(out, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

int64_t html_difference(uint64_t a, uint64_t b)
{
    uint64_t d = a > b ? a - b : b - a;
    int64_t size = d > INT64_MAX ? INT64_MAX : (int64_t)d;
    return a > b ? size : -size;
}

/* ---- Order --------------------------------------------------------------------------------- */

/*
 * Push the children of PATH onto STACK at DEPTH, the smallest first, so that the largest is on top.
 */
static uint32_t push_children(const struct paths *paths, uint32_t path, struct sorted *stack,
                              uint32_t depth)
{
    uint32_t n = 0;
    for (uint32_t i = paths->paths[path].first_child; i; i = paths->paths[i].next_sibling)
        stack[depth + n++] =
            (struct sorted){.weight = (double)paths->paths[i].figures.total, .item = i};
    sort_by_weight(stack + depth, n);
    for (uint32_t i = 0; i < n / 2; i++) {
        struct sorted other = stack[depth + i];
        stack[depth + i] = stack[depth + n - 1 - i];
        stack[depth + n - 1 - i] = other;
    }
    return depth + n;
}

static void put_in_order(struct html_data *data, struct sorted *stack)
{
    uint32_t depth = 1, n = 0;
    stack[0] = (struct sorted){.item = 0};
    while (depth > 0) {
        uint32_t path = stack[--depth].item;
        data->place[path] = n;
        data->order[n++] = path;
        depth = push_children(data->paths, path, stack, depth);
    }
}

/* Number the regions in page order, and after them the paths that represent omitted ones. */
static void number_names(struct html_data *data)
{
    for (uint32_t i = 1; i < data->paths->npaths; i++) {
        const struct path *path = html_path(data, i);
        if (path->rest || data->region[path->region])
            continue;
        data->name[data->nregions++] = data->order[i];
        data->region[path->region] = data->nregions;
    }
    data->nnames = data->nregions;
    for (uint32_t i = 1; i < data->paths->npaths; i++)
        if (html_path(data, i)->rest)
            data->name[data->nnames++] = data->order[i];
}

/* ---- Columns ------------------------------------------------------------------------------- */

/* Value of a column for one path. */
typedef int64_t cell(const struct path *path);

static int64_t depth_of(const struct path *path)
{
    return path->depth;
}

static int64_t calls_of(const struct path *path)
{
    return html_difference(path->figures.calls, 0);
}

static int64_t total_of(const struct path *path)
{
    return html_difference(path->figures.total, 0);
}

static int64_t inside_of(const struct path *path)
{
    return html_difference(path->figures.total, path->figures.self);
}

static int64_t over_of(const struct path *path)
{
    return html_difference(path->figures.total, path->figures.max);
}

static int64_t spread_of(const struct path *path)
{
    if (path->figures.min == UINT64_MAX)
        return -1;
    int64_t spread = html_difference(path->figures.max, path->figures.min);
    return spread > 0 ? spread : 0; /* the copy of a running thread may be torn */
}

static int64_t recurse_of(const struct path *path)
{
    return html_difference(path->figures.recurse, 0);
}

static int64_t open_of(const struct path *path)
{
    return path->figures.open;
}

static int64_t unstopped_of(const struct path *path)
{
    return path->figures.unstopped;
}

static int64_t error_of(const struct path *path)
{
    return html_difference(path->figures.error, 0);
}

static void put_column(struct html_data *data, const char *key, cell *of)
{
    bool any = false;
    html_put_key(data->out, key);
    for (uint32_t i = 0; i < data->paths->npaths; i++) {
        html_put_between(data->out, &any);
        html_put_signed(data->out, of(html_path(data, i)));
    }
    html_put_end(data->out, any);
}

static void put_sparse(struct html_data *data, const char *key, cell *of)
{
    bool any = false;
    html_put_key(data->out, key);
    for (uint32_t i = 1; i < data->paths->npaths; i++) {
        int64_t value = of(html_path(data, i));
        if (value == 0)
            continue;
        html_put_between(data->out, &any);
        gptl_out_uint(data->out, i);
        gptl_out_char(data->out, ',');
        html_put_signed(data->out, value);
    }
    html_put_end(data->out, any);
}

static void put_regions(struct html_data *data)
{
    uint32_t rest = data->nregions;
    bool any = false;
    html_put_key(data->out, "region");
    for (uint32_t i = 0; i < data->paths->npaths; i++) {
        const struct path *path = html_path(data, i);
        html_put_between(data->out, &any);
        gptl_out_uint(data->out, i == 0 ? 0 : path->rest ? rest++ : data->region[path->region] - 1);
    }
    html_put_end(data->out, any);
}

static void put_edges(struct html_data *data)
{
    bool any = false;
    html_put_key(data->out, "edges");
    for (uint32_t i = 0; i < data->paths->nedges; i++) {
        const struct edge *edge = &data->paths->edges[i];
        html_put_between(data->out, &any);
        gptl_out_uint(data->out, data->place[edge->from]);
        gptl_out_char(data->out, ',');
        gptl_out_uint(data->out, data->place[edge->to]);
        gptl_out_char(data->out, ',');
        gptl_out_uint(data->out, edge->calls);
    }
    html_put_end(data->out, any);
}

/* ---- Names --------------------------------------------------------------------------------- */

void html_put_name(struct gptl_out *out, const char *name)
{
    if (name && *name)
        gptl_name_script(out, name);
    else
        gptl_out_literal(out, "\"\"");
}

/*
 * Return the module of the path's function. Its index refers to the first profile that has the
 * path.
 */
static const char *module_of(const struct paths *paths, const struct path *path)
{
    if (!path->parts)
        return "";
    const struct gptl_profile *profile = paths->lanes[paths->parts[path->parts].lane].profile;
    uint32_t module = path->function->module;
    return module < profile->nmodules ? profile->modules[module].label : "";
}

static void put_names(struct html_data *data)
{
    const struct path *paths = data->paths->paths;
    bool any = false;
    html_put_key(data->out, "names");
    for (uint32_t i = 0; i < data->nnames; i++) {
        html_put_between(data->out, &any);
        html_put_name(data->out, paths[data->name[i]].name);
    }
    html_put_end(data->out, any);

    /* Index of a region, file, line, module, ... for regions that are functions. */
    any = false;
    html_put_key(data->out, "functions");
    for (uint32_t i = 0; i < data->nregions; i++) {
        const struct path *path = &paths[data->name[i]];
        if (!path->function)
            continue;
        html_put_between(data->out, &any);
        gptl_out_uint(data->out, i);
        gptl_out_char(data->out, ',');
        html_put_name(data->out, path->function->file);
        gptl_out_char(data->out, ',');
        html_put_signed(data->out, path->function->line);
        gptl_out_char(data->out, ',');
        html_put_name(data->out, module_of(data->paths, path));
    }
    html_put_end(data->out, any);
}

/* ---- Whole object -------------------------------------------------------------------------- */

/* List all paths but the root by place, the longest first. STACK has space for them. */
static void find_largest(struct html_data *data, struct sorted *stack)
{
    uint32_t n = data->paths->npaths - 1;
    for (uint32_t i = 0; i < n; i++)
        stack[i] =
            (struct sorted){.weight = (double)html_path(data, i + 1)->figures.total, .item = i + 1};
    sort_by_weight(stack, n);
    for (uint32_t i = 0; i < n; i++)
        data->largest[i] = stack[i].item;
}

static int put_all(struct html_data *data)
{
    gptl_out_format(data->out, "{\"version\":1,\"regions\":%u", data->nregions);
    put_names(data);
    put_column(data, "depth", depth_of);
    put_regions(data);
    put_column(data, "calls", calls_of);
    put_column(data, "total", total_of);
    put_column(data, "inside", inside_of);
    put_column(data, "over", over_of);
    put_column(data, "spread", spread_of);
    put_sparse(data, "recurse", recurse_of);
    put_sparse(data, "open", open_of);
    put_sparse(data, "unstopped", unstopped_of);
    put_sparse(data, "error", error_of);
    put_edges(data);
    html_put_lanes(data);
    html_put_histograms(data);
    html_put_ranks(data);
    int result = html_put_counts(data) || html_put_peers(data) || html_put_predicted(data) ? -1 : 0;
    gptl_out_literal(data->out, "}\n");
    return result;
}

int html_data_write(struct gptl_out *out, const struct paths *paths,
                    const struct output_options *options)
{
    size_t n = paths->npaths;
    struct sorted *stack = malloc(n * sizeof *stack);
    uint32_t *numbers = calloc(4 * n + paths->nregions + 1, sizeof *numbers);
    int result = -1;
    if (stack && numbers) {
        struct html_data data = {.out = out,
                                 .paths = paths,
                                 .options = options,
                                 .order = numbers,
                                 .place = numbers + n,
                                 .name = numbers + 2 * n,
                                 .largest = numbers + 3 * n,
                                 .region = numbers + 4 * n};
        put_in_order(&data, stack);
        number_names(&data);
        find_largest(&data, stack);
        result = put_all(&data);
    }
    free(stack);
    free(numbers);
    return result;
}
