/*
 * text.c - prints timing.summary: a table of regions and a table of call paths, both with
 * statistics over threads and ranks.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "ranks/print.h"
#include "report/ledger.h"
#include "report/name.h"
#include "report/number.h"
#include "report/table.h"
#include "report/text.h"

/* Maximum indentation, as in other reports; deeper rows show their level number instead. */
enum { DEEPEST_INDENTED = 50 };

struct printer {
    struct gptl_text text;
    const struct gptl_ranks_result *result;
    const struct gptl_ranks_tree *tree;
    struct gptl_table table;
    uint32_t cpu; /* metric of user CPU time, followed by system time; NONE without CPU times */
    bool several; /* some ranks have several threads */
    bool any_estimated;
};

enum { NONE = UINT32_MAX };

/* ---- Preamble ------------------------------------------------------------------------------ */

static void put_count(struct gptl_out *out, uint64_t n, const char *one, const char *several)
{
    gptl_out_uint(out, n);
    gptl_out_char(out, ' ');
    gptl_out_text(out, gptl_text_plural(n, one, several));
}

static void put_over(struct printer *p)
{
    const struct gptl_ranks_head *head = p->tree->head;
    struct gptl_out *out = p->text.out;
    gptl_out_literal(out, "Over      ");
    put_count(out, head->nranks, "process", "processes");
    gptl_out_literal(out, ", ");
    put_count(out, head->nthreads, "thread", "threads");
    if (head->nsilent) {
        gptl_out_literal(out, "; ");
        put_count(out, head->nsilent, "process", "processes");
        gptl_out_literal(out, " measured nothing");
    }
    gptl_out_char(out, '\n');
}

static void put_troubles(struct printer *p)
{
    static const struct {
        enum gptl_ranks_sum sum;
        const char *what;
    } rows[] = {
        {GPTL_RANKS_CROSSED, "stops out of order"},
        {GPTL_RANKS_UNMATCHED, "stops of regions that were not open"},
        {GPTL_RANKS_DROPPED, "starts dropped that interrupted the library itself"},
        {GPTL_RANKS_BACKWARDS, "calls during which the clock ran backwards"},
        {GPTL_RANKS_TOO_DEEP, "starts below the depth limit"},
    };
    const char *label = "Troubles  ";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (p->tree->head->sums[rows[i].sum] == 0)
            continue;
        gptl_out_text(p->text.out, label);
        gptl_out_uint(p->text.out, p->tree->head->sums[rows[i].sum]);
        gptl_out_char(p->text.out, ' ');
        gptl_out_text(p->text.out, rows[i].what);
        gptl_out_char(p->text.out, '\n');
        label = "          ";
    }
}

static void put_columns(struct printer *p)
{
    struct gptl_out *out = p->text.out;
    if (gptl_text_columned(&p->text) > 0)
        gptl_out_literal(out, "Counters  sums over the threads, - for what cannot be added up\n");
    gptl_out_literal(out, "Columns   processes, threads: those that called the region\n"
                          "          calls: those that ended\n");
    if (!p->text.style.wall)
        return;
    gptl_out_literal(
        out,
        "          walltotal: seconds of all these threads, with those of open calls so far\n"
        "          mean, std_dev: over the threads that called the region, as the population\n"
        "          wallmax, wallmin: of the thread with the most and the least, and which it is\n"
        "          imbalance: wallmax / mean - 1, in percent\n");
    if (p->several)
        gptl_out_literal(
            out, "          of_procs: the same over the processes, each with its longest thread\n");
}

static void put_preamble(struct printer *p)
{
    gptl_text_process(&p->text, "summary");
    put_over(p);
    gptl_text_running(&p->text, p->tree->head->sums[GPTL_RANKS_LIVE]);
    put_troubles(p);
    put_columns(p);
}

/* ---- Columns ------------------------------------------------------------------------------- */

static int decimals(const struct gptl_ranks_tree *tree)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (uint32_t i = 0; i < gptl_ranks_nrows(tree); i++) {
        const struct gptl_ranks_row *row = &tree->rows[i];
        if (row->max.ns > 0 && row->max.ns < least)
            least = row->max.ns;
        if (row->min.ns > 0 && row->min.ns < least)
            least = row->min.ns;
        uint64_t total = row->total.high > 0 ? UINT64_MAX : row->total.low;
        if (total > most)
            most = total;
    }
    return gptl_number_decimals(least, most);
}

