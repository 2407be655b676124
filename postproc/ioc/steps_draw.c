/*
 * steps_draw.c - the picture of gptl ioc rate and ops: reads above writes. One process is a curve
 * over time, a few are curves in perspective, and many are a map seen from above.
 */
#include "config.h"

#include "postproc/ioc/steps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/commands.h"
#include "postproc/ioc/memory.h"
#include "postproc/plot/plot.h"

enum { MOST_CURVES = 24, MOST_LABELS = 12, MOST_ROWS = 400, MOST_COLUMNS = 1000, PANELS = 2 };

/* Contents of the picture: nonempty processes and steps, merged if numerous. */
struct grid {
    uint32_t *processes;
    size_t nprocesses, per_row, nrows;
    uint64_t first, per_column, ncolumns;
    double most[PANELS];
};

static double sum_of(const struct step *step, const unsigned *values)
{
    double sum = 0;
    for (; *values < STEP_VALUES; values++)
        sum += (double)step->value[*values];
    return sum;
}

static double cell(const struct steps *steps, const struct grid *grid, const unsigned *values,
                   size_t row, uint64_t column)
{
    double sum = 0;
    for (size_t p = row * grid->per_row; p < (row + 1) * grid->per_row && p < grid->nprocesses; p++)
        for (uint64_t i = 0; i < grid->per_column; i++)
            sum += sum_of(steps_at(&steps->lanes[grid->processes[p]],
                                   grid->first + column * grid->per_column + i),
                          values);
    return sum;
}

static void make_grid(struct grid *grid, const struct steps *steps,
                      const struct steps_picture *picture)
{
    *grid = (struct grid){.processes = memory_zeros(steps->nlanes, sizeof *grid->processes)};
    for (uint32_t p = 0; p < steps->nlanes; p++)
        if (steps->lanes[p].n > 0)
            grid->processes[grid->nprocesses++] = p;
    uint64_t n = steps->end > steps->first ? steps->end - steps->first : 0;
    grid->first = n ? steps->first : 0;
    grid->per_column = n / MOST_COLUMNS + 1;
    grid->ncolumns = (n + grid->per_column - 1) / grid->per_column;
    grid->per_row = grid->nprocesses / MOST_ROWS + 1;
    grid->nrows = (grid->nprocesses + grid->per_row - 1) / grid->per_row;
    for (int panel = 0; panel < PANELS; panel++)
        for (size_t row = 0; row < grid->nrows; row++)
            for (uint64_t c = 0; c < grid->ncolumns; c++)
                grid->most[panel] =
                    fmax(grid->most[panel], cell(steps, grid, picture->values[panel], row, c));
}

static double time_at(const struct steps *steps, const struct grid *grid, uint64_t column)
{
    return (double)(grid->first + column * grid->per_column) * (double)steps->step * 1e-9;
}

/* Return the middle of a square of a map. */
static double middle_of(const struct steps *steps, const struct grid *grid, uint64_t column)
{
    return (time_at(steps, grid, column) + time_at(steps, grid, column + 1)) / 2;
}

/* Write a data block per row: time, row, value. A step is flat from its start to its end. */
static void put_data(struct plot *plot, const struct steps *steps, const struct grid *grid,
                     const unsigned *values, double divisor, int panel)
{
    gptl_out_format(plot->to, "$panel%d << EOD\n", panel);
    for (size_t row = 0; row < grid->nrows; row++) {
        for (uint64_t c = 0; c < grid->ncolumns; c++) {
            double value = cell(steps, grid, values, row, c) / divisor;
            gptl_out_format(plot->to, "%.9g %zu %.9g\n", time_at(steps, grid, c), row, value);
            if (grid->nrows <= MOST_CURVES)
                gptl_out_format(plot->to, "%.9g %zu %.9g\n", time_at(steps, grid, c + 1), row,
                                value);
        }
        gptl_out_literal(plot->to, "\n\n");
    }
    gptl_out_literal(plot->to, "EOD\n");
}

