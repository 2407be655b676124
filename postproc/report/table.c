/*
 * table.c - call paths or regions as a table in the style of the text report: column widths fit the
 * data, and all times have the decimals that the shortest one needs.
 */
#include "config.h"

#include "postproc/report/outputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/paths/region_sums.h"

#include "report/ledger.h"
#include "report/name.h"
#include "report/number.h"
#include "report/table.h"

/*
 * As in the text report, limits the indentation: the lines of a very deep tree would need space
 * quadratic in its depth.
 */
enum { DEEPEST_INDENTED = 50, MARKS_WIDTH = 2 };

/* Words for lanes: named by process if each process has one thread. */
struct lane_words {
    const char *one, *several, *max, *min;
};

static const struct lane_words *lane_words(const struct paths *paths)
{
    static const struct lane_words words[] = {
        {"rank", "ranks", "rank max", "rank min"},
        {"process", "processes", "process max", "process min"},
        {"profile", "profiles", "profile max", "profile min"},
        {"thread", "threads", "thread max", "thread min"},
    };
    int i = 0;
    const struct lane *lane = paths->nlanes ? &paths->lanes[0] : NULL;
    if (paths->ranks)
        return &words[0];
    if (!lane || strcmp(lane->label, lane->process_label) != 0)
        return &words[3];
    while (i < 3 && strncmp(lane->label, words[i].one, strlen(words[i].one)) != 0)
        i++;
    return &words[i];
}

struct sheet {
    struct gptl_out *out;
    const struct lane_words *words;
    struct gptl_table table;
    uint64_t total;
    uint64_t least, most; /* nonzero times */
    bool lanes, recursion, open, estimated;
    bool calls; /* the longest and shortest call are known */
    const struct paths *paths;
    const struct output_options *options;
    int64_t *values; /* space for two tallies */
    bool put;        /* second pass: rows are written, not measured */
};

struct row {
    const char *name;
    uint32_t level; /* from 1 */
    const struct figures *figures;
    struct spread spread;
    const struct tally *tallies; /* inclusive and exclusive */
};

static void widen(struct sheet *sheet, uint64_t ns)
{
    if (ns > 0 && ns < sheet->least)
        sheet->least = ns;
    if (ns > sheet->most)
        sheet->most = ns;
}

static int begin(struct sheet *sheet, struct gptl_out *out, const struct paths *paths,
                 const struct output_options *options)
{
    size_t nslots = paths->counts ? paths->counts->nslots : 0;
    *sheet = (struct sheet){.out = out,
                            .words = lane_words(paths),
                            .total = paths->paths[0].figures.total,
                            .least = UINT64_MAX,
                            .lanes = paths->nlanes > 1 || paths->ranks,
                            .calls = !paths->ranks,
                            .paths = paths,
                            .options = options,
                            .values = malloc((2 * nslots + 1) * sizeof *sheet->values)};
    sheet->table.wide = !gptl_core_option(GPTL_OPT_NARROWPRINT);
    widen(sheet, sheet->total);
    for (uint32_t i = 1; i < paths->npaths; i++) {
        const struct figures *figures = &paths->paths[i].figures;
        sheet->recursion = sheet->recursion || figures->recurse > 0;
        sheet->open = sheet->open || figures->open > 0;
        sheet->estimated = sheet->estimated || figures->self_error > 0;
        widen(sheet, figures->total);
        if (figures->min != UINT64_MAX)
            widen(sheet, figures->min);
    }
    sheet->table.decimals = gptl_number_decimals(sheet->least, sheet->most);
    return sheet->values ? 0 : -1;
}

/* As in the library's report, inclusive values of counters have a rate column. */
static bool has_rate(const struct metric_column *column)
{
    return !column->expression && gptl_core_option(GPTL_OPT_PERSEC) &&
           strcmp(column->unit, GPTL_AMOUNT_UNIT) != 0;
}

