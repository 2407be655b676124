/*
 * summary_rows.c - reads the rows of regions and paths of a merged tree, and the position of each
 * path.
 */
#include "config.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "postproc/read/summary_parts.h"
#include "report/name.h"

/* ---- Numbers ------------------------------------------------------------------------------- */

static double nanoseconds(struct json *json)
{
    return fmin(summary_real(json) * 1e9, 0x1p64);
}

/* Return the sum of squares of times; the square of a time never overflows a double. */
static double squares(double deviation, uint64_t n)
{
    return deviation * deviation * (double)n;
}

static void read_extreme(struct json *json, struct gptl_ranks_extreme *extreme)
{
    const char *key;
    json_object(json);
    while ((key = json_key(json))) {
        if (strcmp(key, "seconds") == 0)
            extreme->ns = json_nanoseconds(json);
        else if (strcmp(key, "rank") == 0)
            extreme->rank = (int32_t)json_uint(json, INT32_MAX);
        else if (strcmp(key, "thread") == 0)
            extreme->thread = (int32_t)json_uint(json, INT32_MAX);
        else
            json_skip(json);
    }
}

/* ---- Rows ---------------------------------------------------------------------------------- */

static void read_bucket(struct reading *r, struct gptl_ranks_row *row)
{
    struct gptl_ranks_bucket bucket = {0};
    int n = 0;
    json_array(r->json);
    for (; json_element(r->json); n++) {
        if (n == 0)
            bucket.bucket = gptl_ranks_bucket(json_nanoseconds(r->json));
        else if (n == 2)
            bucket.ranks = (uint32_t)json_uint(r->json, UINT32_MAX);
        else
            json_skip(r->json);
    }
    if (n != 3)
        json_fail(r->json, "a bucket of a histogram has three numbers");
    const struct gptl_ranks_bucket *all = r->buckets.all;
    if (row->nbuckets > 0 && bucket.bucket <= all[r->buckets.n - 1].bucket)
        json_fail(r->json, "the buckets of a histogram are not in their order");
    struct gptl_ranks_bucket *to =
        json_failed(r->json) ? NULL : summary_add(r, &r->buckets, 1, sizeof *to);
    if (to) {
        *to = bucket;
        row->nbuckets++;
    }
}

static void read_ranks(struct reading *r, struct gptl_ranks_row *row, double *deviation)
{
    struct json *json = r->json;
    const char *key;
    json_object(json);
    while ((key = json_key(json))) {
        if (strcmp(key, "mean") == 0) {
            row->ranks.mean = nanoseconds(json);
        } else if (strcmp(key, "std_dev") == 0) {
            *deviation = nanoseconds(json);
        } else if (strcmp(key, "min") == 0) {
            read_extreme(json, &row->min_rank);
        } else if (strcmp(key, "histogram") == 0) {
            row->bucket = (uint32_t)r->buckets.n;
            row->nbuckets = 0;
            json_array(json);
            while (json_element(json))
                read_bucket(r, row);
        } else {
            json_skip(json);
        }
    }
}

static void read_figure(struct json *json, struct gptl_ranks_figure *to, bool counted)
{
    double deviation = 0, all = (double)NAN;
    const char *key;
    json_object(json);
    while ((key = json_key(json))) {
        if (strcmp(key, "all") == 0)
            all = json_null(json) ? (double)NAN : json_real(json);
        else if (strcmp(key, "ranks") == 0)
            to->ranks.n = json_uint(json, UINT32_MAX);
        else if (strcmp(key, "mean") == 0)
            to->ranks.mean = summary_real(json);
        else if (strcmp(key, "std_dev") == 0)
            deviation = summary_real(json);
        else if (strcmp(key, "max") == 0)
            to->max = summary_real(json);
        else if (strcmp(key, "max_rank") == 0)
            to->max_rank = (int32_t)json_uint(json, INT32_MAX);
        else if (strcmp(key, "min") == 0)
            to->min = summary_real(json);
        else if (strcmp(key, "min_rank") == 0)
            to->min_rank = (int32_t)json_uint(json, INT32_MAX);
        else
            json_skip(json);
    }
    to->ranks.squares = squares(deviation, to->ranks.n);
    to->sum = !counted ? 0 : isnan(all) ? to->ranks.mean * (double)to->ranks.n : all;
}

static void read_figures(struct reading *r, size_t row)
{
    size_t n = r->metrics.n, i = 0;
    const struct gptl_ranks_metric *metrics = r->metrics.all;
    struct gptl_ranks_figure *figures = r->figures.all;
    json_array(r->json);
    for (; json_element(r->json); i++) {
        if (i >= n)
            json_fail(r->json, "there are more values than \"metrics\"");
        else if (!json_null(r->json))
            read_figure(r->json, &figures[row * n + i], metrics[i].kind == GPTL_METRIC_COUNTED);
    }
}

