/* html_head.c - the head of the HTML report: origin of the profile and caveats. */
#include "config.h"

#include "postproc/html/html.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "postproc/report/outputs.h"
#include "report/name.h"

/* ---- Totals over all profiles -------------------------------------------------------------- */

struct totals {
    const struct gptl_profile *first;
    uint32_t nprocesses, nsalvaged, nforeign; /* foreign: of a different program than the first */
    int first_rank, last_rank;
    double started, shortest, longest; /* seconds */
    uint64_t errors, warnings, folded_paths, folded_names, dropped, unmatched, too_deep, unwound,
        backwards, crossed;
    uint32_t nlive;    /* lanes still running when their process wrote the profile */
    double cost, time; /* of the starts and stops, and total measured time; seconds */
    uint64_t open;     /* calls */
    uint64_t nrest;    /* paths that represent omitted paths */
    bool estimated;    /* some times are estimates */
};

static void add_process(struct totals *sum, const struct gptl_profile *profile)
{
    const struct gptl_process *process = &profile->process;
    if (!sum->first) {
        sum->first = profile;
        sum->started = process->started;
        sum->shortest = sum->longest = process->elapsed;
    }
    sum->nprocesses++;
    sum->nsalvaged += profile->salvaged != NULL;
    sum->nforeign += strcmp(process->program, sum->first->process.program) != 0;
    sum->started = process->started < sum->started ? process->started : sum->started;
    sum->shortest = process->elapsed < sum->shortest ? process->elapsed : sum->shortest;
    sum->longest = process->elapsed > sum->longest ? process->elapsed : sum->longest;
    sum->errors += process->errors;
    sum->warnings += process->warnings;
}

static void add_lane(struct totals *sum, const struct lane *lane)
{
    const struct gptl_copy *copy = lane->copy;
    sum->folded_paths += copy->folded_paths;
    sum->folded_names += copy->folded_names;
    sum->dropped += copy->dropped;
    sum->unmatched += copy->unmatched;
    sum->too_deep += copy->too_deep;
    sum->unwound += copy->unwound;
    sum->backwards += copy->backwards;
    sum->crossed += copy->crossed;
    sum->nlive += copy->live;
}

static struct totals add_up(const struct paths *paths)
{
    struct totals sum = {.first = NULL};
    for (uint32_t i = 0; i < paths->nlanes; i++) {
        if (i == 0 || paths->lanes[i].profile != paths->lanes[i - 1].profile)
            add_process(&sum, paths->lanes[i].profile);
        add_lane(&sum, &paths->lanes[i]);
    }
    for (uint32_t i = 1; i < paths->npaths; i++) {
        sum.open += paths->paths[i].figures.open;
        sum.nrest += paths->paths[i].rest;
        sum.estimated |= paths->paths[i].figures.error > 0;
    }
    for (uint32_t i = 1; i < paths->nparts; i++) {
        const struct part *part = &paths->parts[i];
        const struct gptl_profile *profile = paths->lanes[part->lane].profile;
        if (profile->has_overhead && part->path)
            sum.cost +=
                (double)part->figures.calls * (profile->overhead.self + profile->overhead.parent);
    }
    sum.time = (double)paths->paths[0].figures.total * 1e-9;
    return sum;
}

/* ---- Facts --------------------------------------------------------------------------------- */

static void begin_fact(struct gptl_out *out, const char *what)
{
    gptl_out_format(out, "<div><dt>%s</dt><dd>", what);
}

static void end_fact(struct gptl_out *out)
{
    gptl_out_literal(out, "</dd></div>\n");
}

static void put_started(struct gptl_out *out, double started)
{
    char text[64] = "unknown";
    time_t seconds = started > 0 && started < 1e11 ? (time_t)started : 0;
    struct tm local;
    if (seconds && localtime_r(&seconds, &local))
        strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %z", &local);
    begin_fact(out, "Started");
    gptl_out_text(out, text);
    end_fact(out);
}

static void put_elapsed(struct gptl_out *out, const struct totals *sum)
{
    begin_fact(out, "Measured for");
    if (sum->nprocesses > 1 && sum->longest - sum->shortest >= 0.001)
        gptl_out_format(out, "%.3f to ", sum->shortest);
    gptl_out_format(out, "%.3f s", sum->longest);
    end_fact(out);
}

