/*
 * xml.c - the XML report without the trees. Every value is an attribute, so the document contains
 * no text except line ends. It is written while the profile is read; nothing is built in memory.
 */
#include "config.h"

#include "report/xml.h"

#include <math.h>

#include "report/ledger.h"
#include "report/metrics.h"

/* Print a number; NaN is the value of xs:double for an unknown number. */
static void put_real(struct gptl_out *out, double value)
{
    if (isfinite(value))
        gptl_out_real(out, value);
    else
        gptl_out_literal(out, "NaN");
}

#define real_attribute(out, key, value) gptl_xml_attribute(out, key, put_real(out, value))
#define bool_attribute(out, key, value)                                                            \
    gptl_xml_attribute(out, key, gptl_out_text(out, (value) ? "true" : "false"))

/* ---- Process --------------------------------------------------------------------------------- */

static void put_job(struct gptl_out *out, const struct gptl_profile *profile)
{
    if (profile->job)
        gptl_xml_text(out, "job", profile->job);
    if (profile->process.rank >= 0)
        gptl_xml_uint(out, "rank", (uint64_t)profile->process.rank);
}

static void put_process(struct gptl_out *out, const struct gptl_profile *profile)
{
    const struct gptl_process *process = &profile->process;
    gptl_out_literal(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                          "<gptl-profile version=\"1\"");
    gptl_xml_text(out, "library", gptl_report_library(profile));
    gptl_xml_text(out, "program", process->program);
    gptl_xml_text(out, "host", profile->host);
    gptl_out_format(out, " pid=\"%ld\"", process->pid);
    if (profile->cores > 0) {
        gptl_xml_uint(out, "cores", profile->cores);
        gptl_xml_uint(out, "preemptions", profile->preemptions);
    }
    put_job(out, profile);
    gptl_out_format(out, " started=\"%.6f\"", process->started);
    real_attribute(out, "elapsed", process->elapsed);
    if (profile->salvaged)
        gptl_xml_text(out, "salvaged", profile->salvaged);
    gptl_xml_uint(out, "errors", process->errors);
    gptl_xml_uint(out, "warnings", process->warnings);
    if (profile->unwrapped)
        gptl_xml_text(out, "unwrapped", profile->unwrapped);
    gptl_out_literal(out, ">\n");
}

static void put_command(struct gptl_out *out, const struct gptl_profile *profile)
{
    if (!profile->command)
        return;
    gptl_out_literal(out, "<command>\n");
    for (uint32_t i = 0; i < profile->narguments; i++) {
        gptl_out_literal(out, "<argument");
        gptl_xml_text(out, "value", profile->command[i]);
        gptl_out_literal(out, "/>\n");
    }
    gptl_out_literal(out, "</command>\n");
}

static void put_clock(struct gptl_out *out, const struct gptl_clock_finding *clock)
{
    gptl_out_literal(out, "<clock");
    gptl_xml_text(out, "name", clock->name);
    gptl_xml_text(out, "source", clock->source);
    gptl_xml_text(out, "kernel", clock->kernel);
    real_attribute(out, "cost", clock->cost);
    real_attribute(out, "resolution", clock->resolution);
    real_attribute(out, "seconds_per_tick", clock->seconds_per_tick);
    real_attribute(out, "calibrated_over", clock->calibrated_over);
    bool_attribute(out, "monotonic", clock->monotonic);
    gptl_xml_text(out, "rejected", clock->rejected);
    if (clock->correction[0])
        gptl_xml_text(out, "correction", clock->correction);
    gptl_out_literal(out, "/>\n");
}

static void put_options(struct gptl_out *out, const struct gptl_profile *profile)
{
    if (!profile->options)
        return;
    gptl_out_literal(out, "<options>\n");
    for (uint32_t i = 0; i < profile->noptions; i++) {
        gptl_out_literal(out, "<option");
        gptl_xml_text(out, "key", profile->options[i].key);
        gptl_xml_text(out, "value", profile->options[i].value);
        gptl_out_literal(out, "/>\n");
    }
    gptl_out_literal(out, "</options>\n");
}

static void put_overhead(struct gptl_out *out, const struct gptl_profile *profile)
{
    const struct gptl_overhead *cost = &profile->overhead;
    if (!profile->has_overhead)
        return;
    gptl_out_literal(out, "<overhead");
    real_attribute(out, "self", cost->self);
    real_attribute(out, "parent", cost->parent);
    real_attribute(out, "self_spread", cost->self_spread);
    real_attribute(out, "parent_spread", cost->parent_spread);
    gptl_out_literal(out, "/>\n");
}

