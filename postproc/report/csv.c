/*
 * csv.c - a row for each path and lane, quoted by RFC 4180. In the column path, a '/' within a name
 * is written as \x2f. Cells contain no line breaks, so that a row is a line. Statistics over ranks
 * have a row for each path, with the distribution over the ranks.
 */
#include "config.h"

#include "postproc/report/outputs.h"

#include <stdlib.h>
#include <string.h>

#include "postproc/report/escape.h"

/* In deeper paths, the levels just above the region are replaced: "a/b/(2000 levels)/z". */
enum { DEEPEST_PATH = 100 };

static const struct escape field = {.instead = {['"'] = "\"\""}, .backslash = "\\"};
static const struct escape level = {.instead = {['"'] = "\"\"", ['/'] = "\\x2f"},
                                    .backslash = "\\"};

/* Write PATH. STACK holds its ancestors down to the depth limit. */
static void put_path(struct gptl_out *out, const struct paths *paths, const uint32_t *stack,
                     const struct path *path)
{
    uint32_t leading = path->depth <= DEEPEST_PATH ? path->depth - 1 : DEEPEST_PATH - 1;
    for (uint32_t d = 1; d <= leading; d++) {
        escape_put(out, &level, paths->paths[stack[d]].name);
        gptl_out_char(out, '/');
    }
    if (path->depth > DEEPEST_PATH)
        gptl_out_format(out, "(%u levels)/", path->depth - DEEPEST_PATH);
    escape_put(out, &level, path->name);
}

static void put_extreme(struct gptl_out *out, const struct figures *figures, uint64_t ns)
{
    gptl_out_char(out, ',');
    if (figures->min != UINT64_MAX)
        gptl_out_seconds(out, ns);
}

static void put_number(struct gptl_out *out, uint64_t number)
{
    gptl_out_char(out, ',');
    gptl_out_uint(out, number);
}

static void put_figures(struct gptl_out *out, const struct figures *figures)
{
    put_number(out, figures->calls);
    put_number(out, figures->recurse);
    gptl_out_char(out, ',');
    gptl_out_seconds(out, figures->total);
    gptl_out_char(out, ',');
    gptl_out_seconds(out, figures->self);
    put_extreme(out, figures, figures->max);
    put_extreme(out, figures, figures->min);
}

static void put_source(struct gptl_out *out, const struct gptl_function *function)
{
    gptl_out_char(out, ',');
    if (function && function->file) {
        gptl_out_char(out, '"');
        escape_put(out, &field, function->file);
        gptl_out_char(out, '"');
    }
    gptl_out_char(out, ',');
    if (function && function->line > 0)
        gptl_out_uint(out, (uint64_t)function->line);
}

/* ---- Metrics ------------------------------------------------------------------------------- */

/* Data for the last columns of rows. */
struct more {
    const struct output_options *options;
    bool estimated; /* some time is an estimate */
    int64_t *values;
};

static void put_head(struct gptl_out *out, const struct paths *paths, const struct more *more)
{
    static const char *const prefixes[] = {",\"", ",\"self_"};
    if (more->estimated)
        gptl_out_literal(out, ",error_seconds,self_error_seconds");
    for (uint32_t i = 0; i < more->options->ncolumns; i++)
        for (int kind = 0; kind < 2; kind++) {
            gptl_out_text(out, prefixes[kind]);
            escape_put(out, &field, paths->counts->columns[more->options->columns[i]].name);
            gptl_out_char(out, '"');
        }
    gptl_out_char(out, '\n');
}

static void put_error(struct gptl_out *out, uint64_t ns)
{
    gptl_out_char(out, ',');
    if (ns > 0)
        gptl_out_seconds(out, ns);
}

static void put_value(struct gptl_out *out, struct gptl_metric_value value)
{
    gptl_out_char(out, ',');
    if (value.state == GPTL_VALUE_REAL)
        gptl_out_real(out, value.real);
    else if (value.state == GPTL_VALUE_COUNTED)
        gptl_out_format(out, "%lld", (long long)value.counted);
}

static void put_more(struct gptl_out *out, const struct paths *paths, uint32_t part,
                     const struct more *more)
{
    const struct figures *figures = &paths->parts[part].figures;
    size_t nslots = paths->counts ? paths->counts->nslots : 0;
    struct tally tallies[2];
    if (more->estimated) {
        put_error(out, figures->error);
        put_error(out, figures->self_error);
    }
    for (int kind = 0; kind < 2 && more->options->ncolumns > 0; kind++) {
        tally_begin(&tallies[kind], paths, more->values + (size_t)kind * nslots);
        tally_add(&tallies[kind], part, (enum count_kind)kind);
    }
    for (uint32_t i = 0; i < more->options->ncolumns; i++)
        for (int kind = 0; kind < 2; kind++)
            put_value(out, tally_value(&tallies[kind], more->options->columns[i]));
    gptl_out_char(out, '\n');
}

