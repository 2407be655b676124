/*
 * json.c - the JSON report without the trees. It is written while the profile is read; no document
 * is built in memory.
 */
#include "config.h"

#include "report/json.h"

#include <math.h>

#include "report/ledger.h"
#include "report/metrics.h"
#include "report/name.h"

/* Print a number, or null for infinity, which JSON lacks. */
static void put_real(struct gptl_out *out, double value)
{
    if (isfinite(value))
        gptl_out_real(out, value);
    else
        gptl_out_literal(out, "null");
}

static void put_bool(struct gptl_out *out, bool value)
{
    gptl_out_text(out, value ? "true" : "false");
}

#define put_uint_member(out, key, value)                                                           \
    do {                                                                                           \
        gptl_json_key(out, key);                                                                   \
        gptl_out_uint(out, value);                                                                 \
    } while (0)

#define put_real_member(out, key, value)                                                           \
    do {                                                                                           \
        gptl_json_key(out, key);                                                                   \
        put_real(out, value);                                                                      \
    } while (0)

#define put_text_member(out, key, value)                                                           \
    do {                                                                                           \
        gptl_json_key(out, key);                                                                   \
        gptl_name_json(out, value);                                                                \
    } while (0)

/* ---- Process --------------------------------------------------------------------------------- */

static void put_text_or_null(struct gptl_out *out, const char *text)
{
    if (text)
        gptl_name_json(out, text);
    else
        gptl_out_literal(out, "null");
}

static void put_command(struct gptl_out *out, const struct gptl_profile *profile)
{
    gptl_json_key(out, "command");
    if (!profile->command) {
        gptl_out_literal(out, "null");
        return;
    }
    gptl_out_char(out, '[');
    for (uint32_t i = 0; i < profile->narguments; i++) {
        if (i > 0)
            gptl_out_char(out, ',');
        gptl_name_json(out, profile->command[i]);
    }
    gptl_out_char(out, ']');
}

static void put_job(struct gptl_out *out, const struct gptl_profile *profile)
{
    gptl_json_key(out, "job");
    put_text_or_null(out, profile->job);
    gptl_json_key(out, "rank");
    if (profile->process.rank >= 0)
        gptl_out_uint(out, (uint64_t)profile->process.rank);
    else
        gptl_out_literal(out, "null");
}

static void put_process(struct gptl_out *out, const struct gptl_profile *profile)
{
    const struct gptl_process *process = &profile->process;
    gptl_out_literal(out, "{\"format\":\"gptl-profile\",\"version\":1,\n\"library\":");
    gptl_name_json(out, gptl_report_library(profile));
    put_text_member(out, "program", process->program);
    put_text_member(out, "host", profile->host);
    gptl_out_format(out, ",\"pid\":%ld", process->pid);
    if (profile->cores > 0) {
        put_uint_member(out, "cores", profile->cores);
        put_uint_member(out, "preemptions", profile->preemptions);
    }
    put_job(out, profile);
    put_command(out, profile);
    gptl_out_format(out, ",\n\"started\":%.6f", process->started);
    put_real_member(out, "elapsed", process->elapsed);
    gptl_json_key(out, "salvaged");
    put_text_or_null(out, profile->salvaged);
    put_uint_member(out, "errors", process->errors);
    put_uint_member(out, "warnings", process->warnings);
    if (profile->unwrapped)
        put_text_member(out, "unwrapped", profile->unwrapped);
}

static void put_clock(struct gptl_out *out, const struct gptl_clock_finding *clock)
{
    gptl_out_literal(out, ",\n\"clock\":{\"name\":");
    gptl_name_json(out, clock->name);
    put_text_member(out, "source", clock->source);
    put_text_member(out, "kernel", clock->kernel);
    put_real_member(out, "cost", clock->cost);
    put_real_member(out, "resolution", clock->resolution);
    put_real_member(out, "seconds_per_tick", clock->seconds_per_tick);
    put_real_member(out, "calibrated_over", clock->calibrated_over);
    gptl_json_key(out, "monotonic");
    put_bool(out, clock->monotonic);
    put_text_member(out, "rejected", clock->rejected);
    if (clock->correction[0])
        put_text_member(out, "correction", clock->correction);
    gptl_out_char(out, '}');
}

static void put_options(struct gptl_out *out, const struct gptl_profile *profile)
{
    gptl_out_literal(out, ",\n\"options\":");
    if (!profile->options) {
        gptl_out_literal(out, "null");
        return;
    }
    gptl_out_char(out, '{');
    for (uint32_t i = 0; i < profile->noptions; i++) {
        if (i > 0)
            gptl_out_char(out, ',');
        gptl_name_json(out, profile->options[i].key);
        gptl_out_char(out, ':');
        gptl_name_json(out, profile->options[i].value);
    }
    gptl_out_char(out, '}');
}

