/*
 * json.c - the JSON report: all of the document but the trees. It is written as it is read, no
 * document is built in memory.
 */
#include "config.h"

#include "report/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/host.h"
#include "report/name.h"
#include "report/version.h"

/* JSON has no infinity. */
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

/* ---- The process --------------------------------------------------------------------------- */

static void put_command(struct gptl_out *out, const struct gptl_profile *profile)
{
    size_t length = 0;
    char *command = profile->salvaged ? NULL : gptl_host_command(&length);
    gptl_json_key(out, "command");
    if (!command) {
        gptl_out_literal(out, "null");
        return;
    }
    for (size_t at = 0; at < length;) {
        size_t one = strnlen(command + at, length - at);
        gptl_out_char(out, at == 0 ? '[' : ',');
        gptl_name_json_bytes(out, command + at, one);
        at += one + 1;
    }
    gptl_out_char(out, ']');
    free(command);
}

/* The environment is not that of the process that left a salvage file. */
static void put_job(struct gptl_out *out, bool unknown)
{
    gptl_json_key(out, "job");
    if (!unknown && gptl_host_job())
        gptl_name_json(out, gptl_host_job());
    else
        gptl_out_literal(out, "null");
    gptl_json_key(out, "rank");
    if (!unknown && gptl_host_rank() >= 0)
        gptl_out_uint(out, (uint64_t)gptl_host_rank());
    else
        gptl_out_literal(out, "null");
}

static void put_process(struct gptl_out *out, const struct gptl_profile *profile)
{
    const struct gptl_process *process = &profile->process;
    char host[GPTL_HOST_SIZE];
    gptl_host_name(host, sizeof host);
    gptl_out_literal(out, "{\"format\":\"gptl-profile\",\"version\":1,\n"
                          "\"library\":\"" GPTL_REPORT_VERSION "\"");
    put_text_member(out, "program", process->program);
    put_text_member(out, "host", host);
    gptl_out_format(out, ",\"pid\":%ld", process->pid);
    put_job(out, profile->salvaged);
    put_command(out, profile);
    gptl_out_format(out, ",\n\"started\":%.6f", process->started);
    put_real_member(out, "elapsed", process->elapsed);
    gptl_json_key(out, "salvaged");
    if (profile->salvaged)
        gptl_name_json(out, profile->salvaged);
    else
        gptl_out_literal(out, "null");
    put_uint_member(out, "errors", process->errors);
    put_uint_member(out, "warnings", process->warnings);
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
    gptl_out_char(out, '}');
}

/* What the options were in a process that left a salvage file is not known. */
static void put_options(struct gptl_out *out, const struct gptl_profile *profile)
{
    struct gptl_option_text option;
    gptl_out_literal(out, ",\n\"options\":");
    if (profile->salvaged) {
        gptl_out_literal(out, "null");
        return;
    }
    gptl_out_char(out, '{');
    for (int i = 0; gptl_core_option_text(i, &option); i++) {
        if (i > 0)
            gptl_out_char(out, ',');
        gptl_name_json(out, option.key);
        gptl_out_char(out, ':');
        gptl_name_json(out, option.value);
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

static int put_thread(struct gptl_out *out, const struct gptl_copy *copy)
{
    struct gptl_view view;
    int result = gptl_view_make(&view, copy, false);
    if (result == 0) {
        gptl_out_format(out, "{\"thread\":%d,\"live\":", copy->thread);
        put_bool(out, copy->live);
        put_uint_member(out, "served", copy->nthreads_served);
        put_real_member(out, "seconds_per_tick", copy->seconds_per_tick);
        put_uint_member(out, "unmatched", copy->unmatched);
        put_uint_member(out, "dropped", copy->dropped);
        put_uint_member(out, "too_deep", copy->too_deep);
        put_uint_member(out, "backwards", copy->backwards);
        put_uint_member(out, "folded_paths", copy->folded_paths);
        put_uint_member(out, "folded_names", copy->folded_names);
        put_crossings(out, copy);
        put_table(out, copy);
        gptl_json_nodes(out, &view);
        gptl_json_back_edges(out, &view);
        gptl_json_intervals(out, &view);
        if (gptl_core_option(GPTL_OPT_CALLERS))
            result = gptl_json_callers(out, &view);
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
    gptl_out_literal(out, ",\n\"threads\":[");
    for (int i = 0; i < profile->ncopies; i++) {
        gptl_out_text(out, i > 0 ? ",\n" : "\n");
        if (put_thread(out, &profile->copies[i]))
            return -1;
    }
    gptl_out_literal(out, "]}\n");
    return 0;
}