/* Write the data of a map, whose rows are separated by a blank line. */
static void put_map_data(struct plot *plot, const struct steps *steps, const struct grid *grid,
                         const unsigned *values, double divisor, int panel)
{
    gptl_out_format(plot->to, "$panel%d << EOD\n", panel);
    for (size_t row = 0; row < grid->nrows; row++) {
        for (uint64_t c = 0; c < grid->ncolumns; c++)
            gptl_out_format(plot->to, "%.9g %zu %.9g\n", middle_of(steps, grid, c),
                            row * grid->per_row, cell(steps, grid, values, row, c) / divisor);
        gptl_out_char(plot->to, '\n');
    }
    gptl_out_literal(plot->to, "EOD\n");
}

static void put_range(struct plot *plot, const char *axis, double most)
{
    gptl_out_format(plot->to, "set %srange [0:%.9g]\n", axis, most > 0 ? most * 1.05 : 1);
}

static void draw_curve(struct plot *plot, const struct grid *grid, int panel, double most)
{
    (void)grid;
    put_range(plot, "y", most);
    gptl_out_format(
        plot->to,
        "plot $panel%d using 1:3 with filledcurves y=0 fillcolor rgb '%s' fillstyle solid "
        "0.25 notitle, $panel%d using 1:3 with lines linecolor rgb '%s' linewidth 1.5 "
        "notitle\n",
        panel, plot_color((unsigned)panel ? 1 : 0), panel, plot_color((unsigned)panel ? 1 : 0));
}

/*
 * Label every row, or every second one if there are many curves. Returns the scale that leaves
 * space for the longest label: the picture begins at 853 of 1000 units, grows from the middle, and
 * a character takes 8 units.
 */
static double put_labels(struct plot *plot, const struct ioc *ioc, const struct grid *grid)
{
    size_t every = grid->nrows > MOST_LABELS ? 2 : 1, longest = 0;
    char label[700];
    gptl_out_literal(plot->to, "set ytics out nomirror (");
    for (size_t row = 0; row < grid->nrows; row += every) {
        gptl_out_text(plot->to, row ? ", " : "");
        log_long_label(&ioc->log, grid->processes[row * grid->per_row], label, sizeof label);
        plot_text(plot, label);
        gptl_out_format(plot->to, " %zu", row);
        longest = strlen(label) > longest ? strlen(label) : longest;
    }
    gptl_out_literal(plot->to, ")\n");
    double scale = (500 - 8.0 * (double)longest) / 353;
    return scale > 1 ? 1 : scale < 0.6 ? 0.6 : scale;
}

/* Draw the curves from back to front. */
static void draw_curves(struct plot *plot, const struct ioc *ioc, const struct grid *grid,
                        int panel, double most, const char *zlabel)
{
    double scale = put_labels(plot, ioc, grid);
    put_range(plot, "z", most);
    gptl_out_format(
        plot->to,
        "unset ylabel\nset zlabel '%s' rotate by 90 offset -2,0\nset xyplane 0\n"
        "set view 55,20,%.2f,1.05\nset yrange [-0.5:%zu.5] reverse\nset ytics offset 0.5,0\n"
        "set grid x y z linetype 1 linecolor rgb '#e4e4e4'\nset border 127+256+512 linecolor rgb "
        "'#888888'\nset style fill transparent solid 0.45 noborder\nsplot ",
        zlabel, scale, grid->nrows - 1);
    for (size_t i = 0; i < grid->nrows; i++) {
        size_t row = grid->nrows - 1 - i;
        const char *color = plot_color((unsigned)row);
        gptl_out_format(plot->to,
                        "%s$panel%d index %zu using 1:2:3:(0):3 with zerrorfill fillcolor rgb '%s' "
                        "notitle, $panel%d index %zu using 1:2:3 with lines linecolor rgb '%s' "
                        "linewidth 1.2 notitle",
                        i ? ", " : "", panel, row, color, panel, row, color);
    }
    gptl_out_char(plot->to, '\n');
}

