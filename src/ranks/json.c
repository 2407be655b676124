/* json.c - writes timing.summary.json, described by doc/summary.schema.json. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ranks/print.h"
#include "report/json.h"
#include "report/ledger.h"
#include "report/metrics.h"
#include "report/name.h"

#define put_uint_member(out, key, value)                                                           \
    do {                                                                                           \
        gptl_json_key(out, key);                                                                   \
        gptl_out_uint(out, value);                                                                 \
    } while (0)

#define put_text_member(out, key, value)                                                           \
    do {                                                                                           \
        gptl_json_key(out, key);                                                                   \
        gptl_name_json(out, value);                                                                \
    } while (0)

static void put_known(struct gptl_out *out, const char *text)
{
    if (text && *text)
        gptl_name_json(out, text);
    else
        gptl_out_literal(out, "null");
}

/* Print a number, or null for infinity, which JSON lacks. */
static void put_real(struct gptl_out *out, double value)
{
    if (isfinite(value))
        gptl_out_real(out, value);
    else
        gptl_out_literal(out, "null");
}

/* ---- Job ------------------------------------------------------------------------------------- */

static void put_sums(struct gptl_out *out, const struct gptl_ranks_head *head)
{
    gptl_out_literal(out, ",\n\"sums\":");
    for (int i = 0; i < GPTL_RANKS_NSUMS; i++) {
        gptl_out_format(out, "%c\"%s\":", i > 0 ? ',' : '{', gptl_ranks_sum_names[i]);
        gptl_out_uint(out, head->sums[i]);
    }
    gptl_out_char(out, '}');
}

static void put_job(struct gptl_out *out, const struct gptl_ranks_result *result)
{
    const struct gptl_profile *profile = result->profile;
    const struct gptl_ranks_head *head = result->tree->head;
    gptl_out_literal(out, "{\"format\":\"gptl-summary\",\"version\":1,\n\"library\":");
    gptl_name_json(out, gptl_report_library(profile));
    put_text_member(out, "program", profile->process.program);
    put_uint_member(out, "pid", (uint64_t)profile->process.pid);
    put_text_member(out, "host", profile->host);
    gptl_json_key(out, "job");
    put_known(out, profile->job);
    gptl_out_format(out, ",\n\"started\":%.6f", profile->process.started);
    gptl_json_key(out, "elapsed");
    put_real(out, head->elapsed);
    put_uint_member(out, "ranks", head->nranks);
    put_uint_member(out, "silent_ranks", head->nsilent);
    put_uint_member(out, "threads", head->nthreads);
    put_sums(out, head);
}

static void put_bool(struct gptl_out *out, bool value)
{
    gptl_out_text(out, value ? "true" : "false");
}

static void put_metrics(struct gptl_out *out, const struct gptl_ranks_result *result)
{
    bool any = false;
    gptl_out_literal(out, ",\n\"metrics\":[");
    for (uint32_t i = 0; i < result->shell.metrics.n; i++) {
        const struct gptl_metric *metric = &result->shell.metrics.metric[i];
        bool derived = result->tree->metrics[i].kind == GPTL_METRIC_DERIVED;
        gptl_json_next_line(out, &any);
        gptl_out_literal(out, "{\"name\":");
        gptl_name_json(out, metric->name);
        put_text_member(out, "kind", derived ? "derived" : "counted");
        put_text_member(out, "description", metric->description);
        put_text_member(out, "unit", metric->unit);
        gptl_json_key(out, "component");
        put_known(out, metric->component);
        put_text_member(out, "scope", gptl_metric_scope(metric));
        gptl_json_key(out, "shown");
        put_bool(out, metric->shown);
        if (result->tree->metrics[i].cpu)
            gptl_out_literal(out, ",\"cpu_time\":true");
        gptl_json_key(out, "estimated");
        put_bool(out, metric->estimated);
        if (metric->least_seconds > 0) {
            gptl_json_key(out, "least_seconds");
            put_real(out, metric->least_seconds);
        }
        gptl_json_key(out, "expression");
        put_known(out, derived ? metric->expression : NULL);
        gptl_out_char(out, '}');
    }
    gptl_out_char(out, ']');
}

/* ---- Rows ---------------------------------------------------------------------------------- */

/* Print nanoseconds as seconds. */
static void put_seconds(struct gptl_out *out, double ns)
{
    if (ns < 0x1p63)
        gptl_out_seconds(out, (uint64_t)(ns + 0.5));
    else
        put_real(out, ns * 1e-9);
}