static void add_columns(struct printer *p)
{
    struct gptl_table *table = &p->table;
    gptl_table_column(table, "processes", GPTL_CELL_COUNT);
    gptl_table_column(table, "threads", GPTL_CELL_COUNT);
    gptl_table_column(table, "calls", GPTL_CELL_COUNT);
    if (p->text.style.wall) {
        gptl_table_column(table, "walltotal", GPTL_CELL_SECONDS);
        gptl_table_column(table, "mean", GPTL_CELL_SECONDS);
        gptl_table_column(table, "std_dev", GPTL_CELL_SECONDS);
        gptl_table_column(table, "wallmax", GPTL_CELL_SECONDS);
        gptl_table_column(table, "(proc thrd)", GPTL_CELL_PLACE);
        gptl_table_column(table, "wallmin", GPTL_CELL_SECONDS);
        gptl_table_column(table, "(proc thrd)", GPTL_CELL_PLACE);
        gptl_table_column(table, "imbalance", GPTL_CELL_PERCENT);
        if (p->several)
            gptl_table_column(table, "of_procs", GPTL_CELL_PERCENT);
    }
    if (p->cpu != NONE) {
        gptl_table_column(table, "usr", GPTL_CELL_CPU);
        gptl_table_column(table, "sys", GPTL_CELL_CPU);
    }
    gptl_text_metric_columns(&p->text, table);
}

static uint64_t *wall_cells(const struct printer *p, const struct gptl_ranks_row *row,
                            uint64_t *cell)
{
    uint64_t mark = row->untimed > 0 ? GPTL_CELL_ESTIMATED : 0;
    if (row->threads.n == 0) { /* an ancestor without calls */
        for (int i = 0; i < 8 + p->several; i++)
            *cell++ = GPTL_CELL_NONE;
        return cell;
    }
    *cell++ = gptl_table_wide_seconds(row->total) | mark;
    *cell++ = gptl_table_real_seconds(row->threads.mean) | mark;
    *cell++ = gptl_table_real_seconds(
        gptl_moments_deviation(&row->threads, (double)row->max.ns - (double)row->min.ns));
    *cell++ = gptl_table_seconds(row->max.ns) | mark;
    *cell++ = gptl_table_place(row->max.rank, row->max.thread);
    *cell++ = gptl_table_seconds(row->min.ns) | mark;
    *cell++ = gptl_table_place(row->min.rank, row->min.thread);
    *cell++ = gptl_table_real_seconds(gptl_ranks_imbalance(row, &row->threads) * 1e4);
    if (p->several)
        *cell++ = gptl_table_real_seconds(gptl_ranks_imbalance(row, &row->ranks) * 1e4);
    return cell;
}

static void make_cells(const struct printer *p, uint32_t number, uint64_t *cell)
{
    const struct gptl_ranks_row *row = &p->tree->rows[number];
    const struct gptl_ranks_figure *figures = gptl_ranks_figures(p->tree, number);
    struct gptl_figures sums = {.ended = row->ended.high > 0 ? UINT64_MAX : row->ended.low,
                                .summed = row->threads.n > 1};
    *cell++ = row->ranks.n;
    *cell++ = row->threads.n;
    *cell++ = gptl_table_wide_count(row->calls);
    if (p->text.style.wall)
        cell = wall_cells(p, row, cell);
    for (uint32_t i = 0; p->cpu != NONE && i < 2; i++)
        *cell++ = gptl_table_real_seconds(figures[p->cpu + i].sum * 1e3);
    /* The callee takes a non-const pointer, but does not modify the memory. */
    sums.counters = gptl_ranks_counters(p->result, number) ? p->result->counters : NULL;
    gptl_text_metric_cells(&p->text, &sums, cell);
}

/* ---- Tables -------------------------------------------------------------------------------- */

