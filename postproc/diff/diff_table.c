/*
 * diff_table.c - gptl diff: the comparison as a table in the style of the text report: names on the
 * left, widths derived from the data.
 */
#include "config.h"

#include "postproc/diff/diff.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "postproc/diff/noise.h"

#include "report/name.h"
#include "report/number.h"

enum {
    COLUMNS = 16,
    WHOLE_COLUMNS = 4, /* without the verdict */
    CELL_SIZE = 48,
    MARGIN = 2,
    GAP = 2,
    /* As in the text report, a longer name takes a separate line. */
    NAME_WIDTH_MAX = 120,
    /*
     * Limits the indentation: the lines of a very deep tree would need space quadratic in its
     * depth.
     */
    DEEPEST_INDENTED = 50,
};

struct sheet {
    struct gptl_out *out;
    const struct diff *diff;
    int decimals, ncolumns;
    size_t name_width;
    struct {
        const char *head;
        size_t width;
        bool words; /* text, aligned to the left */
    } column[COLUMNS];
};

/* ---- Cells --------------------------------------------------------------------------------- */

static void put_number(const struct sheet *sheet, double value, enum diff_metric metric, char *to)
{
    bool negative = value < 0;
    *to = '-';
    to += negative;
    value = fabs(value);
    if (value >= 0x1p64) { /* further digits would exceed the precision of a double */
        snprintf(to, CELL_SIZE - 1, "%.9e", metric >= DIFF_CALLS ? value : value * 1e-9);
        return;
    }
    uint64_t whole = (uint64_t)value;
    size_t n = metric >= DIFF_CALLS ? gptl_number_uint(to, whole)
                                    : gptl_number_seconds(to, whole, sheet->decimals);
    to[n] = '\0';
}

/* Write the change, or "-" if it rounds to 0 with these decimals. */
static void put_change(const struct sheet *sheet, const struct diff_figure *figure,
                       enum diff_metric metric, char *change, char *percent)
{
    double before = figure->of[DIFF_A], by = diff_change(figure);
    put_number(sheet, fabs(by), metric, change + 1);
    *change = by > 0 ? '+' : '-';
    bool none = strspn(change + 1, "0.") == strlen(change + 1);
    if (none)
        strcpy(change, "-");
    if (before > 0 && !none)
        snprintf(percent, CELL_SIZE, "%+.1f", 100 * by / before);
    else
        strcpy(percent, "-");
}

/* Write a number of calls, with "~" if it varies between the runs of a side. */
static void put_calls(const struct sheet *sheet, const struct diff_figure *figure, int side,
                      char *to)
{
    *to = '~';
    put_number(sheet, figure->of[side], DIFF_CALLS, to + figure->varies[side]);
}

/* Write a value, with "~" if it is an estimate. */
static void put_value(const struct sheet *sheet, const struct diff_row *row, int metric, int side,
                      char *to)
{
    bool own = metric == DIFF_SELF || metric == DIFF_OWN;
    bool about = row->figure[own ? DIFF_SELF : DIFF_TOTAL].error[side] > 0;
    *to = '~';
    put_number(sheet, row->figure[metric].of[side], (enum diff_metric)metric, to + about);
}

/*
 * Return whether the metric is shown only as a change, because the inclusive metric has columns for
 * both sides.
 */
static bool is_beside(const bool *compared, int metric)
{
    return (metric == DIFF_SELF && compared[DIFF_TOTAL]) || metric == DIFF_OWN;
}

/* Make the cells of a row in the order of add_columns. */
static void make_cells(const struct sheet *sheet, const struct diff_row *row,
                       char cells[COLUMNS][CELL_SIZE])
{
    const bool *compared = sheet->diff->options->compared;
    char(*to)[CELL_SIZE] = cells;
    for (int m = 0; m < DIFF_METRICS; m++) {
        const struct diff_figure *figure = &row->figure[m];
        if (!compared[m])
            continue;
        for (int side = 0; side < DIFF_SIDES && !is_beside(compared, m); side++)
            if (m == DIFF_CALLS)
                put_calls(sheet, figure, side, *to++);
            else
                put_value(sheet, row, m, side, *to++);
        put_change(sheet, figure, (enum diff_metric)m, to[0], to[1]);
        to += 2;
        snprintf(*to++, CELL_SIZE, "%s", diff_verdict_word(figure->verdict, (enum diff_metric)m));
    }
    for (int side = 0; side < DIFF_SIDES && !compared[DIFF_CALLS]; side++)
        put_calls(sheet, &row->figure[DIFF_CALLS], side, *to++);
}