static void metric_columns(struct sheet *sheet)
{
    for (uint32_t i = 0; i < sheet->options->ncolumns; i++) {
        const struct metric_column *column =
            &sheet->paths->counts->columns[sheet->options->columns[i]];
        enum gptl_cell_kind kind = column->expression ? GPTL_CELL_RATIO : GPTL_CELL_EVENTS;
        gptl_table_events(&sheet->table, column->head, kind, column->estimated);
        if (has_rate(column))
            gptl_table_events(&sheet->table, "e6_/_sec", GPTL_CELL_RATE, column->estimated);
        gptl_table_events(&sheet->table, "excl.", kind, column->estimated);
    }
}

static void lane_columns(struct sheet *sheet)
{
    struct gptl_table *table = &sheet->table;
    bool ranks = sheet->paths->ranks != NULL;
    gptl_table_column(table, sheet->words->several, GPTL_CELL_COUNT);
    if (ranks)
        gptl_table_column(table, "mean", GPTL_CELL_SECONDS);
    gptl_table_column(table, sheet->words->max, GPTL_CELL_SECONDS);
    if (ranks)
        gptl_table_column(table, "(rank thrd)", GPTL_CELL_PLACE);
    gptl_table_column(table, sheet->words->min, GPTL_CELL_SECONDS);
    if (ranks)
        gptl_table_column(table, "(rank thrd)", GPTL_CELL_PLACE);
    gptl_table_column(table, "imbal %", GPTL_CELL_PERCENT);
}

static void columns(struct sheet *sheet)
{
    struct gptl_table *table = &sheet->table;
    gptl_table_column(table, "Called", GPTL_CELL_COUNT);
    if (sheet->recursion)
        gptl_table_column(table, "Recurse", GPTL_CELL_COUNT);
    gptl_table_column(table, "Inclusive", GPTL_CELL_SECONDS);
    if (sheet->estimated)
        gptl_table_column(table, "+-", GPTL_CELL_SECONDS);
    gptl_table_column(table, "%", GPTL_CELL_PERCENT);
    gptl_table_column(table, "Exclusive", GPTL_CELL_SECONDS);
    if (sheet->estimated)
        gptl_table_column(table, "+-", GPTL_CELL_SECONDS);
    gptl_table_column(table, "%", GPTL_CELL_PERCENT);
    if (sheet->calls) {
        gptl_table_column(table, "max", GPTL_CELL_SECONDS);
        gptl_table_column(table, "min", GPTL_CELL_SECONDS);
    }
    if (sheet->lanes)
        lane_columns(sheet);
    metric_columns(sheet);
}

/* Return the share in hundredths of a percent. */
static uint64_t share(uint64_t part, uint64_t whole)
{
    if (whole == 0 || part == GPTL_CELL_NONE)
        return GPTL_CELL_NONE;
    return (uint64_t)((double)part / (double)whole * 10000 + 0.5);
}

/* Mark a cell as estimated if it has an error. */
static uint64_t marked(uint64_t cell, uint64_t error)
{
    if (cell == GPTL_CELL_NONE)
        return cell;
    if (cell >= GPTL_CELL_ESTIMATED)
        cell = GPTL_CELL_ESTIMATED - 1;
    return error ? cell | GPTL_CELL_ESTIMATED : cell;
}

static uint64_t seconds_cell(uint64_t ns, uint64_t error)
{
    return ns == GPTL_CELL_NONE ? ns : marked(gptl_table_seconds(ns), error);
}

/*
 * Write the cells of time, error and share. WIDE is the same time as a sum over ranks that may need
 * more than 64 bits, or NULL.
 */
static uint64_t *time_cells(const struct sheet *sheet, uint64_t ns, const struct gptl_wide *wide,
                            uint64_t error, uint64_t *cells)
{
    *cells++ = wide ? marked(gptl_table_wide_seconds(*wide), error) : seconds_cell(ns, error);
    if (sheet->estimated)
        *cells++ = error ? error : GPTL_CELL_NONE;
    *cells++ = marked(share(ns, sheet->total), error);
    return cells;
}

