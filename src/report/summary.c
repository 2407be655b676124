/*
 * summary.c - the summary of a process. Its rows are those of the first thread, in the order in
 * which it first started them, then those that only the second thread has, and so on.
 */
#include "config.h"

#include "report/summary.h"

#include <stdlib.h>
#include <string.h>

#include "report/name.h"
#include "report/snapshot.h"
#include "report/table.h"

/* ---- Rows ---------------------------------------------------------------------------------- */

/* Welford's method: B. P. Welford, Technometrics 4 (1962), 419-420. */
static void add_thread(struct gptl_summary_row *row, uint64_t wall, int rank, int thread)
{
    struct gptl_summary_extreme here = {wall, rank, thread};
    double distance = (double)wall - row->mean;
    row->threads++;
    row->total += wall;
    row->mean += distance / row->threads;
    row->squares += distance * ((double)wall - row->mean);
    if (row->threads == 1 || wall > row->max.wall)
        row->max = here;
    if (row->threads == 1 || wall < row->min.wall)
        row->min = here;
}

/* ROW_OF has for each region number the position of its row and one more, or 0. */
static int add_copy(struct gptl_summary *summary, uint32_t *row_of, const struct gptl_copy *copy,
                    int rank)
{
    struct gptl_view view;
    int result = gptl_view_make(&view, copy, false);
    for (uint32_t slot = 1; result == 0 && slot <= view.nregions; slot++) {
        struct gptl_figures figures = GPTL_NO_FIGURES;
        uint32_t *at = &row_of[copy->nodes[view.first[slot]].region];
        struct gptl_summary_row *row = &summary->rows[*at ? *at - 1 : summary->nrows];
        figures.counters = row->counters;
        gptl_figures_add_region(&figures, NULL, &view, slot);
        if (figures.count == 0 && figures.open == 0) /* only what it had called is not reset */
            continue;
        if (!*at) {
            *at = ++summary->nrows;
            row->name = gptl_view_name(&view, slot);
            row->processes = 1;
        }
        row->calls += figures.count;
        row->ended += figures.ended;
        add_thread(row, figures.wall, rank, copy->thread);
    }
    gptl_view_free(&view);
    return result;
}

static uint32_t highest_region(const struct gptl_profile *profile)
{
    uint32_t highest = 0;
    for (int i = 0; i < profile->ncopies; i++)
        for (uint32_t row = 1; row < profile->copies[i].nnodes; row++)
            if (profile->copies[i].nodes[row].region > highest)
                highest = profile->copies[i].nodes[row].region;
    return highest;
}

int gptl_summary_make(struct gptl_summary *summary, const struct gptl_profile *profile)
{
    size_t most = (size_t)highest_region(profile) + 1;
    int rank = profile->process.rank >= 0 ? profile->process.rank : 0;
    uint32_t *row_of = calloc(most, sizeof *row_of);
    *summary = (struct gptl_summary){
        .processes = 1,
        .threads = (uint32_t)profile->ncopies,
        .rows = calloc(most, sizeof *summary->rows),
    };
    uint32_t nslots = profile->metrics.nslots;
    if (nslots > 0)
        summary->counters = calloc(most * nslots, sizeof *summary->counters);
    int result = row_of && summary->rows && (nslots == 0 || summary->counters) ? 0 : -1;
    for (size_t i = 0; result == 0 && nslots > 0 && i < most; i++)
        summary->rows[i].counters = summary->counters + i * nslots;
    for (int i = 0; result == 0 && i < profile->ncopies; i++)
        result = add_copy(summary, row_of, &profile->copies[i], rank);
    free(row_of);
    return result;
}

void gptl_summary_free(struct gptl_summary *summary)
{
    free(summary->rows);
    free(summary->counters);
    memset(summary, 0, sizeof *summary);
}

/* ---- Text ---------------------------------------------------------------------------------- */

/*
 * The root by Newton's method, as the library does without libm. No standard deviation is larger
 * than the range, and from above every step leads down, until rounding stops that.
 */
static double standard_deviation(const struct gptl_summary_row *row)
{
    double variance = row->squares / row->threads;
    double root = (double)(row->max.wall - row->min.wall), next = root;
    while (next > 0) {
        root = next;
        next = (root + variance / root) / 2;
        if (next >= root)
            break;
    }
    return root;
}

static uint64_t rounded(double value)
{
    return (uint64_t)(value + 0.5);
}

