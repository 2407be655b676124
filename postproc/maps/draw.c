/*
 * draw.c - a machine's profile as a picture: accesses per second by working set, with a panel for
 * one core and one for all cores, and a mark at each cache's size.
 */
#include "config.h"

#include "postproc/maps/show.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "postproc/ioc/memory.h"
#include "postproc/plot/plot.h"

/* The curves to draw if the machine has them; more would be indistinguishable. */
static const struct machine_kind drawn[] = {
    {.operation = MACHINE_LOAD, .access = MACHINE_SEQUENTIAL, .access_bytes = 8},
    {.operation = MACHINE_STORE, .access = MACHINE_SEQUENTIAL, .access_bytes = 8},
    {.operation = MACHINE_LOAD, .access = MACHINE_SEQUENTIAL, .width = MACHINE_VECTOR},
    {.operation = MACHINE_LOAD, .access = MACHINE_STRIDE, .stride_lines = 1, .access_bytes = 8},
    {.operation = MACHINE_LOAD, .access = MACHINE_STRIDE, .stride_lines = 8, .access_bytes = 8},
    {.operation = MACHINE_LOAD, .access = MACHINE_RANDOM, .access_bytes = 8},
    {.operation = MACHINE_LOAD, .access = MACHINE_DEPENDENT, .access_bytes = 8}};

enum { NDRAWN = sizeof drawn / sizeof *drawn };

struct drawing {
    struct plot plot;
    const struct machine *machine;
    double least, most; /* working sets */
    double low, high;   /* rates */
};

/* Return curve I; of vectors, the widest. */
static const struct machine_curve *find(const struct machine *machine, int i,
                                        enum machine_pages pages, unsigned cores)
{
    const struct machine_curve *found = NULL;
    for (size_t c = 0; c < machine->ncurves; c++) {
        const struct machine_kind *kind = &machine->curves[c].kind;
        if (kind->operation == drawn[i].operation && kind->access == drawn[i].access &&
            kind->width == drawn[i].width && kind->stride_lines == drawn[i].stride_lines &&
            kind->pages == pages && kind->cores == cores &&
            (!found || kind->access_bytes > found->kind.access_bytes))
            found = &machine->curves[c];
    }
    return found;
}

static bool has_cores(const struct machine *machine, unsigned cores)
{
    for (size_t i = 0; i < machine->ncurves; i++)
        if (machine->curves[i].kind.cores == cores)
            return true;
    return false;
}

static unsigned most_cores(const struct machine *machine)
{
    unsigned most = 0;
    for (size_t i = 0; i < machine->ncurves; i++)
        if (machine->curves[i].kind.cores > most)
            most = machine->curves[i].kind.cores;
    return most;
}

/* ---- Data ---------------------------------------------------------------------------------- */

static void put_points(struct drawing *drawing, int i, enum machine_pages pages, unsigned cores)
{
    struct gptl_out *to = drawing->plot.to;
    const struct machine_curve *curve = find(drawing->machine, i, pages, cores);
    if (!curve)
        return;
    gptl_out_format(to, "$c%d_%d_%u << EOD\n", i, pages, cores);
    for (size_t p = 0; p < curve->npoints; p++) {
        double bytes = (double)curve->points[p].working_set_bytes;
        double rate = curve->points[p].accesses_per_second;
        gptl_out_format(to, "%.9g %.9g\n", bytes, rate);
        drawing->least = fmin(drawing->least, bytes);
        drawing->most = fmax(drawing->most, bytes);
        drawing->low = fmin(drawing->low, rate);
        drawing->high = fmax(drawing->high, rate);
    }
    gptl_out_literal(to, "EOD\n");
}

/* ---- Axes ---------------------------------------------------------------------------------- */

/* Write labels of sizes: 4 KiB, 16 KiB … 1 GiB. */
static void put_sizes(struct drawing *drawing)
{
    struct gptl_out *to = drawing->plot.to;
    int step = log2(drawing->most / drawing->least) > 14 ? 2 : 1;
    bool any = false;
    gptl_out_literal(to, "set xtics (");
    for (int n = (int)ceil(log2(drawing->least)); exp2(n) <= drawing->most; n++) {
        const char *unit;
        if (n % step != 0)
            continue;
        double bytes = exp2(n), divisor = plot_unit(bytes, &unit);
        if (bytes / divisor >= 1024) /* choose the unit for fewer than four digits */
            divisor = plot_unit(2 * bytes, &unit);
        gptl_out_format(to, "%s'%.0f %s' %.0f", any ? ", " : "", bytes / divisor, unit, bytes);
        any = true;
    }
    gptl_out_literal(to, ") nomirror rotate by -40\n");
}