/* Return the cell of a metric. Counts in untimed calls are estimates like their time. */
static uint64_t metric_cell(const struct tally *tally, uint32_t column, uint64_t error,
                            double (*number)(const struct tally *, uint32_t))
{
    if (!tally->any)
        return GPTL_CELL_NONE;
    if (tally_value(tally, column).state == GPTL_VALUE_SHORT)
        return GPTL_CELL_SHORT;
    uint64_t cell = gptl_table_real(number(tally, column));
    return error && cell != GPTL_CELL_NONE ? cell | GPTL_CELL_ABOUT : cell;
}

static uint64_t *lane_cells(const struct sheet *sheet, const struct row *row, uint64_t *cells)
{
    const struct spread *spread = &row->spread;
    const struct gptl_ranks_row *of = spread->row;
    uint64_t error = row->figures->error;
    if (spread->nlanes == 0) {
        for (int i = 0; i < (sheet->paths->ranks ? 7 : 4); i++)
            *cells++ = GPTL_CELL_NONE;
        return cells;
    }
    *cells++ = spread->nlanes;
    if (of)
        *cells++ = marked(gptl_table_real_seconds(of->ranks.mean), error);
    *cells++ = seconds_cell(spread->most, error);
    if (of)
        *cells++ = gptl_table_place(of->max.rank, of->max.thread);
    *cells++ = seconds_cell(spread->least, error);
    if (of)
        *cells++ = gptl_table_place(of->min_rank.rank, of->min_rank.thread);
    *cells++ = marked(spread_ns(spread_imbalance(spread) * 10000), error);
    return cells;
}

static void make_cells(const struct sheet *sheet, const struct row *row, uint64_t *cells)
{
    const struct figures *f = row->figures;
    const struct output_options *options = sheet->options;
    bool ended = f->min != UINT64_MAX;
    const struct gptl_ranks_row *of = row->spread.row;
    *cells++ = of ? gptl_table_wide_count(of->calls) : gptl_table_count(f->calls);
    if (sheet->recursion)
        *cells++ = f->recurse ? gptl_table_count(f->recurse) : GPTL_CELL_NONE;
    cells = time_cells(sheet, f->total, of ? &of->total : NULL, f->error, cells);
    cells = time_cells(sheet, f->self, NULL, f->self_error, cells);
    if (sheet->calls) {
        *cells++ = ended ? gptl_table_seconds(f->max) : GPTL_CELL_NONE;
        *cells++ = ended ? gptl_table_seconds(f->min) : GPTL_CELL_NONE;
    }
    if (sheet->lanes)
        cells = lane_cells(sheet, row, cells);
    for (uint32_t i = 0; i < options->ncolumns; i++) {
        uint32_t column = options->columns[i];
        const struct tally *inclusive = &row->tallies[COUNT_INCLUSIVE];
        *cells++ = metric_cell(inclusive, column, f->error, tally_number);
        if (has_rate(&sheet->paths->counts->columns[column]))
            *cells++ = metric_cell(inclusive, column, f->error, tally_rate);
        *cells++ = metric_cell(&row->tallies[COUNT_EXCLUSIVE], column, f->self_error, tally_number);
    }
}

static void put_row(struct sheet *sheet, const struct row *row)
{
    uint64_t cells[GPTL_TABLE_COLUMNS];
    uint32_t indented = row->level < DEEPEST_INDENTED ? row->level : DEEPEST_INDENTED;
    char level[GPTL_NUMBER_SIZE] = "";
    if (row->level > DEEPEST_INDENTED)
        snprintf(level, sizeof level, "[%u] ", row->level);
    size_t width = MARKS_WIDTH + 2 * (size_t)(indented - 1) + strlen(level) +
                   gptl_name_width(row->name, false);
    make_cells(sheet, row, cells);
    if (!sheet->put) {
        gptl_table_fit(&sheet->table, width, cells);
        return;
    }
    gptl_out_char(sheet->out, ' ');
    gptl_out_char(sheet->out, row->figures->open ? '>' : ' ');
    gptl_out_blanks(sheet->out, 2 * (size_t)(indented - 1));
    gptl_out_text(sheet->out, level);
    gptl_name_text(sheet->out, row->name, false);
    gptl_table_cells(&sheet->table, sheet->out, width, cells);
}

