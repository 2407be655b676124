/* text_preamble.c - the process of the profile, and the conditions of the measurement. */
#include "config.h"

#include "report/text.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "report/name.h"

/* Print a time in a suitable unit: "21.3 ns". */
static void put_time(struct gptl_out *out, double seconds)
{
    static const struct {
        double least, factor;
        const char *unit;
    } units[] = {{1, 1, "s"}, {1e-3, 1e3, "ms"}, {1e-6, 1e6, "us"}, {0, 1e9, "ns"}};
    int i = 0;
    while (i < 3 && fabs(seconds) < units[i].least)
        i++;
    gptl_out_format(out, "%.3g %s", seconds * units[i].factor, units[i].unit);
}

static void put_label(struct gptl_out *out, const char *label)
{
    gptl_out_format(out, "%-10s", label);
}

/* Print text escaped, because the profile may come from an untrusted file. */
static void put_plain(struct gptl_out *out, const char *text)
{
    gptl_name_text(out, text, false);
}

void gptl_text_process(struct gptl_text *text, const char *what)
{
    const struct gptl_process *process = &text->profile->process;
    struct gptl_out *out = text->out;
    char date[64] = "unknown";
    /* a file may contain any number */
    time_t started = process->started > 0 && process->started < 1e12 ? (time_t)process->started : 0;
    struct tm local;
    if (localtime_r(&started, &local))
        strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S %z", &local);
    gptl_out_literal(out, "GPTL ");
    put_plain(out, gptl_report_library(text->profile));
    gptl_out_format(out, " %s of ", what);
    gptl_name_text(out, process->program, false);
    gptl_out_char(out, '\n');
    put_label(out, "Process");
    gptl_out_format(out, "%ld on ", process->pid);
    put_plain(out, text->profile->host);
    gptl_out_char(out, '\n');
    put_label(out, "Started");
    gptl_out_format(out, "%s, measured for %.3f s\n", date, process->elapsed);
}

/* Print the library's own work, for the thread with the most, if it is at least a millisecond. */
static void put_own_work(struct gptl_text *text)
{
    const struct gptl_profile *profile = text->profile;
    const struct gptl_copy *most = profile->copies;
    for (int i = 1; i < profile->ncopies; i++)
        if (profile->copies[i].own_work > most->own_work)
            most = &profile->copies[i];
    double seconds = most ? (double)most->own_work * most->seconds_per_tick : 0;
    if (seconds < 0.001)
        return;
    put_label(text->out, "");
    gptl_out_format(
        text->out, "the library itself worked for %.3f s of it in thread %d, which no region has\n",
        seconds, most->thread);
}

/*
 * Print the time of thread 0 (the first copy) outside all regions, which the tables omit, if it is
 * at least a twentieth. With a clock that counts nothing, it is unknown.
 */
static void put_outside(struct gptl_text *text)
{
    const struct gptl_copy *copy = text->profile->copies;
    double measured = text->profile->process.elapsed, inside = 0;
    if (text->profile->ncopies == 0 || copy->thread != 0)
        return;
    for (uint32_t row = 1; row < copy->nnodes; row++)
        if (copy->nodes[row].parent == 0 && gptl_view_is_node(&text->views[0], row))
            inside += (double)(copy->nodes[row].total + copy->nodes[row].open_ticks);
    inside *= copy->seconds_per_tick;
    double outside = measured - inside - (double)copy->own_work * copy->seconds_per_tick;
    if (!(inside > 0) || !(outside >= 0.001) || 20 * outside < measured)
        return;
    put_label(text->out, "");
    gptl_out_format(text->out, "thread 0 was in no region for %.3f s of it (%.1f %%)\n", outside,
                    100 * outside / measured);
}

static void put_clock(struct gptl_text *text)
{
    const struct gptl_clock_finding *clock = &text->profile->clock;
    struct gptl_out *out = text->out;
    put_label(out, "Clock");
    put_plain(out, clock->name);
    gptl_out_literal(out, " (");
    put_plain(out, clock->source);
    gptl_out_literal(out, "); the kernel's is ");
    put_plain(out, clock->kernel);
    gptl_out_char(out, '\n');
    put_label(out, "");
    gptl_out_literal(out, "one reading takes ");
    put_time(out, clock->cost);
    gptl_out_literal(out, ", smallest step ");
    put_time(out, clock->resolution);
    if (clock->calibrated_over > 0) {
        gptl_out_format(out, ", calibrated over %.3f s", clock->calibrated_over);
        gptl_out_format(out, " (%.9g ns a tick)", clock->seconds_per_tick * 1e9);
    }
    if (!clock->monotonic)
        gptl_out_literal(out, ", may be set back");
    gptl_out_char(out, '\n');
    if (clock->correction[0]) {
        put_label(out, "");
        gptl_out_literal(out, "corrected: ");
        put_plain(out, clock->correction);
        gptl_out_char(out, '\n');
    }
    if (clock->rejected[0]) {
        put_label(out, "");
        gptl_out_literal(out, "passed over: ");
        put_plain(out, clock->rejected);
        gptl_out_char(out, '\n');
    }
}

