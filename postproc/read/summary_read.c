/*
 * summary_read.c - reads a merged tree from JSON and checks it like a tree received from another
 * rank.
 *
 * Metrics, regions and paths appear in this order and are collected in arrays until all are read.
 */
#include "config.h"

#include "postproc/read/summary_read.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/read/name_pool.h"
#include "postproc/read/summary_parts.h"

/* ---- Memory -------------------------------------------------------------------------------- */

void summary_no_memory(struct reading *r)
{
    json_fail_whole(r->json, "there is no memory to read it");
}

void *summary_add(struct reading *r, struct list *list, size_t more, size_t size)
{
    if (more > list->room - list->n || !list->all) {
        size_t room = 2 * (list->n + more) + 64;
        void *all = room < UINT32_MAX && room < SIZE_MAX / (size + 1)
                        ? realloc(list->all, room * size)
                        : NULL;
        if (!all) {
            summary_no_memory(r);
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

uint64_t summary_text(struct reading *r)
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
    char *kept = summary_add(r, &r->text, (size_t)decoded + 1, 1);
    if (kept)
        memcpy(kept, text, (size_t)decoded);
    return kept ? at : 0;
}

double summary_real(struct json *json)
{
    return json_null(json) ? 0 : json_real(json);
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
            metric.name = summary_text(r);
        else if (strcmp(key, "kind") == 0)
            metric.kind = strcmp(json_string(json, NULL), "derived") == 0 ? GPTL_METRIC_DERIVED
                                                                          : GPTL_METRIC_COUNTED;
        else if (strcmp(key, "description") == 0)
            metric.description = summary_text(r);
        else if (strcmp(key, "unit") == 0)
            metric.unit = summary_text(r);
        else if (strcmp(key, "component") == 0)
            metric.component = summary_text(r);
        else if (strcmp(key, "scope") == 0)
            metric.scope = read_scope(json);
        else if (strcmp(key, "shown") == 0)
            metric.shown = json_bool(json);
        else if (strcmp(key, "cpu_time") == 0)
            metric.cpu = json_bool(json);
        else if (strcmp(key, "estimated") == 0)
            metric.estimated = json_bool(json);
        else if (strcmp(key, "least_seconds") == 0)
            metric.least_seconds = summary_real(json);
        else if (strcmp(key, "expression") == 0)
            metric.expression = summary_text(r);
        else
            json_skip(json);
    }
    struct gptl_ranks_metric *to =
        json_failed(json) ? NULL : summary_add(r, &r->metrics, 1, sizeof *to);
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

/* Read a member of the job. Texts are stored as offsets until all of them are read. */
static bool read_job(struct reading *r, const char *key)
{
    struct json *json = r->json;
    struct gptl_process *process = &r->process;
    if (strcmp(key, "library") == 0)
        r->library = summary_text(r);
    else if (strcmp(key, "program") == 0)
        r->program = summary_text(r);
    else if (strcmp(key, "host") == 0)
        r->host = summary_text(r);
    else if (strcmp(key, "job") == 0)
        r->job = summary_text(r);
    else if (strcmp(key, "pid") == 0)
        process->pid = (long)json_uint(json, LONG_MAX);
    else if (strcmp(key, "started") == 0)
        process->started = json_real(json);
    else if (strcmp(key, "elapsed") == 0)
        process->elapsed = r->head.elapsed = summary_real(json);
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
            summary_regions(r);
        else if (strcmp(key, "paths") == 0)
            summary_paths(r);
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

/* Make the tree from the arrays. Returns 0, or -1 after a message. */
static int make_tree(struct reading *r, struct gptl_ranks_tree *tree)
{
    r->head.nmetrics = (uint32_t)r->metrics.n;
    r->head.nregions = (uint32_t)r->regions.n;
    r->head.npaths = (uint32_t)(r->rows.n - r->regions.n);
    r->head.nbuckets = (uint32_t)r->buckets.n;
    r->head.ntext = r->text.n;
    if (gptl_ranks_tree_new(tree, &r->head)) {
        summary_no_memory(r);
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
    if (!summary || !summary_add(&r, &r.text, 1, 1)) /* offset 0 is "" */
        summary_no_memory(&r);
    else
        read_document(&r);
    bool done = !json_failed(json) && make_tree(&r, &summary->tree) == 0;
    if (done && summary_make_profile(summary, &r)) {
        summary_no_memory(&r);
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