static void put_memory(struct gptl_out *out, const struct gptl_process *process)
{
    gptl_out_literal(out, "<memory");
    gptl_xml_uint(out, "total", process->memory);
    gptl_xml_uint(out, "names", process->names_memory);
    gptl_xml_uint(out, "budget", process->budget);
    gptl_xml_uint(out, "regions", process->nregions);
    gptl_out_literal(out, "/>\n<buckets");
    gptl_xml_uint(out, "number", GPTL_HISTOGRAM_BUCKETS);
    gptl_out_literal(out, " linear=\"32\" parts=\"32\" unit=\"ticks\"/>\n");
}

/* ---- Functions ----------------------------------------------------------------------------- */

static void put_modules(struct gptl_out *out, const struct gptl_profile *profile)
{
    gptl_out_literal(out, "<modules>\n");
    for (uint32_t i = 0; i < profile->nmodules; i++) {
        const struct gptl_module *module = &profile->modules[i];
        gptl_out_literal(out, "<module");
        gptl_xml_text(out, "label", module->label);
        if (module->path && *module->path)
            gptl_xml_text(out, "path", module->path);
        if (module->build_id && *module->build_id)
            gptl_xml_text(out, "build_id", module->build_id);
        gptl_out_literal(out, "/>\n");
    }
    gptl_out_literal(out, "</modules>\n");
}

static void put_functions(struct gptl_out *out, const struct gptl_profile *profile)
{
    gptl_out_literal(out, "<functions>\n");
    for (uint32_t i = 0; i < profile->nfunctions; i++) {
        const struct gptl_function *function = &profile->functions[i];
        gptl_out_literal(out, "<function");
        if (function->name)
            gptl_xml_text(out, "name", function->name);
        gptl_xml_text(out, "address", function->address);
        gptl_xml_uint(out, "module", function->module);
        gptl_xml_uint(out, "offset", function->offset);
        if (function->file)
            gptl_xml_text(out, "file", function->file);
        if (function->line > 0)
            gptl_xml_uint(out, "line", (uint64_t)function->line);
        gptl_out_literal(out, "/>\n");
    }
    gptl_out_literal(out, "</functions>\n");
}

/* ---- Metrics ------------------------------------------------------------------------------- */

static void put_metric(struct gptl_out *out, const struct gptl_metric *metric)
{
    bool derived = metric->kind == GPTL_METRIC_DERIVED;
    gptl_out_literal(out, "<metric");
    gptl_xml_text(out, "name", metric->name);
    gptl_xml_text(out, "kind", derived ? "derived" : "counted");
    gptl_xml_text(out, "description", metric->description);
    gptl_xml_text(out, "unit", metric->unit);
    if (*metric->component)
        gptl_xml_text(out, "component", metric->component);
    gptl_xml_text(out, "scope", gptl_metric_scope(metric));
    bool_attribute(out, "shown", metric->shown);
    bool_attribute(out, "estimated", metric->estimated);
    real_attribute(out, "least_seconds", metric->least_seconds);
    if (derived)
        gptl_xml_text(out, "expression", metric->expression);
    if (metric->lost)
        bool_attribute(out, "lost", true);
    gptl_out_literal(out, "/>\n");
}

static void put_metrics(struct gptl_out *out, const struct gptl_profile *profile)
{
    if (profile->metrics.n == 0)
        return;
    gptl_out_literal(out, "<metrics>\n");
    for (uint32_t i = 0; i < profile->metrics.n; i++)
        if (profile->metrics.metric[i].kind != GPTL_METRIC_REFUSED)
            put_metric(out, &profile->metrics.metric[i]);
    gptl_out_literal(out, "</metrics>\n<refused>\n");
    for (uint32_t i = 0; i < profile->metrics.n; i++)
        if (profile->metrics.metric[i].kind == GPTL_METRIC_REFUSED) {
            gptl_out_literal(out, "<refusal");
            gptl_xml_text(out, "name", profile->metrics.metric[i].name);
            gptl_xml_text(out, "why", profile->metrics.metric[i].why);
            gptl_out_literal(out, "/>\n");
        }
    gptl_out_literal(out, "</refused>\n");
}