static void put_preamble(struct gptl_text *text, const struct gptl_summary *summary)
{
    struct gptl_out *out = text->out;
    gptl_text_process(text, "summary");
    gptl_out_format(out, "Over      %u %s, %u %s\n", summary->processes,
                    gptl_text_plural(summary->processes, "process", "processes"), summary->threads,
                    gptl_text_plural(summary->threads, "thread", "threads"));
    gptl_text_running(text);
    if (gptl_text_columned(text) > 0)
        gptl_out_literal(out, "Counters  sums over the threads, - for what cannot be added up\n");
    gptl_out_literal(out, "Columns   processes, threads: those that called the region\n"
                          "          calls: those that ended\n");
    if (!text->style.wall)
        return;
    gptl_out_literal(
        out,
        "          walltotal: seconds of all these threads, with those of open calls so far\n"
        "          mean, std_dev: over the threads that called the region, as the population\n"
        "          wallmax, wallmin: of the thread with the most and the least, and which it is\n"
        "          imbalance: wallmax / mean - 1, in percent\n");
}

static int decimals(const struct gptl_summary *summary)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (uint32_t i = 0; i < summary->nrows; i++) {
        const struct gptl_summary_row *row = &summary->rows[i];
        if (row->max.wall > 0 && row->max.wall < least)
            least = row->max.wall;
        if (row->min.wall > 0 && row->min.wall < least)
            least = row->min.wall;
        if (row->total > most)
            most = row->total;
    }
    return gptl_number_decimals(least, most);
}

static void add_columns(struct gptl_table *table, bool wall)
{
    gptl_table_column(table, "processes", GPTL_CELL_COUNT);
    gptl_table_column(table, "threads", GPTL_CELL_COUNT);
    gptl_table_column(table, "calls", GPTL_CELL_COUNT);
    if (!wall)
        return;
    gptl_table_column(table, "walltotal", GPTL_CELL_SECONDS);
    gptl_table_column(table, "mean", GPTL_CELL_SECONDS);
    gptl_table_column(table, "std_dev", GPTL_CELL_SECONDS);
    gptl_table_column(table, "wallmax", GPTL_CELL_SECONDS);
    gptl_table_column(table, "(proc thrd)", GPTL_CELL_PLACE);
    gptl_table_column(table, "wallmin", GPTL_CELL_SECONDS);
    gptl_table_column(table, "(proc thrd)", GPTL_CELL_PLACE);
    gptl_table_column(table, "imbalance", GPTL_CELL_PERCENT);
}

static void make_cells(const struct gptl_text *text, const struct gptl_summary_row *row,
                       uint64_t *cell)
{
    struct gptl_figures sums = {
        .ended = row->ended, .counters = row->counters, .summed = row->threads > 1};
    *cell++ = row->processes;
    *cell++ = row->threads;
    *cell++ = row->calls;
    if (!text->style.wall) {
        gptl_text_metric_cells(text, &sums, cell);
        return;
    }
    *cell++ = row->total;
    *cell++ = rounded(row->mean);
    *cell++ = rounded(standard_deviation(row));
    *cell++ = row->max.wall;
    *cell++ = gptl_table_place(row->max.rank, row->max.thread);
    *cell++ = row->min.wall;
    *cell++ = gptl_table_place(row->min.rank, row->min.thread);
    *cell++ = row->mean > 0 ? rounded(((double)row->max.wall / row->mean - 1) * 1e4) : 0;
    gptl_text_metric_cells(text, &sums, cell);
}

static void each_row(const struct gptl_text *text, const struct gptl_summary *summary,
                     struct gptl_table *table, bool put)
{
    for (uint32_t i = 0; i < summary->nrows; i++) {
        const struct gptl_summary_row *row = &summary->rows[i];
        uint64_t cells[GPTL_TABLE_COLUMNS];
        size_t width = gptl_name_width(row->name, text->style.quote);
        make_cells(text, row, cells);
        if (put) {
            gptl_name_text(text->out, row->name, text->style.quote);
            gptl_table_cells(table, text->out, width, cells);
        } else {
            gptl_table_fit(table, width, cells);
        }
    }
}

static void put_table(const struct gptl_text *text, const struct gptl_summary *summary)
{
    static const char left[] = "name";
    struct gptl_table table = {
        .decimals = decimals(summary), .name_width = sizeof left - 1, .wide = !text->style.narrow};
    if (summary->nrows == 0) {
        gptl_out_literal(text->out, "\nNo region was called (since the last reset).\n");
        return;
    }
    add_columns(&table, text->style.wall);
    gptl_text_metric_columns(text, &table);
    each_row(text, summary, &table, false);
    gptl_out_char(text->out, '\n');
    gptl_table_heads(&table, text->out, left);
    each_row(text, summary, &table, true);
}

int gptl_summary_write(struct gptl_out *out, const struct gptl_profile *profile,
                       const struct gptl_style *style)
{
    struct gptl_text text = {.out = out, .profile = profile, .style = *style};
    struct gptl_summary summary;
    int result = gptl_summary_make(&summary, profile);
    if (result == 0) {
        gptl_text_notices(&text);
        if (style->preamble)
            put_preamble(&text, &summary);
        put_table(&text, &summary);
    }
    gptl_summary_free(&summary);
    return result;
}
