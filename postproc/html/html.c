/* html.c - the HTML report: the page with its title, its head, a plain table, and its data. */
#include "config.h"

#include "postproc/html/html.h"

#include <stdlib.h>

#include "postproc/paths/metric.h"
#include "postproc/report/outputs.h"
#include "postproc/paths/region_sums.h"
#include "report/name.h"

/* ---- The table of a page without scripts ---------------------------------------------------- */

enum { MOST_ROWS = 50 };

static void put_row(struct gptl_out *out, const struct region_sum *sum, double whole)
{
    const struct figures *figures = &sum->figures;
    gptl_out_literal(out, "<tr><th scope=\"row\"><bdi>");
    gptl_name_xml(out, sum->name);
    gptl_out_format(out, "</bdi></th><td>%llu</td><td>%.6f</td><td>%.6f</td><td>%.1f%%</td></tr>\n",
                    (unsigned long long)figures->calls, (double)figures->total * 1e-9,
                    (double)figures->self * 1e-9,
                    whole > 0 ? 100 * (double)figures->self / whole : 0);
}

/* Regions of the longest exclusive time. Returns 0, or -1 when there is no memory. */
static int put_plain_table(struct gptl_out *out, const struct paths *paths)
{
    struct region_sums sums = {0};
    struct sorted *rows = malloc(((size_t)paths->nregions + 1) * sizeof *rows);
    int result = rows ? region_sums_make(&sums, paths) : -1;
    uint32_t n = 0;
    for (uint32_t i = 0; result == 0 && i <= paths->nregions; i++)
        if (sums.sums[i].name)
            rows[n++] = (struct sorted){.weight = (double)sums.sums[i].figures.self, .item = i};
    if (result == 0) {
        sort_by_weight(rows, n);
        gptl_out_literal(out, "<p>The call tree needs scripts. Without them, these are the regions "
                              "of the longest exclusive time.</p>\n<table>\n<thead><tr>"
                              "<th scope=\"col\">Region</th><th scope=\"col\">Calls</th>"
                              "<th scope=\"col\">Inclusive (s)</th>"
                              "<th scope=\"col\">Exclusive (s)</th>"
                              "<th scope=\"col\">Exclusive</th></tr></thead>\n<tbody>\n");
        for (uint32_t i = 0; i < n && i < MOST_ROWS; i++)
            put_row(out, &sums.sums[rows[i].item], (double)paths->paths[0].figures.total);
        gptl_out_literal(out, "</tbody></table>\n");
    }
    region_sums_free(&sums);
    free(rows);
    return result;
}

/* ---- The page ------------------------------------------------------------------------------ */

int html_write(struct gptl_out *out, const struct paths *paths,
               const struct output_options *options)
{
    char title[300];
    (void)options; /* the page sorts, and has all paths that it is given */
    outputs_title(paths, title, sizeof title);
    gptl_out_text(out, html_page[0]);
    gptl_name_xml(out, title);
    gptl_out_text(out, html_page[1]);
    html_head_write(out, paths);
    gptl_out_text(out, html_page[2]);
    if (put_plain_table(out, paths))
        return -1;
    gptl_out_text(out, html_page[3]);
    if (html_data_write(out, paths))
        return -1;
    gptl_out_text(out, html_page[4]);
    return 0;
}