/* Write the lines before the first row, after all rows are measured. */
static void put_heads(struct sheet *sheet, const struct paths *paths, const char *what)
{
    char title[300], seconds[GPTL_NUMBER_SIZE];
    size_t n = gptl_number_seconds(seconds, sheet->total, sheet->table.decimals);
    outputs_title(paths, title, sizeof title);
    gptl_out_text(sheet->out, what);
    gptl_name_text(sheet->out, title, false);
    gptl_out_format(sheet->out, "; 100 %% is %s%.*s s", sheet->total < UINT64_MAX - 1 ? "" : ">",
                    (int)n, seconds);
    if (sheet->lanes)
        gptl_out_format(sheet->out, ", all %s together", sheet->words->several);
    struct outside outside = paths_outside(paths);
    if (outside.seconds > 0)
        gptl_out_format(
            sheet->out,
            "\nBeside that, thread 0%s was in no region for %.3f of %.3f s measured (%.1f %%)",
            outputs_processes(paths) > 1 ? " of each process" : "", outside.seconds,
            outside.measured, 100 * outside.seconds / outside.measured);
    gptl_out_literal(sheet->out, "\n\n");
    gptl_table_heads(&sheet->table, sheet->out, "");
    sheet->put = true;
}

/* Write the notes. Returns -1 if out of memory. */
static int put_notes(struct sheet *sheet)
{
    if (sheet->paths->npaths == 1)
        gptl_out_literal(sheet->out, "  No region was called.\n");
    if (sheet->open)
        gptl_out_literal(sheet->out, "\n> is open: Called has the calls that ended, Inclusive "
                                     "also the time so far.\n");
    if (sheet->estimated)
        gptl_out_literal(
            sheet->out,
            "\n~ is estimated: not all calls were timed (option throttle), or not those "
            "of what was\n  called. In 95 of 100 cases the true time is within +-; max "
            "and min are of calls that\n  were timed.\n");
    return outputs_legend(sheet->out, sheet->paths, sheet->options);
}

/* Write the largest rows of each ledger. */
static int put_ledgers(const struct sheet *sheet)
{
    const struct gptl_accounts *accounts = &sheet->options->accounts;
    size_t top = sheet->options->top ? sheet->options->top : GPTL_LEDGER_TOP;
    for (enum gptl_ledger ledger = 0; ledger < GPTL_NLEDGERS; ledger++)
        if (gptl_ledger_text(sheet->out, ledger, accounts->account, accounts->n, true, top))
            return -1;
    return 0;
}

/* ---- Paths --------------------------------------------------------------------------------- */

static void each_path(struct sheet *sheet)
{
    const struct paths *paths = sheet->paths;
    size_t nslots = paths->counts ? paths->counts->nslots : 0;
    struct tally tallies[2];
    for (uint32_t i = paths_next(paths, 0); i; i = paths_next(paths, i)) {
        const struct path *path = &paths->paths[i];
        struct row row = {.name = path->name,
                          .level = path->depth,
                          .figures = &path->figures,
                          .tallies = tallies};
        if (sheet->lanes)
            row.spread = path_spread(paths, i);
        for (int kind = 0; kind < 2; kind++) {
            tally_begin(&tallies[kind], paths, sheet->values + (size_t)kind * nslots);
            tally_path(&tallies[kind], i, (enum count_kind)kind);
        }
        put_row(sheet, &row);
    }
}