static void add_column(struct sheet *sheet, const char *head, bool words)
{
    sheet->column[sheet->ncolumns].head = head;
    sheet->column[sheet->ncolumns].words = words;
    sheet->column[sheet->ncolumns++].width = strlen(head);
}

static void add_columns(struct sheet *sheet)
{
    static const char *const heads[DIFF_METRICS][DIFF_SIDES] = {{"Inclusive A", "Inclusive B"},
                                                                {"Exclusive A", "Exclusive B"},
                                                                {"Called A", "Called B"},
                                                                {"Inclusive A", "Inclusive B"}};
    const bool *compared = sheet->diff->options->compared;
    for (int m = 0; m < DIFF_METRICS; m++) {
        bool both = is_beside(compared, m);
        if (!compared[m])
            continue;
        for (int side = 0; side < DIFF_SIDES && !both; side++)
            add_column(sheet, heads[m][side], false);
        add_column(sheet, both ? "Exclusive change" : "change", false);
        add_column(sheet, "%", false);
        add_column(sheet, "verdict", true);
    }
    for (int side = 0; side < DIFF_SIDES && !compared[DIFF_CALLS]; side++)
        add_column(sheet, heads[DIFF_CALLS][side], false);
}

/* ---- Rows ---------------------------------------------------------------------------------- */

static void put_cell(const struct sheet *sheet, int column, const char *text)
{
    size_t blanks = sheet->column[column].width - strlen(text);
    gptl_out_blanks(sheet->out, GAP + (sheet->column[column].words ? 0 : blanks));
    gptl_out_text(sheet->out, text);
    /* Avoid trailing spaces. */
    if (sheet->column[column].words && column + 1 < sheet->ncolumns)
        gptl_out_blanks(sheet->out, blanks);
}

static size_t indent(const struct diff_row *row, char *level)
{
    *level = '\0';
    if (row->level <= DEEPEST_INDENTED)
        return MARGIN + 2 * (size_t)(row->level - 1);
    snprintf(level, GPTL_NUMBER_SIZE, "[%u] ", row->level);
    return MARGIN + 2 * (size_t)(DEEPEST_INDENTED - 1);
}

static void fit_row(struct sheet *sheet, const struct diff_row *row)
{
    char cells[COLUMNS][CELL_SIZE], level[GPTL_NUMBER_SIZE];
    size_t width = indent(row, level);
    width += strlen(level) + gptl_name_width(row->name, false);
    if (width > sheet->name_width && width <= NAME_WIDTH_MAX)
        sheet->name_width = width;
    make_cells(sheet, row, cells);
    for (int i = 0; i < sheet->ncolumns; i++)
        if (strlen(cells[i]) > sheet->column[i].width)
            sheet->column[i].width = strlen(cells[i]);
}

static void put_row(const struct sheet *sheet, const struct diff_row *row)
{
    char cells[COLUMNS][CELL_SIZE], level[GPTL_NUMBER_SIZE];
    size_t width = indent(row, level);
    gptl_out_blanks(sheet->out, width);
    gptl_out_text(sheet->out, level);
    gptl_name_text(sheet->out, row->name, false);
    width += strlen(level) + gptl_name_width(row->name, false);
    if (width > sheet->name_width) {
        gptl_out_char(sheet->out, '\n');
        width = 0;
    }
    gptl_out_blanks(sheet->out, sheet->name_width - width);
    make_cells(sheet, row, cells);
    for (int i = 0; i < sheet->ncolumns; i++)
        put_cell(sheet, i, cells[i]);
    gptl_out_char(sheet->out, '\n');
}