static void put_extreme(struct gptl_out *out, const struct gptl_ranks_extreme *extreme)
{
    gptl_out_literal(out, "{\"seconds\":");
    gptl_out_seconds(out, extreme->ns);
    gptl_out_format(out, ",\"rank\":%d,\"thread\":%d}", extreme->rank, extreme->thread);
}

/* Print mean, maximum and minimum of threads or ranks. */
static void put_spread(struct gptl_out *out, const struct gptl_ranks_row *row,
                       const struct gptl_moments *moments, const struct gptl_ranks_extreme *min)
{
    gptl_out_literal(out, "\"mean\":");
    put_seconds(out, moments->mean);
    gptl_json_key(out, "std_dev");
    put_seconds(out, gptl_moments_deviation(moments, (double)row->max.ns - (double)min->ns));
    gptl_json_key(out, "max");
    put_extreme(out, &row->max);
    gptl_json_key(out, "min");
    put_extreme(out, min);
    gptl_json_key(out, "imbalance");
    put_real(out, gptl_ranks_imbalance(row, moments));
}

static void put_histogram(struct gptl_out *out, const struct gptl_ranks_tree *tree,
                          const struct gptl_ranks_row *row)
{
    gptl_json_key(out, "histogram");
    for (uint32_t i = 0; i < row->nbuckets; i++) {
        const struct gptl_ranks_bucket *bucket = &tree->buckets[row->bucket + i];
        gptl_out_text(out, i > 0 ? ",[" : "[[");
        gptl_out_seconds(out, gptl_ranks_bucket_begin(bucket->bucket));
        gptl_out_char(out, ',');
        gptl_out_seconds(out, gptl_ranks_bucket_begin(bucket->bucket + 1));
        gptl_out_char(out, ',');
        gptl_out_uint(out, bucket->ranks);
        gptl_out_char(out, ']');
    }
    gptl_out_char(out, ']');
}

/*
 * Print the value over all ranks: a sum, or a value derived from sums; null if it is meaningless.
 */
static void put_all(struct gptl_out *out, const struct gptl_ranks_result *result, uint32_t i,
                    const struct gptl_ranks_row *row, const struct gptl_ranks_figure *figure)
{
    const struct gptl_metric *metric = &result->shell.metrics.metric[i];
    bool summed = row->threads.n > 1;
    if (metric->kind == GPTL_METRIC_COUNTED) {
        put_real(out, summed && metric->scope != GPTL_SCOPE_THREAD ? (double)NAN : figure->sum);
        return;
    }
    struct gptl_metric_value value =
        gptl_metric_value(&result->shell, i, result->counters, gptl_wide_real(row->ended), summed);
    put_real(out, value.state == GPTL_VALUE_REAL ? value.real : (double)NAN);
}

static void put_figure(struct gptl_out *out, const struct gptl_ranks_result *result, uint32_t i,
                       const struct gptl_ranks_row *row, const struct gptl_ranks_figure *figure)
{
    if (figure->ranks.n == 0) {
        gptl_out_literal(out, "null");
        return;
    }
    gptl_out_literal(out, "{\"all\":");
    put_all(out, result, i, row, figure);
    put_uint_member(out, "ranks", figure->ranks.n);
    gptl_json_key(out, "mean");
    put_real(out, figure->ranks.mean);
    gptl_json_key(out, "std_dev");
    put_real(out, gptl_moments_deviation(&figure->ranks, figure->max - figure->min));
    gptl_json_key(out, "max");
    put_real(out, figure->max);
    gptl_out_format(out, ",\"max_rank\":%d,\"min\":", figure->max_rank);
    put_real(out, figure->min);
    gptl_out_format(out, ",\"min_rank\":%d}", figure->min_rank);
}

static bool counted_anything(const struct gptl_ranks_result *result, uint32_t number)
{
    const struct gptl_ranks_figure *figures = gptl_ranks_figures(result->tree, number);
    for (uint32_t i = 0; i < result->shell.metrics.n; i++)
        if (figures[i].max > 0 || figures[i].min < 0)
            return true;
    return false;
}

