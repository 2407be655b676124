/*
 * file_draw.c - the picture of gptl ioc file: each access is a bar over its byte range, in the
 * order of time; the color is the process, and writes are thick.
 */
#include "config.h"

#include "postproc/ioc/file.h"

#include <stdio.h>
#include <stdlib.h>

#include "postproc/ioc/memory.h"
#include "postproc/plot/plot.h"

/* Limit of processes with a separate color and legend entry; more processes use a color scale. */
enum { IN_LEGEND = 12 };

struct picture_of_file {
    struct plot plot;
    const struct view *view;
    struct map group_of; /* maps processes to curves: one each, or a single one */
    size_t ngroups;
    bool has_scale;
    double divisor, least; /* of bytes; shorter bars are extended to this length to be visible */
};

static size_t put_points(struct picture_of_file *picture, size_t group, bool writes)
{
    const struct view *view = picture->view;
    struct gptl_out *to = picture->plot.to;
    size_t n = 0;
    gptl_out_format(to, "$%s%zu << EOD\n", writes ? "write" : "read", group);
    for (size_t i = 0; i < view->npoints; i++) {
        const struct point *point = &view->points[i];
        if (*map_find(&picture->group_of, point->process) != group || point->writes != writes ||
            point->offset < 0)
            continue;
        double height = (double)point->bytes / picture->divisor;
        gptl_out_format(to, "%llu %.9g %.9g %u\n", (unsigned long long)point->order,
                        (double)point->offset / picture->divisor,
                        height > picture->least ? height : picture->least, point->process);
        n++;
    }
    gptl_out_literal(to, "EOD\n");
    return n;
}

static void put_curve(struct picture_of_file *picture, size_t group, bool writes, bool first)
{
    const struct view *view = picture->view;
    const char *kind = writes ? "write" : "read";
    char title[700], color[64];
    if (picture->has_scale) {
        snprintf(title, sizeof title, "%ss", kind);
        snprintf(color, sizeof color, "palette");
    } else {
        char label[650];
        log_long_label(&view->ioc->log, view->usage[group].process, label, sizeof label);
        snprintf(title, sizeof title, "%s %ss", label, kind);
        snprintf(color, sizeof color, "rgb '%s'", plot_color((unsigned)group));
    }
    gptl_out_format(
        picture->plot.to,
        "%s$%s%zu using 1:2:(0):3%s with vectors nohead linewidth %s linecolor %s notitle, "
        "$%s%zu using 1:($2+$3/2)%s with points pointtype %d pointsize %s linecolor %s "
        "title ",
        first ? "plot " : ", ", kind, group, picture->has_scale ? ":4" : "", writes ? "2.5" : "1.2",
        color, kind, group, picture->has_scale ? ":4" : "", writes ? 5 : 6, writes ? "0.5" : "0.45",
        color);
    plot_text(&picture->plot, title);
}

static void put_curves(struct picture_of_file *picture)
{
    bool first = true, *any = memory_zeros(2 * picture->ngroups, sizeof *any);
    for (size_t i = 0; i < 2 * picture->ngroups; i++)
        any[i] = put_points(picture, i / 2, i % 2) > 0;
    for (size_t i = 0; i < 2 * picture->ngroups; i++)
        if (any[i]) {
            put_curve(picture, i / 2, i % 2, first);
            first = false;
        }
    gptl_out_text(picture->plot.to,
                  first ? "set label 'no offset is known' at graph 0.4,0.5\nplot -1 notitle\n"
                        : "\n");
    free(any);
}

static void put_frame(struct picture_of_file *picture, double most, const char *unit)
{
    const struct view *view = picture->view;
    struct gptl_out *to = picture->plot.to;
    gptl_out_literal(to, "set title ");
    plot_text(&picture->plot, view->ioc->files.files[view->about[0].file].path);
    gptl_out_format(
        to,
        " font ',15'\nset xlabel 'access (in order of time%s)'\nset ylabel 'offset (%s)'\n"
        "set xrange [0:%llu]\nset yrange [0:%.9g]\nset tics out nomirror\n"
        "set grid linetype 1 linecolor rgb '#e4e4e4'\n"
        "set border 3 linecolor rgb '#888888'\n"
        "set key outside right top samplen 1 spacing 1.1\n",
        view->least_hash ? "; a part of them, by chance" : "", unit,
        (unsigned long long)view->about[0].accesses + 1,
        most > 0 ? most / picture->divisor * 1.03 : 1);
    if (picture->has_scale)
        gptl_out_literal(to,
                         "set key outside top center horizontal\nset cblabel 'process'\n"
                         "set palette defined (0 '#332288', 1 '#0072b2', 2 '#009e73', 3 '#ddaa33', "
                         "4 '#cc3311')\n");
}

int file_draw(const struct view *view)
{
    struct picture_of_file picture = {.view = view, .has_scale = view->nusage > IN_LEGEND};
    const char *unit;
    double most = 0;
    for (size_t i = 0; i < view->npoints; i++) {
        double end = (double)view->points[i].offset + (double)view->points[i].bytes;
        most = end > most ? end : most;
    }
    picture.divisor = plot_unit(most, &unit);
    picture.least = most / picture.divisor / 300;
    picture.ngroups = picture.has_scale ? 1 : view->nusage;
    if (plot_open(&picture.plot, "gptl ioc file", view->ioc->output, view->ioc->picture, 1100, 650))
        return -1;
    for (size_t i = 0; i < view->nusage; i++)
        *map_put(&picture.group_of, view->usage[i].process) = picture.has_scale ? 0 : i;
    put_frame(&picture, most, unit);
    put_curves(&picture);
    map_free(&picture.group_of);
    return plot_close(&picture.plot);
}