void gptl_xml_values(struct gptl_out *out, const struct gptl_profile *profile,
                     const int64_t *counters, uint64_t ns)
{
    bool any = false;
    if (!gptl_metrics_any(profile))
        return;
    gptl_out_literal(out, " metrics=\"");
    for (uint32_t i = 0; i < profile->metrics.n; i++) {
        if (profile->metrics.metric[i].kind == GPTL_METRIC_REFUSED)
            continue;
        if (any)
            gptl_out_char(out, ' ');
        any = true;
        if (!gptl_metric_put(out, profile, i, counters, ns))
            gptl_out_char(out, '-');
    }
    gptl_out_char(out, '"');
}

/* ---- Threads ------------------------------------------------------------------------------- */

static void put_crossings(struct gptl_out *out, const struct gptl_copy *copy)
{
    gptl_out_literal(out, "<crossings>\n");
    for (uint32_t i = 0; i < copy->ncrossings; i++) {
        gptl_out_literal(out, "<crossing");
        gptl_xml_text(out, "stopped", copy->crossings[i].stopped);
        gptl_xml_text(out, "inside", copy->crossings[i].inside);
        gptl_xml_uint(out, "times", copy->crossings[i].times);
        gptl_out_literal(out, "/>\n");
    }
    gptl_out_literal(out, "</crossings>\n");
}

static void put_table(struct gptl_out *out, const struct gptl_copy *copy)
{
    gptl_out_literal(out, "<table");
    gptl_xml_uint(out, "slots", copy->table_slots);
    gptl_xml_uint(out, "used", copy->table_used);
    gptl_xml_uint(out, "longest_probe", copy->longest_probe);
    gptl_xml_uint(out, "cache_slots", copy->cache_slots);
    gptl_out_literal(out, "/>\n");
}

static void begin_thread(struct gptl_out *out, const struct gptl_view *view)
{
    const struct gptl_copy *copy = view->copy;
    gptl_out_format(out, "<thread thread=\"%d\"", copy->thread);
    bool_attribute(out, "live", copy->live);
    gptl_xml_uint(out, "served", copy->nthreads_served);
    real_attribute(out, "seconds_per_tick", view->bucket_tick);
    gptl_xml_uint(out, "unmatched", copy->unmatched);
    gptl_xml_uint(out, "dropped", copy->dropped);
    gptl_xml_uint(out, "too_deep", copy->too_deep);
    gptl_xml_uint(out, "unwound", copy->unwound);
    gptl_xml_uint(out, "backwards", copy->backwards);
    if (copy->own_work)
        gptl_xml_seconds(out, "own_work", gptl_number_ns(view->scale, copy->own_work));
    gptl_xml_uint(out, "folded_paths", copy->folded_paths);
    gptl_xml_uint(out, "folded_names", copy->folded_names);
    gptl_xml_uint(out, "crossed", copy->crossed);
    gptl_xml_uint(out, "memory", copy->memory);
    gptl_out_literal(out, ">\n");
}

static int put_thread(struct gptl_out *out, const struct gptl_profile *profile,
                      const struct gptl_copy *copy)
{
    struct gptl_view view;
    int result = gptl_view_make(&view, copy, false);
    if (result == 0) {
        begin_thread(out, &view);
        put_crossings(out, copy);
        put_table(out, copy);
        result = gptl_xml_nodes(out, profile, &view);
        gptl_xml_back_edges(out, &view);
        gptl_xml_intervals(out, &view);
        if (result == 0 && gptl_report_option(profile, GPTL_OPT_CALLERS))
            result = gptl_xml_callers(out, profile, &view);
        gptl_out_literal(out, "</thread>\n");
    }
    gptl_view_free(&view);
    return result;
}

int gptl_xml_write(struct gptl_out *out, const struct gptl_profile *profile)
{
    put_process(out, profile);
    put_command(out, profile);
    put_clock(out, &profile->clock);
    put_options(out, profile);
    put_overhead(out, profile);
    put_memory(out, &profile->process);
    put_modules(out, profile);
    put_functions(out, profile);
    put_metrics(out, profile);
    gptl_ledger_xml(out, profile);
    gptl_out_literal(out, "<threads>\n");
    for (int i = 0; i < profile->ncopies; i++)
        if (put_thread(out, profile, &profile->copies[i]))
            return -1;
    gptl_out_literal(out, "</threads>\n</gptl-profile>\n");
    return 0;
}