static void put_figures(struct gptl_out *out, const struct gptl_ranks_result *result,
                        uint32_t number)
{
    const struct gptl_ranks_figure *figures = gptl_ranks_figures(result->tree, number);
    if (!counted_anything(result, number))
        return;
    gptl_ranks_counters(result, number);
    gptl_json_key(out, "metrics");
    for (uint32_t i = 0; i < result->shell.metrics.n; i++) {
        gptl_out_char(out, i > 0 ? ',' : '[');
        put_figure(out, result, i, &result->tree->rows[number], &figures[i]);
    }
    gptl_out_char(out, ']');
}

static void put_waiting(struct gptl_out *out, const struct gptl_ranks_tree *tree, uint32_t number)
{
    double lost;
    if (!gptl_ranks_waiting(tree, number, &lost))
        return;
    gptl_out_format(out,
                    ",\"waiting\":{\"late_rank\":%d,\"lost\":", tree->rows[number].min_rank.rank);
    put_seconds(out, lost);
    gptl_out_char(out, '}');
}

/* Print the members common to regions and paths, starting with the first member. */
static void put_figures_of(struct gptl_out *out, const struct gptl_ranks_result *result,
                           uint32_t number)
{
    const struct gptl_ranks_row *row = &result->tree->rows[number];
    put_uint_member(out, "ranks", row->ranks.n);
    put_uint_member(out, "threads", row->threads.n);
    gptl_json_key(out, "calls");
    gptl_out_wide_uint(out, row->calls);
    if (row->threads.n == 0)
        return;
    if (row->untimed > 0)
        gptl_out_literal(out, ",\"estimated\":true");
    gptl_json_key(out, "seconds");
    gptl_out_wide_seconds(out, row->total);
    gptl_out_char(out, ',');
    put_spread(out, row, &row->threads, &row->min);
    gptl_out_literal(out, ",\"of_ranks\":{");
    put_spread(out, row, &row->ranks, &row->min_rank);
    put_histogram(out, result->tree, row);
    gptl_out_char(out, '}');
    put_waiting(out, result->tree, number);
    put_figures(out, result, number);
}

static void put_regions(struct gptl_out *out, const struct gptl_ranks_result *result)
{
    const struct gptl_ranks_tree *tree = result->tree;
    bool any = false;
    gptl_out_literal(out, ",\n\"regions\":[");
    for (uint32_t i = 0; i < tree->head->nregions; i++) {
        const char *address = tree->text + tree->regions[i].address;
        gptl_json_next_line(out, &any);
        gptl_out_literal(out, "{\"name\":");
        gptl_name_json(out, gptl_ranks_name(tree, i));
        if (*address)
            put_text_member(out, "address", address);
        else if (gptl_kind_name((uint32_t)tree->regions[i].kind))
            put_text_member(out, "kind", gptl_kind_name((uint32_t)tree->regions[i].kind));
        put_figures_of(out, result, i);
        gptl_out_char(out, '}');
    }
    gptl_out_char(out, ']');
}

/* Print the paths. LAST is a buffer for the maximum depth: the latest row number at each depth. */
static void put_paths(struct gptl_out *out, const struct gptl_ranks_result *result, uint32_t *last)
{
    const struct gptl_ranks_tree *tree = result->tree;
    bool any = false;
    gptl_out_literal(out, ",\n\"paths\":[");
    last[0] = 0;
    for (uint32_t i = 1; i <= tree->head->npaths; i++) {
        uint32_t number = tree->head->nregions + i - 1;
        const struct gptl_ranks_row *row = &tree->rows[number];
        last[row->depth] = i;
        gptl_json_next_line(out, &any);
        gptl_out_literal(out, "{\"id\":");
        gptl_out_uint(out, i);
        put_uint_member(out, "parent", last[row->depth - 1]);
        put_uint_member(out, "region", row->region);
        put_text_member(out, "name", gptl_ranks_name(tree, number));
        put_figures_of(out, result, number);
        gptl_out_char(out, '}');
    }
    gptl_out_literal(out, "]}\n");
}

int gptl_ranks_json(struct gptl_out *out, const void *result)
{
    const struct gptl_ranks_result *of = result;
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < gptl_ranks_nrows(of->tree); i++)
        if (of->tree->rows[i].depth > deepest)
            deepest = of->tree->rows[i].depth;
    uint32_t *last = malloc(((size_t)deepest + 1) * sizeof *last);
    if (!last)
        return -1;
    put_job(out, of);
    put_metrics(out, of);
    gptl_ledger_json(out, of->accounts, of->tree->head->naccounts, true);
    put_regions(out, of);
    put_paths(out, of, last);
    free(last);
    return 0;
}