/* Report the time outside all regions, which the shares in the page exclude. */
static void put_outside(struct gptl_out *out, const struct paths *paths, const struct totals *sum)
{
    struct outside outside = paths_outside(paths);
    if (outside.seconds <= 0)
        return;
    begin_fact(out, "In no region");
    gptl_out_format(out, "%.3f of %.3f s of thread 0%s (%.1f %%)", outside.seconds,
                    outside.measured, sum->nprocesses > 1 ? " of each" : "",
                    100 * outside.seconds / outside.measured);
    end_fact(out);
}

static bool is_new_host(const struct paths *paths, uint32_t lane)
{
    const char *host = paths->lanes[lane].profile->host;
    for (uint32_t i = 0; i < lane; i++)
        if (paths->lanes[i].profile->host && strcmp(paths->lanes[i].profile->host, host) == 0)
            return false;
    return true;
}

static void put_hosts(struct gptl_out *out, const struct paths *paths)
{
    enum { MOST = 3 };
    int n = 0;
    for (uint32_t i = 0; i < paths->nlanes; i++) {
        const struct gptl_profile *profile = paths->lanes[i].profile;
        if ((i > 0 && profile == paths->lanes[i - 1].profile) || !profile->host ||
            !is_new_host(paths, i))
            continue;
        if (n == MOST) {
            gptl_out_literal(out, " and others");
            break;
        }
        if (n++ == 0)
            begin_fact(out, "Host");
        else
            gptl_out_literal(out, ", ");
        gptl_name_xml(out, profile->host);
    }
    if (n > 0)
        end_fact(out);
}

/* Threads run at the same time: a sum over them is not a wall-clock time. */
static void put_summed(struct gptl_out *out, bool summed)
{
    if (summed)
        gptl_out_literal(out, "; times are sums over all threads");
}

static void put_extent(struct gptl_out *out, const struct paths *paths, const struct totals *sum)
{
    const char *one = paths->nlanes > 0 && paths->lanes[0].rank >= 0 ? "rank" : "process";
    const char *several = *one == 'r' ? "ranks" : "processes";
    uint32_t each = sum->nprocesses ? paths->nlanes / sum->nprocesses : 0;
    bool same = true;
    for (uint32_t i = 0; i < paths->nlanes; i++)
        same &= (uint32_t)paths->lanes[i].profile->ncopies == each;
    begin_fact(out, "Ran as");
    if (paths->ranks) {
        const struct gptl_ranks_head *head = paths->ranks->head;
        gptl_out_format(out, "%u %s with %llu %s in all", head->nranks,
                        head->nranks == 1 ? "rank" : "ranks", (unsigned long long)head->nthreads,
                        head->nthreads == 1 ? "thread" : "threads");
        if (head->nsilent > 0)
            gptl_out_format(out, "; %u measured nothing", head->nsilent);
        put_summed(out, head->nthreads > 1);
        end_fact(out);
        return;
    }
    gptl_out_format(out, "%u %s ", sum->nprocesses, sum->nprocesses == 1 ? one : several);
    if (same)
        gptl_out_format(out, "× %u %s", each, each == 1 ? "thread" : "threads");
    else
        gptl_out_format(out, "with %u threads in all", paths->nlanes);
    put_summed(out, paths->nlanes > 1);
    end_fact(out);
}

static void put_command(struct gptl_out *out, const struct gptl_profile *profile)
{
    if (!profile->command)
        return;
    begin_fact(out, "Command");
    gptl_out_literal(out, "<code>");
    for (uint32_t i = 0; i < profile->narguments; i++) {
        const char *word = profile->command[i];
        bool quote = *word == '\0' || strpbrk(word, " \t\n\"'$`\\;&|<>()*?") != NULL;
        gptl_out_text(out, i > 0 ? " " : "");
        gptl_out_text(out, quote ? "'" : "");
        gptl_name_xml(out, word);
        gptl_out_text(out, quote ? "'" : "");
    }
    gptl_out_literal(out, "</code>");
    end_fact(out);
}