static void put_frame(struct drawing *drawing)
{
    gptl_out_format(drawing->plot.to,
                    "set logscale x 2\nset logscale y 10\n"
                    "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n",
                    drawing->least / 1.15, drawing->most * 1.15, drawing->low / 1.4,
                    drawing->high * 2.2);
    put_sizes(drawing);
    gptl_out_literal(
        drawing->plot.to,
        "set ytics nomirror ('1 M' 1e6, '10 M' 1e7, '100 M' 1e8, '1 G' 1e9, '10 G' 1e10, "
        "'100 G' 1e11, '100 k' 1e5)\nset mytics 10\n"
        "set grid ytics linetype 1 linecolor rgb '#e4e4e4'\n"
        "set border 3 linecolor rgb '#888888'\nset ylabel 'accesses per second of a core'\n");
}

/* Mark the size of each cache for one of CORES. */
static void put_caches(struct drawing *drawing, unsigned cores)
{
    struct gptl_out *to = drawing->plot.to;
    gptl_out_literal(to, "unset arrow\nunset label\n");
    for (size_t i = 0; i < drawing->machine->ncaches; i++) {
        double least, most;
        machine_level_span(drawing->machine, i, cores, &least, &most);
        if (most < drawing->least || most > drawing->most)
            continue;
        gptl_out_format(to,
                        "set arrow from %.9g, graph 0 to %.9g, graph 1 nohead dashtype 2 "
                        "linecolor rgb '#999999' back\n"
                        "set label 'L%u ' at %.9g, graph 0.975 right textcolor rgb '#666666'\n",
                        most, most, drawing->machine->caches[i].level, most);
    }
}

/* ---- Panels -------------------------------------------------------------------------------- */

static void put_panel(struct drawing *drawing, unsigned cores, bool last)
{
    struct gptl_out *to = drawing->plot.to;
    bool any = false, huge = false;
    put_caches(drawing, cores);
    gptl_out_format(to, "set title '%u core%s' font ',13'\nset xlabel '%s'\nset key %s\nplot",
                    cores, cores == 1 ? "" : "s at the same time", "working set of a core",
                    last ? "outside right top Left reverse samplen 2 spacing 1.3" : "off");
    for (int i = 0; i < NDRAWN; i++)
        for (int pages = 0; pages < MACHINE_NPAGES; pages++) {
            const struct machine_curve *curve = find(drawing->machine, i, pages, cores);
            char title[128];
            if (!curve)
                continue;
            bool again = pages == MACHINE_HUGE && find(drawing->machine, i, MACHINE_SMALL, cores);
            gptl_out_format(to,
                            "%s $c%d_%d_%u using 1:2 with lines linewidth %s dashtype %s "
                            "linecolor rgb '%s' ",
                            any ? "," : "", i, pages, cores, pages ? "1.6" : "2.2",
                            pages ? "(4,3)" : "solid", plot_color(i < 6 ? (unsigned)i : 7));
            show_kind(&curve->kind, title, sizeof title);
            gptl_out_literal(to, "title ");
            plot_text(&drawing->plot, again ? "" : title);
            any = true;
            huge |= pages == MACHINE_HUGE;
        }
    /* One legend entry for all dashed lines. */
    if (huge)
        gptl_out_literal(to, ", 1/0 with lines linewidth 1.6 dashtype (4,3) linecolor rgb "
                             "'#666666' title 'in huge pages'");
    gptl_out_char(to, '\n');
}

static void plot_title(struct plot *plot, const struct machine *machine)
{
    char *title;
    if (asprintf(&title, "%s%s%s", machine->name, *machine->processor ? ": " : "",
                 machine->processor) < 0)
        memory_end();
    plot_text(plot, title);
    free(title);
}

int show_picture(const struct machine *machine, const char *path, enum picture kind)
{
    struct drawing drawing = {
        .machine = machine, .least = INFINITY, .most = 0, .low = INFINITY, .high = 0};
    unsigned cores[2] = {1, most_cores(machine)};
    bool two = has_cores(machine, 1) && cores[1] > 1;
    if (machine->ncurves == 0) {
        fprintf(stderr, "gptl maps: the machine has no curves to draw\n");
        return -1;
    }
    if (plot_open(&drawing.plot, "gptl maps", path, kind, two ? 1500 : 950, 620))
        return -1;
    for (int n = two ? 0 : 1; n < 2; n++)
        for (int i = 0; i < NDRAWN; i++)
            for (int pages = 0; pages < MACHINE_NPAGES; pages++)
                put_points(&drawing, i, pages, cores[n]);
    put_frame(&drawing);
    gptl_out_text(drawing.plot.to,
                  two ? "set multiplot layout 1,2 title " : "set multiplot layout 1,1 title ");
    plot_title(&drawing.plot, machine);
    gptl_out_literal(drawing.plot.to, " font ',15'\n");
    if (two) {
        gptl_out_literal(drawing.plot.to,
                         "set lmargin at screen 0.06\nset rmargin at screen 0.41\n");
        put_panel(&drawing, cores[0], false);
        gptl_out_literal(drawing.plot.to,
                         "set lmargin at screen 0.475\nset rmargin at screen 0.825\n"
                         "unset ylabel\n");
    }
    put_panel(&drawing, cores[1], true);
    gptl_out_literal(drawing.plot.to, "unset multiplot\n");
    return plot_close(&drawing.plot);
}