/* Print the options that differ from their defaults, in the syntax of GPTL_OPTIONS. */
static void put_options(struct gptl_text *text)
{
    bool any = false;
    for (uint32_t i = 0; i < text->profile->noptions; i++) {
        const struct gptl_setting *option = &text->profile->options[i];
        if (!option->changed)
            continue;
        put_label(text->out, any ? "" : "Options");
        put_plain(text->out, option->key);
        gptl_out_char(text->out, '=');
        gptl_name_text(text->out, option->value, strpbrk(option->value, ";\" ") != NULL);
        gptl_out_char(text->out, '\n');
        any = true;
    }
    if (!any) {
        put_label(text->out, "Options");
        gptl_out_literal(text->out, "all at their defaults\n");
    }
}

static void put_overhead(struct gptl_text *text)
{
    const struct gptl_overhead *cost = &text->profile->overhead;
    struct gptl_out *out = text->out;
    put_label(out, "Overhead");
    gptl_out_format(out, "a start and stop costs %.1f ns (+- %.1f) of the region's own time,\n",
                    cost->self * 1e9, cost->self_spread * 1e9);
    put_label(out, "");
    gptl_out_format(out, "and %.1f ns (+- %.1f) more of its parent's\n", cost->parent * 1e9,
                    cost->parent_spread * 1e9);
}

/* ---- Counters -------------------------------------------------------------------------------- */

static const char *whose(const struct gptl_metric *metric)
{
    static const char *const scopes[] = {
        "", "; of the whole process: threads have the same, and no sum",
        "; of the whole machine: threads have the same, and no sum"};
    return scopes[metric->scope];
}

static void put_metric(struct gptl_text *text, const struct gptl_metric *metric)
{
    struct gptl_out *out = text->out;
    put_plain(out, metric->name);
    if (metric->kind == GPTL_METRIC_DERIVED) {
        gptl_out_literal(out, " = ");
        put_plain(out, metric->expression);
    }
    if (*metric->description) {
        gptl_out_literal(out, ": ");
        put_plain(out, metric->description);
    }
    if (*metric->unit) {
        gptl_out_literal(out, ", in ");
        put_plain(out, metric->unit);
    }
    gptl_out_text(out, whose(metric));
    if (!metric->shown)
        gptl_out_literal(out, "; for what is derived from it");
    gptl_out_char(out, '\n');
    if (metric->lost) {
        put_label(out, "");
        gptl_out_literal(
            out, "  lost: a thread could not read it, or not any more, and has it of the calls "
                 "until then\n");
    }
    if (!metric->estimated)
        return;
    put_label(out, "");
    gptl_out_format(out,
                    "  ~ estimated: it shared a counter; n/a in regions of less than %g s in all\n",
                    metric->least_seconds);
}

static void put_metrics(struct gptl_text *text)
{
    const struct gptl_metrics *metrics = &text->profile->metrics;
    uint32_t shown = 0;
    bool any = false, refused = false;
    for (uint32_t i = 0; i < metrics->n; i++) {
        const struct gptl_metric *metric = &metrics->metric[i];
        if (metric->kind == GPTL_METRIC_REFUSED)
            continue;
        put_label(text->out, any ? "" : "Events");
        put_metric(text, metric);
        shown += metric->shown;
        any = true;
    }
    if (shown > gptl_text_columned(text)) {
        put_label(text->out, "");
        gptl_out_format(text->out, "the tables have room for %u of them; JSON and XML have all\n",
                        gptl_text_columned(text));
    }
    for (uint32_t i = 0; i < metrics->n; i++) {
        const struct gptl_metric *metric = &metrics->metric[i];
        if (metric->kind != GPTL_METRIC_REFUSED)
            continue;
        put_label(text->out, refused ? "" : "Refused");
        put_plain(text->out, metric->name);
        gptl_out_literal(text->out, ": ");
        put_plain(text->out, metric->why);
        gptl_out_char(text->out, '\n');
        refused = true;
    }
}

/*
 * Print the number of threads that kept running, if it is more than one: the thread that writes the
 * report is always among them.
 */
void gptl_text_running(struct gptl_text *text, uint64_t running)
{
    if (running < 2 || text->profile->salvaged)
        return;
    put_label(text->out, "Running");
    gptl_out_format(text->out,
                    "%llu threads ran on while this was written: each may be off by one call\n",
                    (unsigned long long)running);
}

static uint64_t count_running(const struct gptl_profile *profile)
{
    uint64_t running = 0;
    for (int i = 0; i < profile->ncopies; i++)
        running += profile->copies[i].live;
    return running;
}

void gptl_text_preamble(struct gptl_text *text)
{
    const struct gptl_process *process = &text->profile->process;
    gptl_text_process(text, "profile");
    put_own_work(text);
    put_outside(text);
    put_clock(text);
    if (text->profile->options)
        put_options(text);
    if (text->style.overhead && text->profile->has_overhead)
        put_overhead(text);
    put_metrics(text);
    gptl_text_running(text, count_running(text->profile));
    if (process->errors || process->warnings) {
        put_label(text->out, "Messages");
        gptl_out_format(text->out, "%llu %s and %llu %s from the library, see stderr\n",
                        (unsigned long long)process->errors,
                        gptl_text_plural(process->errors, "error", "errors"),
                        (unsigned long long)process->warnings,
                        gptl_text_plural(process->warnings, "warning", "warnings"));
    }
}