static void put_rows(struct sheet *sheet)
{
    const struct diff *diff = sheet->diff;
    for (uint32_t i = 0; i < diff->nshown; i++)
        fit_row(sheet, &diff->rows[diff->order[i]]);
    gptl_out_char(sheet->out, '\n');
    gptl_out_blanks(sheet->out, sheet->name_width);
    for (int i = 0; i < sheet->ncolumns; i++)
        put_cell(sheet, i, sheet->column[i].head);
    gptl_out_char(sheet->out, '\n');
    for (uint32_t i = 0; i < diff->nshown; i++)
        put_row(sheet, &diff->rows[diff->order[i]]);
}

/* ---- The whole run ------------------------------------------------------------------------- */

static void put_side(const struct sheet *sheet, enum diff_side side)
{
    const struct diff_runs *runs = sheet->diff->runs;
    const struct diff_run *first = &runs->runs[side == DIFF_A ? 0 : runs->nruns[DIFF_A]];
    gptl_out_char(sheet->out, side == DIFF_A ? 'A' : 'B');
    gptl_out_literal(sheet->out, "  ");
    if (runs->nruns[side] > 1)
        gptl_out_format(sheet->out, "%u runs: ", runs->nruns[side]);
    gptl_name_text(sheet->out, first->path, false);
    if (runs->nruns[side] > 1) {
        gptl_out_text(sheet->out, runs->nruns[side] > 2 ? " ... " : " ");
        gptl_name_text(sheet->out, first[runs->nruns[side] - 1].path, false);
    }
    gptl_out_char(sheet->out, '\n');
}

/* Write a line of the small table above the rows. */
static void put_line(const struct sheet *sheet, const char *name, char cells[][CELL_SIZE],
                     const size_t *widths)
{
    gptl_out_format(sheet->out, "  %-11s", name);
    for (int i = 0; i < WHOLE_COLUMNS; i++) {
        gptl_out_blanks(sheet->out, GAP + widths[i] - strlen(cells[i]));
        gptl_out_text(sheet->out, cells[i]);
    }
}

/* Write a table of N figures summed over all rows, in units of WHAT. */
static void put_sums(const struct sheet *sheet, const char *what, const char *const *names,
                     const struct diff_figure *const *figures, int n, enum diff_metric metric)
{
    char heads[WHOLE_COLUMNS][CELL_SIZE] = {"A", "B", "change", "%"};
    char cells[2][WHOLE_COLUMNS][CELL_SIZE];
    size_t widths[WHOLE_COLUMNS];
    for (int r = 0; r < n; r++) {
        for (int side = 0; side < DIFF_SIDES; side++) {
            bool about = figures[r]->error[side] > 0;
            cells[r][side][0] = '~';
            put_number(sheet, figures[r]->of[side], metric, cells[r][side] + about);
        }
        put_change(sheet, figures[r], metric, cells[r][2], cells[r][3]);
    }
    for (int i = 0; i < WHOLE_COLUMNS; i++) {
        widths[i] = strlen(heads[i]);
        for (int r = 0; r < n; r++)
            if (strlen(cells[r][i]) > widths[i])
                widths[i] = strlen(cells[r][i]);
    }
    gptl_out_char(sheet->out, '\n');
    put_line(sheet, what, heads, widths);
    gptl_out_literal(sheet->out, "  verdict\n");
    for (int r = 0; r < n; r++) {
        put_line(sheet, names[r], cells[r], widths);
        gptl_out_format(sheet->out, "  %s\n", diff_verdict_word(figures[r]->verdict, metric));
    }
}

static void put_whole(const struct sheet *sheet)
{
    static const char *const names[] = {"whole run", "all regions"};
    const struct diff *diff = sheet->diff;
    const struct diff_figure *times[] = {&diff->elapsed, &diff->rows[0].figure[DIFF_TOTAL]};
    const struct diff_figure *events[] = {&diff->rows[0].figure[DIFF_COUNT]};
    put_sums(sheet, "seconds", names, times, 2, DIFF_TOTAL);
    if (!diff->event)
        return;
    put_sums(sheet, "events", names + 1, events, 1, DIFF_COUNT);
    gptl_out_literal(sheet->out, "\nEvents are those of ");
    gptl_name_text(sheet->out, diff->event->name, false);
    if (*diff->event->description) {
        gptl_out_literal(sheet->out, ": ");
        gptl_name_text(sheet->out, diff->event->description, false);
    }
    gptl_out_char(sheet->out, '\n');
}