static void put_overhead(struct gptl_out *out, const struct gptl_profile *profile)
{
    const struct gptl_overhead *cost = &profile->overhead;
    gptl_out_literal(out, ",\n\"overhead\":");
    if (!profile->has_overhead) {
        gptl_out_literal(out, "null");
        return;
    }
    gptl_out_literal(out, "{\"self\":");
    put_real(out, cost->self);
    put_real_member(out, "parent", cost->parent);
    put_real_member(out, "self_spread", cost->self_spread);
    put_real_member(out, "parent_spread", cost->parent_spread);
    gptl_out_char(out, '}');
}

static void put_memory(struct gptl_out *out, const struct gptl_process *process)
{
    gptl_out_literal(out, ",\n\"memory\":{\"total\":");
    gptl_out_uint(out, process->memory);
    put_uint_member(out, "names", process->names_memory);
    put_uint_member(out, "budget", process->budget);
    put_uint_member(out, "regions", process->nregions);
    gptl_out_char(out, '}');
    gptl_out_format(out,
                    ",\n\"buckets\":{\"number\":%d,\"linear\":32,\"parts\":32,\"unit\":\"ticks\"}",
                    GPTL_HISTOGRAM_BUCKETS);
}

/* ---- Functions ----------------------------------------------------------------------------- */

/* Print a text, or null for "". */
static void put_known(struct gptl_out *out, const char *text)
{
    put_text_or_null(out, text && *text ? text : NULL);
}

static void put_modules(struct gptl_out *out, const struct gptl_profile *profile)
{
    bool any = false;
    gptl_out_literal(out, ",\n\"modules\":[");
    for (uint32_t i = 0; i < profile->nmodules; i++) {
        const struct gptl_module *module = &profile->modules[i];
        gptl_json_next_line(out, &any);
        gptl_out_literal(out, "{\"label\":");
        gptl_name_json(out, module->label);
        gptl_json_key(out, "path");
        put_known(out, module->path);
        gptl_json_key(out, "build_id");
        put_known(out, module->build_id);
        gptl_out_char(out, '}');
    }
    gptl_out_char(out, ']');
}

static void put_functions(struct gptl_out *out, const struct gptl_profile *profile)
{
    bool any = false;
    gptl_out_literal(out, ",\n\"functions\":[");
    for (uint32_t i = 0; i < profile->nfunctions; i++) {
        const struct gptl_function *function = &profile->functions[i];
        gptl_json_next_line(out, &any);
        gptl_out_literal(out, "{\"name\":");
        put_text_or_null(out, function->name);
        put_text_member(out, "address", function->address);
        put_uint_member(out, "module", function->module);
        put_uint_member(out, "offset", function->offset);
        gptl_json_key(out, "file");
        put_text_or_null(out, function->file);
        gptl_json_key(out, "line");
        if (function->line > 0)
            gptl_out_uint(out, (uint64_t)function->line);
        else
            gptl_out_literal(out, "null");
        gptl_out_char(out, '}');
    }
    gptl_out_char(out, ']');
}

/* ---- Metrics ------------------------------------------------------------------------------- */

static void put_metric(struct gptl_out *out, const struct gptl_metric *metric)
{
    bool derived = metric->kind == GPTL_METRIC_DERIVED;
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
    gptl_json_key(out, "estimated");
    put_bool(out, metric->estimated);
    put_real_member(out, "least_seconds", metric->least_seconds);
    gptl_json_key(out, "expression");
    put_text_or_null(out, derived ? metric->expression : NULL);
    if (metric->lost)
        gptl_out_literal(out, ",\"lost\":true");
    gptl_out_char(out, '}');
}

static void put_metrics(struct gptl_out *out, const struct gptl_profile *profile)
{
    bool any = false;
    if (profile->metrics.n == 0)
        return;
    gptl_out_literal(out, ",\n\"metrics\":[");
    for (uint32_t i = 0; i < profile->metrics.n; i++)
        if (profile->metrics.metric[i].kind != GPTL_METRIC_REFUSED) {
            gptl_json_next_line(out, &any);
            put_metric(out, &profile->metrics.metric[i]);
        }
    any = false;
    gptl_out_literal(out, "],\n\"refused\":[");
    for (uint32_t i = 0; i < profile->metrics.n; i++)
        if (profile->metrics.metric[i].kind == GPTL_METRIC_REFUSED) {
            gptl_json_next_line(out, &any);
            gptl_out_literal(out, "{\"name\":");
            gptl_name_json(out, profile->metrics.metric[i].name);
            put_text_member(out, "why", profile->metrics.metric[i].why);
            gptl_out_char(out, '}');
        }
    gptl_out_char(out, ']');
}