static void put_job(struct gptl_out *out, const struct gptl_profile *profile)
{
    if (!profile->job)
        return;
    begin_fact(out, "Job");
    gptl_name_xml(out, profile->job);
    end_fact(out);
}

static void put_clock(struct gptl_out *out, const struct gptl_profile *profile)
{
    const struct gptl_clock_finding *clock = &profile->clock;
    if (!clock->name || !(clock->cost > 0))
        return;
    begin_fact(out, "Clock");
    gptl_name_xml(out, clock->name);
    gptl_out_format(out, ", one reading takes %.3g ns", clock->cost * 1e9);
    if (!clock->monotonic)
        gptl_out_literal(out, ", may be set back");
    end_fact(out);
}

static void put_cost(struct gptl_out *out, const struct totals *sum)
{
    if (!(sum->cost > 0) || !(sum->time > 0))
        return;
    begin_fact(out, "Cost of measuring");
    gptl_out_format(out, "about %.3g s, %.2g%% of the time of all threads", sum->cost,
                    100 * sum->cost / sum->time);
    end_fact(out);
}

static void put_facts(struct gptl_out *out, const struct paths *paths, const struct totals *sum)
{
    gptl_out_literal(out, "<dl class=\"facts\">\n");
    put_extent(out, paths, sum);
    put_elapsed(out, sum);
    put_outside(out, paths, sum);
    put_started(out, sum->started);
    put_hosts(out, paths);
    gptl_out_literal(out,
                     "</dl>\n<details class=\"more\"><summary>Command, clock, version</summary>"
                     "\n<dl class=\"facts\">\n");
    begin_fact(out, "Program");
    gptl_out_literal(out, "<code>");
    gptl_name_xml(out, sum->first->process.program);
    gptl_out_literal(out, "</code>");
    end_fact(out);
    put_command(out, sum->first);
    put_job(out, sum->first);
    put_clock(out, sum->first);
    put_cost(out, sum);
    begin_fact(out, "Library");
    gptl_out_literal(out, "libgptl ");
    gptl_name_xml(out, sum->first->library ? sum->first->library : PACKAGE_VERSION);
    end_fact(out);
    gptl_out_literal(out, "</dl></details>\n");
}

static void put_event(struct gptl_out *out, const struct paths *paths,
                      const struct metric_column *column)
{
    static const char *const scopes[] = {
        "",
        " Counts for the whole process: the first thread’s is shown, and no sum over processes.",
        "Counts for the whole machine: the first thread’s is shown, and no sum over processes. "};
    gptl_out_literal(out, "<div><dt><code>");
    gptl_name_xml(out, column->name);
    gptl_out_literal(out, "</code></dt><dd>");
    if (column->expression) {
        gptl_out_literal(out, "= <code>");
        gptl_name_xml(out, column->expression);
        gptl_out_literal(out, "</code>. ");
    }
    if (*column->description) {
        gptl_name_xml(out, column->description);
        gptl_out_literal(out, ". ");
    }
    if (*column->unit) {
        gptl_out_literal(out, "In ");
        gptl_name_xml(out, column->unit);
        gptl_out_literal(out, ". ");
    }
    gptl_out_text(out, scopes[column->scope]);
    if (column->nprocesses < paths->counts->nprofiles)
        gptl_out_format(out, "Counted by %u of %u processes. ", column->nprocesses,
                        paths->counts->nprofiles);
    if (column->estimated)
        gptl_out_format(out, "Estimated (~): it shared a counter; n/a in less than %g s.",
                        column->least_seconds);
    gptl_out_literal(out, "</dd></div>\n");
}

static void put_events(struct gptl_out *out, const struct paths *paths)
{
    if (!paths->counts)
        return;
    gptl_out_literal(out,
                     "<details class=\"more events\"><summary>Events that were counted</summary>"
                     "\n<dl>\n");
    for (uint32_t i = 0; i < paths->counts->ncolumns; i++)
        put_event(out, paths, &paths->counts->columns[i]);
    gptl_out_literal(out, "</dl></details>\n");
}

/* ---- Notices ------------------------------------------------------------------------------- */