/* Complete a row: convert to moments, once the counts are known. */
static void end_row(struct reading *r, struct gptl_ranks_row *row, const double *deviations)
{
    /* The file does not separate open calls. */
    row->ended = row->total;
    row->ended_ranks = row->ranks.n;
    row->ended_threads = row->threads.n;
    row->ended_max = row->max;
    row->ended_min = row->min;
    /* The file rounds means to nanoseconds, so recompute them from the sum. */
    if (row->threads.n > 0)
        row->threads.mean = gptl_wide_real(row->total) / (double)row->threads.n;
    if (row->ranks.n == row->threads.n)
        row->ranks.mean = row->threads.mean;
    row->threads.squares = squares(deviations[0], row->threads.n);
    row->ranks.squares = squares(deviations[1], row->ranks.n);
    if (row->ranks.n > row->threads.n || (row->ranks.n == 0) != (row->threads.n == 0))
        json_fail(r->json, "%llu ranks with %llu threads called a region",
                  (unsigned long long)row->ranks.n, (unsigned long long)row->threads.n);
    else if (row->min.ns > row->max.ns || row->min_rank.ns > row->max.ns)
        json_fail(r->json, "a \"min\" is longer than the \"max\"");
    else if (row->threads.mean < 0 || row->ranks.mean < 0)
        json_fail(r->json, "a \"mean\" is below 0");
}

/* Destination of a row, and members that only paths have. */
struct target {
    size_t row;
    double deviations[2];
    uint64_t name, address, region, parent, kind;
    bool has_region;
};

static bool read_statistics(struct reading *r, struct target *target, const char *key)
{
    struct json *json = r->json;
    struct gptl_ranks_row *row = (struct gptl_ranks_row *)r->rows.all + target->row;
    if (strcmp(key, "ranks") == 0)
        row->ranks.n = json_uint(json, UINT32_MAX);
    else if (strcmp(key, "threads") == 0)
        row->threads.n = json_uint(json, UINT64_MAX);
    else if (strcmp(key, "calls") == 0)
        row->calls = json_wide(json, 0);
    else if (strcmp(key, "estimated") == 0)
        row->untimed = json_bool(json);
    else if (strcmp(key, "seconds") == 0)
        row->total = json_wide(json, 9);
    else if (strcmp(key, "mean") == 0)
        row->threads.mean = nanoseconds(json);
    else if (strcmp(key, "std_dev") == 0)
        target->deviations[0] = nanoseconds(json);
    else if (strcmp(key, "max") == 0)
        read_extreme(json, &row->max);
    else if (strcmp(key, "min") == 0)
        read_extreme(json, &row->min);
    else if (strcmp(key, "of_ranks") == 0)
        read_ranks(r, row, &target->deviations[1]);
    else if (strcmp(key, "metrics") == 0)
        read_figures(r, target->row);
    else
        return false;
    return true;
}

/* Read the next row and append it. Returns false if out of memory. */
static bool read_row(struct reading *r, struct target *target)
{
    struct json *json = r->json;
    const char *key;
    *target = (struct target){.row = r->rows.n};
    if (!summary_add(r, &r->rows, 1, sizeof(struct gptl_ranks_row)) ||
        !summary_add(r, &r->figures, r->metrics.n, sizeof(struct gptl_ranks_figure)))
        return false;
    json_object(json);
    while ((key = json_key(json))) {
        if (strcmp(key, "name") == 0)
            target->name = summary_text(r);
        else if (strcmp(key, "address") == 0)
            target->address = summary_text(r);
        else if (strcmp(key, "kind") == 0)
            target->kind = gptl_kind_named(json_string(json, NULL));
        else if (strcmp(key, "region") == 0) {
            target->region = json_uint(json, UINT32_MAX);
            target->has_region = true;
        } else if (strcmp(key, "parent") == 0)
            target->parent = json_uint(json, UINT32_MAX);
        else if (!read_statistics(r, target, key))
            json_skip(json);
    }
    end_row(r, (struct gptl_ranks_row *)r->rows.all + target->row, target->deviations);
    return !json_failed(json);
}

void summary_regions(struct reading *r)
{
    struct target target;
    if (r->has_paths || r->regions.n > 0)
        json_fail(r->json, "\"regions\" must be there once, before \"paths\"");
    json_array(r->json);
    while (json_element(r->json)) {
        struct gptl_ranks_region *to;
        if (!read_row(r, &target) || !(to = summary_add(r, &r->regions, 1, sizeof *to)))
            return;
        *to = (struct gptl_ranks_region){target.name, target.address, target.kind, target.row};
        ((struct gptl_ranks_row *)r->rows.all)[target.row].region = (uint32_t)target.row;
    }
}

/*
 * Find the position of a path below its parent. LAST holds the ancestors of the last path by depth.
 */
static bool place_path(struct reading *r, const struct target *target)
{
    size_t number = r->rows.n - r->regions.n, depth = r->last.n;
    const uint32_t *last = r->last.all;
    if (!target->has_region || target->region >= r->regions.n) {
        json_fail(r->json, "path %zu is of no region that is there", number);
        return false;
    }
    while (depth > 1 && last[depth - 1] != target->parent)
        depth--;
    if (last[depth - 1] != target->parent) {
        json_fail(r->json, "path %zu does not stand below its parent", number);
        return false;
    }
    r->last.n = depth;
    struct gptl_ranks_row *row = (struct gptl_ranks_row *)r->rows.all + target->row;
    row->region = (uint32_t)target->region;
    row->depth = (uint32_t)depth;
    uint32_t *to = summary_add(r, &r->last, 1, sizeof *to);
    if (to)
        *to = (uint32_t)number;
    return to != NULL;
}

void summary_paths(struct reading *r)
{
    struct target target;
    if (r->has_paths)
        json_fail(r->json, "\"paths\" is there twice");
    r->has_paths = true;
    if (!summary_add(r, &r->last, 1, sizeof(uint32_t)))
        return;
    json_array(r->json);
    while (json_element(r->json))
        if (!read_row(r, &target) || !place_path(r, &target))
            return;
}
