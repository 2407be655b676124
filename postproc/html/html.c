/* html.c - the HTML report: title, head, plain table and data. */
#include "config.h"

#include "postproc/html/html.h"

#include <stdlib.h>

#include "postproc/paths/metric.h"
#include "postproc/report/outputs.h"
#include "postproc/paths/region_sums.h"
#include "report/name.h"

/* ---- Table of a page without scripts -------------------------------------------------------- */

enum { MOST_ROWS = 50 };

static void put_row(struct gptl_out *out, const struct region_sum *sum, double whole)
{
    const struct figures *figures = &sum->figures;
    const char *about = figures->error ? "~" : "", *own_about = figures->self_error ? "~" : "";
    gptl_out_literal(out, "<tr><th scope=\"row\"><bdi>");
    gptl_name_xml(out, sum->name);
    gptl_out_format(out, "</bdi></th><td>%llu</td><td>%s%.6f</td><td>%s%.6f</td><td>%s%.1f%%</td>",
                    (unsigned long long)figures->calls, about, (double)figures->total * 1e-9,
                    own_about, (double)figures->self * 1e-9, own_about,
                    whole > 0 ? 100 * (double)figures->self / whole : 0);
}

static void put_heads(struct gptl_out *out, const struct paths *paths,
                      const struct output_options *options)
{
    gptl_out_literal(out, "<p>The call tree needs scripts. Without them, these are the regions "
                          "of the longest exclusive time.</p>\n<table>\n<thead><tr>"
                          "<th scope=\"col\">Region</th><th scope=\"col\">Calls</th>"
                          "<th scope=\"col\">Inclusive (s)</th>"
                          "<th scope=\"col\">Exclusive (s)</th>"
                          "<th scope=\"col\">Exclusive</th>");
    for (uint32_t i = 0; i < options->ncolumns; i++) {
        gptl_out_literal(out, "<th scope=\"col\"><bdi>");
        gptl_name_xml(out, paths->counts->columns[options->columns[i]].name);
        gptl_out_literal(out, "</bdi>, exclusive</th>");
    }
    gptl_out_literal(out, "</tr></thead>\n<tbody>\n");
}

static void put_metrics(struct gptl_out *out, const struct tally *tally,
                        const struct output_options *options)
{
    for (uint32_t i = 0; i < options->ncolumns; i++) {
        struct gptl_metric_value value = tally_value(tally, options->columns[i]);
        if (value.state == GPTL_VALUE_COUNTED)
            gptl_out_format(out, "<td>%lld</td>", (long long)value.counted);
        else if (value.state == GPTL_VALUE_REAL)
            gptl_out_format(out, "<td>%.4g</td>", value.real);
        else
            gptl_out_text(out, value.state == GPTL_VALUE_SHORT ? "<td>n/a</td>" : "<td>–</td>");
    }
    gptl_out_literal(out, "</tr>\n");
}

/* Write the regions with the longest exclusive time. Returns 0, or -1 if out of memory. */
static int put_plain_table(struct gptl_out *out, const struct paths *paths,
                           const struct output_options *options)
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
        put_heads(out, paths, options);
        for (uint32_t i = 0; i < n && i < MOST_ROWS; i++) {
            put_row(out, &sums.sums[rows[i].item], (double)paths->paths[0].figures.total);
            put_metrics(out, sums.tallies ? &sums.tallies[rows[i].item][COUNT_EXCLUSIVE] : NULL,
                        options);
        }
        gptl_out_literal(out, "</tbody></table>\n");
    }
    region_sums_free(&sums);
    free(rows);
    return result;
}

/* ---- Page ---------------------------------------------------------------------------------- */

int html_write(struct gptl_out *out, const struct paths *paths,
               const struct output_options *options)
{
    char title[300];
    outputs_title(paths, title, sizeof title);
    gptl_out_text(out, html_page[0]);
    gptl_name_xml(out, title);
    gptl_out_text(out, html_page[1]);
    if (html_head_write(out, paths))
        return -1;
    gptl_out_text(out, html_page[2]);
    if (put_plain_table(out, paths, options))
        return -1;
    gptl_out_text(out, html_page[3]);
    if (html_data_write(out, paths, options))
        return -1;
    gptl_out_text(out, html_page[4]);
    return 0;
}