static size_t indentation(uint32_t depth)
{
    return depth == 0 ? 0
                      : 2 * (size_t)(depth < DEEPEST_INDENTED ? depth - 1 : DEEPEST_INDENTED - 1);
}

static size_t level_width(uint32_t depth)
{
    return depth > DEEPEST_INDENTED ? gptl_number_digits(depth) + 3 : 0;
}

static void put_row(struct printer *p, uint32_t number, bool put)
{
    uint32_t depth = p->tree->rows[number].depth;
    const char *name = gptl_ranks_name(p->tree, number);
    struct gptl_out *out = p->text.out;
    uint64_t cells[GPTL_TABLE_COLUMNS];
    size_t width =
        indentation(depth) + level_width(depth) + gptl_name_width(name, p->text.style.quote);
    make_cells(p, number, cells);
    if (!put) {
        gptl_table_fit(&p->table, width, cells);
        return;
    }
    gptl_out_blanks(out, indentation(depth));
    if (level_width(depth)) {
        gptl_out_char(out, '[');
        gptl_out_uint(out, depth);
        gptl_out_literal(out, "] ");
    }
    gptl_name_text(out, name, p->text.style.quote);
    gptl_table_cells(&p->table, out, width, cells);
}

static void put_table(struct printer *p, const char *left, const uint32_t *rows, uint32_t n)
{
    p->table = (struct gptl_table){
        .decimals = decimals(p->tree), .name_width = strlen(left), .wide = !p->text.style.narrow};
    add_columns(p);
    for (uint32_t i = 0; i < n; i++)
        put_row(p, rows[i], false);
    gptl_out_char(p->text.out, '\n');
    gptl_table_heads(&p->table, p->text.out, left);
    for (uint32_t i = 0; i < n; i++)
        put_row(p, rows[i], true);
}

static int put_tables(struct printer *p)
{
    uint32_t nregions, n, *order = gptl_ranks_order(p->tree, p->text.style.wall, &nregions, &n);
    if (!order)
        return -1;
    if (nregions == 0) {
        gptl_out_literal(p->text.out, "\nNo region was called (since the last reset).\n");
    } else {
        put_table(p, "name", order, nregions);
        put_table(p, "path", order + nregions, n - nregions);
    }
    int result =
        p->text.style.wall ? gptl_ranks_put_waits(&p->text, p->tree, decimals(p->tree)) : 0;
    if (p->any_estimated && p->text.style.wall)
        gptl_out_literal(p->text.out,
                         "\n~ is estimated: not all calls were timed (option throttle).\n");
    free(order);
    return result;
}

static void look(struct printer *p)
{
    p->cpu = NONE;
    for (uint32_t i = 0; i < p->tree->head->nmetrics; i++)
        if (p->tree->metrics[i].cpu && p->cpu == NONE && i + 1 < p->tree->head->nmetrics &&
            p->tree->metrics[i + 1].cpu)
            p->cpu = i;
    for (uint32_t i = 0; i < p->tree->head->nregions; i++) {
        const struct gptl_ranks_row *row = &p->tree->rows[i];
        p->several |= p->tree->head->nranks > 1 && row->threads.n > row->ranks.n;
        p->any_estimated |= row->untimed > 0;
    }
}

int gptl_ranks_text(struct gptl_out *out, const void *result)
{
    const struct gptl_ranks_result *of = result;
    struct printer p = {
        .text = {.out = out, .profile = &of->shell, .style = of->style},
        .result = of,
        .tree = of->tree,
    };
    if (gptl_text_for_scripts(&p.text.style))
        return gptl_ranks_put_layout(&p.text, p.tree);
    look(&p);
    gptl_text_folded(&p.text, p.tree->head->sums[GPTL_RANKS_FOLDED_PATHS],
                     p.tree->head->sums[GPTL_RANKS_FOLDED_NAMES]);
    if (p.text.style.preamble)
        put_preamble(&p);
    if (put_tables(&p))
        return -1;
    for (enum gptl_ledger ledger = 0; ledger < GPTL_NLEDGERS; ledger++)
        if (gptl_ledger_text(out, ledger, of->accounts, of->tree->head->naccounts, true,
                             GPTL_LEDGER_TOP))
            return -1;
    return 0;
}
