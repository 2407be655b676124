/*
 * summary_read.c - a merged tree from JSON: what the library wrote of it becomes a tree again, which
 * is checked as one that came from another rank.
 *
 * Metrics, regions and paths stand in this order, and are put into arrays until all are there.
 */
#include "config.h"

#include "postproc/read/summary_read.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/read/name_pool.h"
#include "postproc/read/summary_parts.h"

/* ---- Room ---------------------------------------------------------------------------------- */

static void no_memory(struct reading *r)
{
    json_fail_whole(r->json, "there is no memory to read it");
}

/* Room for MORE elements of SIZE bytes behind the last one of LIST; NULL after a message. */
static void *add(struct reading *r, struct list *list, size_t more, size_t size)
{
    if (more > list->room - list->n || !list->all) {
        size_t room = 2 * (list->n + more) + 64;
        void *all = room < UINT32_MAX && room < SIZE_MAX / (size + 1)
                        ? realloc(list->all, room * size)
                        : NULL;
        if (!all) {
            no_memory(r);
            return NULL;
        }
        list->all = all;
        list->room = room;
    }
    void *added = (char *)list->all + list->n * size;
    memset(added, 0, more * size);
    list->n += more;
    return added;
}

/* The text that comes next, "" for null: its place in the tree's. */
static uint64_t read_text(struct reading *r)
{
    size_t length;
    if (json_null(r->json))
        return 0;
    char *text = json_string(r->json, &length);
    long decoded = name_decode(text, length);
    if (decoded < 0)
        json_fail(r->json, "a text has a byte of 0 in it");
    if (json_failed(r->json) || decoded <= 0)
        return 0;
    uint64_t at = r->text.n;
    char *kept = add(r, &r->text, (size_t)decoded + 1, 1);
    if (kept)
        memcpy(kept, text, (size_t)decoded);
    return kept ? at : 0;
}

/* ---- Numbers ------------------------------------------------------------------------------- */

/* Infinite numbers are written as null. */
static double read_real(struct json *json)
{
    return json_null(json) ? 0 : json_real(json);
}

static double nanoseconds(struct json *json)
{
    return fmin(read_real(json) * 1e9, 0x1p64);
}

/* Of times: no double is too large for it to be squared. */
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
    struct gptl_ranks_bucket *to = json_failed(r->json) ? NULL : add(r, &r->buckets, 1, sizeof *to);
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
            to->ranks.mean = read_real(json);
        else if (strcmp(key, "std_dev") == 0)
            deviation = read_real(json);
        else if (strcmp(key, "max") == 0)
            to->max = read_real(json);
        else if (strcmp(key, "max_rank") == 0)
            to->max_rank = (int32_t)json_uint(json, INT32_MAX);
        else if (strcmp(key, "min") == 0)
            to->min = read_real(json);
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

