/*
 * file_draw.c - the picture of gptl ioc file: each access is a bar over the bytes that it went to, in
 * the order in which they came; its color is its process, writes are thick.
 */
#include "config.h"

#include "postproc/ioc/file.h"

#include <stdio.h>
#include <stdlib.h>

#include "postproc/ioc/memory.h"
#include "postproc/ioc/plot.h"

enum { IN_LEGEND = 12 };

/* Those of all other processes have one color, once there are too many for a legend. */
static size_t put_points(struct plot *plot, const struct view *view, const struct map *groups,
                         size_t group, bool writes, double divisor, double least)
{
    size_t n = 0;
    gptl_out_format(plot->to, "$%s%zu << EOD\n", writes ? "write" : "read", group);
    for (size_t i = 0; i < view->npoints; i++) {
        const struct point *point = &view->points[i];
        if (*map_find(groups, point->process) != group || point->writes != writes ||
            point->offset < 0)
            continue;
        /* What is too short to be seen is drawn longer. */
        double height = (double)point->bytes / divisor;
        gptl_out_format(plot->to, "%llu %.9g %.9g\n", (unsigned long long)point->order,
                        (double)point->offset / divisor, height > least ? height : least);
        n++;
    }
    gptl_out_literal(plot->to, "EOD\n");
    return n;
}

static void put_curve(struct plot *plot, const struct view *view, size_t group, bool writes,
                      bool first)
{
    char title[700];
    const char *label = group < IN_LEGEND
                            ? view->ioc->log.processes[view->usage[group].process].label
                            : "other processes";
    snprintf(title, sizeof title, "%s %s", label, writes ? "writes" : "reads");
    const char *color = group < IN_LEGEND ? plot_color((unsigned)group) : "#bbbbbb";
    gptl_out_format(
        plot->to,
        "%s$%s%zu using 1:2:(0):3 with vectors nohead linecolor rgb '%s' linewidth %s "
        "notitle, $%s%zu using 1:($2+$3/2) with points pointtype %d pointsize %s linecolor "
        "rgb '%s' title ",
        first ? "plot " : ", ", writes ? "write" : "read", group, color, writes ? "2.5" : "1.2",
        writes ? "write" : "read", group, writes ? 5 : 6, writes ? "0.5" : "0.45", color);
    plot_text(plot, title);
}

int file_draw(const struct view *view)
{
    struct plot plot;
    const struct about *about = &view->about[0];
    const char *unit, *path = view->ioc->files.files[about->file].path;
    double most = 0;
    size_t groups = view->nusage < IN_LEGEND ? view->nusage : IN_LEGEND + 1;
    bool first = true, *any = memory_zeros(2 * groups, sizeof *any);
    struct map group_of = {0};
    for (size_t i = 0; i < view->npoints; i++) {
        double end = (double)view->points[i].offset + (double)view->points[i].bytes;
        most = end > most ? end : most;
    }
    for (size_t i = 0; i < view->nusage; i++)
        *map_put(&group_of, view->usage[i].process) = i < IN_LEGEND ? i : IN_LEGEND;
    double divisor = plot_unit(most, &unit);
    if (plot_open(&plot, "gptl ioc file", view->ioc->output, view->ioc->picture, 1100, 650)) {
        free(any);
        map_free(&group_of);
        return -1;
    }
    for (size_t i = 0; i < 2 * groups; i++)
        any[i] =
            put_points(&plot, view, &group_of, i / 2, i % 2, divisor, most / divisor / 300) > 0;
    gptl_out_literal(plot.to, "set title ");
    plot_text(&plot, path);
    gptl_out_format(
        plot.to,
        " font ',15'\nset xlabel 'access (in order of time%s)'\nset ylabel 'offset (%s)'\n"
        "set xrange [0:%llu]\nset yrange [0:%.9g]\nset tics out nomirror\n"
        "set grid linecolor rgb '#dddddd'\nset border 3 linecolor rgb '#888888'\n"
        "set key outside right top samplen 1 spacing 1.1\n",
        view->least_hash ? "; a part of them, by chance" : "", unit,
        (unsigned long long)about->accesses + 1, most > 0 ? most / divisor * 1.03 : 1);
    for (size_t i = 0; i < 2 * groups; i++)
        if (any[i]) {
            put_curve(&plot, view, i / 2, i % 2, first);
            first = false;
        }
    gptl_out_text(plot.to,
                  first ? "set label 'no offset is known' at graph 0.4,0.5\nplot -1 notitle\n"
                        : "\n");
    free(any);
    map_free(&group_of);
    return plot_close(&plot);
}