/* ---- Rows ---------------------------------------------------------------------------------- */

/* Write the rank; if the profiles lack ranks, the number that distinguishes the processes. */
static void put_rank(struct gptl_out *out, const struct paths *paths, const struct lane *lane)
{
    bool several = paths->lanes[0].process != paths->lanes[paths->nlanes - 1].process;
    long rank = several ? lane->process : lane->rank;
    if (rank >= 0)
        gptl_out_uint(out, (uint64_t)rank);
}

static void put_row(struct gptl_out *out, const struct paths *paths, const uint32_t *stack,
                    const struct path *path, const struct part *part)
{
    const struct lane *lane = &paths->lanes[part->lane];
    put_rank(out, paths, lane);
    gptl_out_format(out, ",%d,\"", lane->thread);
    put_path(out, paths, stack, path);
    gptl_out_literal(out, "\",\"");
    escape_put(out, &field, path->name);
    gptl_out_char(out, '"');
    put_number(out, path->depth);
    put_figures(out, &part->figures);
    put_source(out, path->function);
}

/* Write the distribution over ranks, or empty cells if unknown. */
static void put_ranks(struct gptl_out *out, const struct gptl_ranks_row *row)
{
    if (!row) {
        gptl_out_literal(out, ",,,,,,,,,,");
        return;
    }
    double range = (double)row->max.ns - (double)row->min_rank.ns;
    put_number(out, row->ranks.n);
    put_number(out, row->threads.n);
    gptl_out_char(out, ',');
    gptl_out_seconds(out, spread_ns(row->ranks.mean));
    gptl_out_char(out, ',');
    gptl_out_seconds(out, spread_ns(gptl_moments_deviation(&row->ranks, range)));
    for (int i = 0; i < 2; i++) {
        const struct gptl_ranks_extreme *extreme = i ? &row->min_rank : &row->max;
        gptl_out_char(out, ',');
        gptl_out_seconds(out, extreme->ns);
        gptl_out_format(out, ",%d,%d", extreme->rank, extreme->thread);
    }
}

/* Write calls and seconds; sums over all ranks may need more than 64 bits. */
static void put_totals(struct gptl_out *out, const struct path *path,
                       const struct gptl_ranks_row *row)
{
    if (row) {
        gptl_out_char(out, ',');
        gptl_out_wide_uint(out, row->calls);
        gptl_out_char(out, ',');
        gptl_out_wide_seconds(out, row->total);
        return;
    }
    put_number(out, path->figures.calls);
    gptl_out_char(out, ',');
    gptl_out_seconds(out, path->figures.total);
}

static void put_ranks_row(struct gptl_out *out, const struct paths *paths, const uint32_t *stack,
                          uint32_t at)
{
    const struct path *path = &paths->paths[at];
    struct spread spread = path_spread(paths, at);
    gptl_out_char(out, '"');
    put_path(out, paths, stack, path);
    gptl_out_literal(out, "\",\"");
    escape_put(out, &field, path->name);
    gptl_out_char(out, '"');
    put_number(out, path->depth);
    put_totals(out, path, spread.row);
    gptl_out_char(out, ',');
    gptl_out_seconds(out, path->figures.self);
    put_ranks(out, spread.row);
    gptl_out_char(out, ',');
    if (spread.row)
        gptl_out_real(out, spread_imbalance(&spread));
}

static const char heads[] = "rank,thread,path,region,depth,calls,recurse,seconds,self_seconds,"
                            "max_seconds,min_seconds,file,line";
static const char heads_of_ranks[] =
    "path,region,depth,calls,seconds,self_seconds,ranks,threads,mean_seconds,std_dev_seconds,"
    "max_seconds,max_rank,max_thread,min_seconds,min_rank,min_thread,imbalance";

int csv_write(struct gptl_out *out, const struct paths *paths, const struct output_options *options)
{
    uint32_t stack[DEEPEST_PATH + 1] = {0};
    size_t nslots = paths->counts ? paths->counts->nslots : 0;
    struct more more = {options, false, malloc((2 * nslots + 1) * sizeof *more.values)};
    if (!more.values)
        return -1;
    for (uint32_t i = 1; i < paths->npaths; i++)
        more.estimated = more.estimated || paths->paths[i].figures.self_error > 0;
    gptl_out_text(out, paths->ranks ? heads_of_ranks : heads);
    put_head(out, paths, &more);
    for (uint32_t i = paths_next(paths, 0); i; i = paths_next(paths, i)) {
        const struct path *path = &paths->paths[i];
        if (path->depth <= DEEPEST_PATH)
            stack[path->depth] = i;
        for (uint32_t p = path->parts; p; p = paths->parts[p].next) {
            if (paths->ranks)
                put_ranks_row(out, paths, stack, i);
            else
                put_row(out, paths, stack, path, &paths->parts[p]);
            put_more(out, paths, p, &more);
        }
    }
    free(more.values);
    return 0;
}