/* The same as moments, once it is known how many they are of. */
static void end_row(struct reading *r, struct gptl_ranks_row *row, const double *deviations)
{
    row->ended = row->total;
    /* What is written of a mean is rounded to nanoseconds. */
    if (row->total < UINT64_MAX && row->threads.n > 0)
        row->threads.mean = (double)row->total / (double)row->threads.n;
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

/* Where a row that is read goes, and what only paths have. */
struct target {
    size_t row;
    double deviations[2];
    uint64_t name, address, region, parent;
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
        row->calls = json_uint(json, UINT64_MAX);
    else if (strcmp(key, "estimated") == 0)
        row->untimed = json_bool(json);
    else if (strcmp(key, "seconds") == 0)
        row->total = json_nanoseconds_or_most(json);
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

/* The row that comes next, behind those that are there. False: no memory. */
static bool read_row(struct reading *r, struct target *target)
{
    struct json *json = r->json;
    const char *key;
    *target = (struct target){.row = r->rows.n};
    if (!add(r, &r->rows, 1, sizeof(struct gptl_ranks_row)) ||
        !add(r, &r->figures, r->metrics.n, sizeof(struct gptl_ranks_figure)))
        return false;
    json_object(json);
    while ((key = json_key(json))) {
        if (strcmp(key, "name") == 0)
            target->name = read_text(r);
        else if (strcmp(key, "address") == 0)
            target->address = read_text(r);
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

static void read_regions(struct reading *r)
{
    struct target target;
    if (r->has_paths || r->regions.n > 0)
        json_fail(r->json, "\"regions\" must be there once, before \"paths\"");
    json_array(r->json);
    while (json_element(r->json)) {
        struct gptl_ranks_region *to;
        if (!read_row(r, &target) || !(to = add(r, &r->regions, 1, sizeof *to)))
            return;
        *to = (struct gptl_ranks_region){target.name, target.address};
        ((struct gptl_ranks_row *)r->rows.all)[target.row].region = (uint32_t)target.row;
    }
}

/* LAST has the number of the last path at each depth that leads to the last one. */
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
    uint32_t *to = add(r, &r->last, 1, sizeof *to);
    if (to)
        *to = (uint32_t)number;
    return to != NULL;
}

static void read_paths(struct reading *r)
{
    struct target target;
    if (r->has_paths)
        json_fail(r->json, "\"paths\" is there twice");
    r->has_paths = true;
    if (!add(r, &r->last, 1, sizeof(uint32_t)))
        return;
    json_array(r->json);
    while (json_element(r->json))
        if (!read_row(r, &target) || !place_path(r, &target))
            return;
}

/* ---- Metrics ------------------------------------------------------------------------------- */

static enum gptl_scope read_scope(struct json *json)
{
    const char *scope = json_string(json, NULL);
    return strcmp(scope, "process") == 0   ? GPTL_SCOPE_PROCESS
           : strcmp(scope, "machine") == 0 ? GPTL_SCOPE_MACHINE
                                           : GPTL_SCOPE_THREAD;
}

static void read_metric(struct reading *r)
{
    struct json *json = r->json;
    struct gptl_ranks_metric metric = {.kind = GPTL_METRIC_COUNTED, .shown = 1};
    const char *key;
    json_object(json);
    while ((key = json_key(json))) {
        if (strcmp(key, "name") == 0)
            metric.name = read_text(r);
        else if (strcmp(key, "kind") == 0)
            metric.kind = strcmp(json_string(json, NULL), "derived") == 0 ? GPTL_METRIC_DERIVED
                                                                          : GPTL_METRIC_COUNTED;
        else if (strcmp(key, "description") == 0)
            metric.description = read_text(r);
        else if (strcmp(key, "unit") == 0)
            metric.unit = read_text(r);
        else if (strcmp(key, "component") == 0)
            metric.component = read_text(r);
        else if (strcmp(key, "scope") == 0)
            metric.scope = read_scope(json);
        else if (strcmp(key, "shown") == 0)
            metric.shown = json_bool(json);
        else if (strcmp(key, "cpu_time") == 0)
            metric.cpu = json_bool(json);
        else if (strcmp(key, "estimated") == 0)
            metric.estimated = json_bool(json);
        else if (strcmp(key, "least_seconds") == 0)
            metric.least_seconds = read_real(json);
        else if (strcmp(key, "expression") == 0)
            metric.expression = read_text(r);
        else
            json_skip(json);
    }
    struct gptl_ranks_metric *to = json_failed(json) ? NULL : add(r, &r->metrics, 1, sizeof *to);
    if (to)
        *to = metric;
}

static void read_metrics(struct reading *r)
{
    if (r->rows.n > 0 || r->metrics.n > 0)
        json_fail(r->json, "\"metrics\" must be there once, before \"regions\"");
    json_array(r->json);
    while (json_element(r->json))
        read_metric(r);
    if (r->metrics.n > MOST_METRICS)
        json_fail(r->json, "there are more than %d metrics", MOST_METRICS);
}

/* ---- The job ------------------------------------------------------------------------------- */

static void read_sums(struct reading *r)
{
    const char *key;
    json_object(r->json);
    while ((key = json_key(r->json))) {
        int i = 0;
        while (i < GPTL_RANKS_NSUMS && strcmp(key, gptl_ranks_sum_names[i]) != 0)
            i++;
        if (i < GPTL_RANKS_NSUMS)
            r->head.sums[i] = json_uint(r->json, UINT64_MAX);
        else
            json_skip(r->json);
    }
}

static void check_format(struct reading *r)
{
    const char *format = json_string(r->json, NULL);
    if (strcmp(format, "gptl-summary") != 0)
        json_fail_whole(r->json, "its \"format\" is \"%.60s\", not \"gptl-summary\"", format);
    json_hint(r->json, NULL);
}

static void check_version(struct reading *r)
{
    uint64_t version = json_uint(r->json, UINT64_MAX);
    if (version != 1)
        json_fail_whole(r->json,
                        "this is a gptl-summary of version %llu; gptl " PACKAGE_VERSION
                        " reads version 1. Take the gptl of the library that wrote it",
                        (unsigned long long)version);
}

/* What texts of the profile are is known when they are all there: until then, their places. */
static bool read_job(struct reading *r, const char *key)
{
    struct json *json = r->json;
    struct gptl_process *process = &r->process;
    if (strcmp(key, "library") == 0)
        r->library = read_text(r);
    else if (strcmp(key, "program") == 0)
        r->program = read_text(r);
    else if (strcmp(key, "host") == 0)
        r->host = read_text(r);
    else if (strcmp(key, "job") == 0)
        r->job = read_text(r);
    else if (strcmp(key, "pid") == 0)
        process->pid = (long)json_uint(json, LONG_MAX);
    else if (strcmp(key, "started") == 0)
        process->started = json_real(json);
    else if (strcmp(key, "elapsed") == 0)
        process->elapsed = r->head.elapsed = read_real(json);
    else if (strcmp(key, "ranks") == 0)
        r->head.nranks = (uint32_t)json_uint(json, UINT32_MAX);
    else if (strcmp(key, "silent_ranks") == 0)
        r->head.nsilent = (uint32_t)json_uint(json, UINT32_MAX);
    else if (strcmp(key, "threads") == 0)
        r->head.nthreads = json_uint(json, UINT64_MAX);
    else
        return false;
    return true;
}

static void read_document(struct reading *r)
{
    struct json *json = r->json;
    const char *key;
    json_object(json);
    while ((key = json_key(json))) {
        if (strcmp(key, "format") == 0)
            check_format(r);
        else if (strcmp(key, "version") == 0)
            check_version(r);
        else if (strcmp(key, "sums") == 0)
            read_sums(r);
        else if (strcmp(key, "metrics") == 0)
            read_metrics(r);
        else if (strcmp(key, "regions") == 0)
            read_regions(r);
        else if (strcmp(key, "paths") == 0)
            read_paths(r);
        else if (!read_job(r, key))
            json_skip(json);
    }
    if (!r->has_paths)
        json_fail_whole(json, "it has no \"paths\"");
    if (r->head.nranks == 0)
        json_fail_whole(json, "it has no \"ranks\"");
}

/* ---- All ----------------------------------------------------------------------------------- */

static void copy_list(void *to, const struct list *list, size_t size)
{
    if (list->n > 0)
        memcpy(to, list->all, list->n * size);
}

/* Returns 0, or -1 after a message. */
static int make_tree(struct reading *r, struct gptl_ranks_tree *tree)
{
    r->head.nmetrics = (uint32_t)r->metrics.n;
    r->head.nregions = (uint32_t)r->regions.n;
    r->head.npaths = (uint32_t)(r->rows.n - r->regions.n);
    r->head.nbuckets = (uint32_t)r->buckets.n;
    r->head.ntext = r->text.n;
    if (gptl_ranks_tree_new(tree, &r->head)) {
        no_memory(r);
        return -1;
    }
    copy_list(tree->metrics, &r->metrics, sizeof *tree->metrics);
    copy_list(tree->regions, &r->regions, sizeof *tree->regions);
    copy_list(tree->rows, &r->rows, sizeof *tree->rows);
    copy_list(tree->figures, &r->figures, sizeof *tree->figures);
    copy_list(tree->buckets, &r->buckets, sizeof *tree->buckets);
    copy_list(tree->text, &r->text, 1);
    struct gptl_ranks_tree opened;
    if (gptl_ranks_tree_open(&opened, tree->head, (size_t)tree->head->size) == 0)
        return 0;
    json_fail_whole(r->json, "its regions are not in the order of their names");
    return -1;
}

struct summary *summary_read(struct json *json)
{
    struct reading r = {.json = json, .process = {.rank = -1}};
    struct summary *summary = calloc(1, sizeof *summary);
    if (!summary || !add(&r, &r.text, 1, 1)) /* offset 0 is "" */
        no_memory(&r);
    else
        read_document(&r);
    bool done = !json_failed(json) && make_tree(&r, &summary->tree) == 0;
    if (done && summary_make_profile(summary, &r)) {
        no_memory(&r);
        done = false;
    }
    struct list *lists[] = {&r.metrics, &r.regions, &r.rows, &r.figures,
                            &r.buckets, &r.text,    &r.last};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]->all);
    if (done)
        return summary;
    summary_free(summary);
    return NULL;
}

void summary_free(struct summary *summary)
{
    if (!summary)
        return;
    gptl_report_free(&summary->profile);
    gptl_ranks_tree_free(&summary->tree);
    free(summary);
}