/* Write a notice unless N is 0. TEXT follows the number. */
static void put_notice(struct gptl_out *out, const char *kind, uint64_t n, const char *one,
                       const char *several, const char *text)
{
    if (n == 0)
        return;
    gptl_out_format(out, "<li class=\"%s\"><strong>%llu %s</strong> ", kind, (unsigned long long)n,
                    n == 1 ? one : several);
    gptl_out_text(out, text);
    gptl_out_literal(out, "</li>\n");
}

static void put_refusals(struct gptl_out *out, const struct refusal *refusals, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        gptl_out_literal(out, "<li class=\"warning\"><strong><code>");
        gptl_name_xml(out, refusals[i].name);
        gptl_out_literal(out, "</code> was not counted</strong>");
        if (refusals[i].nprocesses > 1)
            gptl_out_format(out, " in %u processes", refusals[i].nprocesses);
        gptl_out_literal(out, ": ");
        gptl_name_xml(out, refusals[i].why);
        gptl_out_literal(out, "</li>\n");
    }
}

static void put_notices(struct gptl_out *out, const struct totals *sum,
                        const struct refusal *refusals, uint32_t nrefusals)
{
    gptl_out_literal(out, "<ul class=\"notices\" aria-label=\"Notices\">\n");
    put_refusals(out, refusals, nrefusals);
    put_notice(out, "warning", sum->folded_paths, "call", "calls",
               "of further paths: the memory budget was spent. Their times are under “(paths "
               "beyond the memory budget)”, by region. A larger budget, "
               "<code>GPTL_OPTIONS=memory=…</code>, shows all of them.");
    put_notice(out, "warning", sum->folded_names, "call", "calls",
               "of further names: the memory budget was spent. Their times are under “(other)”, "
               "where they were called.");
    put_notice(out, "warning", sum->errors, "error", "errors",
               "from the library: see what the program wrote to stderr.");
    put_notice(out, "warning", sum->unmatched, "stop", "stops",
               "of regions that were not open: a start is missing in the program.");
    put_notice(out, "warning", sum->dropped, "call", "calls",
               "dropped, since they came from a signal handler that interrupted the library.");
    put_notice(out, "warning", sum->backwards, "call", "calls",
               "during which the clock was set back: they count with no time.");
    put_notice(out, "warning", sum->nforeign, "process", "processes",
               "ran another program than the first.");
    put_notice(out, "note", sum->nsalvaged, "process", "processes",
               "had written no report. What is shown of it was made from what was left, and is "
               "whole up to the last call that ended.");
    put_notice(out, "note", sum->open, "call", "calls",
               "open when this was written; the time so far is counted.");
    put_notice(out, "note", sum->too_deep, "call", "calls",
               "deeper than the depth limit, not timed.");
    put_notice(out, "note", sum->unwound, "call", "calls",
               "of functions left by longjmp or an exception; they ended when that was noticed.");
    put_notice(out, "note", sum->crossed, "stop", "stops",
               "in crossed order; the times are right.");
    put_notice(out, "note", sum->warnings, "warning", "warnings",
               "from the library: see what the program wrote to stderr.");
    put_notice(out, "note", sum->nrest, "row stands", "rows stand",
               "for paths that were left out for their number: “(N more)”. Their time is shown, "
               "their regions are not.");
    if (sum->estimated)
        gptl_out_literal(out,
                         "<li class=\"note\"><strong>~ is estimated:</strong> not all calls were "
                         "timed (option throttle), or not those of what was called. In 95 of "
                         "100 cases the true time is within ±.</li>\n");
    gptl_out_literal(out, "</ul>\n");
}

int html_head_write(struct gptl_out *out, const struct paths *paths)
{
    struct totals sum = add_up(paths);
    struct refusal *refusals;
    uint32_t nrefusals;
    if (counts_refusals(paths, &refusals, &nrefusals))
        return -1;
    gptl_out_literal(out, "<header>\n<p class=\"kind\">Profile of</p>\n<h1><bdi>");
    gptl_name_xml(out, outputs_program(paths));
    gptl_out_literal(out, "</bdi></h1>\n");
    if (sum.first) {
        put_facts(out, paths, &sum);
        put_events(out, paths);
        put_notices(out, &sum, refusals, nrefusals);
    }
    gptl_out_literal(out, "</header>\n");
    free(refusals);
    return 0;
}