static void draw_map(struct plot *plot, const struct ioc *ioc, const struct grid *grid, int panel,
                     double most, const char *label)
{
    (void)ioc;
    put_range(plot, "cb", most);
    gptl_out_format(
        plot->to,
        "set ylabel '%s'\nset yrange [-0.5:%zu]\nset cblabel '%s'\n"
        "set palette defined (0 '#ffffff', 0.001 '#dbe9f6', 0.25 '#6baed6', 0.6 '#08519c', "
        "1 '#3f007d')\nplot $panel%d using 1:2:3 with image notitle\n",
        grid->per_row > 1 ? "process (several joined)" : "process", grid->nrows * grid->per_row,
        label, panel);
}

/* Write the title; it names a single process, which lacks an axis. */
static void put_title(struct plot *plot, const struct ioc *ioc, const struct grid *grid,
                      const char *title)
{
    char text[800], label[700];
    snprintf(text, sizeof text, "%s", title);
    if (grid->nprocesses == 1) {
        log_long_label(&ioc->log, grid->processes[0], label, sizeof label);
        snprintf(text, sizeof text, "%s, %s", title, label);
    }
    gptl_out_literal(plot->to, "set title ");
    plot_text(plot, text);
    gptl_out_literal(plot->to, " font ',15'\n");
}

static void draw_panel(struct plot *plot, const struct steps *steps, const struct ioc *ioc,
                       const struct grid *grid, const struct steps_picture *picture, int panel)
{
    const char *unit = picture->calls;
    double divisor = picture->calls ? 1 : plot_unit(grid->most[panel], &unit);
    double most = grid->most[panel] / divisor;
    char label[100];
    bool is_map = grid->nrows > MOST_CURVES;
    snprintf(label, sizeof label, "%s in %.3g s", unit,
             (double)steps->step * (double)grid->per_column * 1e-9);
    if (is_map)
        put_map_data(plot, steps, grid, picture->values[panel], divisor, panel);
    else
        put_data(plot, steps, grid, picture->values[panel], divisor, panel);
    put_title(plot, ioc, grid, picture->title[panel]);
    gptl_out_format(plot->to, "set xlabel 'time (s)'\nset ylabel '%s'\n", label);
    gptl_out_format(plot->to, "set xrange [%.9g:%.9g]\n", time_at(steps, grid, 0),
                    time_at(steps, grid, grid->ncolumns));
    if (is_map)
        draw_map(plot, ioc, grid, panel, most, label);
    else if (grid->nrows == 1)
        draw_curve(plot, grid, panel, most);
    else
        draw_curves(plot, ioc, grid, panel, most, label);
}

int steps_draw(const struct steps *steps, const struct ioc *ioc,
               const struct steps_picture *picture)
{
    struct plot plot;
    struct grid grid;
    make_grid(&grid, steps, picture);
    if (grid.ncolumns == 0) {
        fprintf(stderr, "gptl ioc %s: there is nothing to draw: no such calls\n", ioc->tool);
        free(grid.processes);
        return -1;
    }
    char who[64];
    snprintf(who, sizeof who, "gptl ioc %s", ioc->tool);
    int height = grid.nrows == 1 ? 700 : 1000;
    if (plot_open(&plot, who, ioc->output, ioc->picture, 1000, height)) {
        free(grid.processes);
        return -1;
    }
    gptl_out_literal(
        plot.to,
        "set multiplot layout 2,1\nset tics out nomirror\nset grid linetype 1 linecolor rgb "
        "'#e4e4e4'\nset border 3 linecolor rgb '#888888'\n");
    for (int panel = 0; panel < PANELS; panel++)
        draw_panel(&plot, steps, ioc, &grid, picture, panel);
    gptl_out_literal(plot.to, "unset multiplot\n");
    free(grid.processes);
    return plot_close(&plot);
}
