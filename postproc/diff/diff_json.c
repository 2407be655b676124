/* diff_json.c - gptl diff: the comparison as JSON. The manual page describes the format. */
#include "config.h"

#include "postproc/diff/diff.h"

#include <math.h>

#include "postproc/diff/noise.h"

#include "report/name.h"

/* Write NS, which may be negative, in seconds. */
static void put_seconds(struct gptl_out *out, double ns)
{
    if (ns < 0)
        gptl_out_char(out, '-');
    ns = fabs(ns);
    if (ns < 0x1p64)
        gptl_out_seconds(out, (uint64_t)ns);
    else
        gptl_out_real(out, ns * 1e-9);
}

static void put_value(struct gptl_out *out, double value, enum diff_metric metric)
{
    if (metric >= DIFF_CALLS)
        gptl_out_format(out, "%.0f", value);
    else
        put_seconds(out, value);
}

static void put_figure(struct gptl_out *out, const char *key, const struct diff_figure *figure,
                       enum diff_metric metric)
{
    double change = diff_change(figure);
    gptl_out_format(out, ",\"%s\":{\"a\":", key);
    put_value(out, figure->of[DIFF_A], metric);
    gptl_out_literal(out, ",\"b\":");
    put_value(out, figure->of[DIFF_B], metric);
    gptl_out_literal(out, ",\"change\":");
    put_value(out, change, metric);
    gptl_out_literal(out, ",\"percent\":");
    if (figure->of[DIFF_A] > 0)
        gptl_out_real(out, 100 * change / figure->of[DIFF_A]);
    else
        gptl_out_literal(out, "null");
    if (figure->error[DIFF_A] > 0 || figure->error[DIFF_B] > 0) {
        gptl_out_literal(out, ",\"error_a\":");
        put_value(out, figure->error[DIFF_A], metric);
        gptl_out_literal(out, ",\"error_b\":");
        put_value(out, figure->error[DIFF_B], metric);
    }
    gptl_out_format(out,
                    ",\"verdict\":\"%s\",\"chance\":", diff_verdict_word(figure->verdict, metric));
    gptl_out_real(out, figure->chance);
    gptl_out_char(out, '}');
}

static void put_side(struct gptl_out *out, const struct diff_runs *runs, enum diff_side side)
{
    gptl_out_format(out, ",\n\"%c\":[", side == DIFF_A ? 'a' : 'b');
    const struct diff_run *run = &runs->runs[side == DIFF_A ? 0 : runs->nruns[DIFF_A]];
    for (uint32_t i = 0; i < runs->nruns[side]; i++) {
        gptl_out_text(out, i > 0 ? "," : "");
        gptl_out_literal(out, "{\"path\":");
        gptl_name_json(out, run[i].path);
        gptl_out_format(out, ",\"profiles\":%d}", run[i].inputs.nprofiles);
    }
    gptl_out_char(out, ']');
}

static void put_head(struct gptl_out *out, const struct diff *diff)
{
    const struct diff_options *options = diff->options;
    gptl_out_literal(out, "{\"format\":\"gptl-diff\",\"version\":1");
    put_side(out, diff->runs, DIFF_A);
    put_side(out, diff->runs, DIFF_B);
    gptl_out_literal(out, ",\n\"notes\":[");
    for (uint32_t i = 0; i < diff->notes.n; i++) {
        gptl_out_text(out, i > 0 ? "," : "");
        gptl_name_json(out, diff->notes.texts[i]);
    }
    gptl_out_format(out, "],\n\"rows\":\"%s\",\"lanes\":\"%s\",\"limit\":",
                    options->flat ? "regions" : "paths", options->slowest ? "max" : "sum");
    put_seconds(out, diff->limit);
    if (diff->event) {
        gptl_out_literal(out, ",\"event\":");
        gptl_name_json(out, diff->event->name);
        gptl_out_literal(out, ",\"event_limit\":");
        gptl_out_real(out, diff->event_limit);
    }
    gptl_out_format(out, ",\"noise_tested\":%s,\"figures\":%u,\"alpha\":%g",
                    diff->can_tell ? "true" : "false", diff->ntested, NOISE_ALPHA);
    gptl_out_format(out, ",\"identical\":%s,\"hidden\":%u,\"failed\":%u",
                    diff->identical ? "true" : "false", diff->options->all ? 0 : diff->nhidden,
                    diff->nfailed);
}

static void put_row(struct gptl_out *out, const struct diff *diff, uint32_t id)
{
    const struct diff_row *row = &diff->rows[id];
    gptl_out_format(out, "{\"id\":%u,\"parent\":%u,\"name\":", id, row->parent);
    gptl_name_json(out, row->name);
    if (row->function) {
        gptl_out_literal(out, ",\"address\":");
        gptl_name_json(out, row->function->address);
    }
    gptl_out_format(out, ",\"runs\":{\"a\":%u,\"b\":%u}", row->seen[DIFF_A], row->seen[DIFF_B]);
    put_figure(out, "total", &row->figure[DIFF_TOTAL], DIFF_TOTAL);
    put_figure(out, "self", &row->figure[DIFF_SELF], DIFF_SELF);
    put_figure(out, "calls", &row->figure[DIFF_CALLS], DIFF_CALLS);
    if (diff->event) {
        put_figure(out, "events", &row->figure[DIFF_COUNT], DIFF_COUNT);
        put_figure(out, "self_events", &row->figure[DIFF_OWN], DIFF_OWN);
    }
    gptl_out_char(out, '}');
}

void diff_json_write(struct gptl_out *out, const struct diff *diff)
{
    put_head(out, diff);
    put_figure(out, "whole_run", &diff->elapsed, DIFF_TOTAL);
    put_figure(out, "all_regions", &diff->rows[0].figure[DIFF_TOTAL], DIFF_TOTAL);
    if (diff->event)
        put_figure(out, "all_events", &diff->rows[0].figure[DIFF_COUNT], DIFF_COUNT);
    gptl_out_literal(out, ",\n\"paths\":[");
    for (uint32_t i = 0; i < diff->nshown; i++) {
        gptl_out_text(out, i > 0 ? ",\n" : "\n");
        put_row(out, diff, diff->order[i]);
    }
    gptl_out_literal(out, "]}\n");
}