int table_write(struct gptl_out *out, const struct paths *paths,
                const struct output_options *options)
{
    struct sheet sheet;
    int result = begin(&sheet, out, paths, options);
    if (result == 0) {
        columns(&sheet);
        each_path(&sheet);
        put_heads(&sheet, paths, "Call paths of ");
        each_path(&sheet);
        result = put_notes(&sheet) || put_ledgers(&sheet) ? -1 : 0;
    }
    free(sheet.values);
    return result;
}

/* ---- Regions ------------------------------------------------------------------------------- */

/* Sum of the regions without a separate row. */
struct others {
    struct figures figures;
    struct spread spread;
    struct tally tallies[2];
    char name[32];
};

static void each_region(struct sheet *sheet, const struct region_sums *sums,
                        const struct sorted *order, size_t n, const struct others *others)
{
    static const struct tally none[2];
    for (size_t i = 0; i < n; i++) {
        const struct region_sum *sum = &sums->sums[order[i].item];
        put_row(sheet, &(struct row){sum->name, 1, &sum->figures, sum->spread,
                                     sums->tallies ? sums->tallies[order[i].item] : none});
    }
    if (*others->name)
        put_row(sheet,
                &(struct row){others->name, 1, &others->figures, others->spread, others->tallies});
}

static size_t sort_regions(const struct region_sums *sums, uint32_t nregions, enum metric metric,
                           struct sorted *order)
{
    size_t n = 0;
    for (uint32_t i = 0; i <= nregions; i++) {
        const struct region_sum *sum = &sums->sums[i];
        if (sum->name)
            order[n++] = (struct sorted){
                .weight = metric_weight(metric, &sum->figures, &sum->spread,
                                        sums->tallies ? &sums->tallies[i][0] : NULL),
                .name = metric == METRIC_NAME ? sum->name : NULL,
                .item = i};
    }
    sort_by_weight(order, n);
    return n;
}

/* Merge the regions from TOP on into one row, without inclusive times because these overlap. */
static size_t join_others(const struct region_sums *sums, const struct sorted *order, size_t n,
                          const struct sheet *sheet, struct others *others)
{
    size_t top = sheet->options->top;
    memset(others, 0, sizeof *others);
    others->figures = FIGURES_NONE;
    others->spread = SPREAD_NONE;
    tally_begin(&others->tallies[COUNT_EXCLUSIVE], sheet->paths, sheet->values);
    if (top == 0 || n <= top + 1)
        return n;
    for (size_t i = top; i < n; i++) {
        figures_add(&others->figures, &sums->sums[order[i].item].figures);
        if (sums->tallies)
            tally_join(&others->tallies[COUNT_EXCLUSIVE],
                       &sums->tallies[order[i].item][COUNT_EXCLUSIVE]);
    }
    others->figures.total = GPTL_CELL_NONE;
    others->figures.error = 0;
    snprintf(others->name, sizeof others->name, "(%zu more)", n - top);
    return top;
}

int flat_write(struct gptl_out *out, const struct paths *paths,
               const struct output_options *options)
{
    struct sheet sheet;
    struct region_sums sums = {0};
    struct others others;
    struct sorted *order = malloc(((size_t)paths->nregions + 1) * sizeof *order);
    int result = begin(&sheet, out, paths, options);
    if (result == 0)
        result = order ? region_sums_make(&sums, paths) : -1;
    if (result == 0) {
        enum metric metric = options->sort == METRIC_NONE ? METRIC_SELF : options->sort;
        size_t n = sort_regions(&sums, paths->nregions, metric, order);
        n = join_others(&sums, order, n, &sheet, &others);
        columns(&sheet);
        each_region(&sheet, &sums, order, n, &others);
        put_heads(&sheet, paths, "Regions of ");
        each_region(&sheet, &sums, order, n, &others);
        result = put_notes(&sheet);
    }
    region_sums_free(&sums);
    free(sheet.values);
    free(order);
    return result;
}