void gptl_json_values(struct gptl_out *out, const struct gptl_profile *profile,
                      const int64_t *counters, uint64_t ns)
{
    char before = '[';
    if (!gptl_metrics_any(profile))
        return;
    gptl_json_key(out, "metrics");
    for (uint32_t i = 0; i < profile->metrics.n; i++) {
        if (profile->metrics.metric[i].kind == GPTL_METRIC_REFUSED)
            continue;
        gptl_out_char(out, before);
        before = ',';
        if (!gptl_metric_put(out, profile, i, counters, ns))
            gptl_out_literal(out, "null");
    }
    gptl_out_char(out, ']');
}

/* ---- Threads ------------------------------------------------------------------------------- */

static void put_crossings(struct gptl_out *out, const struct gptl_copy *copy)
{
    put_uint_member(out, "crossed", copy->crossed);
    gptl_json_key(out, "crossings");
    gptl_out_char(out, '[');
    for (uint32_t i = 0; i < copy->ncrossings; i++) {
        if (i > 0)
            gptl_out_char(out, ',');
        gptl_out_literal(out, "{\"stopped\":");
        gptl_name_json(out, copy->crossings[i].stopped);
        put_text_member(out, "inside", copy->crossings[i].inside);
        put_uint_member(out, "times", copy->crossings[i].times);
        gptl_out_char(out, '}');
    }
    gptl_out_char(out, ']');
}

static void put_table(struct gptl_out *out, const struct gptl_copy *copy)
{
    put_uint_member(out, "memory", copy->memory);
    gptl_out_literal(out, ",\"table\":{\"slots\":");
    gptl_out_uint(out, copy->table_slots);
    put_uint_member(out, "used", copy->table_used);
    put_uint_member(out, "longest_probe", copy->longest_probe);
    put_uint_member(out, "cache_slots", copy->cache_slots);
    gptl_out_char(out, '}');
}

static int put_thread(struct gptl_out *out, const struct gptl_profile *profile,
                      const struct gptl_copy *copy)
{
    struct gptl_view view;
    int result = gptl_view_make(&view, copy, false);
    if (result == 0) {
        gptl_out_format(out, "{\"thread\":%d,\"live\":", copy->thread);
        put_bool(out, copy->live);
        put_uint_member(out, "served", copy->nthreads_served);
        put_real_member(out, "seconds_per_tick", view.bucket_tick);
        put_uint_member(out, "unmatched", copy->unmatched);
        put_uint_member(out, "dropped", copy->dropped);
        put_uint_member(out, "too_deep", copy->too_deep);
        put_uint_member(out, "unwound", copy->unwound);
        put_uint_member(out, "backwards", copy->backwards);
        if (copy->own_work) {
            gptl_json_key(out, "own_work");
            gptl_out_seconds(out, gptl_number_ns(view.scale, copy->own_work));
        }
        put_uint_member(out, "folded_paths", copy->folded_paths);
        put_uint_member(out, "folded_names", copy->folded_names);
        put_crossings(out, copy);
        put_table(out, copy);
        gptl_json_nodes(out, profile, &view);
        gptl_json_back_edges(out, &view);
        gptl_json_intervals(out, &view);
        if (gptl_report_option(profile, GPTL_OPT_CALLERS))
            result = gptl_json_callers(out, profile, &view);
        gptl_out_char(out, '}');
    }
    gptl_view_free(&view);
    return result;
}

int gptl_json_write(struct gptl_out *out, const struct gptl_profile *profile)
{
    put_process(out, profile);
    put_clock(out, &profile->clock);
    put_options(out, profile);
    put_overhead(out, profile);
    put_memory(out, &profile->process);
    put_modules(out, profile);
    put_functions(out, profile);
    put_metrics(out, profile);
    gptl_ledger_json(out, profile->accounts, profile->naccounts, false);
    gptl_out_literal(out, ",\n\"threads\":[");
    for (int i = 0; i < profile->ncopies; i++) {
        gptl_out_text(out, i > 0 ? ",\n" : "\n");
        if (put_thread(out, profile, &profile->copies[i]))
            return -1;
    }
    gptl_out_literal(out, "]}\n");
    return 0;
}