/* ---- Text ---------------------------------------------------------------------------------- */

static void put_notes(const struct sheet *sheet)
{
    const struct diff_notes *notes = &sheet->diff->notes;
    for (uint32_t i = 0; i < notes->n; i++) {
        gptl_out_literal(sheet->out, "Note: ");
        gptl_name_text(sheet->out, notes->texts[i], false);
        gptl_out_char(sheet->out, '\n');
    }
}

static bool any_estimated(const struct diff *diff)
{
    const double *error = diff->rows[0].figure[DIFF_TOTAL].error;
    bool any = error[DIFF_A] > 0 || error[DIFF_B] > 0;
    for (uint32_t i = 1; i < diff->nrows && !any; i++) {
        error = diff->rows[i].figure[DIFF_SELF].error;
        any = error[DIFF_A] > 0 || error[DIFF_B] > 0;
    }
    return any;
}

static void put_conclusion(const struct sheet *sheet)
{
    const struct diff *diff = sheet->diff;
    const struct diff_options *options = diff->options;
    struct gptl_out *out = sheet->out;
    const char *what = options->flat ? "region" : "path";
    gptl_out_char(out, '\n');
    if (diff->identical)
        gptl_out_literal(out, "No difference.\n");
    else if (diff->nchanged == 0)
        gptl_out_format(out, "No %s differs%s%s.\n", what,
                        diff->can_tell ? " by more than noise" : " by as much as is shown",
                        options->all ? "" : "; --all shows all");
    if (diff->can_tell)
        gptl_out_format(out,
                        "Verdicts are of %u figures in %u + %u runs; the chance that one or more "
                        "are wrong is %g %% at most.\n",
                        diff->ntested, diff->runs->nruns[DIFF_A], diff->runs->nruns[DIFF_B],
                        100 * NOISE_ALPHA);
    if (any_estimated(diff))
        gptl_out_literal(out,
                         "Times with ~ are estimated (option throttle): a change within the sum "
                         "of both errors is none.\n");
    if (diff->nhidden > 0 && !options->all)
        gptl_out_format(out, "%u %s%s changed by less than %.3g %s%s.\n", diff->nhidden, what,
                        diff->nhidden == 1 ? "" : "s",
                        diff->event ? diff->event_limit : diff->limit / 1e9,
                        diff->event ? "events" : "s",
                        "; --all shows all, --threshold and --min say how much is shown");
    if (diff->nfailed > 0) {
        gptl_out_format(out, "B %s than --fail-above allows in %u figure%s, first in ",
                        diff->event ? "has more events" : "is slower", diff->nfailed,
                        diff->nfailed == 1 ? "" : "s");
        gptl_name_text(out, diff->failed, true);
        gptl_out_literal(out, ".\n");
    }
}

/*
 * Return the number of decimals: the limit of visible changes gets two digits if the longest time
 * then needs at most ten.
 */
static int decimals_of(const struct diff *diff)
{
    double longest = fmax(fmax(diff->elapsed.of[DIFF_A], diff->elapsed.of[DIFF_B]), 1e9);
    for (int side = 0; side < DIFF_SIDES; side++)
        longest = fmax(longest, diff->rows[0].figure[DIFF_TOTAL].of[side]);
    int most = 18 - (int)floor(log10(longest));
    int decimals = diff->limit > 0 ? 10 - (int)floor(log10(diff->limit)) : 9;
    decimals = decimals > most ? most : decimals;
    return decimals < 2 ? 2 : decimals > 9 ? 9 : decimals;
}

void diff_table_write(struct gptl_out *out, const struct diff *diff)
{
    struct sheet sheet = {.out = out, .diff = diff, .decimals = decimals_of(diff)};
    put_side(&sheet, DIFF_A);
    put_side(&sheet, DIFF_B);
    put_notes(&sheet);
    put_whole(&sheet);
    add_columns(&sheet);
    if (diff->nshown > 0)
        put_rows(&sheet);
    put_conclusion(&sheet);
}
